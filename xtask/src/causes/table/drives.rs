//! Habits of drives: queues, stalls, tails, cliffs, flushes, errors; and what stands right in front of them.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Ground, Meddling, Place, Promise, Truth, Word, reads};
use crate::causes::content::MIB;
use crate::causes::served::behaviour::Behaviour;

const fn served(slots: usize, service_us: u64) -> Place {
    filled(Behaviour::new(slots, service_us))
}

const fn filled(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: true }
}

const fn empty(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: false }
}

const DEPTH: &[Word] = &[Word::Rule("concurrency"), Word::Limit("concurrency"), Word::Limit("outstanding"), Word::Limit("depth")];
const MORE_DEPTH: [Word; 3] = [Word::Rule("concurrency"), Word::Limit("concurrency"), Word::Limit("outstanding")];

const STALLS: [Word; 2] = [Word::Rule("stalls"), Word::Rule("slow-tail")];

pub const CAUSES: [Cause; 26] = [
    Cause {
        name: "depth-too-low",
        made: "served drive of 200 slots of 24 ms, promised what it does with 200 outstanding, no depth stated; 128 are offered",
        place: served(200, 24_000),
        call: "verify TARGET --rw randread",
        promise: Some(Promise { iops: 8000, depth: None, mix: "read" }),
        answer: Answer { right: &[DEPTH], truth: Truth::Kept, exits: &[2, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "depth-bound",
        made: "the same at depths 1 and 8, without a promise: it takes as long for one as for eight",
        place: served(48, 3000),
        call: "verify TARGET --rw randread --workers 1 --depth 1,8 --time 10s --runs 6",
        answer: Answer { right: &[DEPTH], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "one-slot",
        made: "served drive of one slot at depths 1 and 12",
        place: served(1, 2000),
        call: "verify TARGET --rw randread --workers 1 --depth 1,12 --time 10s --runs 6",
        answer: Answer { right: &[&[ITSELF, Word::Limit("queue")]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "fixed-iops",
        made: "served drive behind a gate of 800 I/Os a second, at depths 4 and 32",
        place: filled(Behaviour { gate_us: (1250, 0), ..Behaviour::new(32, 500) }),
        call: "verify TARGET --rw randread --workers 1 --depth 4,32 --time 10s --runs 6",
        answer: Answer { right: &[&[Word::Rule("fixed-rate")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "fixed-bytes",
        made: "served drive behind a gate of 40 MiB a second, in blocks of 64 and 256 KiB",
        place: filled(Behaviour { gate_us: (0, 25_000), ..Behaviour::new(32, 500) }),
        call: "verify TARGET --rw randread --bs 64k,256k --workers 1 --depth 8 --time 10s --runs 6",
        answer: Answer { right: &[&[Word::Rule("fixed-rate")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-half",
        made: "served drive whose second half takes five times as long",
        place: filled(Behaviour { slow_span: Some((MIB / 2, MIB, 5)), ..Behaviour::new(8, 1000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 8 --time 10s --runs 6",
        answer: Answer { right: &[&[Word::Rule("slow-places")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-channel",
        made: "served drive whose fourth channel of four takes eight times as long, in stripes of 128 KiB",
        place: filled(Behaviour { slow_channel: Some((128, 4, 8)), ..Behaviour::new(12, 1000) }),
        answer: Answer { right: &[&[Word::Rule("slow-channel")]], wrong: &STALLS, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "two-times",
        made: "served drive of which a quarter of the I/Os takes 20 ms, and the others 2 ms",
        place: filled(Behaviour { tail: Some((250, 20)), ..Behaviour::new(12, 2000) }),
        answer: Answer { right: &[&[Word::Rule("two-times")]], wrong: &STALLS, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-wake",
        made: "served drive that sleeps after 50 ms without I/O and takes 150 ms to wake up, under a load that pauses",
        place: filled(Behaviour { sleep_ms: Some((50, 150)), ..Behaviour::new(12, 2000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 1 --think 100ms:20",
        answer: Answer { right: &[&[Word::Rule("slow-wake")]], wrong: &STALLS, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "few-slots",
        made: "served drive of 12 slots at depths 1 and 48",
        place: served(12, 3000),
        call: "verify TARGET --rw randread --workers 1 --depth 1,48 --time 10s --runs 6",
        answer: Answer { right: &[&[ITSELF, Word::Limit("queue")]], wrong: &[MORE_DEPTH[0]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "nearly-deep-enough",
        made: "served drive of 12 slots at depth 16, which is more than it takes",
        place: served(12, 3000),
        call: "verify TARGET --rw randread --workers 1 --depth 16",
        answer: Answer { right: &[&[ITSELF]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "nr-requests",
        made: "served drive of 48 slots behind a queue of 4 requests (nr_requests), at depths 1 and 32",
        place: served(48, 3000),
        meddling: &[Meddling::Queue { file: "nr_requests", value: "4" }],
        call: "verify TARGET --rw randread --workers 1 --depth 1,32 --time 10s --runs 6",
        promise: reads(9500, 32),
        answer: Answer {
            right: &[&[
                Word::Limit("nr_requests"),
                Word::Limit("requests"),
                Word::Limit("the queue"),
                Word::Limit("block layer"),
                Word::Limit("kernel"),
            ]],
            wrong: &[MORE_DEPTH[0]],
            truth: Truth::Kept,
            exits: &[3],
            ..ANSWER
        },
    },
    Cause {
        name: "bfq",
        made: "scheduler bfq before a served drive of 48 slots, at depths 1 and 48",
        place: served(48, 3000),
        meddling: &[Meddling::Queue { file: "scheduler", value: "bfq" }],
        call: "verify TARGET --rw randread --workers 1 --depth 1,48 --time 10s --runs 6",
        answer: Answer { right: &[&[Word::Text("bfq"), Word::Text("scheduler")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "stalls",
        made: "served drive that stalls for 1.5 s in every 4 s",
        place: filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 12s --runs 6",
        answer: Answer { right: &[&[Word::Rule("stalls")]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "stalls-alone",
        made: "the same at depth 1",
        place: filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 1 --time 12s --runs 6",
        answer: Answer { right: &[&[Word::Rule("stalls")]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "stalls-job",
        made: "the same, for a job",
        place: filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }),
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=10 --time_based",
        answer: Answer { right: &[&[Word::Rule("stalls")]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-tail",
        made: "served drive of which 2 % of the I/Os take 100 ms",
        place: filled(Behaviour { tail: Some((20, 100)), ..Behaviour::new(12, 3000) }),
        answer: Answer { right: &[&[Word::Rule("slow-tail"), Word::Rule("stalls")]], wrong: &MORE_DEPTH, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "write-cliff",
        made: "served drive that writes at 3800 IOPS until 300 MiB are written (256 MiB before it is measured), and at 390 from then on",
        place: empty(Behaviour { cliff: Some((300, 30_000)), cache_mib: 256, ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 24s --runs 6",
        promise: Some(Promise { iops: 3700, depth: Some(12), mix: "write" }),
        answer: Answer { right: &[&[Word::Rule("cliff")]], wrong: &MORE_DEPTH, truth: Truth::Broken, exits: &[1, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "fading",
        made: "served drive that takes 0.6 ms longer in each second",
        place: filled(Behaviour { fading_us: 600, ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 9s --runs 6",
        promise: reads(3700, 12),
        answer: Answer { right: &[&[Word::Rule("not-steady")]], truth: Truth::Broken, exits: &[1, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-flush",
        made: "served drive that flushes in 20 ms, an fsync after every write",
        place: empty(Behaviour { flush_us: 20_000, ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 1 --sync fsync --destroy KERNEL --destroy-unseen-users",
        answer: Answer { right: &[&[Word::Limit("sync"), Word::Limit("flush")]], wrong: &[Word::Limit("the way to")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "slow-flush-file",
        made: "the same through ext4 on it, in a scratch file",
        place: Place::Folder(Ground::Served(Behaviour { flush_us: 20_000, ..Behaviour::new(12, 1000) })),
        call: "verify TARGET --size 32MiB --rw randwrite --workers 1 --depth 1 --sync fsync --time 10s --runs 6",
        answer: Answer { right: &[&[Word::Limit("sync"), Word::Limit("flush")]], wrong: &[Word::Limit("the way to")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "errors",
        made: "served drive of which 5 of 1000 I/Os fail with EIO",
        place: filled(Behaviour { errors: 5, ..Behaviour::new(12, 3000) }),
        promise: reads(3700, 12),
        answer: Answer { right: &[&[Word::Rule("io-errors")]], truth: Truth::Unknowable, exits: &[2, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "hang",
        made: "served drive that gives no answer for 7 s, with an --io-timeout of 2 s",
        place: filled(Behaviour { stall_ms: Some((10_000, 7000)), ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --io-timeout 2s",
        promise: reads(3700, 12),
        answer: Answer { right: &[&[Word::Rule("io-errors"), Word::Text("hung")]], truth: Truth::Unknowable, exits: &[2, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "lost-writes",
        made: "served drive that acknowledges 2 of 1000 writes and forgets them, with --check",
        place: empty(Behaviour { drops: 2, ..Behaviour::new(12, 1000) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 12 --check --destroy KERNEL --destroy-unseen-users",
        answer: Answer { right: &[&[Word::Rule("data-lost")]], exits: &[1], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "no-space",
        made: "job that writes 1 GiB to a filesystem of 240 MB",
        place: Place::Folder(Ground::Served(Behaviour::new(12, 100))),
        call: "run --name=a --filename=TARGET/a --size=1g --rw=write --bs=1m --direct=1 --ioengine=io_uring --iodepth=4",
        answer: Answer { right: &[&[Word::Text("space"), Word::Text("are free")]], exits: &[2], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "misaligned-partition",
        made: "partition that begins at sector 513 of 512 bytes, on a file of blocks of 4 KiB",
        place: Place::Partition { start: "513" },
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        answer: Answer { right: &[&[Word::Rule("misaligned"), Word::Rule("unaligned"), Word::Text("align")]], ..ANSWER },
        ..CAUSE
    },
];
