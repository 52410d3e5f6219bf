//! Finds the devices of a ZFS pool without asking ZFS itself, which takes rights.
//!
//! The kernel's tables know nothing of it: ZFS makes no holders, and its mounts name a dataset. The names of the imported pools are folders
//! in `/proc/spl/kstat/zfs`; their devices stand in `/etc/zfs/zpool.cache`, which ZFS rewrites with every change (zpool(8), property
//! `cachefile`). Cache devices and spares are not in it, and a pool may be imported without such a file. So this can add a reason
//! against writing and never takes one away: labels and the exclusive open guard every member.

use crate::block;
use crate::block::nvlist::{self, List};
use crate::system::System;

/// The file in which ZFS keeps what it has imported.
pub(crate) const CACHE: &str = "/etc/zfs/zpool.cache";

/// The names of the imported pools, sorted.
pub(crate) fn imported(system: &System) -> Vec<String> {
    let entries = std::fs::read_dir(system.proc("spl/kstat/zfs")).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The devices of an imported pool by kernel name, apart from caches and spares.
pub(crate) fn members(system: &System, pool: &str) -> Vec<String> {
    if !imported(system).iter().any(|name| name == pool) {
        return Vec::new();
    }
    let cache = std::fs::read(system.at(CACHE)).ok().and_then(|bytes| nvlist::unpack(&bytes)).unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for path in cache.lists(pool).iter().flat_map(|config| config.lists("vdev_tree")).flat_map(paths) {
        names.extend(block::name_of_path(system, &path).filter(|name| !names.contains(name)));
    }
    names
}

/// The imported pool that a device is a member of.
pub(crate) fn pool_of(system: &System, name: &str) -> Option<String> {
    imported(system).into_iter().find(|pool| members(system, pool).iter().any(|member| member == name))
}

/// The pool of a dataset, which is what a mount names as its source: `tank/home`.
pub(crate) fn pool_of_dataset(dataset: &str) -> &str {
    dataset.split('/').next().unwrap_or(dataset)
}

/// True for a volume of ZFS.
pub(crate) fn is_volume(name: &str) -> bool {
    name.strip_prefix("zd").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// The devices under a volume: by the link that udev made for it, else where only one pool is imported.
pub(crate) fn under_volume(system: &System, name: &str) -> Vec<String> {
    let by_link = block::number(system, name).and_then(|number| linked_dataset(system, number));
    let pool = by_link.map(|dataset| pool_of_dataset(&dataset).to_owned()).or_else(|| match &imported(system)[..] {
        [only] => Some(only.clone()),
        _ => None,
    });
    pool.map(|pool| members(system, &pool)).unwrap_or_default()
}

/// A line `S:zvol/tank/volume` in udev's database.
fn linked_dataset(system: &System, (major, minor): (u32, u32)) -> Option<String> {
    let text = std::fs::read_to_string(system.at(&format!("/run/udev/data/b{major}:{minor}"))).ok()?;
    text.lines().find_map(|line| line.strip_prefix("S:zvol/")).map(str::to_owned)
}

/// The paths of the devices in a tree of them, whatever they are used for.
fn paths(tree: &List) -> Vec<String> {
    let own = tree.text("path").map(str::to_owned);
    own.into_iter().chain(tree.all_lists().flat_map(paths)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::Tree;

    /// The machine that the captured cache file is of.
    fn machine() -> Tree {
        let tree = Tree::new();
        for (disk, number) in [("sda", "8:0"), ("sdc", "8:32"), ("vda", "254:0"), ("nvme0n1", "259:0")] {
            tree.disk(disk, number, 1 << 27);
        }
        for (disk, part, number) in
            [("sda", "sda1", "8:1"), ("sdc", "sdc1", "8:33"), ("vda", "vda1", "254:1"), ("nvme0n1", "nvme0n1p1", "259:1")]
        {
            tree.partition(disk, part, number);
        }
        tree.write_bytes("etc/zfs/zpool.cache", include_bytes!("../signs/signature/zfs/zpool.cache"));
        tree.folder("proc/spl/kstat/zfs/tank");
        tree.write("proc/spl/kstat/zfs/arcstats", "");
        tree
    }

    #[test]
    fn data_and_log_are_members_while_the_pool_is_imported() {
        let tree = machine();
        let system = tree.system();
        assert_eq!(imported(&system), ["tank"]);
        let mut found = members(&system, "tank");
        found.sort();
        // The kernel's table is asked by the last part of the path, as there is no such node here.
        assert_eq!(found, ["sda1", "sdc1", "vda1"]);
        assert_eq!(pool_of(&system, "sdc1").as_deref(), Some("tank"));
        assert_eq!(pool_of(&system, "sdc"), None);
        std::fs::remove_dir(tree.path("proc/spl/kstat/zfs/tank")).unwrap();
        assert_eq!(members(&system, "tank"), [] as [&str; 0], "an old cache file alone tells nothing");
    }

    #[test]
    fn a_pool_without_a_cache_file_has_no_members_here() {
        let tree = machine();
        tree.folder("proc/spl/kstat/zfs/other");
        assert_eq!(members(&tree.system(), "other"), [] as [&str; 0]);
        tree.write("etc/zfs/zpool.cache", "nonsense");
        assert_eq!(members(&tree.system(), "tank"), [] as [&str; 0]);
    }

    #[test]
    fn a_volume_stands_on_its_pool() {
        let tree = machine();
        tree.disk("zd0", "230:0", 1 << 24);
        assert!(under_volume(&tree.system(), "zd0").contains(&"sdc1".to_owned()), "there is only one pool");
        tree.folder("proc/spl/kstat/zfs/other");
        assert_eq!(under_volume(&tree.system(), "zd0"), [] as [&str; 0], "which of them is not told");
        tree.write("run/udev/data/b230:0", "S:zvol/tank/volume\nI:1\n");
        assert_eq!(under_volume(&tree.system(), "zd0").len(), 3);
        assert!(is_volume("zd16") && !is_volume("zd0p1") && !is_volume("zd"));
    }
}
