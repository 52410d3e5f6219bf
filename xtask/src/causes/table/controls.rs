//! Healthy drives, files and devices, of which nothing must be doubted. Of the rented or shared disk that the tree may lie on, only what cannot be true is wrong.

use crate::causes::cause::*;

pub(super) const OF_A_DISK: &[&str] =
    &["foreign-io", "not-steady", "stalls", "slow-tail", "stolen-cpu", "busy-host", "near-ceiling", "generator-cpu"];

const MEETS: Answer = Answer { healthy: Some(&[]), ..answer(&[&[Text("meets")]], &[], &[0]) };
const DISK: Answer = Answer { healthy: Some(OF_A_DISK), ..answer(&[], &[], &[]) };

pub const CAUSES: &[Cause] = &[
    cause("control-served-12", "served drive, 12 slots of 3 ms, depth 12")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 8s --runs 8")
        .reads(3800, 12, Kept)
        .like(MEETS),
    cause("control-served-1", "served drive, one slot of 4 ms, depth 1")
        .at(served(1, 4000))
        .call("verify TARGET --rw randread --workers 1 --depth 1")
        .reads(238, 1, Kept)
        .like(MEETS),
    cause("control-served-4", "served drive, 4 slots of 2 ms, depth 4")
        .at(served(4, 2000))
        .call("verify TARGET --rw randread --workers 1 --depth 4")
        .reads(1850, 4, Kept)
        .like(MEETS),
    cause("control-served-32", "served drive, 32 slots of 8 ms, depth 32")
        .at(served(32, 8000))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(3800, 32, Kept)
        .like(MEETS),
    cause("control-served-slow", "served drive, 8 slots of 15 ms as of a disk that turns, depth 8")
        .at(served(8, 15_000))
        .call("verify TARGET --rw randread --workers 1 --depth 8")
        .reads(530, 8, Kept)
        .like(MEETS),
    cause("control-served-misses", "served drive, 12 slots of 6 ms, that is promised to do 3800 IOPS")
        .at(served(12, 6000))
        .reads(3800, 12, Broken)
        .answer(&[&[Text("misses")]], &[], &[1])
        .healthy(&[]),
    cause("control-served-writes", "served drive, 12 slots of 3 ms, writes; reads, by which it is looked at before, are fast")
        .at(empty(Behaviour { cache_mib: 256, ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 24s --runs 8")
        .promise(3800, Some(12), "write", Kept)
        .like(MEETS),
    cause("control-served-mix", "scratch file on ext4 on a served drive, 12 slots of 3 ms, 70 % reads")
        .at(Place::Folder(Ground::Served(Behaviour::new(12, 3000))))
        .call("verify TARGET --size 64MiB --rw randrw:70 --workers 1 --depth 12")
        .answer(&[], &[], &[0])
        .healthy(&[]),
    cause("control-served-job", "served drive, 12 slots of 3 ms, for a job")
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based")
        .answer(&[], &[], &[0])
        .healthy(&["short-run"]),
    cause("control-served-ext4", "scratch file on ext4 on a served drive, 12 slots of 3 ms")
        .at(Place::Folder(Ground::Served(Behaviour::new(12, 3000))))
        .call("verify TARGET --size 64MiB --rw randread --workers 1 --depth 12")
        .answer(&[], &[], &[0])
        .healthy(&[]),
    cause("control-disk-scratch", "scratch file on the disk of the tree")
        .at(Place::Folder(Ground::Disk))
        .call("verify TARGET --size 256MiB --rw randread")
        .like(DISK),
    cause("control-disk-file", "written file on it")
        .at(Place::File(Content::Random, Ground::Disk))
        .call("verify TARGET --rw randread --workers 1 --depth 8")
        .like(DISK),
    cause("control-disk-loop", "loop device with direct I/O on such a file")
        .at(Place::Loop(Content::Random, Ground::Disk))
        .call("verify TARGET --rw randread --workers 1 --depth 8")
        .like(DISK),
    cause("control-disk-job", "such a file for a job with direct I/O")
        .at(Place::File(Content::Random, Ground::Disk))
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=8 --runtime=4 --time_based")
        .answer(&[], &[], &[0])
        .healthy(OF_A_DISK),
    cause("control-stored", "stored run of the fixtures, unchanged")
        .at(Place::Stored(&[]))
        .call("report TARGET --rejudge --json")
        .healthy(&["short-runtime"]),
    cause("control-null", "the generator itself, without any I/O")
        .at(Place::Folder(Ground::Disk))
        .call("verify TARGET --rw randread --workers 1 --depth 32 --backend null --time 4s --runs 6")
        .answer(&[&[Limit("generator"), Limit("CPU")]], &[], &[])
        .healthy(OF_A_DISK),
];
