//! Copies of the kernel's files below another root, links included, so that `System::captured` finds them where the kernel has them.

use crate::anonymise::Anonymiser;
use anyhow::{Context, Result};
use ioproof_target::{Holder, System};
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};

/// No file of sysfs that tells a fact is larger. Bytes.
const MOST_BYTES: u64 = 256 << 10;
/// Files of a PCI function or a bus that say what it is and how it is linked; others (`config`, `resource0`, `rom`) reach the device when they are read.
const OF_A_BUS: [&str; 17] = [
    "vendor",
    "device",
    "subsystem_vendor",
    "subsystem_device",
    "class",
    "revision",
    "numa_node",
    "local_cpulist",
    "power_state",
    "sata_spd",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
    "aer_dev_correctable",
    "aer_dev_fatal",
    "aer_dev_nonfatal",
];
/// Files of a controller on the way to a namespace over several paths; others name the host.
const OF_A_CONTROLLER: [&str; 8] = ["model", "serial", "firmware_rev", "subsysnqn", "numa_node", "cntlid", "transport", "state"];
/// Folders below a block device or its driver's device that are copied in full.
const IN_FULL: [&str; 8] = ["queue", "mq", "dm", "md", "loop", "hwmon", "integrity", "msi_irqs"];
/// Folders below these of which nothing is read.
const LEFT_OUT: [&str; 2] = ["power", "iosched"];
/// Deeper than this lies nothing that is read.
const DEEPEST: u32 = 4;

/// Copies into one folder.
pub struct Copier<'a> {
    system: &'a System,
    to: &'a Path,
    known: &'a Anonymiser,
    count: Cell<usize>,
    problems: RefCell<Vec<String>>,
}

impl<'a> Copier<'a> {
    /// Nothing is copied yet.
    pub fn new(system: &'a System, to: &'a Path, known: &'a Anonymiser) -> Self {
        Self { system, to, known, count: Cell::new(0), problems: RefCell::new(Vec::new()) }
    }

    /// Files written so far.
    pub fn count(&self) -> usize {
        self.count.get()
    }

    /// Files that could not be written, a line each with the reason.
    pub fn problems(&self) -> Vec<String> {
        self.problems.borrow().clone()
    }

