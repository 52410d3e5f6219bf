//! Somebody else on the drive or on the way to it.

use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Content, Ground, Meddling, Place, Truth, Where, Word, reads};
use crate::causes::served::behaviour::Behaviour;

const SERVED: Place = Place::Served { behaviour: Behaviour::new(12, 3000), filled: true };
const DISK: Place = Place::Loop { content: Content::Random, ground: Ground::Disk, direct: true };

const FOREIGN: &[&[Word]] = &[&[Word::Rule("foreign-io")]];

pub const CAUSES: [Cause; 4] = [
    Cause {
        name: "reader-of-device",
        made: "another process reads the served drive's loop device",
        place: SERVED,
        meddling: &[Meddling::Reading(Where::Target)],
        answer: Answer { right: FOREIGN, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "reader-of-backing-file",
        made: "another process reads the file behind a loop device on the disk",
        place: DISK,
        meddling: &[Meddling::Reading(Where::Backing)],
        call: "verify TARGET --rw randread --workers 1 --depth 4",
        answer: Answer { right: FOREIGN, wrong: &[Word::Rule("concurrency"), Word::Limit("concurrency")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "writer-of-backing-file",
        made: "another process writes the file behind it",
        place: DISK,
        meddling: &[Meddling::Writing(Where::Backing)],
        call: "verify TARGET --rw randread --workers 1 --depth 4",
        answer: Answer { right: FOREIGN, wrong: &[Word::Rule("concurrency"), Word::Limit("concurrency")], ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "reader-behind-fuse",
        made: "another process reads the file behind the served drive's loop device, which has three slots",
        place: Place::Served { behaviour: Behaviour::new(3, 3000), filled: true },
        meddling: &[Meddling::Reading(Where::Backing)],
        call: "verify TARGET --rw randread --workers 1 --depth 3",
        promise: reads(920, 3),
        answer: Answer {
            right: &[&[Word::Rule("foreign-io"), Word::Text("what it lies on could not be told")]],
            wrong: &[Word::Rule("concurrency"), Word::Limit("concurrency")],
            truth: Truth::Kept,
            ..ANSWER
        },
    },
];
