//! Blocks that were never written, or are too few.

use super::ITSELF;
use crate::causes::cause::*;

const fn on_disk(content: Content) -> Place {
    Place::Loop(content, Ground::Disk)
}

const UNWRITTEN: &[Word] = &[Rule("unwritten"), Rule("sparse-file")];

const INVALID: Answer = answer(&[UNWRITTEN], &[ITSELF], &[3]);

pub const CAUSES: &[Cause] = &[
    cause("sparse-loop", "loop device on a file that is one hole")
        .at(on_disk(Content::Sparse))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(90_000, 32, Unknowable)
        .like(INVALID),
    cause("allocated-loop", "loop device on a file that was allocated and never written")
        .at(on_disk(Content::Allocated))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(90_000, 32, Unknowable)
        .like(INVALID),
    cause("half-holes", "loop device on a file of which every other MiB is a hole")
        .at(on_disk(Content::HalfHoles))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(90_000, 32, Unknowable)
        .like(INVALID),
    cause("sparse-file-job", "job on a file that is one hole, with direct I/O")
        .at(Place::File(Content::Sparse, Ground::Disk))
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=16 --runtime=4 --time_based")
        .answer(&[UNWRITTEN], &[ITSELF], &[]),
    // Nobody can tell written zeros from blocks that were never written: the doubt is right.
    cause("written-zeros", "served drive that holds zeros and nothing else")
        .at(empty(Behaviour::new(12, 3000)))
        .reads(3700, 12, Unknowable)
        .answer(&[UNWRITTEN], &[], &[]),
    cause("tiny-span", "served drive with a cache for its first 16 MiB, which are all that is read")
        .at(filled(Behaviour { cache_mib: 16, ..Behaviour::new(12, 10_000) }))
        .call("verify TARGET --size 16MiB --rw randread --workers 1 --depth 12")
        .reads(1150, 12, Unknowable)
        .answer(&[&[Rule("within-drive-cache"), Rule("small-share")], &[Text("indicative"), Text("cannot tell")]], &[], &[]),
];
