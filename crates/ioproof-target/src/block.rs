//! Block devices by kernel name, as sysfs shows them. What lies on what is in `stack.rs`, what lies behind a loop device in `loops.rs`.

pub(crate) mod character;
pub(crate) mod loops;
pub(crate) mod map;
pub(crate) mod nvlist;
pub(crate) mod openers;
pub(crate) mod seen;
pub mod serial;
pub mod stack;
#[cfg(test)]
pub(crate) mod tree;
pub(crate) mod users;
pub(crate) mod zpool;

use crate::system::System;
use std::path::{Path, PathBuf};

/// The kernel name of a device number: `sda1`.
pub(crate) fn name_of(system: &System, major: u32, minor: u32) -> Option<String> {
    let link = system.sys(&format!("dev/block/{major}:{minor}"));
    let target = std::fs::canonicalize(&link).or_else(|_| std::fs::read_link(&link)).ok()?;
    base_name(&target)
}

/// Its folder below `/sys`: `class/block/sda1`, or in a captured tree wherever it is.
pub(crate) fn folder(system: &System, name: &str) -> Option<String> {
    let direct = [format!("class/block/{name}"), format!("block/{name}")].into_iter();
    let inside = disks(system).into_iter().map(|disk| format!("block/{disk}/{name}"));
    direct.chain(inside).find(|folder| system.sys(&format!("{folder}/dev")).exists())
}

/// A file in its folder, blanks removed.
pub(crate) fn attribute(system: &System, name: &str, file: &str) -> Option<String> {
    system.sys_text(&format!("{}/{file}", folder(system, name)?))
}

/// True if its folder has this entry.
pub(crate) fn has(system: &System, name: &str, entry: &str) -> bool {
    folder(system, name).is_some_and(|folder| system.sys(&format!("{folder}/{entry}")).exists())
}

/// The names of an entry's own entries: holders, slaves.
pub(crate) fn list(system: &System, name: &str, entry: &str) -> Vec<String> {
    folder(system, name).map(|folder| system.sys_list(&format!("{folder}/{entry}"))).unwrap_or_default()
}