    /// Writes a file of our own.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.to.join(name);
        let write = || -> std::io::Result<()> {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, self.known.clean(name, bytes))
        };
        write().with_context(|| format!("cannot write {}", path.display()))?;
        self.count.set(self.count.get() + 1);
        Ok(())
    }

    /// A block device: its folder, its driver's device, and every bus function on the way.
    pub fn device(&self, name: &str) {
        let Some(own) = self.resolved(&format!("class/block/{name}")).or_else(|| self.resolved(&format!("block/{name}"))) else { return };
        let is_partition = self.system.sys(&format!("{own}/partition")).exists();
        if !is_partition {
            self.link(&format!("block/{name}"), &own);
        }
        if let Some(number) = self.system.sys_text(&format!("{own}/dev")) {
            self.link(&format!("dev/block/{number}"), &own);
        }
        self.folder(&own, 0);
        for entry in ["slaves", "holders"] {
            for other in self.system.sys_list(&format!("{own}/{entry}")) {
                // The kernel has links here, of which only the names count; an empty folder would be lost where folders are files of an archive.
                self.note(self.write(&format!("sys/{own}/{entry}/{other}"), b""));
            }
        }
        if let Some(device) = self.resolved(&format!("{own}/device")) {
            self.link(&format!("{own}/device"), &device);
            self.folder(&device, 0);
            self.controllers(&device);
        }
        self.buses(&own);
    }

    /// The controllers of an NVMe subsystem, which are links in its folder and lead to the drive where the namespace over several paths has no place on any bus.
    fn controllers(&self, subsystem: &str) {
        let is_controller =
            |name: &String| name.strip_prefix("nvme").is_some_and(|unit| !unit.is_empty() && unit.bytes().all(|b| b.is_ascii_digit()));
        for name in self.system.sys_list(subsystem).into_iter().filter(is_controller) {
            let at = format!("{subsystem}/{name}");
            if let Some(controller) = self.resolved(&at).filter(|controller| *controller != at) {
                self.link(&at, &controller);
                OF_A_CONTROLLER.iter().for_each(|file| self.sys(&format!("{controller}/{file}")));
                let sensors = self.system.sys_list(&controller).into_iter().filter(|name| name.starts_with("hwmon"));
                sensors.for_each(|name| self.in_full(&format!("{controller}/{name}"), 1));
                self.buses(&controller);
            }
        }
    }

    /// The functions on the way to a device, and the links of SATA ports.
    fn buses(&self, own: &str) {
        let mut folder = Some(own);
        while let Some((above, _)) = folder.and_then(|path| path.rsplit_once('/')) {
            for file in OF_A_BUS {
                self.sys(&format!("{above}/{file}"));
            }
            for inner in ["msi_irqs", "link"] {
                self.in_full(&format!("{above}/{inner}"), 1);
            }
            self.sys(&format!("{above}/iommu_group/type"));
            for irq in self.system.sys_list(&format!("{above}/msi_irqs")) {
                self.proc(&format!("irq/{irq}/smp_affinity_list"));
                self.proc(&format!("irq/{irq}/effective_affinity_list"));
            }
            folder = Some(above);
        }
        for port in self.system.sys_list("class/ata_link") {
            let number = port.strip_prefix("link").unwrap_or_default();
            let is_on_the_way = own.split('/').any(|part| part.strip_prefix("ata") == Some(number));
            if let Some(link) = self.resolved(&format!("class/ata_link/{port}")).filter(|_| is_on_the_way) {
                self.link(&format!("class/ata_link/{port}"), &link);
                self.sys(&format!("{link}/sata_spd"));
            }
        }
    }

    fn folder(&self, folder: &str, depth: u32) {
        for name in self.system.sys_list(folder) {
            let path = format!("{folder}/{name}");
            match fs::symlink_metadata(self.system.sys(&path)) {
                Ok(meta) if meta.is_file() => self.sys(&path),
                Ok(meta) if meta.is_dir() && (IN_FULL.contains(&name.as_str()) || name.starts_with("hwmon")) => {
                    self.in_full(&path, depth + 1)
                }
                _ => {}
            }
        }
    }

    fn in_full(&self, folder: &str, depth: u32) {
        if depth > DEEPEST {
            return;
        }
        for name in self.system.sys_list(folder) {
            let path = format!("{folder}/{name}");
            match fs::symlink_metadata(self.system.sys(&path)) {
                Ok(meta) if meta.is_file() => self.sys(&path),
                Ok(meta) if meta.is_dir() && !LEFT_OUT.contains(&name.as_str()) => self.in_full(&path, depth + 1),
                _ => {}
            }
        }
    }

    /// A file below `/sys`; one that is not there or not readable is left out.
    pub fn sys(&self, path: &str) {
        self.file(&self.system.sys(path), &format!("sys/{path}"));
    }

    /// A file below `/proc`.
    pub fn proc(&self, path: &str) {
        self.file(&self.system.proc(path), &format!("proc/{path}"));
    }

    /// The mounts of these devices only: the others are nobody's business.
    pub fn mounts(&self, names: &[String]) {
        let numbers: Vec<String> = names.iter().filter_map(|name| self.system.sys_text(&format!("class/block/{name}/dev"))).collect();
        let text = self.system.proc_text("self/mountinfo").unwrap_or_default();
        let ours = text.lines().filter(|line| line.split(' ').nth(2).is_some_and(|number| numbers.iter().any(|n| n == number)));
        let kept: String = ours.map(|line| format!("{line}\n")).collect();
        self.note(self.write("proc/self/mountinfo", kept.as_bytes()));
    }

    /// Of what udev found on a device, the fields that say what it holds.
    pub fn udev(&self, name: &str) {
        const FIELDS: [&str; 4] = ["E:ID_FS_TYPE=", "E:ID_FS_LABEL=", "E:ID_FS_UUID=", "E:ID_PART_TABLE_TYPE="];
        let Some(number) = self.system.sys_text(&format!("class/block/{name}/dev")) else { return };
        let file = format!("run/udev/data/b{number}");
        let Ok(bytes) = fs::read(self.system.at(&format!("/{file}"))) else { return };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let kept = text.lines().filter(|line| FIELDS.iter().any(|field| line.starts_with(field)));
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        self.note(self.write(&file, kept.as_bytes()));
    }

    fn file(&self, from: &Path, name: &str) {
        use std::os::unix::fs::PermissionsExt;
        let readable = fs::metadata(from).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o444 != 0);
        if !readable || self.to.join(name).exists() {
            return;
        }
        let mut bytes = Vec::new();
        let read = fs::File::open(from).and_then(|file| std::io::Read::read_to_end(&mut std::io::Read::take(file, MOST_BYTES), &mut bytes));
        if read.is_ok() {
            self.note(self.write(name, &bytes));
        }
    }

    /// A relative link below `sys`, as the kernel has it.
    fn link(&self, at: &str, to: &str) {
        let ups = at.matches('/').count();
        let target = PathBuf::from("../".repeat(ups)).join(to);
        let path = self.to.join("sys").join(at);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let made = made.and_then(|()| if path.symlink_metadata().is_ok() { Ok(()) } else { std::os::unix::fs::symlink(&target, &path) });
        self.note(made.with_context(|| format!("cannot link {}", path.display())));
        self.directory(&format!("sys/{to}"));
    }

    fn directory(&self, name: &str) {
        let path = self.to.join(name);
        self.note(fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display())));
    }

    fn note(&self, result: Result<()>) {
        if let Err(error) = result {
            self.problems.borrow_mut().push(ioproof_process::complaint::describe(&error));
        }
    }

    /// A path below `/sys` with all links followed.
    fn resolved(&self, path: &str) -> Option<String> {
        let root = self.system.sys("").canonicalize().ok()?;
        let full = self.system.sys(path).canonicalize().ok()?;
        Some(full.strip_prefix(root).ok()?.to_str()?.to_owned())
    }
}

pub fn names_above(above: &Holder) -> Vec<String> {
    std::iter::once(above.name.clone()).chain(above.holders.iter().flat_map(names_above)).collect()
}
