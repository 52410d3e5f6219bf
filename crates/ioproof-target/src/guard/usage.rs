//! Clauses about what stands on the device: on itself, on its partitions, or further up.

use super::subject::{Ground, family};
use super::{Reason, Subject};
use crate::block;
use crate::mounts::Mount;
use crate::serial;
use crate::stack;
use crate::system::System;
use crate::zpool;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A filesystem on it is mounted, directly or through whatever lies between.
pub(crate) fn mounted(subject: &Subject<'_>) -> Vec<Reason> {
    mounts_on(subject.ground, &subject.name).into_iter().map(|text| Reason::new(text).hint("unmount it first")).collect()
}

/// The running system stands on it.
pub(crate) fn root_disk(subject: &Subject<'_>) -> Vec<Reason> {
    let roots = subject.ground.mounts.iter().filter(|mount| mount.mount_point == "/");
    let below = |mount| [stack::mounted_names(subject.system(), mount), stack::pool_members(subject.system(), mount)].concat();
    let mut devices = roots.flat_map(below);
    let on_it = devices.any(|device| concerns(subject.system(), &device, &subject.name));
    on_it.then(|| Reason::new(format!("the running system stands on {}", subject.name))).into_iter().collect()
}

/// It or a file on it is swapped to.
pub(crate) fn swap(subject: &Subject<'_>) -> Vec<Reason> {
    swaps_on(subject.ground, &subject.name).into_iter().map(|text| Reason::new(text).hint("swapoff it first")).collect()
}

/// Device-mapper, md, bcache and others that the kernel lists as holders.
pub(crate) fn holders(subject: &Subject<'_>) -> Vec<Reason> {
    holders_of(subject.system(), &subject.name).into_iter().map(Reason::new).collect()
}

/// A Btrfs of several devices is mounted by the name of only one of them.
pub(crate) fn btrfs(subject: &Subject<'_>) -> Vec<Reason> {
    btrfs_on(subject.system(), &subject.name).into_iter().map(Reason::new).collect()
}

/// ZFS makes no holders, and its mounts name no device.
pub(crate) fn zfs(subject: &Subject<'_>) -> Vec<Reason> {
    pools_on(subject.system(), &subject.name).into_iter().map(|text| Reason::new(text).hint("zpool export it first")).collect()
}

/// A loop device lies on it; the kernel lists no holder then.
pub(crate) fn backs_loop(subject: &Subject<'_>) -> Vec<Reason> {
    loops_on(subject.system(), &subject.name).into_iter().map(|text| Reason::new(text).hint("detach it first (losetup -d)")).collect()
}

/// A loop device is consented to by its name, so it must not be another name of a drive or of a file that is in use elsewhere.
pub(crate) fn loop_backing(subject: &Subject<'_>) -> Vec<Reason> {
    let system = subject.system();
    let Some(file) = block::attribute(system, &subject.name, "loop/backing_file") else { return Vec::new() };
    let Ok(own) = std::fs::metadata(system.at(&file)) else { return Vec::new() };
    if own.file_type().is_block_device() {
        return vec![Reason::new(format!("{} lies on the device {file}", subject.name)).hint("give the device itself")];
    }
    let same = |path: &str| std::fs::metadata(system.at(path)).is_ok_and(|m| (m.dev(), m.ino()) == (own.dev(), own.ino()));
    let loops = block::loops(system).into_iter().filter(|(name, path)| *name != subject.name && same(path));
    let swaps = subject.ground.swaps.iter().filter(|swap| same(&swap.path));
    let by_loop = loops.map(|(name, _)| Reason::new(format!("{file} also backs {name}")).hint("detach one of them (losetup -d)"));
    by_loop.chain(swaps.map(|_| Reason::new(format!("{file} is swapped to")))).collect()
}

