//! Limits in front of the drive: the host's and ioproof's own.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Meddling, Place, Truth, Word, reads};
use crate::causes::served::behaviour::Behaviour;

const SERVED: Place = Place::Served { behaviour: Behaviour::new(12, 3000), filled: true };

const DISK: Place = Place::Loop { content: Content::Random, ground: Ground::Disk, direct: true };

const HELD_BACK: Answer = Answer {
    right: &[&[Word::Rule("own-limit")], &[Word::Limit("group")]],
    wrong: &[ITSELF],
    truth: Truth::Kept,
    exits: &[2, 3],
    ..ANSWER
};

/// A limit of a control group on reads of the device.
const fn throttle(file: &'static str, value: &'static str) -> Meddling {
    Meddling::Group { controller: "blkio", file, value }
}

pub const CAUSES: [Cause; 14] = [
    Cause {
        name: "group-iops",
        made: "control group that allows 800 reads a second, on a served drive that does 3800",
        place: SERVED,
        meddling: &[throttle("blkio.throttle.read_iops_device", "DEVICE 800")],
        promise: reads(3700, 12),
        answer: HELD_BACK,
        ..CAUSE
    },
    Cause {
        name: "group-bytes",
        made: "control group that allows 4 MB/s of reads, on the same",
        place: SERVED,
        meddling: &[throttle("blkio.throttle.read_bps_device", "DEVICE 4000000")],
        promise: reads(3700, 12),
        answer: HELD_BACK,
        ..CAUSE
    },
    Cause {
        name: "group-iops-scratch",
        made: "control group that allows 2000 reads a second of the disk, a scratch file on it",
        place: Place::Folder(Ground::Disk),
        meddling: &[throttle("blkio.throttle.read_iops_device", "DEVICE 2000")],
        call: "verify TARGET --size 256MiB --rw randread --workers 1 --depth 32",
        answer: Answer { truth: Truth::Untold, exits: &[], ..HELD_BACK },
        ..CAUSE
    },
    Cause {
        name: "group-iops-job",
        made: "the same limit on a served drive, for a job",
        place: SERVED,
        meddling: &[throttle("blkio.throttle.read_iops_device", "DEVICE 800")],
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based",
        answer: Answer { truth: Truth::Untold, exits: &[], ..HELD_BACK },
        ..CAUSE
    },
    Cause {
        name: "group-loose",
        made: "control group that allows 50 thousand reads a second of a served drive that does 3800: it holds nothing back",
        place: SERVED,
        meddling: &[throttle("blkio.throttle.read_iops_device", "DEVICE 50000")],
        promise: reads(3700, 12),
        answer: Answer { right: &[&[ITSELF]], wrong: &[Word::Limit("group"), Word::Rule("own-limit")], truth: Truth::Kept, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "cpu-quota",
        made: "control group that allows 5 % of one CPU, reads of a loop device on the disk",
        place: DISK,
        meddling: &[Meddling::Group { controller: "cpu", file: "cpu.cfs_quota_us", value: "5000" }],
        call: "verify TARGET --rw randread --workers 2 --depth 32",
        answer: Answer { right: &[&[Word::Rule("cpu-quota")]], wrong: &[ITSELF, Word::Limit("hypervisor")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "cpu-quota-tight",
        made: "control group that allows 1 % of one CPU, on a served drive",
        place: SERVED,
        meddling: &[Meddling::Group { controller: "cpu", file: "cpu.cfs_quota_us", value: "1000" }],
        promise: reads(3700, 12),
        answer: Answer {
            right: &[&[Word::Rule("cpu-quota")]],
            wrong: &[ITSELF, Word::Limit("hypervisor")],
            truth: Truth::Kept,
            exits: &[3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "burners",
        made: "six processes that burn CPU, reads of a loop device on the disk",
        place: DISK,
        meddling: &[Meddling::Burners(6)],
        call: "verify TARGET --rw randread --workers 2 --depth 32",
        answer: Answer { right: &[&[Word::Rule("busy-host"), Word::Rule("cpu-pressure")]], wrong: &[Word::Limit("hypervisor")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "burners-niced",
        made: "two processes that burn CPU at the lowest priority, on a served drive: a thread that wakes up waits for the kernel's tick",
        place: SERVED,
        meddling: &[Meddling::NicedBurners(2)],
        promise: reads(3700, 12),
        answer: Answer {
            right: &[&[Word::Rule("busy-host"), Word::Rule("cpu-pressure")]],
            wrong: &[Word::Limit("hypervisor")],
            truth: Truth::Kept,
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "frozen",
        made: "ioproof is stopped for half a second in every two (freezer), on a served drive",
        place: SERVED,
        meddling: &[Meddling::Freezing],
        promise: reads(3700, 12),
        answer: Answer {
            right: &[&[
                Word::Limit("generator"),
                Word::Limit("stopped"),
                Word::Limit("frozen"),
                Word::Title("stopped"),
                Word::Title("frozen"),
            ]],
            wrong: &[ITSELF, Word::Limit("stalls: some")],
            truth: Truth::Kept,
            exits: &[3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "generator-cpu",
        made: "one worker on a device that answers at once",
        place: Place::Node("/dev/zero"),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        answer: Answer { right: &[&[Word::Limit("the generator"), Word::Rule("generator-cpu")]], wrong: &[ITSELF], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "own-rate",
        made: "--rate 500 on a served drive that does 3800",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --rate 500",
        answer: Answer { right: &[&[Word::Limit("rate"), Word::Limit("pace"), Word::Limit("asked")]], wrong: &[ITSELF], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "own-limit-iops",
        made: "--max-read-iops 500 on the same",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --max-read-iops 500",
        promise: reads(3700, 12),
        answer: Answer {
            right: &[&[Word::Limit("rate"), Word::Limit("limit"), Word::Limit("asked"), Word::Limit("max-read")]],
            wrong: &[ITSELF],
            truth: Truth::Kept,
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "own-pauses",
        made: "--think 20ms after every I/O on the same",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 1 --think 20ms",
        promise: reads(300, 1),
        answer: Answer {
            right: &[&[Word::Limit("think"), Word::Limit("pause"), Word::Limit("asked")]],
            wrong: &[ITSELF],
            truth: Truth::Kept,
            ..ANSWER
        },
        ..CAUSE
    },
];
