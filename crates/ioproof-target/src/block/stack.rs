//! The stack of devices from a file or device down to the drives.

use crate::block;
use crate::block::zpool;
use crate::system::System;
use crate::system::filesystem;
use crate::system::mounts::Mount;
use ioproof_core::facts::StackNode;

/// The kind of the node above the devices of a filesystem of several.
pub(crate) const POOL: &str = "pool";

/// A stack that is deeper than this is a loop in the tree.
const DEPTH_LIMIT: u32 = 16;

/// The stack of a block device by kernel name; `None` where sysfs does not know it.
#[must_use]
pub fn of_device(system: &System, name: &str) -> Option<StackNode> {
    node(system, name, DEPTH_LIMIT)
}

/// The stack under a mounted filesystem. Btrfs, overlayfs and ZFS have device numbers that lead nowhere; there the mount's source is
/// followed where it is a block device. Of the devices of a ZFS pool it is the first, as it is of a Btrfs.
pub(crate) fn of_mount(system: &System, mount: &Mount) -> Option<StackNode> {
    mounted_name(system, mount).and_then(|name| of_device(system, &name))
}

/// The stack under a file: by the device number of its filesystem, else by its mount.
pub(crate) fn of_file(system: &System, dev: u64, mount: Option<&Mount>) -> Option<StackNode> {
    let by_number = name_of_dev(system, dev).and_then(|name| of_device(system, &name));
    by_number.or_else(|| of_mount(system, mount?))
}

/// The same with every device of a filesystem of several, which stand below one node then.
pub(crate) fn all_of_file(system: &System, dev: u64, mount: Option<&Mount>) -> Option<StackNode> {
    let names = mount.map(|mount| members(system, mount)).filter(|names| names.len() > 1);
    match (names, mount) {
        (Some(names), Some(mount)) => joined(&mount.fs_type, names.iter().filter_map(|name| of_device(system, name)).collect()),
        _ => of_file(system, dev, mount),
    }
}

/// Devices that a filesystem of this name puts together, below a node of that name; a single one is by itself.
pub(crate) fn joined(filesystem: &str, mut nodes: Vec<StackNode>) -> Option<StackNode> {
    if nodes.len() < 2 {
        return nodes.pop();
    }
    let size_bytes = nodes.iter().map(|node| node.size_bytes).fold(0, u64::saturating_add);
    Some(StackNode { kind: POOL.into(), size_bytes, under: nodes, ..StackNode::disk(filesystem) })
}

