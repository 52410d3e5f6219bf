//! Healthy drives, files and devices, of which nothing must be doubted. Of the rented or shared disk that the tree may lie on, only what cannot be true is wrong.

use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Place, Promise, Truth, Word, reads};
use crate::causes::served::behaviour::Behaviour;

/// True of a disk whose truth nobody knows.
pub(super) const OF_A_DISK: &[&str] =
    &["foreign-io", "not-steady", "stalls", "slow-tail", "stolen-cpu", "busy-host", "near-ceiling", "generator-cpu"];

const fn served(slots: usize, service_us: u64) -> Place {
    Place::Served { behaviour: Behaviour::new(slots, service_us), filled: true }
}

/// The promise is kept, and said to be.
const MEETS: Answer = Answer { right: &[&[Word::Text("meets")]], truth: Truth::Kept, exits: &[0], healthy: Some(&[]), ..ANSWER };

const DISK: Answer = Answer { healthy: Some(OF_A_DISK), ..ANSWER };

pub const CAUSES: [Cause; 16] = [
    Cause {
        name: "control-served-12",
        made: "served drive, 12 slots of 3 ms, depth 12",
        place: served(12, 3000),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 8s --runs 8",
        promise: reads(3800, 12),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-1",
        made: "served drive, one slot of 4 ms, depth 1",
        place: served(1, 4000),
        call: "verify TARGET --rw randread --workers 1 --depth 1",
        promise: reads(238, 1),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-4",
        made: "served drive, 4 slots of 2 ms, depth 4",
        place: served(4, 2000),
        call: "verify TARGET --rw randread --workers 1 --depth 4",
        promise: reads(1850, 4),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-32",
        made: "served drive, 32 slots of 8 ms, depth 32",
        place: served(32, 8000),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(3800, 32),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-slow",
        made: "served drive, 8 slots of 15 ms as of a disk that turns, depth 8",
        place: served(8, 15_000),
        call: "verify TARGET --rw randread --workers 1 --depth 8",
        promise: reads(530, 8),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-misses",
        made: "served drive, 12 slots of 6 ms, that is promised to do 3800 IOPS",
        place: served(12, 6000),
        promise: reads(3800, 12),
        answer: Answer { right: &[&[Word::Text("misses")]], truth: Truth::Broken, exits: &[1], healthy: Some(&[]), ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-served-writes",
        made: "served drive, 12 slots of 3 ms, writes; reads, by which it is looked at before, are fast",
        place: Place::Served { behaviour: Behaviour { cache_mib: 256, ..Behaviour::new(12, 3000) }, filled: false },
        call: "verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 24s --runs 8",
        promise: Some(Promise { iops: 3800, depth: Some(12), mix: "write" }),
        answer: MEETS,
        ..CAUSE
    },
    Cause {
        name: "control-served-mix",
        made: "scratch file on ext4 on a served drive, 12 slots of 3 ms, 70 % reads",
        place: Place::Folder(Ground::Served(Behaviour::new(12, 3000))),
        call: "verify TARGET --size 64MiB --rw randrw:70 --workers 1 --depth 12",
        answer: Answer { exits: &[0], healthy: Some(&[]), ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-served-job",
        made: "served drive, 12 slots of 3 ms, for a job",
        place: served(12, 3000),
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based",
        answer: Answer { exits: &[0], healthy: Some(&["short-run"]), ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-served-ext4",
        made: "scratch file on ext4 on a served drive, 12 slots of 3 ms",
        place: Place::Folder(Ground::Served(Behaviour::new(12, 3000))),
        call: "verify TARGET --size 64MiB --rw randread --workers 1 --depth 12",
        answer: Answer { exits: &[0], healthy: Some(&[]), ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-disk-scratch",
        made: "scratch file on the disk of the tree",
        call: "verify TARGET --size 256MiB --rw randread",
        answer: DISK,
        ..CAUSE
    },
    Cause {
        name: "control-disk-file",
        made: "written file on it",
        place: Place::File { content: Content::Random, ground: Ground::Disk },
        call: "verify TARGET --rw randread --workers 1 --depth 8",
        answer: DISK,
        ..CAUSE
    },
    Cause {
        name: "control-disk-loop",
        made: "loop device with direct I/O on such a file",
        place: Place::Loop { content: Content::Random, ground: Ground::Disk, direct: true },
        call: "verify TARGET --rw randread --workers 1 --depth 8",
        answer: DISK,
        ..CAUSE
    },
    Cause {
        name: "control-disk-job",
        made: "such a file for a job with direct I/O",
        place: Place::File { content: Content::Random, ground: Ground::Disk },
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=8 --runtime=4 --time_based",
        answer: Answer { exits: &[0], ..DISK },
        ..CAUSE
    },
    Cause {
        name: "control-stored",
        made: "stored run of the fixtures, unchanged",
        place: Place::Stored(&[]),
        call: "report TARGET --rejudge --json",
        answer: Answer { healthy: Some(&["short-runtime"]), ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "control-null",
        made: "the generator itself, without any I/O",
        call: "verify TARGET --rw randread --workers 1 --depth 32 --backend null --time 4s --runs 6",
        answer: Answer { right: &[&[Word::Limit("generator"), Word::Limit("CPU")]], healthy: Some(OF_A_DISK), ..ANSWER },
        ..CAUSE
    },
];
