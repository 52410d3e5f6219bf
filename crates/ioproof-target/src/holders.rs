//! The holders of a block device: a tree upwards, from a disk to its partitions, to md, device-mapper and loop devices on them, each with
//! what uses it. `stack` is the way down.
//!
//! Only the kernel's tables and udev's database are read, so this needs no privilege and wakes no drive. What a device holds by its own
//! content is the business of [`traces`](crate::traces).

use crate::block;
use crate::block::stack;
use crate::block::zpool;
use crate::guard::Ground;
use crate::system::System;

/// A tree that is deeper than this is a circle in the tables.
const DEPTH_LIMIT: u32 = 16;

/// A block device with its holders, which are such devices themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Kernel name: `sda1`.
    pub name: String,
    /// As [`StackNode::kind`](ioproof_core::facts::StackNode::kind).
    pub kind: &'static str,
    /// Size in bytes.
    pub size_bytes: u64,
    /// The name that people give it: that of a logical volume, the level of a RAID, the file behind a loop device.
    pub label: Option<String>,
    /// The uses of this very device.
    pub uses: Vec<Use>,
    /// The devices that lie on it.
    pub holders: Vec<Holder>,
}

/// One use of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// `mount`, `swap`, `btrfs`, `zfs`, `content`, `lvm`, `luks` and the like: a word for programs.
    pub kind: &'static str,
    /// For people: `ext4 at /`.
    pub what: String,
    /// The file in which it was read.
    pub source: String,
}

impl Use {
    fn new(kind: &'static str, what: impl Into<String>, source: impl Into<String>) -> Self {
        Self { kind, what: what.into(), source: source.into() }
    }
}

impl Holder {
    /// Every use from here up, each with the name of the device that it is of.
    #[must_use]
    pub fn all_uses(&self) -> Vec<(&str, &Use)> {
        let own = self.uses.iter().map(|used| (self.name.as_str(), used));
        own.chain(self.holders.iter().flat_map(Holder::all_uses)).collect()
    }
}

/// The names of all whole block devices of this system, sorted; those without a medium are left out.
#[must_use]
pub fn disks(system: &System) -> Vec<String> {
    block::disks(system).into_iter().filter(|name| block::size_bytes(system, name).is_some_and(|bytes| bytes > 0)).collect()
}

/// The device with this kernel name and its holders; `None` where sysfs does not know it. The second value says what could not be read.
#[must_use]
pub fn holders(system: &System, name: &str) -> (Option<Holder>, Vec<String>) {
    let (ground, problems) = match Ground::new(system) {
        Ok(ground) => (ground, Vec::new()),
        Err(error) => (Ground { system, mounts: Vec::new(), swaps: Vec::new() }, vec![error.to_string()]),
    };
    (node(&ground, name, DEPTH_LIMIT), problems)
}

fn node(ground: &Ground<'_>, name: &str, depth: u32) -> Option<Holder> {
    let system = ground.system;
    let depth = depth.checked_sub(1)?;
    block::number(system, name)?;
    Some(Holder {
        name: name.to_owned(),
        kind: stack::kind(system, name),
        size_bytes: block::size_bytes(system, name).unwrap_or(0),
        label: label(system, name),
        uses: uses(ground, name),
        holders: direct_holders(system, name).iter().filter_map(|upper| node(ground, upper, depth)).collect(),
    })
}

fn direct_holders(system: &System, name: &str) -> Vec<String> {
    let mut names = block::partitions(system, name);
    names.extend(block::list(system, name, "holders"));
    let holders =
        |upper: &String| block::loops::likely(system, upper).and_then(|backing| backing.device_name(system)).as_deref() == Some(name);
    names.extend(block::disks(system).into_iter().filter(|upper| block::is_loop(upper)).filter(holders));
    names
}

fn label(system: &System, name: &str) -> Option<String> {
    ["dm/name", "md/level", "loop/backing_file"].iter().find_map(|file| block::attribute(system, name, file))
}

fn uses(ground: &Ground<'_>, name: &str) -> Vec<Use> {
    let mut uses = mounts(ground, name);
    uses.extend(swaps(ground, name));
    uses.extend(btrfs(ground.system, name));
    uses.extend(pool(ground.system, name));
    uses.extend(mapper(ground.system, name));
    uses.extend(udev(ground.system, name));
    uses
}

fn mounts(ground: &Ground<'_>, name: &str) -> Vec<Use> {
    let mut uses = Vec::new();
    for mount in &ground.mounts {
        let used = Use::new("mount", format!("{} at {}", mount.fs_type, mount.mount_point), "/proc/self/mountinfo");
        // One place may be mounted over several times.
        if stack::mounted_names(ground.system, mount).first().is_some_and(|first| first == name) && !uses.contains(&used) {
            uses.push(used);
        }
    }
    uses
}

fn swaps(ground: &Ground<'_>, name: &str) -> Vec<Use> {
    let holders = ground.swaps.iter().filter(|swap| ground.swap_device(swap).as_deref() == Some(name));
    holders.map(|swap| Use::new("swap", format!("swap ({})", swap.path), "/proc/swaps")).collect()
}

