//! Somebody else on the drive or on the way to it.

use super::DISK;
use crate::causes::cause::*;

const FOREIGN: &[&[Word]] = &[&[Rule("foreign-io")]];

pub const CAUSES: &[Cause] = &[
    cause("reader-of-device", "another process reads the served drive's loop device").amid(&[Meddling::Reading(Where::Target)]).answer(
        FOREIGN,
        &[],
        &[],
    ),
    cause("reader-of-backing-file", "another process reads the file behind a loop device on the disk")
        .at(DISK)
        .amid(&[Meddling::Reading(Where::Backing)])
        .call("verify TARGET --rw randread --workers 1 --depth 4")
        .answer(FOREIGN, &[Rule("concurrency"), Limit("concurrency")], &[]),
    cause("writer-of-backing-file", "another process writes the file behind it")
        .at(DISK)
        .amid(&[Meddling::Writing(Where::Backing)])
        .call("verify TARGET --rw randread --workers 1 --depth 4")
        .answer(FOREIGN, &[Rule("concurrency"), Limit("concurrency")], &[]),
    cause("reader-behind-fuse", "another process reads the file behind the served drive's loop device, which has three slots")
        .at(served(3, 3000))
        .amid(&[Meddling::Reading(Where::Backing)])
        .call("verify TARGET --rw randread --workers 1 --depth 3")
        .reads(920, 3, Kept)
        .answer(&[&[Rule("foreign-io"), Text("what it lies on could not be told")]], &[Rule("concurrency"), Limit("concurrency")], &[]),
];
