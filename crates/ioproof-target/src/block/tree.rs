//! For tests: a made-up machine in a temporary folder, read through [`System::captured`].

use crate::system::System;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A folder of its own on a drive, which the system's temporary folder need not be.
pub(crate) fn folder_on_a_drive() -> tempfile::TempDir {
    let parent = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tmp");
    std::fs::create_dir_all(parent).unwrap();
    tempfile::tempdir_in(parent).unwrap()
}

pub(crate) struct Tree {
    root: tempfile::TempDir,
}

impl Tree {
    /// A machine with nothing mounted, on which every process can be seen.
    pub(crate) fn new() -> Self {
        let tree = Self { root: tempfile::tempdir().unwrap() };
        tree.write("proc/self/mountinfo", "");
        tree.folder("proc/self/ns");
        tree.folder("proc/1/fd");
        symlink("pid:[4026531836]", tree.path("proc/self/ns/pid")).unwrap();
        tree
    }

    pub(crate) fn system(&self) -> System {
        System::captured(self.root.path())
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn folder(&self, path: &str) {
        std::fs::create_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn append(&self, path: &str, text: &str) {
        let before = std::fs::read_to_string(self.path(path)).unwrap_or_default();
        self.write(path, &(before + text));
    }

    /// A whole disk with blocks of 512 bytes; a loop device that is not empty lies on a file of its own.
    pub(crate) fn disk(&self, name: &str, number: &str, size_bytes: u64) {
        let folder = format!("sys/block/{name}");
        self.write(&format!("{folder}/dev"), &format!("{number}\n"));
        self.write(&format!("{folder}/size"), &format!("{}\n", size_bytes / 512));
        self.write(&format!("{folder}/ro"), "0\n");
        self.write(&format!("{folder}/queue/logical_block_size"), "512\n");
        self.number(number, &folder);
        if size_bytes > 0 && crate::block::is_loop(name) {
            self.write(&format!("srv/{name}.img"), "x");
            self.write(&format!("{folder}/loop/backing_file"), &format!("/srv/{name}.img\n"));
        }
    }

    pub(crate) fn partition(&self, disk: &str, name: &str, number: &str) {
        let folder = format!("sys/block/{disk}/{name}");
        self.write(&format!("{folder}/dev"), &format!("{number}\n"));
        self.write(&format!("{folder}/partition"), "1\n");
        self.write(&format!("{folder}/size"), "2048\n");
        self.number(number, &folder);
    }

    /// An NVMe controller with namespaces (name, device number, nsid).
    pub(crate) fn nvme(&self, controller: &str, namespaces: &[(&str, &str, u32)], serial: &str) {
        self.write(&format!("sys/devices/{controller}/serial"), &format!("{serial}\n"));
        for (name, number, nsid) in namespaces {
            self.disk(name, number, 1 << 30);
            self.write(&format!("sys/block/{name}/nsid"), &format!("{nsid}\n"));
            symlink(self.path(&format!("sys/devices/{controller}")), self.path(&format!("sys/block/{name}/device"))).unwrap();
        }
    }

    /// The character device of a namespace of that controller.
    pub(crate) fn character(&self, controller: &str, name: &str, number: &str) {
        self.write(&format!("sys/class/nvme-generic/{name}/dev"), &format!("{number}\n"));
        symlink(self.path(&format!("sys/devices/{controller}")), self.path(&format!("sys/class/nvme-generic/{name}/device"))).unwrap();
    }

    pub(crate) fn mount(&self, number: &str, point: &str, source: &str) {
        let id = self.path("proc/self/mountinfo").metadata().map_or(0, |m| m.len()) + 20;
        self.append("proc/self/mountinfo", &format!("{id} 1 {number} / {point} rw,relatime - ext4 {source} rw\n"));
    }

    pub(crate) fn swap(&self, path: &str) {
        if !self.path("proc/swaps").exists() {
            self.write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n");
        }
        self.append("proc/swaps", &format!("{path} partition 1024 0 -2\n"));
    }

    /// A file that bears a swap area, and is swapped to.
    pub(crate) fn swap_file(&self, path: &str) {
        self.write_bytes(path.trim_start_matches('/'), &[&[0; 4086][..], b"SWAPSPACE2"].concat());
        self.swap(path);
    }

    fn number(&self, number: &str, folder: &str) {
        self.folder("sys/dev/block");
        symlink(self.path(folder), self.path(&format!("sys/dev/block/{number}"))).unwrap();
    }
}