/// A process has it open for writing, as virtual machines and databases on raw devices do.
pub(crate) fn writers(subject: &Subject<'_>) -> Vec<Reason> {
    let names = subject.family();
    let numbers: Vec<u64> =
        names.iter().filter_map(|n| block::number(subject.system(), n)).map(|(a, b)| rustix::fs::makedev(a, b)).collect();
    let own = std::process::id().to_string();
    let processes = list(&subject.system().proc("")).into_iter().filter(|pid| pid.bytes().all(|b| b.is_ascii_digit()));
    let others = processes.filter(|pid| !(subject.opened && *pid == own));
    others.filter_map(|pid| writer(subject.system(), &pid, &names, &numbers)).map(Reason::new).collect()
}

/// Other namespaces share the controller: a format or a sanitize reaches them, and so does the load.
pub(crate) fn namespaces(subject: &Subject<'_>) -> Vec<Reason> {
    let in_use = |name: String| {
        let why = uses(subject.ground, &name).into_iter().next()?;
        Some(Reason::new(format!("{} shares its controller with {name}, which is in use: {why}", subject.name)))
    };
    serial::siblings(subject.system(), &subject.name).into_iter().filter_map(in_use).collect()
}

/// Everything that stands on a disk.
fn uses(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let mut found = mounts_on(ground, name);
    found.extend(swaps_on(ground, name));
    found.extend(holders_of(ground.system, name));
    found.extend(btrfs_on(ground.system, name));
    found.extend(pools_on(ground.system, name));
    found.extend(loops_on(ground.system, name));
    found
}

fn mounts_on(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let on = |mount: &Mount| {
        let devices = stack::mounted_names(ground.system, mount);
        let device = devices.into_iter().find(|device| concerns(ground.system, device, name))?;
        Some(standing(&device, name, &format!("is mounted at {}", mount.mount_point)))
    };
    ground.mounts.iter().filter_map(on).collect()
}

fn swaps_on(ground: &Ground<'_>, name: &str) -> Vec<String> {
    let on = |swap| {
        let device = ground.swap_device(swap)?;
        concerns(ground.system, &device, name).then(|| standing(&device, name, &format!("is swapped to ({})", swap.path)))
    };
    ground.swaps.iter().filter_map(on).collect()
}

fn holders_of(system: &System, name: &str) -> Vec<String> {
    let held = |part: String| {
        let mut holders = block::list(system, &part, "holders");
        holders.extend(block::has(system, &part, "bcache").then(|| "bcache".to_owned()));
        (!holders.is_empty()).then(|| format!("{part} is held by {}", holders.join(", ")))
    };
    family(system, name).into_iter().filter_map(held).collect()
}

fn btrfs_on(system: &System, name: &str) -> Vec<String> {
    let filesystems = system.sys_list("fs/btrfs");
    let devices = |uuid: &String| system.sys_list(&format!("fs/btrfs/{uuid}/devices"));
    let on = |uuid: &&String| devices(uuid).iter().any(|device| concerns(system, device, name));
    filesystems.iter().filter(on).map(|uuid| format!("{name} is part of the mounted Btrfs {uuid}")).collect()
}

fn pools_on(system: &System, name: &str) -> Vec<String> {
    let on = |pool: &&String| zpool::members(system, pool).iter().any(|member| concerns(system, member, name));
    zpool::imported(system).iter().filter(on).map(|pool| format!("{name} is part of the imported ZFS pool {pool}")).collect()
}

fn loops_on(system: &System, name: &str) -> Vec<String> {
    let family = family(system, name);
    let on = |(loop_name, file): (String, String)| {
        let device = block::name_of_path(system, &file)?;
        family.contains(&device).then(|| format!("{device} backs {loop_name}"))
    };
    block::loops(system).into_iter().filter_map(on).collect()
}

/// Whether `device` is `disk`, a partition of it or lies on it.
fn concerns(system: &System, device: &str, disk: &str) -> bool {
    stack::reaches(system, device, disk)
}

fn standing(device: &str, disk: &str, what: &str) -> String {
    if device == disk { format!("{disk} {what}") } else { format!("{device}, which lies on {disk}, {what}") }
}

