//! Reads the marks by which a target is known again (`ioproof_core::identity`). Nothing is opened but the root of a filesystem, and that to be looked at.

use crate::block::stack;
use crate::block::{self, loops};
use crate::system::System;
use crate::system::filesystem;
use crate::system::mounts::Mount;
use crate::system::pin::Pin;
use ioproof_core::facts::{StackNode, TargetFacts};
use ioproof_core::identity::Identity;
use rustix::fs::{AtFlags, StatxFlags, StatxTimestamp, major, minor, statx};
use std::os::fd::AsFd;
use std::path::Path;

/// Filesystems that give a file another inode when it was forgotten, or have it from a server that may.
const FLEETING_INODES: [&str; 5] = ["vfat", "msdos", "exfat", "virtiofs", "9p"];

/// Below a loop device may be another, and so on.
const DEPTH_LIMIT: u32 = 8;

/// The marks of a block device by kernel name.
pub(crate) fn of_device(system: &System, name: &str) -> Identity {
    device(system, name, DEPTH_LIMIT)
}

/// The marks of a file with what it lies on.
pub(crate) fn of_file(system: &System, facts: &TargetFacts, pin: &Pin) -> Identity {
    Identity { under: facts.stack.as_ref().map(|node| under(system, node)), ..of_inode(system, pin, keeps_inodes(facts)) }
}

/// The same of a file beside one that is known: both lie on the same.
pub(crate) fn beside(system: &System, known: &TargetFacts, pin: &Pin) -> Identity {
    let under = known.identity.as_ref().and_then(|identity| identity.under.clone());
    Identity { under, ..of_inode(system, pin, keeps_inodes(known)) }
}

/// The marks of the filesystem that a folder lies on: those of its root, since folders come and go. Where the root is not to be seen, or has files of its own
/// (a subvolume), those of the folder.
pub(crate) fn of_filesystem(system: &System, facts: &TargetFacts, mount: Option<&Mount>, folder: &Pin) -> Identity {
    let root = mount.and_then(|mount| Pin::following(Path::new(&mount.mount_point)).ok());
    let root = root.filter(|root| root.stat.st_dev == folder.stat.st_dev && filesystem::mount_id(root) == filesystem::mount_id(folder));
    let of_root = of_file(system, facts, root.as_ref().unwrap_or(folder));
    Identity { permanent_name: filesystem_id(facts, folder), changed_unix_ms: None, ..of_root }
}

/// The identifier of a filesystem that is made of its UUID; others make it of the number of their device (statfs(2), `f_fsid`).
fn filesystem_id(facts: &TargetFacts, folder: &Pin) -> Option<String> {
    let is_of_uuid = matches!(fs_type(facts), "ext2" | "ext3" | "ext4" | "btrfs");
    let id = || rustix::fs::fstatvfs(folder).ok().map(|answer| answer.f_fsid).filter(|id| *id != 0);
    is_of_uuid.then(id).flatten().map(|id| format!("fsid {id:016x}"))
}

fn keeps_inodes(facts: &TargetFacts) -> bool {
    !FLEETING_INODES.contains(&fs_type(facts)) && !fs_type(facts).starts_with("fuse")
}

fn fs_type(facts: &TargetFacts) -> &str {
    facts.filesystem.as_ref().map_or("", |filesystem| filesystem.fs_type.as_str())
}

/// The marks of the device below; of several the first.
fn under(system: &System, node: &StackNode) -> Box<Identity> {
    let first = node.under.first().filter(|_| node.kind == stack::POOL);
    Box::new(of_device(system, &first.unwrap_or(node).name))
}

fn of_inode(system: &System, pin: &Pin, is_kept: bool) -> Identity {
    let stat = &pin.stat;
    Identity {
        inode: is_kept.then_some(stat.st_ino),
        born_unix_ms: born(pin),
        changed_unix_ms: Some(milliseconds(stat.st_ctime, stat.st_ctime_nsec)),
        boot_id: boot_id(system),
        device: Some(format!("{}:{}", major(stat.st_dev), minor(stat.st_dev))),
        ..Identity::default()
    }
}

fn device(system: &System, name: &str, depth: u32) -> Identity {
    let disk = block::disk_of(system, name).unwrap_or_else(|| name.to_owned());
    let behind = loops::is_loop_in_use(system, &disk).then(|| behind_loop(system, &disk, depth)).flatten().unwrap_or_default();
    Identity {
        permanent_name: permanent_name(system, &disk).or(behind.permanent_name),
        start_bytes: start_bytes(system, name, &disk),
        boot_id: boot_id(system),
        device: block::number(system, name).map(|(major, minor)| format!("{major}:{minor}")),
        diskseq: block::diskseq(system, &disk),
        inode: behind.inode,
        born_unix_ms: behind.born_unix_ms,
        ..Identity::default()
    }
}

