//! The clauses about what stands on a device, on made-up machines.

use crate::block::tree::Tree;
use crate::guard::testing::{clauses, reasons};
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
    file.swap_file("/data/swapfile");
    assert_eq!(refused(&file), ["mounted", "swap"]);
}

#[test]
fn a_swap_area_that_cannot_be_told_refuses() {
    let deleted = drive();
    deleted.swap("/data/swapfile\\040(deleted)");
    assert_eq!(refused(&deleted), ["swap"]);
    let elsewhere = drive();
    elsewhere.disk("vdc", "254:32", 1 << 30);
    elsewhere.mount("254:32", "/data", "/dev/vdc");
    elsewhere.swap_file("/data/swapfile");
    assert_eq!(refused(&elsewhere), [] as [&str; 0], "another drive's");
    elsewhere.write("data/swapfile", "in this namespace that name means something else");
    assert_eq!(refused(&elsewhere), ["swap"]);
}

#[test]
fn mounts_that_cannot_be_told_refuse() {
    let gone = drive();
    gone.mount("8:1", "/mnt", "/dev/sda1");
    assert_eq!(refused(&gone), ["mounted"]);
    let garbled = drive();
    garbled.write_bytes("proc/self/mountinfo", b"20 1 0:44 / /mnt rw - btrfs /dev/by\xffname rw\n");
    assert_eq!(refused(&garbled), ["mounted"]);
}

#[test]
fn what_is_there_and_cannot_be_listed_refuses() {
    let tree = drive();
    symlink("holders", tree.path("sys/block/vdb/holders")).unwrap();
    assert_eq!(refused(&tree), ["holders"], "a circle of links cannot be read, and is not nothing");
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

/// A drive and a partition whose names the captured cache file has.
fn pool() -> Tree {
    let tree = Tree::new();
    tree.disk("sdc", "8:32", 1 << 30);
    tree.partition("sdc", "sdc1", "8:33");
    tree.write_bytes("etc/zfs/zpool.cache", include_bytes!("../../signs/signature/zfs/zpool.cache"));
    tree.folder("proc/spl/kstat/zfs/tank");
    tree
}

#[test]
fn a_member_of_an_imported_zfs_pool() {
    let tree = pool();
    assert!(clauses(&tree, "sdc", None).contains(&"zfs"));
    std::fs::remove_dir(tree.path("proc/spl/kstat/zfs/tank")).unwrap();
    assert!(!clauses(&tree, "sdc", None).contains(&"zfs"), "exported");
}

#[test]
fn a_root_filesystem_on_zfs() {
    let tree = pool();
    tree.append("proc/self/mountinfo", "20 1 0:30 / / rw - zfs tank/root rw\n");
    assert!(clauses(&tree, "sdc", None).contains(&"root-disk"));
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