fn writer(system: &System, pid: &str, names: &[String], numbers: &[u64]) -> Option<String> {
    let folder = system.proc(&format!("{pid}/fd"));
    let fd = list(&folder).into_iter().find(|fd| is_device(&folder.join(fd), names, numbers) && is_for_writing(system, pid, fd))?;
    let command = system.proc_text(&format!("{pid}/comm")).unwrap_or_default();
    let name = std::fs::read_link(folder.join(fd)).unwrap_or_default();
    Some(format!("{} is open for writing in process {pid} ({command})", name.display()))
}

fn is_device(link: &Path, names: &[String], numbers: &[u64]) -> bool {
    let by_name = std::fs::read_link(link).is_ok_and(|to| names.iter().any(|name| to == Path::new("/dev").join(name)));
    by_name || std::fs::metadata(link).is_ok_and(|m| m.file_type().is_block_device() && numbers.contains(&m.rdev()))
}

/// `flags:` in fdinfo is octal; the last two bits are the access mode (open(2)), of which 3 is an `O_PATH` or ioctl-only one.
fn is_for_writing(system: &System, pid: &str, fd: &str) -> bool {
    let Some(text) = system.proc_text(&format!("{pid}/fdinfo/{fd}")) else { return false };
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:")).and_then(|f| u32::from_str_radix(f.trim(), 8).ok());
    flags.is_some_and(|flags| matches!(flags & 0b11, 1 | 2))
}