fn btrfs(system: &System, name: &str) -> Vec<Use> {
    let filesystems = system.sys_list("fs/btrfs").into_iter();
    let has_it = |uuid: &String| system.sys_list(&format!("fs/btrfs/{uuid}/devices")).iter().any(|device| device == name);
    filesystems.filter(has_it).map(|uuid| Use::new("btrfs", format!("Btrfs {uuid}"), format!("/sys/fs/btrfs/{uuid}/devices"))).collect()
}

/// The pool alone: it may have hundreds of filesystems.
fn pool(system: &System, name: &str) -> Option<Use> {
    zpool::pool_of(system, name).map(|pool| Use::new("zfs", format!("ZFS pool {pool}"), zpool::CACHE))
}

/// The subsystem that made a device-mapper device, by the prefix that each gives its UUIDs (kernel, `Documentation/admin-guide/device-mapper`).
const MAPPERS: [(&str, &str, &str); 6] = [
    ("LVM-", "lvm", "LVM logical volume"),
    ("CRYPT-LUKS", "luks", "LUKS, opened"),
    ("CRYPT-", "crypt", "encrypted, opened"),
    ("mpath-", "multipath", "multipath"),
    ("DMRAID-", "dmraid", "firmware RAID"),
    ("part", "partition", "partition of a mapped device"),
];

fn mapper(system: &System, name: &str) -> Option<Use> {
    let uuid = block::attribute(system, name, "dm/uuid")?;
    let (_, kind, what) = MAPPERS.iter().find(|(prefix, _, _)| uuid.starts_with(prefix))?;
    Some(Use::new(kind, *what, format!("/sys/block/{name}/dm/uuid")))
}

/// The content that udev found when the device appeared (filesystem, volume manager, RAID or partition table), also for those without privilege.
fn udev(system: &System, name: &str) -> Option<Use> {
    let (major, minor) = block::number(system, name)?;
    let path = format!("/run/udev/data/b{major}:{minor}");
    let text = String::from_utf8_lossy(&std::fs::read(system.at(&path)).ok()?).into_owned();
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix("E:")?.strip_prefix(key)?.strip_prefix('='));
    let kind = value("ID_FS_TYPE").or_else(|| value("ID_PART_TABLE_TYPE")).filter(|kind| !kind.is_empty())?;
    let label = value("ID_FS_LABEL").map_or(String::new(), |label| format!(" \"{label}\""));
    let uuid = value("ID_FS_UUID").map_or(String::new(), |uuid| format!(" {uuid}"));
    Some(Use::new("content", format!("holds {kind}{label}{uuid}"), path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    fn whats(holder: &Holder) -> Vec<String> {
        holder.all_uses().iter().map(|(name, used)| format!("{name}: {}", used.what)).collect()
    }

    #[test]
    fn a_volume_on_a_raid_on_a_partition() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.partition("sda", "sda1", "8:1");
        tree.partition("sda", "sda2", "8:2");
        tree.disk("md0", "9:0", 1 << 29);
        tree.folder("sys/block/sda/sda1/holders/md0");
        tree.write("sys/block/md0/md/level", "raid1\n");
        tree.disk("dm-0", "252:0", 1 << 28);
        tree.folder("sys/block/md0/holders/dm-0");
        tree.write("sys/block/dm-0/dm/name", "vg-data\n");
        tree.write("sys/block/dm-0/dm/uuid", "LVM-abc\n");
        tree.mount("252:0", "/data", "/dev/mapper/vg-data");
        tree.swap("/dev/sda2");
        tree.write("run/udev/data/b8:1", "I:1\nE:ID_FS_TYPE=linux_raid_member\nE:ID_FS_LABEL=box:0\n");
        let (disk, problems) = holders(&tree.system(), "sda");
        let disk = disk.unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let raid = &disk.holders[0].holders[0];
        assert_eq!((raid.name.as_str(), raid.kind, raid.label.as_deref()), ("md0", "md", Some("raid1")));
        assert_eq!(raid.holders[0].label.as_deref(), Some("vg-data"));
        let mut said = whats(&disk);
        assert!(said[1].starts_with("dm-0: ext4 at /data") || said[1].contains("at /data"), "{said:?}");
        said.remove(1);
        assert_eq!(said, ["sda1: holds linux_raid_member \"box:0\"", "dm-0: LVM logical volume", "sda2: swap (/dev/sda2)"]);
    }

    #[test]
    fn a_circle_ends_and_what_is_unknown_is_none() {
        let tree = Tree::new();
        for (name, number, other) in [("dm-0", "252:0", "dm-1"), ("dm-1", "252:1", "dm-0")] {
            tree.disk(name, number, 1 << 20);
            tree.folder(&format!("sys/block/{name}/holders/{other}"));
        }
        assert!(holders(&tree.system(), "dm-0").0.is_some());
        assert!(holders(&tree.system(), "sdq").0.is_none());
    }

    #[test]
    fn tables_that_cannot_be_read_are_told_and_hide_nothing_else() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.partition("sda", "sda1", "8:1");
        tree.write("proc/self/mountinfo", "nonsense\n");
        let (disk, problems) = holders(&tree.system(), "sda");
        assert_eq!(disk.unwrap().holders[0].name, "sda1");
        assert!(problems[0].ends_with("line 1 is not understood"), "{problems:?}");
    }

    #[test]
    fn disks_without_a_medium_are_left_out() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.disk("loop0", "7:0", 0);
        assert_eq!(disks(&tree.system()), ["sda"]);
    }
}