/// The marks that last of the file or device behind a loop device, which may be set up anew on it.
fn behind_loop(system: &System, name: &str, depth: u32) -> Option<Identity> {
    let backing = loops::likely(system, name)?;
    if let Some(below) = backing.device_name(system) {
        return depth.checked_sub(1).map(|depth| device(system, &below, depth));
    }
    // Its path may lead to another file by now.
    let file = Pin::following(&loops::at(system, &backing.path)).ok().filter(|pin| pin.id() == backing.id);
    Some(Identity { inode: Some(backing.id.1), born_unix_ms: file.as_ref().and_then(born), ..Identity::default() })
}

/// The worldwide name of an NVMe namespace or a SCSI disk, the number of a card, the UUID of a mapped device or an array (sysfs).
fn permanent_name(system: &System, disk: &str) -> Option<String> {
    ["wwid", "device/wwid", "device/cid", "dm/uuid", "md/uuid"].iter().find_map(|file| block::attribute(system, disk, file))
}

fn start_bytes(system: &System, name: &str, disk: &str) -> Option<u64> {
    // sysfs counts in units of 512 whatever the block; the offset of a loop device is in bytes.
    let sectors = || block::attribute(system, name, "start")?.parse::<u64>().ok()?.checked_mul(512);
    if name == disk { block::attribute(system, name, "loop/offset")?.parse().ok() } else { sectors() }
}

/// This start of the machine.
pub(crate) fn boot_id(system: &System) -> Option<String> {
    system.proc_text("sys/kernel/random/boot_id")
}

/// When a file was made, where its filesystem keeps that.
fn born(file: impl AsFd) -> Option<i64> {
    let answer = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME).ok()?;
    let StatxTimestamp { tv_sec, tv_nsec, .. } = answer.stx_btime;
    let is_told = answer.stx_mask & StatxFlags::BTIME.bits() != 0 && (tv_sec, tv_nsec) != (0, 0);
    is_told.then(|| milliseconds(tv_sec, tv_nsec))
}

/// In milliseconds. Of nanoseconds the system has numbers with a sign, or without.
fn milliseconds(seconds: i64, nanoseconds: impl Into<i128>) -> i64 {
    seconds.saturating_mul(1000).saturating_add((nanoseconds.into() / 1_000_000) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::{Tree, folder_on_a_drive};
    use crate::resolve::resolve;

    fn identity(path: &Path) -> Identity {
        resolve(&System::host(), path).unwrap().facts.identity.unwrap()
    }

    #[test]
    fn a_file_that_was_exchanged_is_another_and_one_that_was_written_to_is_not() {
        let folder = folder_on_a_drive();
        let (file, other) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&file, vec![1; 8192]).unwrap();
        let before = identity(&file);
        std::fs::write(&file, vec![2; 8192]).unwrap();
        assert_eq!(before.difference(&identity(&file)), None);
        std::fs::write(&other, vec![1; 8192]).unwrap();
        std::fs::rename(&other, &file).unwrap();
        assert!(before.difference(&identity(&file)).is_some());
    }

    #[test]
    fn a_scratch_file_is_known_by_its_filesystem() {
        let folder = folder_on_a_drive();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        assert_eq!(identity(folder.path()).difference(&identity(&inner)), None, "another folder of one filesystem");
    }

    #[test]
    fn marks_of_devices_are_those_of_sysfs() {
        let tree = Tree::new();
        tree.disk("nvme0n1", "259:0", 1 << 30);
        tree.write("sys/block/nvme0n1/wwid", "eui.1\n");
        tree.write("sys/block/nvme0n1/diskseq", "7\n");
        tree.partition("nvme0n1", "nvme0n1p1", "259:1");
        tree.write("sys/block/nvme0n1/nvme0n1p1/start", "2048\n");
        tree.write("proc/sys/kernel/random/boot_id", "b\n");
        let found = of_device(&tree.system(), "nvme0n1p1");
        let text = |text: &str| Some(text.to_owned());
        assert_eq!((found.permanent_name, found.device, found.boot_id), (text("eui.1"), text("259:1"), text("b")));
        assert_eq!((found.start_bytes, found.diskseq), (Some(1 << 20), Some(7)));
    }

    #[test]
    fn a_loop_device_is_known_by_the_file_behind_it() {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        tree.write("sys/block/loop0/loop/backing_file", "/srv/a.img\n");
        tree.write("srv/a.img", "x");
        let of = || of_device(&tree.system(), "loop0");
        let (a, inode) = (of(), std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(tree.path("srv/a.img")).unwrap()));
        assert_eq!(a.inode, Some(inode));
        tree.write("srv/b.img", "x");
        tree.write("sys/block/loop0/loop/backing_file", "/srv/b.img\n");
        assert!(a.difference(&of()).is_some());
    }
}
