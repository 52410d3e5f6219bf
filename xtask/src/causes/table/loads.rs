//! Loads that measure something else than they seem to.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Place, Promise, Truth, Word, reads};
use crate::causes::served::behaviour::Behaviour;

const BEHAVIOUR: Behaviour = Behaviour::new(12, 3000);
const SERVED: Place = Place::Served { behaviour: BEHAVIOUR, filled: true };
const EMPTY: Place = Place::Served { behaviour: BEHAVIOUR, filled: false };
const FILE: Place = Place::File { content: Content::Random, ground: Ground::Disk };

pub const CAUSES: [Cause; 12] = [
    Cause {
        name: "faults-errors",
        made: "errors injected by request (--faults)",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --faults errors=0.01",
        promise: reads(3700, 12),
        answer: Answer {
            right: &[&[Word::Rule("faults-injected")], &[Word::Rule("io-errors")]],
            truth: Truth::Unknowable,
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "faults-delay",
        made: "20 ms added to each I/O by request",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --faults delay_us=20000",
        promise: reads(3700, 12),
        answer: Answer { right: &[&[Word::Rule("faults-injected")]], truth: Truth::Unknowable, exits: &[2, 3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "polled",
        made: "--polled on a device without queues for it",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --polled",
        answer: Answer { right: &[&[Word::Text("poll")]], exits: &[2], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "psync-depth",
        made: "job with iodepth=32 by psync, which keeps one I/O outstanding",
        place: SERVED,
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=psync --iodepth=32 --runtime=4 --time_based",
        answer: Answer { right: &[&[Word::Rule("depth-of-one")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "same-blocks",
        made: "job of four clones that all read the same blocks in sequence, through the page cache",
        place: SERVED,
        call: "run --name=a --filename=TARGET --rw=read --bs=64k --direct=0 --ioengine=psync --numjobs=4 --group_reporting --runtime=4",
        answer: Answer {
            right: &[&[Word::Rule("same-blocks")], &[Word::Rule("page-cache"), Word::Rule("fits-in-memory"), Word::Rule("buffered-reads")]],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "read-ahead",
        made: "job that reads in sequence by 4 KiB through the page cache, which reads ahead",
        place: SERVED,
        call: "run --name=a --filename=TARGET --rw=read --bs=4k --direct=0 --ioengine=psync --runtime=4",
        answer: Answer {
            right: &[&[Word::Rule("page-cache"), Word::Rule("fits-in-memory"), Word::Rule("buffered-reads"), Word::Text("read-ahead")]],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "buffered-writes",
        made: "job that writes through the page cache and never syncs",
        place: FILE,
        call: "run --name=a --filename=TARGET --overwrite=TARGET --rw=randwrite --bs=4k --direct=0 --ioengine=psync --runtime=4 --time_based",
        answer: Answer {
            right: &[&[
                Word::Rule("buffered-writes"),
                Word::Rule("unsynced-writes"),
                Word::Rule("page-cache"),
                Word::Rule("fits-in-memory"),
            ]],
            wrong: &[ITSELF],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "zeros-written",
        made: "writes of zeros",
        place: EMPTY,
        call: "verify TARGET --rw randwrite --workers 1 --depth 12 --data zero --destroy KERNEL --destroy-unseen-users",
        answer: Answer { right: &[&[Word::Rule("zeros")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "side-by-side",
        made: "two jobs that look like separate tests and run at the same time on one drive",
        place: SERVED,
        call: "run --filename=TARGET --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based --name=sequential --rw=read --name=random --rw=randread",
        answer: Answer { right: &[&[Word::Rule("side-by-side"), Word::Text("at the same time")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "overload",
        made: "open loop of 8000 I/Os a second on a served drive that does 3800",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --rate 8000",
        answer: Answer { right: &[&[Word::Rule("pace-not-kept")]], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "too-few-runs",
        made: "two runs of half a second, which carry no verdict",
        place: SERVED,
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 2s --runs 2",
        promise: Some(Promise { iops: 3700, depth: Some(12), mix: "read" }),
        answer: Answer { right: &[&[Word::Text("cannot tell")]], truth: Truth::Unknowable, exits: &[3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "pinned-to-one",
        made: "four workers bound to one CPU, on a device that answers at once",
        place: Place::Node("/dev/zero"),
        call: "verify TARGET --rw randread --workers 4 --depth 32 --pin 0",
        answer: Answer { right: &[&[Word::Limit("the generator"), Word::Rule("generator-cpu")]], wrong: &[ITSELF], ..ANSWER },
        ..CAUSE
    },
];
