//! Bytes that never reach the drive; blocks that were never written, or are too few.

use super::ITSELF;
use crate::causes::cause::*;

const CACHED: &[Word] = &[Rule("page-cache"), Rule("cached-layer")];
const CACHED_LOOP: Place = Place::CachedLoop(Content::Random, Ground::Disk);

/// More than the disk does and less than memory does, so that the cache would meet it.
const BEYOND_THE_DISK: u32 = 90_000;

const fn on_disk(content: Content) -> Place {
    Place::Loop(content, Ground::Disk)
}

const UNWRITTEN: &[Word] = &[Rule("unwritten"), Rule("sparse-file")];
const INVALID: Answer = answer(&[UNWRITTEN], &[ITSELF], &[3]);

pub const CAUSES: &[Cause] = &[
    cause("cached-loop", "loop device without direct I/O on a file that is in the page cache")
        .at(CACHED_LOOP)
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(BEYOND_THE_DISK, 32, Unknowable)
        .answer(&[CACHED], &[ITSELF], &[3]),
    cause("cached-loop-foreign", "the same, while another process reads another file of the same disk with direct I/O")
        .at(CACHED_LOOP)
        .amid(&[Meddling::Reading(Where::SameDisk)])
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(BEYOND_THE_DISK, 32, Unknowable)
        .answer(&[CACHED], &[ITSELF], &[3]),
    cause("loop-on-tmpfs", "loop device on a file in tmpfs")
        .at(Place::CachedLoop(Content::Random, Ground::Memory))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(90_000, 32, Unknowable)
        .answer(&[&[Rule("in-memory"), Rule("cached-layer"), Rule("page-cache"), Text("memory and no drive")]], &[ITSELF], &[2, 3]),
    cause("tmpfs-folder", "scratch file in tmpfs")
        .at(Place::Folder(Ground::Memory))
        .call("verify TARGET --size 256MiB --rw randread")
        .answer(&[&[Text("memory and no drive"), Rule("in-memory")]], &[], &[2]),
    cause("zram-random", "zram device that was written in full with random data")
        .at(Place::Zram(Content::Random))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(100_000, 32, Unknowable)
        .answer(&[&[Rule("in-memory"), Text("compressed memory"), Text("is memory"), Text("in memory")]], &[ITSELF], &[2, 3]),
    cause("zram-text", "zram device that was written in full with compressible text")
        .at(Place::Zram(Content::Text))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(100_000, 32, Unknowable)
        .answer(&[&[Rule("in-memory"), Text("compress"), Text("is memory"), Text("in memory")]], &[ITSELF], &[2, 3]),
    cause("btrfs-compressed", "file of compressible text on btrfs with compress-force")
        .at(Place::File(Content::Text, Ground::Mounted("btrfs", "compress-force=zstd")))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .reads(90_000, 32, Unknowable)
        .answer(&[CACHED, &[Text("compress")]], &[ITSELF], &[2, 3]),
    cause("buffered-file", "job with direct=0 on a file that is in the page cache")
        .at(Place::File(Content::Random, Ground::Disk))
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=0 --invalidate=0 --ioengine=psync --runtime=4 --time_based")
        .answer(&[&[Rule("page-cache"), Rule("fits-in-memory")], &[Limit("memory"), Limit("cache")]], &[ITSELF], &[0]),
    cause("buffered-file-strict", "the same with --strict")
        .at(Place::File(Content::Random, Ground::Disk))
        .call("run --strict --name=a --filename=TARGET --rw=randread --bs=4k --direct=0 --invalidate=0 --ioengine=psync --runtime=4 --time_based")
        .answer(&[&[Rule("page-cache"), Rule("fits-in-memory"), Text("page cache")]], &[ITSELF], &[2, 3]),
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
