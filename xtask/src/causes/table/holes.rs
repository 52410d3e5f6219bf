//! Blocks that were never written, or are too few.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Place, Truth, Word, reads};
use crate::causes::served::behaviour::Behaviour;

const fn on_disk(content: Content) -> Place {
    Place::Loop { content, ground: Ground::Disk, direct: true }
}

const UNWRITTEN: &[Word] = &[Word::Rule("unwritten"), Word::Rule("sparse-file")];

const INVALID: Answer = Answer { right: &[UNWRITTEN], wrong: &[ITSELF], truth: Truth::Unknowable, exits: &[3], ..ANSWER };

pub const CAUSES: [Cause; 6] = [
    Cause {
        name: "sparse-loop",
        made: "loop device on a file that is one hole",
        place: on_disk(Content::Sparse),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(90_000, 32),
        answer: INVALID,
        ..CAUSE
    },
    Cause {
        name: "allocated-loop",
        made: "loop device on a file that was allocated and never written",
        place: on_disk(Content::Allocated),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(90_000, 32),
        answer: INVALID,
        ..CAUSE
    },
    Cause {
        name: "half-holes",
        made: "loop device on a file of which every other MiB is a hole",
        place: on_disk(Content::HalfHoles),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(90_000, 32),
        answer: INVALID,
        ..CAUSE
    },
    Cause {
        name: "sparse-file-job",
        made: "job on a file that is one hole, with direct I/O",
        place: Place::File { content: Content::Sparse, ground: Ground::Disk },
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=16 --runtime=4 --time_based",
        answer: Answer { right: &[UNWRITTEN], wrong: &[ITSELF], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "written-zeros",
        made: "served drive that holds zeros and nothing else",
        place: Place::Served { behaviour: Behaviour::new(12, 3000), filled: false },
        promise: reads(3700, 12),
        // Nobody can tell written zeros from blocks that were never written: the doubt is right.
        answer: Answer { right: &[UNWRITTEN], truth: Truth::Unknowable, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "tiny-span",
        made: "served drive with a cache for its first 16 MiB, which are all that is read",
        place: Place::Served { behaviour: Behaviour { cache_mib: 16, ..Behaviour::new(12, 10_000) }, filled: true },
        call: "verify TARGET --size 16MiB --rw randread --workers 1 --depth 12",
        promise: reads(1150, 12),
        answer: Answer {
            right: &[
                &[Word::Rule("within-drive-cache"), Word::Rule("small-share")],
                &[Word::Text("indicative"), Word::Text("cannot tell")],
            ],
            truth: Truth::Unknowable,
            ..ANSWER
        },
        ..CAUSE
    },
];
