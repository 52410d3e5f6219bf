//! Clauses about loop devices: those that lie on the device, and what else uses the file that a loop device lies on.
//!
//! Files are compared by device and inode. A loop device whose file cannot be told may lie on anything, so it forbids every write.

use super::super::{Reason, Subject};
use super::on_it;
use crate::block::is_loop;
use crate::block::loops::{Backing, Id, at, backing, backings};
use crate::system::System;
use crate::system::file_numbers::FileNumbers;
use crate::system::mounts::{Mount, mounts_of};
use std::collections::HashSet;
use std::path::Path;

/// A loop device lies on it; the kernel lists no holder then.
pub(crate) fn backs_loop(subject: &Subject<'_>) -> Vec<Reason> {
    let of = |(upper, found): (String, Result<Backing, String>)| match found.and_then(|backing| lies_on(subject, &backing)) {
        Ok(None) => None,
        Ok(Some(device)) => Some(Reason::new(format!("{device} backs {upper}")).hint("detach it first (losetup -d)")),
        Err(why) => Some(untold(&upper, &subject.name, &why)),
    };
    backings(subject.system()).into_iter().filter(|(upper, _)| *upper != subject.name).filter_map(of).collect()
}

fn lies_on(subject: &Subject<'_>, backing: &Backing) -> Result<Option<String>, String> {
    match (backing.device, backing.device_name(subject.system())) {
        (Some((major, minor)), None) => Err(format!("it lies on block device {major}:{minor}, which sysfs does not know")),
        (_, device) => Ok(device.filter(|device| subject.family().contains(device))),
    }
}

fn untold(upper: &str, name: &str, why: &str) -> Reason {
    Reason::new(format!("whether {upper} lies on {name} or on the same file cannot be told: {why}"))
        .hint(format!("detach {upper} first (losetup -d), or run where /dev has all loop devices"))
}

/// A loop device is consented to by its name, so it must not be another name of a drive or of a file that is in use elsewhere.
pub(crate) fn loop_backing(subject: &Subject<'_>) -> Vec<Reason> {
    if !is_loop(&subject.name) {
        return Vec::new();
    }
    let own = match backing(subject.system(), &subject.name) {
        Some(Ok(own)) => own,
        Some(Err(why)) => return vec![Reason::new(format!("what {} lies on cannot be told: {why}", subject.name))],
        None => return vec![Reason::new(format!("{} has no file any more", subject.name))],
    };
    let file = own.path.display();
    if own.device.is_some() {
        return vec![Reason::new(format!("{} lies on the device {file}", subject.name)).hint("give the device itself")];
    }
    let mut reasons = other_loops(subject, &own);
    let ground = subject.ground;
    let system = subject.system();
    let swapped = ground.swaps.iter().any(|swap| is_at(system, &swap.file, own.id));
    reasons.extend(swapped.then(|| Reason::new(format!("{file} is swapped to")).hint("swapoff it first")));
    let mounted = ground.mounts.iter().find(|mount| is_mounted_as(system, mount, own.id)).cloned();
    let mounted = mounted.or_else(|| mounted_elsewhere(system, own.id));
    reasons.extend(mounted.map(|mount| Reason::new(format!("{file} is mounted at {}", mount.mount_point)).hint("unmount it first")));
    reasons
}

/// Whatever parts of the file the two show: offset and size can be changed while a loop device is in use.
fn other_loops(subject: &Subject<'_>, own: &Backing) -> Vec<Reason> {
    let others = backings(subject.system()).into_iter().filter(|(name, _)| *name != subject.name);
    let same = others.filter(|(_, other)| other.as_ref().is_ok_and(|other| other.may_be(own.id, &subject.ground.mounts)));
    let file = own.path.display();
    same.map(|(name, _)| Reason::new(format!("{file} also backs {name}")).hint("detach one of them (losetup -d)")).collect()
}

/// Some filesystems are mounted from a file without a loop device.
fn is_mounted_as(system: &System, mount: &Mount, id: Id) -> bool {
    mount.source.starts_with('/') && is_at(system, Path::new(&mount.source), id)
}

/// The same in the other mount namespaces, each seen through one of its processes.
fn mounted_elsewhere(system: &System, id: Id) -> Option<Mount> {
    let processes = std::fs::read_dir(system.proc("")).into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.bytes().all(|b| b.is_ascii_digit()));
    let mut seen = HashSet::from([std::fs::read_link(system.proc("self/ns/mnt")).ok()]);
    pids.filter(|pid| seen.insert(std::fs::read_link(system.proc(&format!("{pid}/ns/mnt"))).ok())).find_map(|pid| {
        let root = system.proc(&format!("{pid}/root"));
        let is_it = |mount: &Mount| {
            let source = mount.source.strip_prefix('/').map(|source| root.join(source));
            source.is_some_and(|source| FileNumbers::at(&source).is_ok_and(|found| found.id == id))
        };
        mounts_of(system, &pid).ok()?.into_iter().find(is_it)
    })
}

