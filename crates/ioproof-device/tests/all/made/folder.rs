//! A folder in the form of a capture, in memory first.

use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Of the host, the same for all: what is asked of one.
const HOST: [&str; 8] = [
    "proc/cpuinfo",
    "proc/loadavg",
    "proc/meminfo",
    "proc/stat",
    "proc/self/limits",
    "proc/self/status",
    "proc/sys/kernel/osrelease",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
];

#[derive(Debug, PartialEq)]
enum Entry {
    File(Vec<u8>),
    Link(String),
}

/// The folder.
#[derive(Debug)]
pub struct Folder {
    pub name: &'static str,
    /// Kernel name of its one drive.
    drive: &'static str,
    /// The folder of the disk below `sys`.
    disk: String,
    entries: BTreeMap<String, Entry>,
    answers: Vec<String>,
}

impl Folder {
    /// A disk in this folder below `sys`, with what the kernel says of every one.
    pub fn new(name: &'static str, disk: &str, number: &str, size_bytes: u64) -> Self {
        let drive = disk.rsplit('/').next().map(|name| &*Box::leak(name.to_owned().into_boxed_str())).unwrap();
        let mut folder = Self { name, drive, disk: disk.to_owned(), entries: BTreeMap::new(), answers: Vec::new() };
        folder.link(&format!("sys/block/{drive}"), &format!("../{disk}"));
        folder.link(&format!("sys/dev/block/{number}"), &format!("../../{disk}"));
        folder.of_disk("dev", number);
        folder.of_disk("size", &(size_bytes / 512).to_string());
        folder.of_disk("stat", "     100        0      800       40       50        0      400       30        0       60       70");
        folder.text("proc/self/mountinfo", "");
        for file in HOST {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/devices/nvme-p3700-behind-switch").join(file);
            folder.file(file, &std::fs::read(path).unwrap());
        }
        folder.text("proc/self/cgroup", "0::/");
        folder.text("proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority");
        folder
    }

    /// A file in the folder of the disk.
    pub fn of_disk(&mut self, file: &str, text: &str) {
        self.text(&format!("sys/{}/{file}", self.disk.clone()), text);
    }

    /// The files of its queue.
    pub fn queue(&mut self, rows: &[(&str, &str)]) {
        rows.iter().for_each(|(file, text)| self.of_disk(&format!("queue/{file}"), text));
    }

    /// A file of one line, as the kernel ends it; one without text stays empty.
    pub fn text(&mut self, path: &str, text: &str) {
        let bytes = if text.is_empty() { Vec::new() } else { format!("{text}\n").into_bytes() };
        self.file(path, &bytes);
    }

    pub fn file(&mut self, path: &str, bytes: &[u8]) {
        self.entries.insert(path.to_owned(), Entry::File(bytes.to_vec()));
    }

    pub fn link(&mut self, path: &str, target: &str) {
        self.entries.insert(path.to_owned(), Entry::Link(target.to_owned()));
    }

    /// Keeps the drive's answer to the command of this name.
    pub fn answer(&mut self, command: &str, bytes: &[u8]) {
        // The kernel's pages are the first four.
        let file = format!("{:02}-{command}.bin", self.answers.len() + 4);
        self.file(&format!("pages/{}/{file}", self.drive), bytes);
        self.answers.push(file);
    }

    /// The folder with what a capture says of itself.
    pub fn done(mut self) -> Self {
        let node = format!("/dev/{}", self.drive);
        let drive = json!({ "name": self.drive, "node": node, "answers": self.answers, "missing": [], "root_would_add": false });
        let contents = json!({
            "schema_version": 1,
            "given": node,
            "resolved": node,
            "kind": "block device",
            "devices": [self.drive],
            "by_root": true,
            "drives": [drive],
            "uses": [],
            "notes": [],
        });
        self.text("capture.json", &serde_json::to_string_pretty(&contents).unwrap());
        self
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    pub fn write(&self, root: &Path) {
        let root = root.join(self.name);
        for (path, entry) in &self.entries {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            match entry {
                Entry::File(bytes) => std::fs::write(&path, bytes).unwrap(),
                Entry::Link(target) => {
                    let _ = std::fs::remove_file(&path);
                    symlink(target, &path).unwrap();
                }
            }
        }
    }

    /// Paths that are not what they ought to be, and answers that are not made here.
    pub fn differing(&self, root: &Path) -> Vec<String> {
        let root = root.join(self.name);
        let found = |path: &str, entry: &Entry| match entry {
            Entry::File(_) => std::fs::read(root.join(path)).ok().map(Entry::File),
            Entry::Link(_) => std::fs::read_link(root.join(path)).ok().map(|target| Entry::Link(target.display().to_string())),
        };
        let wrong = self.entries.iter().filter(|(path, entry)| found(path, entry).as_ref() != Some(entry)).map(|(path, _)| path.clone());
        let pages = format!("pages/{}", self.drive);
        let there = std::fs::read_dir(root.join(&pages)).into_iter().flatten().flatten();
        let there = there.map(|entry| format!("{pages}/{}", entry.file_name().to_string_lossy()));
        wrong.chain(there.filter(|path| !self.entries.contains_key(path))).collect()
    }
}

/// A page of a captured drive, to be changed.
pub fn page(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pages").join(format!("{name}.bin"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Puts bytes into a page.
pub fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Text, with blanks to this length.
pub fn padded(text: &str, length: usize) -> Vec<u8> {
    format!("{text:length$}").into_bytes()
}
