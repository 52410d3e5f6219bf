//! Bytes that never reach the drive.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Meddling, Place, Truth, Where, Word, reads};

const CACHED: &[Word] = &[Word::Rule("page-cache"), Word::Rule("cached-layer")];

const CACHED_LOOP: Place = Place::Loop { content: Content::Random, ground: Ground::Disk, direct: false };

/// More than the disk does and less than memory does, so that the cache would meet it.
const BEYOND_THE_DISK: u32 = 90_000;

pub const CAUSES: [Cause; 9] = [
    Cause {
        name: "cached-loop",
        made: "loop device without direct I/O on a file that is in the page cache",
        place: CACHED_LOOP,
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(BEYOND_THE_DISK, 32),
        answer: Answer { right: &[CACHED], wrong: &[ITSELF], truth: Truth::Unknowable, exits: &[3], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "cached-loop-foreign",
        made: "the same, while another process reads another file of the same disk with direct I/O",
        place: CACHED_LOOP,
        meddling: &[Meddling::Reading(Where::SameDisk)],
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(BEYOND_THE_DISK, 32),
        answer: Answer { right: &[CACHED], wrong: &[ITSELF], truth: Truth::Unknowable, exits: &[3], ..ANSWER },
    },
    Cause {
        name: "loop-on-tmpfs",
        made: "loop device on a file in tmpfs",
        place: Place::Loop { content: Content::Random, ground: Ground::Memory, direct: false },
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(90_000, 32),
        answer: Answer {
            right: &[&[Word::Rule("in-memory"), Word::Rule("cached-layer"), Word::Rule("page-cache"), Word::Text("memory and no drive")]],
            wrong: &[ITSELF],
            truth: Truth::Unknowable,
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "tmpfs-folder",
        made: "scratch file in tmpfs",
        place: Place::Folder(Ground::Memory),
        call: "verify TARGET --size 256MiB --rw randread",
        answer: Answer { right: &[&[Word::Text("memory and no drive"), Word::Rule("in-memory")]], exits: &[2], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "zram-random",
        made: "zram device that was written in full with random data",
        place: Place::Zram(Content::Random),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(100_000, 32),
        answer: Answer {
            right: &[&[Word::Rule("in-memory"), Word::Text("compressed memory"), Word::Text("is memory"), Word::Text("in memory")]],
            wrong: &[ITSELF],
            truth: Truth::Unknowable,
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "zram-text",
        made: "zram device that was written in full with compressible text",
        place: Place::Zram(Content::Text),
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(100_000, 32),
        answer: Answer {
            right: &[&[Word::Rule("in-memory"), Word::Text("compress"), Word::Text("is memory"), Word::Text("in memory")]],
            wrong: &[ITSELF],
            truth: Truth::Unknowable,
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "btrfs-compressed",
        made: "file of compressible text on btrfs with compress-force",
        place: Place::File { content: Content::Text, ground: Ground::Mounted { filesystem: "btrfs", options: "compress-force=zstd" } },
        call: "verify TARGET --rw randread --workers 1 --depth 32",
        promise: reads(90_000, 32),
        answer: Answer {
            right: &[CACHED, &[Word::Text("compress")]],
            wrong: &[ITSELF],
            truth: Truth::Unknowable,
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "buffered-file",
        made: "job with direct=0 on a file that is in the page cache",
        place: Place::File { content: Content::Random, ground: Ground::Disk },
        call: "run --name=a --filename=TARGET --rw=randread --bs=4k --direct=0 --invalidate=0 --ioengine=psync --runtime=4 --time_based",
        answer: Answer {
            right: &[&[Word::Rule("page-cache"), Word::Rule("fits-in-memory")], &[Word::Limit("memory"), Word::Limit("cache")]],
            wrong: &[ITSELF],
            exits: &[0],
            ..ANSWER
        },
        ..CAUSE
    },
    Cause {
        name: "buffered-file-strict",
        made: "the same with --strict",
        place: Place::File { content: Content::Random, ground: Ground::Disk },
        call: "run --strict --name=a --filename=TARGET --rw=randread --bs=4k --direct=0 --invalidate=0 --ioengine=psync --runtime=4 --time_based",
        answer: Answer {
            right: &[&[Word::Rule("page-cache"), Word::Rule("fits-in-memory"), Word::Text("page cache")]],
            wrong: &[ITSELF],
            exits: &[2, 3],
            ..ANSWER
        },
        ..CAUSE
    },
];