fn is_at(system: &System, path: &Path, id: Id) -> bool {
    FileNumbers::at(&at(system, path)).is_ok_and(|found| found.id == id)
}

/// The loop devices that certainly lie on a disk.
pub(super) fn loops_on(system: &System, name: &str) -> Vec<String> {
    let told = backings(system).into_iter().filter_map(|(upper, found)| Some((upper, found.ok()?.device_name(system)?)));
    told.filter(|(_, device)| on_it(system, device, name)).map(|(upper, device)| format!("{device} backs {upper}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::block::tree::Tree;
    use crate::guard::testing::{clauses, reasons};
    use std::os::unix::fs::symlink;

    const NONE: [&str; 0] = [];

    fn drive() -> Tree {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/serial", "S1\n");
        tree
    }

    /// Two loop devices, each on a file of its own.
    fn two() -> Tree {
        let tree = Tree::new();
        tree.disk("loop0", "7:0", 1 << 20);
        tree.disk("loop1", "7:1", 1 << 20);
        tree
    }

    fn refused(tree: &Tree) -> Vec<&'static str> {
        clauses(tree, "loop0", Some("loop0"))
    }

    #[test]
    fn a_loop_device_on_the_drive() {
        let tree = drive();
        tree.disk("loop5", "7:5", 1 << 20);
        assert_eq!(clauses(&tree, "vdb", Some("S1")), NONE);
        tree.write("sys/block/loop5/loop/backing_file", "/dev/vdb\n");
        assert!(reasons(&tree, "vdb", Some("S1"))[0].contains("vdb backs loop5"));
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["backs-loop"]);
    }

    #[test]
    fn a_loop_device_whose_file_cannot_be_told_forbids_every_write() {
        let tree = drive();
        tree.disk("loop5", "7:5", 1 << 20);
        tree.write("sys/block/loop5/loop/backing_file", "/srv/a.img (deleted)\n");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), ["backs-loop"]);
        assert_eq!(clauses(&tree, "loop5", Some("loop5")), ["loop-backing"]);
        tree.disk("loop6", "7:6", 1 << 20);
        assert_eq!(clauses(&tree, "loop6", Some("loop6")), ["backs-loop"]);
    }

    #[test]
    fn two_loop_devices_on_one_file_and_a_swap_file() {
        let tree = two();
        assert_eq!(refused(&tree), NONE);
        symlink("loop0.img", tree.path("srv/link.img")).unwrap();
        tree.write("sys/block/loop1/loop/backing_file", "/srv/link.img\n");
        assert_eq!(refused(&tree), ["loop-backing"]);
        std::fs::remove_dir_all(tree.path("sys/block/loop1")).unwrap();
        assert_eq!(refused(&tree), NONE);
        tree.swap_file("/srv/loop0.img");
        assert!(reasons(&tree, "loop0", Some("loop0")).iter().any(|reason| reason.contains("is swapped to")));
    }

    #[test]
    fn one_file_whose_name_is_no_text() {
        let tree = two();
        let name = std::os::unix::ffi::OsStrExt::from_bytes(b"srv/non\xffutf8.img");
        std::fs::write(tree.path("").join::<&std::ffi::OsStr>(name), "x").unwrap();
        for upper in ["loop0", "loop1"] {
            tree.write_bytes(&format!("sys/block/{upper}/loop/backing_file"), b"/srv/non\xffutf8.img\n");
        }
        assert_eq!(refused(&tree), ["loop-backing"]);
    }

    #[test]
    fn a_file_that_is_mounted_without_a_loop_device() {
        let tree = two();
        tree.mount("0:44", "/mnt", "/srv/loop0.img");
        assert_eq!(refused(&tree), ["loop-backing"]);
    }

    #[test]
    fn a_file_that_another_mount_namespace_has_mounted() {
        let tree = two();
        tree.folder("proc/42/ns");
        symlink("mnt:[4026532002]", tree.path("proc/42/ns/mnt")).unwrap();
        symlink(tree.path(""), tree.path("proc/42/root")).unwrap();
        tree.write("proc/42/mountinfo", "20 1 0:44 / /mnt rw - erofs /srv/other.img ro\n");
        assert_eq!(refused(&tree), NONE);
        tree.write("proc/42/mountinfo", "20 1 0:44 / /mnt rw - erofs /srv/loop0.img ro\n");
        assert_eq!(refused(&tree), ["loop-backing"]);
    }
}