/// Device number.
pub(crate) fn number(system: &System, name: &str) -> Option<(u32, u32)> {
    let text = attribute(system, name, "dev")?;
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Size in bytes; sysfs counts in units of 512 whatever the block.
pub(crate) fn size_bytes(system: &System, name: &str) -> Option<u64> {
    attribute(system, name, "size")?.parse::<u64>().ok()?.checked_mul(512)
}

/// Logical block in bytes; a partition has that of its disk.
pub(crate) fn logical_block_bytes(system: &System, name: &str) -> Option<u32> {
    let disk = disk_of(system, name).unwrap_or_else(|| name.to_owned());
    attribute(system, &disk, "queue/logical_block_size")?.parse().ok()
}

/// The number of the medium; see `diskseq` in `kernel.rs`.
pub(crate) fn diskseq(system: &System, name: &str) -> Option<u64> {
    attribute(system, name, "diskseq")?.parse().ok()
}

/// All whole block devices, sorted.
pub(crate) fn disks(system: &System) -> Vec<String> {
    system.sys_list("block")
}

/// The partitions of a disk that the kernel knows.
pub(crate) fn partitions(system: &System, disk: &str) -> Vec<String> {
    let is_partition = |name: &String| system.sys(&format!("block/{disk}/{name}/partition")).exists();
    system.sys_list(&format!("block/{disk}")).into_iter().filter(is_partition).collect()
}

/// The disk that a partition is part of; `None` for what is no partition.
pub(crate) fn disk_of(system: &System, name: &str) -> Option<String> {
    if !has(system, name, "partition") {
        return None;
    }
    disks(system).into_iter().find(|disk| system.sys(&format!("block/{disk}/{name}/partition")).exists())
}

/// True for a loop device.
pub(crate) fn is_loop(name: &str) -> bool {
    name.strip_prefix("loop").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// True for a whole NVMe namespace: the driver gives those, and neither partitions nor what is mapped onto them, a number (`nsid`, drivers/nvme/host/sysfs.c).
pub(crate) fn is_nvme_namespace(system: &System, name: &str) -> bool {
    name.starts_with("nvme") && has(system, name, "nsid") && !has(system, name, "partition") && !has(system, name, "dm")
}

/// True for a whole SCSI disk, which SATA disks are to the kernel too: neither a partition nor mapped (drivers/scsi/sd.c, drivers/scsi/scsi_sysfs.c).
pub(crate) fn is_scsi_disk(system: &System, name: &str) -> bool {
    name.starts_with("sd") && has(system, name, "device/scsi_level") && !has(system, name, "partition") && !has(system, name, "dm")
}

/// True for a drive of zones that take writes at their write pointers only (Documentation/ABI/stable/sysfs-block, `queue/zoned`).
pub(crate) fn is_zoned(system: &System, name: &str) -> bool {
    attribute(system, name, "queue/zoned").is_some_and(|model| model == "host-managed")
}

/// The folder to which a driver's `device` link leads: the controller of an NVMe namespace, the SCSI device of a disk.
pub(crate) fn device_folder(system: &System, name: &str) -> Option<PathBuf> {
    std::fs::canonicalize(system.sys(&format!("{}/device", folder(system, name)?))).ok()
}

/// The kernel name of a block device given by path, as mount tables and swap tables do: `/dev/mapper/vg-root`.
pub(crate) fn name_of_path(system: &System, path: &str) -> Option<String> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let at = system.at(path);
    if let Ok(meta) = std::fs::metadata(&at)
        && meta.file_type().is_block_device()
    {
        return name_of(system, rustix::fs::major(meta.rdev()), rustix::fs::minor(meta.rdev()));
    }
    let last = base_name(Path::new(path.strip_prefix("/dev/")?))?;
    mapped_name(system, path).or_else(|| folder(system, &last).map(|_| last))
}

fn mapped_name(system: &System, path: &str) -> Option<String> {
    let mapped = unmangled(path.strip_prefix("/dev/mapper/")?);
    disks(system).into_iter().find(|disk| system.sys_text(&format!("block/{disk}/dm/name")).as_deref() == Some(mapped.as_str()))
}

/// device-mapper's library writes what does not suit a path as `\\x20` in the names of nodes (dmsetup(8), mangled names).
fn unmangled(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.strip_prefix(b"x").filter(|_| *first == b'\\').and_then(|hex| std::str::from_utf8(hex.get(..2)?).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn base_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    #[test]
    fn disks_partitions_and_numbers() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.partition("sda", "sda1", "8:1");
        let system = tree.system();
        assert_eq!(name_of(&system, 8, 1).as_deref(), Some("sda1"));
        assert_eq!(disk_of(&system, "sda1").as_deref(), Some("sda"));
        assert_eq!(disk_of(&system, "sda"), None);
        assert_eq!(partitions(&system, "sda"), ["sda1"]);
        assert_eq!(number(&system, "sda1"), Some((8, 1)));
        assert_eq!(size_bytes(&system, "sda"), Some(1 << 30));
        assert_eq!(logical_block_bytes(&system, "sda1"), Some(512));
        assert_eq!(name_of_path(&system, "/dev/sda1").as_deref(), Some("sda1"));
        assert_eq!(name_of_path(&system, "/dev/sdz"), None);
        assert_eq!(name_of_path(&system, "tank/data"), None);
    }

    #[test]
    fn a_namespace_is_whole_and_has_its_number() {
        let tree = Tree::new();
        for (name, number) in [("nvme0n1", "259:0"), ("nvme1n1", "259:2"), ("sda", "8:0"), ("dm-0", "252:0")] {
            tree.disk(name, number, 1 << 30);
        }
        tree.partition("nvme0n1", "nvme0n1p1", "259:1");
        for name in ["nvme0n1", "sda", "dm-0"] {
            tree.write(&format!("sys/block/{name}/nsid"), "1\n");
        }
        let system = tree.system();
        let found = ["nvme0n1", "nvme0n1p1", "nvme1n1", "sda", "dm-0"].map(|name| is_nvme_namespace(&system, name));
        assert_eq!(found, [true, false, false, false, false]);
    }

    #[test]
    fn a_zoned_drive_says_so() {
        let tree = Tree::new();
        for (name, number, model) in [("nullb0", "250:0", "host-managed"), ("sda", "8:0", "none"), ("sdb", "8:16", "host-aware")] {
            tree.disk(name, number, 1 << 30);
            tree.write(&format!("sys/block/{name}/queue/zoned"), &format!("{model}\n"));
        }
        let system = tree.system();
        assert_eq!(["nullb0", "sda", "sdb", "sdc"].map(|name| is_zoned(&system, name)), [true, false, false, false]);
    }

    #[test]
    fn a_scsi_disk_is_whole() {
        let tree = Tree::new();
        ["sda", "sdb", "dm-0"].iter().zip(["8:0", "8:16", "252:0"]).for_each(|(name, number)| tree.disk(name, number, 1 << 30));
        tree.partition("sda", "sda1", "8:1");
        for folder in ["sda", "sda/sda1", "dm-0"] {
            tree.write(&format!("sys/block/{folder}/device/scsi_level"), "6\n");
        }
        let system = tree.system();
        let found = ["sda", "sda1", "sdb", "dm-0"].map(|name| is_scsi_disk(&system, name));
        assert_eq!(found, [true, false, false, false]);
    }

    #[test]
    fn mapped_names_and_loops() {
        let tree = Tree::new();
        tree.disk("dm-0", "252:0", 1 << 20);
        tree.write("sys/block/dm-0/dm/name", "vg-root\n");
        tree.disk("loop3", "7:3", 1 << 20);
        tree.write("sys/block/loop3/loop/backing_file", "/srv/a.img\n");
        tree.disk("loop4", "7:4", 0);
        let system = tree.system();
        assert_eq!(name_of_path(&system, "/dev/mapper/vg-root").as_deref(), Some("dm-0"));
        tree.write("sys/block/dm-0/dm/name", "my volume\n");
        assert_eq!(name_of_path(&system, r"/dev/mapper/my\x20volume").as_deref(), Some("dm-0"));
        assert!(is_loop("loop12") && !is_loop("loop") && !is_loop("loop-control"));
    }
}