fn list(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use crate::guard::testing::{clauses, reasons};
    use crate::tree::Tree;
    use std::os::unix::fs::symlink;

    /// A drive with consent that nothing else speaks against.
    fn drive() -> Tree {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/serial", "S1\n");
        tree
    }

    fn refused(tree: &Tree) -> Vec<&'static str> {
        clauses(tree, "vdb", Some("S1"))
    }

    #[test]
    fn mounts_by_number_by_source_and_of_a_partition() {
        let by_number = drive();
        by_number.mount("254:16", "/data", "/dev/whatever");
        assert_eq!(refused(&by_number), ["mounted"]);
        let by_source = drive();
        by_source.mount("0:44", "/data", "/dev/vdb");
        assert_eq!(refused(&by_source), ["mounted"]);
        let both = drive();
        both.disk("vdc", "254:32", 1 << 30);
        both.mount("254:32", "/data", "/dev/vdb");
        assert_eq!(refused(&both), ["mounted"], "the number says vdc, the source says vdb");
        let partition = drive();
        partition.partition("vdb", "vdb1", "254:17");
        partition.mount("254:17", "/data", "/dev/vdb1");
        assert_eq!(refused(&partition), ["partitions", "mounted"]);
        assert!(reasons(&partition, "vdb", Some("S1"))[1].contains("vdb1, which lies on vdb, is mounted at /data"));
    }

    #[test]
    fn the_root_disk_is_found_through_its_partition() {
        let tree = drive();
        tree.partition("vdb", "vdb2", "254:18");
        tree.mount("254:18", "/", "/dev/root");
        assert_eq!(refused(&tree), ["partitions", "mounted", "root-disk"]);
    }

    #[test]
    fn the_root_disk_is_found_through_lvm_on_md() {
        let tree = drive();
        tree.disk("md0", "9:0", 1 << 30);
        tree.folder("sys/block/md0/slaves/vdb");
        tree.disk("dm-0", "252:0", 1 << 30);
        tree.folder("sys/block/dm-0/slaves/md0");
        tree.write("sys/block/dm-0/dm/name", "vg-root\n");
        tree.mount("252:0", "/", "/dev/mapper/vg-root");
        assert_eq!(refused(&tree), ["mounted", "root-disk"]);
    }

    #[test]
    fn swap_on_the_device_a_partition_and_a_file() {
        let device = drive();
        device.swap("/dev/vdb");
        assert_eq!(refused(&device), ["swap"]);
        let partition = drive();
        partition.partition("vdb", "vdb1", "254:17");
        partition.swap("/dev/vdb1");
        assert_eq!(refused(&partition), ["partitions", "swap"]);
        let file = drive();
        file.mount("254:16", "/data", "/dev/vdb");
        file.write("data/swapfile", "x");
        file.swap("/data/swapfile");
        assert_eq!(refused(&file), ["mounted", "swap"]);
    }

    #[test]
    fn holders_of_the_device_and_of_a_partition() {
        let device = drive();
        device.folder("sys/block/vdb/holders/dm-0");
        assert_eq!(refused(&device), ["holders"]);
        let partition = drive();
        partition.partition("vdb", "vdb1", "254:17");
        partition.folder("sys/block/vdb/vdb1/holders/md127");
        assert_eq!(refused(&partition), ["partitions", "holders"]);
        let bcache = drive();
        bcache.folder("sys/block/vdb/bcache");
        assert_eq!(refused(&bcache), ["holders"]);
    }

    #[test]
    fn the_second_device_of_a_btrfs() {
        let tree = drive();
        tree.folder("sys/fs/btrfs/0b1c/devices/vdb");
        tree.folder("sys/fs/btrfs/features");
        assert_eq!(refused(&tree), ["btrfs"]);
    }

    #[test]
    fn a_loop_device_on_the_drive() {
        let tree = drive();
        tree.disk("loop5", "7:5", 1 << 20);
        tree.write("sys/block/loop5/loop/backing_file", "/dev/vdb\n");
        assert_eq!(refused(&tree), ["backs-loop"]);
    }

    #[test]
    fn two_loop_devices_on_one_file_and_a_swap_file() {
        let tree = Tree::new();
        tree.write("srv/a.img", "x");
        symlink("a.img", tree.path("srv/b.img")).unwrap();
        for (name, number, file) in [("loop0", "7:0", "/srv/a.img"), ("loop1", "7:1", "/srv/b.img")] {
            tree.disk(name, number, 1 << 20);
            tree.write(&format!("sys/block/{name}/loop/backing_file"), &format!("{file}\n"));
        }
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), ["loop-backing"]);
        std::fs::remove_dir_all(tree.path("sys/block/loop1")).unwrap();
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), [] as [&str; 0]);
        tree.swap("/srv/a.img");
        assert_eq!(clauses(&tree, "loop0", Some("loop0")), ["loop-backing"]);
    }

    #[test]
    fn a_process_that_writes_is_seen_and_one_that_reads_is_not() {
        let tree = drive();
        for (pid, flags) in [("41", "0100000"), ("42", "02100002")] {
            tree.folder(&format!("proc/{pid}/fd"));
            symlink("/dev/vdb", tree.path(&format!("proc/{pid}/fd/7"))).unwrap();
            tree.write(&format!("proc/{pid}/fdinfo/7"), &format!("pos:\t0\nflags:\t{flags}\n"));
            tree.write(&format!("proc/{pid}/comm"), "qemu\n");
        }
        assert_eq!(reasons(&tree, "vdb", Some("S1")), ["/dev/vdb is open for writing in process 42 (qemu) "]);
    }

    #[test]
    fn a_sibling_namespace_in_use_refuses() {
        let tree = Tree::new();
        tree.nvme("nvme0", &[("nvme0n1", "259:0", 1), ("nvme0n2", "259:1", 2)], "S1");
        assert_eq!(clauses(&tree, "nvme0n1", Some("S1:1")), [] as [&str; 0]);
        tree.mount("259:1", "/data", "/dev/nvme0n2");
        assert_eq!(clauses(&tree, "nvme0n1", Some("S1:1")), ["namespaces"]);
    }

    #[test]
    fn everything_that_holds_is_told_at_once() {
        let tree = drive();
        tree.write("sys/block/vdb/ro", "1\n");
        tree.mount("254:16", "/data", "/dev/vdb");
        tree.folder("sys/block/vdb/holders/dm-0");
        assert_eq!(clauses(&tree, "vdb", Some("wrong")), ["read-only", "mounted", "holders", "consent"]);
    }
}
