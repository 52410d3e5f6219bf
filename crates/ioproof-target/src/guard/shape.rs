//! Clauses about what the device is.

use super::{Reason, Subject};
use crate::block;
use crate::block::stack;

/// Refuses a device that sysfs does not know, for it cannot be judged.
pub(crate) fn known(subject: &Subject<'_>) -> Vec<Reason> {
    let missing = block::folder(subject.system(), &subject.name).is_none();
    missing.then(|| Reason::new(format!("{} is not in sysfs, so what stands on it cannot be told", subject.name))).into_iter().collect()
}

/// A drive is consented to as a whole.
pub(crate) fn whole_disk(subject: &Subject<'_>) -> Vec<Reason> {
    let disk = block::disk_of(subject.system(), &subject.name);
    let reason = |disk: String| {
        Reason::new(format!("{} is a partition of {disk}, and only whole disks are written", subject.name))
            .hint("give a whole disk that holds nothing, or a directory on a filesystem for a scratch file")
    };
    disk.map(reason).into_iter().collect()
}

/// A device that lies on others would destroy what is on those.
pub(crate) fn stacked(subject: &Subject<'_>) -> Vec<Reason> {
    let kind = stack::kind(subject.system(), &subject.name);
    let under = block::list(subject.system(), &subject.name, "slaves");
    if under.is_empty() && !matches!(kind, "device-mapper" | "md") {
        return Vec::new();
    }
    let on = if under.is_empty() { String::new() } else { format!(" on {}", under.join(", ")) };
    vec![Reason::new(format!("{} is a stacked device ({kind}){on}, and only drives are written", subject.name))]
}

/// Somebody has set it read-only for a reason.
pub(crate) fn read_only(subject: &Subject<'_>) -> Vec<Reason> {
    match block::attribute(subject.system(), &subject.name, "ro").as_deref() {
        Some("0") => Vec::new(),
        Some(_) => vec![Reason::new(format!("{} is read-only", subject.name))],
        None => vec![Reason::new(format!("whether {} is read-only cannot be told", subject.name))],
    }
}

/// A partition that the kernel knows is somebody's plan for the space, whatever is in it.
pub(crate) fn partitions(subject: &Subject<'_>) -> Vec<Reason> {
    let names = block::partitions(subject.system(), &subject.name);
    if names.is_empty() {
        return Vec::new();
    }
    vec![
        Reason::new(format!("{} has partitions: {}", subject.name, names.join(", ")))
            .hint("if nothing on them is needed, remove the partition table first (wipefs)"),
    ]
}

#[cfg(test)]
mod tests {
    use crate::block::tree::Tree;
    use crate::guard::testing::{clauses, reasons};

    #[test]
    fn an_idle_drive_with_consent_passes() {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/serial", "S1\n");
        assert_eq!(clauses(&tree, "vdb", Some("S1")), [] as [&str; 0]);
    }

    #[test]
    fn what_sysfs_does_not_know_is_refused() {
        assert!(clauses(&Tree::new(), "vdb", Some("S1")).contains(&"known"));
    }

    #[test]
    fn a_partition_names_its_disk() {
        let tree = Tree::new();
        tree.disk("sda", "8:0", 1 << 30);
        tree.partition("sda", "sda1", "8:1");
        assert!(reasons(&tree, "sda1", None).iter().any(|r| r.contains("sda1 is a partition of sda")));
        assert!(clauses(&tree, "sda", None).contains(&"partitions"));
    }

    #[test]
    fn stacked_devices_are_refused() {
        let tree = Tree::new();
        tree.disk("dm-0", "252:0", 1 << 30);
        tree.folder("sys/block/dm-0/dm");
        tree.folder("sys/block/dm-0/slaves/sda");
        tree.disk("md0", "9:0", 1 << 30);
        tree.folder("sys/block/md0/md");
        tree.disk("bcache0", "251:0", 1 << 30);
        tree.folder("sys/block/bcache0/slaves/sdb");
        for name in ["dm-0", "md0", "bcache0"] {
            assert!(clauses(&tree, name, None).contains(&"stacked"), "{name}");
        }
        assert!(reasons(&tree, "dm-0", None).iter().any(|r| r.contains("on sda")));
    }

    #[test]
    fn read_only_or_unknown_is_refused() {
        let tree = Tree::new();
        tree.disk("vdb", "254:16", 1 << 30);
        tree.write("sys/block/vdb/ro", "1\n");
        assert!(clauses(&tree, "vdb", None).contains(&"read-only"));
        std::fs::remove_file(tree.path("sys/block/vdb/ro")).unwrap();
        assert!(clauses(&tree, "vdb", None).contains(&"read-only"));
    }
}