/// The devices of a filesystem that may have several.
fn members(system: &System, mount: &Mount) -> Vec<String> {
    match mount.fs_type.as_str() {
        "zfs" => pool_members(system, mount),
        "btrfs" => mounted_name(system, mount).map(|name| btrfs_members(system, &name)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The devices of the mounted Btrfs that this one belongs to.
fn btrfs_members(system: &System, name: &str) -> Vec<String> {
    let devices = |uuid: &String| system.sys_list(&format!("fs/btrfs/{uuid}/devices"));
    system.sys_list("fs/btrfs").iter().map(devices).find(|devices| devices.iter().any(|device| device == name)).unwrap_or_default()
}

/// True if `name` is or lies on `on`.
pub(crate) fn reaches(system: &System, name: &str, on: &str) -> bool {
    name == on || of_device(system, name).is_some_and(|node| node.names().iter().any(|n| n == on))
}

/// The block device that a mount lies on directly, by its number, else by its source.
pub(crate) fn mounted_name(system: &System, mount: &Mount) -> Option<String> {
    mounted_names(system, mount).into_iter().next().or_else(|| pool_members(system, mount).into_iter().next())
}

/// The devices of the ZFS pool that a mount lies on; none for other filesystems.
pub(crate) fn pool_members(system: &System, mount: &Mount) -> Vec<String> {
    if mount.fs_type == "zfs" { zpool::members(system, zpool::pool_of_dataset(&mount.source)) } else { Vec::new() }
}

/// The same by number and by source, which differ after a device was renamed; a guard takes both.
pub(crate) fn mounted_names(system: &System, mount: &Mount) -> Vec<String> {
    let by_number = block::name_of(system, mount.major, mount.minor);
    // A bcachefs of several devices names them all: `/dev/sda:/dev/sdb`.
    let sources = if mount.fs_type == "bcachefs" { mount.source.split(':').collect() } else { vec![mount.source.as_str()] };
    let by_source = sources.into_iter().filter_map(|source| block::name_of_path(system, source));
    let by_source = by_source.filter(|name| Some(name) != by_number.as_ref());
    by_number.clone().into_iter().chain(by_source).collect()
}

fn node(system: &System, name: &str, depth: u32) -> Option<StackNode> {
    let depth = depth.checked_sub(1)?;
    let (major, minor) = block::number(system, name)?;
    Some(StackNode {
        name: name.to_owned(),
        major,
        minor,
        kind: kind(system, name).to_owned(),
        size_bytes: block::size_bytes(system, name).unwrap_or(0),
        backing_file: block::attribute(system, name, "loop/backing_file"),
        is_cached: is_cached(system, name),
        start_bytes: start_bytes(system, name),
        under: below(system, name).iter().filter_map(|name| node(system, name, depth)).collect(),
    })
}

/// Tells a loop device whose file is read and written through the page cache, or lies in memory, which is the page cache.
fn is_cached(system: &System, name: &str) -> bool {
    let in_memory = || block::attribute(system, name, "loop/backing_file").is_some_and(|file| filesystem::is_kept_in_memory(file.as_ref()));
    block::attribute(system, name, "loop/dio").is_some_and(|direct| direct == "0" || in_memory())
}

/// The byte at which a partition begins on its disk, or a loop device in its file; 0 for all else.
fn start_bytes(system: &System, name: &str) -> u64 {
    let number = |file| block::attribute(system, name, file)?.parse::<u64>().ok();
    let start = block::has(system, name, "partition").then(|| number("start")).flatten();
    start.map_or_else(|| number("loop/offset").unwrap_or(0), |sectors| sectors.saturating_mul(512))
}

/// The names of what a device lies on directly.
pub(crate) fn below(system: &System, name: &str) -> Vec<String> {
    if let Some(disk) = block::disk_of(system, name) {
        return vec![disk];
    }
    if zpool::is_volume(name) {
        return zpool::under_volume(system, name);
    }
    let mut names = block::list(system, name, "slaves");
    names.extend(block::is_loop(name).then(|| under_loop(system, name)).flatten());
    names
}

/// The block device under a loop device: that of the filesystem which holds the backing file, or the backing device itself.
fn under_loop(system: &System, name: &str) -> Option<String> {
    let backing = block::loops::likely(system, name)?;
    if backing.device.is_some() {
        return backing.device_name(system);
    }
    let (dev, _) = backing.id;
    name_of_dev(system, dev).or_else(|| {
        let mounts = crate::system::mounts::mounts(system).ok()?;
        let by_number = mounts.iter().find(|mount| (mount.major, mount.minor) == (rustix::fs::major(dev), rustix::fs::minor(dev)));
        let mount = by_number.or_else(|| crate::system::mounts::mount_of(&mounts, None, &backing.path))?;
        mounted_name(system, mount)
    })
}

fn name_of_dev(system: &System, dev: u64) -> Option<String> {
    block::name_of(system, rustix::fs::major(dev), rustix::fs::minor(dev))
}

/// The kinds that [`StackNode::kind`] names.
pub(crate) fn kind(system: &System, name: &str) -> &'static str {
    let has = |entry| block::has(system, name, entry);
    match name {
        _ if has("partition") => "partition",
        _ if has("dm") || name.starts_with("dm-") => "device-mapper",
        _ if has("md") => "md",
        _ if has("loop") || block::is_loop(name) => "loop",
        _ if name.starts_with("zram") => "zram",
        _ if name.starts_with("vd") => "virtio",
        _ if zpool::is_volume(name) => "zvol",
        _ => "disk",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn where_a_partition_and_a_loop_device_begin() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.partition("sda", "sda1", "8:1");
        tree.write("sys/block/sda/sda1/start", "63\n");
        tree.disk("loop3", "7:3", 1 << 30);
        tree.write("sys/block/loop3/loop/offset", "512\n");
        let starts = |name| start_bytes(&tree.system(), name);
        assert_eq!([starts("sda1"), starts("loop3"), starts("sda")], [63 * 512, 512, 0]);
    }

    #[test]
    fn a_mirror_of_partitions_ends_at_two_drives() {
        let tree = Tree::new();
        for (disk, number, part, part_number) in [("sda", "8:0", "sda1", "8:1"), ("sdb", "8:16", "sdb1", "8:17")] {
            tree.disk(disk, number, 1 << 30);
            tree.partition(disk, part, part_number);
        }
        tree.disk("md0", "9:0", 1 << 30);
        tree.write("sys/block/md0/md/level", "raid1\n");
        tree.folder("sys/block/md0/slaves/sda1");
        tree.folder("sys/block/md0/slaves/sdb1");
        tree.disk("dm-0", "252:0", 1 << 30);
        tree.folder("sys/block/dm-0/slaves/md0");
        let node = of_device(&tree.system(), "dm-0").unwrap();
        assert_eq!(node.names(), ["dm-0", "md0", "sda1", "sda", "sdb1", "sdb"]);
        assert_eq!(node.drives().iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["sda", "sdb"]);
        assert_eq!((node.kind.as_str(), node.under[0].kind.as_str()), ("device-mapper", "md"));
        assert_eq!(node.under[0].under[0].kind, "partition");
        assert!(reaches(&tree.system(), "dm-0", "sdb"));
        assert!(!reaches(&tree.system(), "sda1", "sdb"));
    }

    #[test]
    fn a_loop_device_lies_on_the_drive_of_its_file() {
        let tree = Tree::new();
        tree.write("srv/a.img", "x");
        let dev = std::fs::metadata(tree.system().at("/srv/a.img")).unwrap().dev();
        let number = format!("{}:{}", rustix::fs::major(dev), rustix::fs::minor(dev));
        tree.disk("vdq", &number, 1 << 30);
        tree.disk("loop0", "7:0", 1 << 20);
        tree.write("sys/block/loop0/loop/backing_file", "/srv/a.img\n");
        let node = of_device(&tree.system(), "loop0").unwrap();
        assert_eq!(node.names(), ["loop0", "vdq"]);
        assert_eq!(node.backing_file.as_deref(), Some("/srv/a.img"));
        assert_eq!(node.under[0].kind, "virtio");
    }

    #[test]
    fn a_filesystem_of_two_devices_stands_on_both() {
        let tree = Tree::new();
        tree.disk("sdb", "8:16", 1 << 30);
        tree.disk("sdc", "8:32", 1 << 30);
        let mount = mount("/dev/sdb");
        assert_eq!(all_of_file(&tree.system(), 40, Some(&mount)).unwrap().name, "sdb");
        tree.folder("sys/fs/btrfs/0b1c/devices/sdb");
        tree.folder("sys/fs/btrfs/0b1c/devices/sdc");
        let node = all_of_file(&tree.system(), 40, Some(&mount)).unwrap();
        assert_eq!((node.names(), node.kind.as_str()), (vec!["btrfs".to_owned(), "sdb".into(), "sdc".into()], POOL));
        assert_eq!((node.drives().len(), node.size_bytes), (2, 2 << 30));
        assert_eq!(of_file(&tree.system(), 40, Some(&mount)).unwrap().name, "sdb", "a guard asks for a device");
    }

    #[test]
    fn a_circle_ends() {
        let tree = Tree::new();
        tree.disk("dm-0", "252:0", 1 << 20);
        tree.disk("dm-1", "252:1", 1 << 20);
        tree.folder("sys/block/dm-0/slaves/dm-1");
        tree.folder("sys/block/dm-1/slaves/dm-0");
        assert_eq!(of_device(&tree.system(), "dm-0").unwrap().names(), ["dm-0", "dm-1"]);
    }

    fn mount(source: &str) -> Mount {
        Mount {
            id: 1,
            major: 0,
            minor: 40,
            mount_point: "/data".into(),
            options: "rw".into(),
            fs_type: "btrfs".into(),
            source: source.into(),
            super_options: String::new(),
        }
    }

    #[test]
    fn an_anonymous_device_number_falls_back_to_the_source() {
        let tree = Tree::new();
        tree.disk("sdb", "8:16", 1 << 30);
        assert_eq!(of_mount(&tree.system(), &mount("/dev/sdb")).unwrap().name, "sdb");
        assert_eq!(of_mount(&tree.system(), &mount("overlay")), None);
    }
}
