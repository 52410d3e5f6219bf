//! Serial numbers, by which a user consents to writing a drive, and other drives with the same one.
//!
//! The kernel's files are asked, never the drive: a guard must not depend on a command.

use crate::block;
use crate::system::System;
use ioproof_core::facts::Fact;
use std::path::PathBuf;

/// The serial number of a whole disk and where it was read; `None` where the kernel knows none. Outer blanks are removed.
///
/// In order: `device/serial` (NVMe, MMC), `serial` (virtio-blk), `device/vpd_pg80` (SCSI and ATA; SPC-5 7.7.19, unit serial number
/// page).
#[must_use]
pub fn serial(system: &System, name: &str) -> Option<Fact<String>> {
    let folder = format!("block/{name}");
    let text = |file: &str| {
        let path = format!("{folder}/{file}");
        system.sys_text(&path).map(|value| Fact::new(value, format!("/sys/{path}")))
    };
    text("device/serial").or_else(|| text("serial")).or_else(|| {
        let path = format!("{folder}/device/vpd_pg80");
        vpd_serial(&std::fs::read(system.sys(&path)).ok()?).map(|value| Fact::new(value, format!("/sys/{path}")))
    })
}

/// Byte 1 is the page code, bytes 2 and 3 the length of the serial that follows.
fn vpd_serial(page: &[u8]) -> Option<String> {
    let (header, body) = page.split_at_checked(4)?;
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let bytes = body.get(..length).unwrap_or(body);
    let text = String::from_utf8_lossy(bytes);
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (header[1] == 0x80 && !trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// The namespace of an NVMe disk (1 and up).
#[must_use]
pub fn namespace_id(system: &System, name: &str) -> Option<u64> {
    is_nvme(name).then(|| system.sys_number(&format!("block/{name}/nsid")))?
}

/// The other namespaces of an NVMe disk's controller or subsystem, by name.
#[must_use]
pub fn siblings(system: &System, name: &str) -> Vec<String> {
    if !is_nvme(name) {
        return Vec::new();
    }
    let own = Controller::of(system, name);
    let others = block::disks(system).into_iter().filter(|other| other != name && is_nvme(other) && !is_hidden(system, other));
    others.filter(|other| own.same(&Controller::of(system, other))).collect()
}

/// The other disks here that bear the same serial and are not namespaces of the same controller.
#[must_use]
pub fn namesakes(system: &System, name: &str) -> Vec<String> {
    let Some(own) = serial(system, name) else { return Vec::new() };
    let siblings = siblings(system, name);
    let boot_area = |other: &str| other.strip_prefix(name).is_some_and(|rest| ["boot", "rpmb", "gp"].iter().any(|p| rest.starts_with(p)));
    let others = block::disks(system).into_iter().filter(|o| o != name && !is_hidden(system, o) && !boot_area(o) && !siblings.contains(o));
    others.filter(|other| serial(system, other).is_some_and(|s| s.value == own.value)).collect()
}

fn is_nvme(name: &str) -> bool {
    name.starts_with("nvme")
}

/// One path of a multipath namespace, which shows as a disk of its own in sysfs and cannot be opened.
fn is_hidden(system: &System, name: &str) -> bool {
    system.sys_number(&format!("block/{name}/hidden")) == Some(1)
}

/// The key that tells controllers apart: the folder, or where namespaces of one subsystem hang on different folders its name and serial.
struct Controller {
    folder: Option<PathBuf>,
    subsystem: Option<(String, String)>,
}

impl Controller {
    fn of(system: &System, name: &str) -> Self {
        let text = |file: &str| system.sys_text(&format!("block/{name}/device/{file}"));
        Self { folder: block::device_folder(system, name), subsystem: text("subsysnqn").zip(text("serial")) }
    }

    fn same(&self, other: &Self) -> bool {
        (self.folder.is_some() && self.folder == other.folder) || (self.subsystem.is_some() && self.subsystem == other.subsystem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn sources_in_order() {
        let tree = Tree::new();
        for (name, number) in [("nvme0n1", "259:0"), ("vdb", "254:16"), ("sda", "8:0"), ("sdb", "8:16")] {
            tree.disk(name, number, 1 << 30);
        }
        tree.write("sys/block/nvme0n1/device/serial", "S4EVNX0M  \n");
        tree.write("sys/block/vdb/serial", "disk-b\n");
        tree.write_bytes("sys/block/sda/device/vpd_pg80", b"\x00\x80\x00\x0c  WD-1234  \0\0");
        let system = tree.system();
        assert_eq!(serial(&system, "nvme0n1").unwrap().value, "S4EVNX0M");
        assert_eq!(serial(&system, "vdb").unwrap().value, "disk-b");
        assert_eq!(serial(&system, "sda").unwrap(), Fact::new("WD-1234".to_owned(), "/sys/block/sda/device/vpd_pg80"));
        assert_eq!(serial(&system, "sdb"), None);
    }

    #[test]
    fn a_short_or_foreign_page_has_no_serial() {
        assert_eq!(vpd_serial(b""), None);
        assert_eq!(vpd_serial(b"\0\x80\0"), None);
        assert_eq!(vpd_serial(b"\0\x80\0\x08        "), None);
        assert_eq!(vpd_serial(b"\0\x83\0\x04ABCD"), None);
        assert_eq!(vpd_serial(b"\0\x80\0\xffABC").as_deref(), Some("ABC"));
    }

    #[test]
    fn namespaces_are_siblings_and_no_namesakes() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        tree.nvme("nvme1", &[("nvme1n1", "259:2", 1)], "S2");
        let system = tree.system();
        assert_eq!(siblings(&system, "nvme0n1"), ["nvme0n2"]);
        assert_eq!(siblings(&system, "nvme1n1"), [] as [&str; 0]);
        assert_eq!(namesakes(&system, "nvme0n1"), [] as [&str; 0]);
        assert_eq!(namespace_id(&system, "nvme0n2"), Some(2));
    }

    #[test]
    fn two_controllers_of_one_subsystem_are_one_drive() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1)], "S1");
        tree.nvme("nvme1", &[("nvme1n1", "259:2", 1)], "S1");
        assert_eq!(namesakes(&tree.system(), "nvme0n1"), ["nvme1n1"]);
        for controller in ["nvme0", "nvme1"] {
            tree.write(&format!("sys/devices/{controller}/subsysnqn"), "nqn.2014.com.example:s1\n");
        }
        assert_eq!(siblings(&tree.system(), "nvme0n1"), ["nvme1n1"]);
    }

    #[test]
    fn boot_areas_of_a_card_are_the_same_card() {
        let tree = Tree::new();
        for (name, number) in [("mmcblk0", "179:0"), ("mmcblk0boot0", "179:8")] {
            tree.disk(name, number, 1 << 30);
            tree.write(&format!("sys/block/{name}/device/serial"), "0x1234\n");
        }
        assert_eq!(namesakes(&tree.system(), "mmcblk0"), [] as [&str; 0]);
        assert_eq!(namesakes(&tree.system(), "mmcblk0boot0"), ["mmcblk0"], "the boot area itself is not written");
    }
}
