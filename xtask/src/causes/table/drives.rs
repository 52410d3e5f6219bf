//! Habits of drives: queues, stalls, tails, cliffs, flushes, errors; what stands right in front of them; and ways to a steady state by the standard.

use super::ITSELF;
use crate::causes::cause::*;
use crate::causes::made::MIB;

const DEPTH: &[Word] = &[Rule("concurrency"), Limit("concurrency"), Limit("outstanding"), Limit("depth")];
const MORE_DEPTH: [Word; 3] = [Rule("concurrency"), Limit("concurrency"), Limit("outstanding")];
const STALLS: [Word; 2] = [Rule("stalls"), Rule("slow-tail")];

/// 64 MiB are written twice before each of both tests. A round is a cell of reads and one of writes. Looking for unknown content would read all of a slow drive.
const THROUGHPUT: &str = "verify TARGET --standard snia --tests tp --time 500ms --size 64MiB --purge none --destroy KERNEL \
                          --destroy-unseen-users --destroy-unknown-content";

pub const CAUSES: &[Cause] = &[
    cause(
        "depth-too-low",
        "served drive of 200 slots of 24 ms, promised what it does with 200 outstanding, no depth stated; 128 are offered",
    )
    .at(served(200, 24_000))
    .call("verify TARGET --rw randread")
    .promise(8000, None, "read", Kept)
    .answer(&[DEPTH], &[], &[2, 3]),
    cause("depth-bound", "the same at depths 1 and 8, without a promise: it takes as long for one as for eight")
        .at(served(48, 3000))
        .call("verify TARGET --rw randread --workers 1 --depth 1,8 --time 10s --runs 6")
        .answer(&[DEPTH], &[], &[]),
    cause("one-slot", "served drive of one slot at depths 1 and 12")
        .at(served(1, 2000))
        .call("verify TARGET --rw randread --workers 1 --depth 1,12 --time 10s --runs 6")
        .answer(&[&[ITSELF, Limit("queue")]], &MORE_DEPTH, &[]),
    cause("fixed-iops", "served drive behind a gate of 800 I/Os a second, at depths 4 and 32")
        .at(filled(Behaviour { gate_us: (1250, 0), ..Behaviour::new(32, 500) }))
        .call("verify TARGET --rw randread --workers 1 --depth 4,32 --time 10s --runs 6")
        .answer(&[&[Rule("fixed-rate")]], &[], &[]),
    cause("fixed-bytes", "served drive behind a gate of 40 MiB a second, in blocks of 64 and 256 KiB")
        .at(filled(Behaviour { gate_us: (0, 25_000), ..Behaviour::new(32, 500) }))
        .call("verify TARGET --rw randread --bs 64k,256k --workers 1 --depth 8 --time 10s --runs 6")
        .answer(&[&[Rule("fixed-rate")]], &[], &[]),
    cause("slow-half", "served drive whose second half takes five times as long")
        .at(filled(Behaviour { slow_span: Some((MIB / 2, MIB, 5)), ..Behaviour::new(8, 1000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 8 --time 10s --runs 6")
        .answer(&[&[Rule("slow-places")]], &[], &[]),
    cause("slow-channel", "served drive whose fourth channel of four takes eight times as long, in stripes of 128 KiB")
        .at(filled(Behaviour { slow_channel: Some((128, 4, 8)), ..Behaviour::new(12, 1000) }))
        .answer(&[&[Rule("slow-channel")]], &STALLS, &[]),
    cause("two-times", "served drive of which a quarter of the I/Os takes 20 ms, and the others 2 ms")
        .at(filled(Behaviour { tail: Some((250, 20)), ..Behaviour::new(12, 2000) }))
        .answer(&[&[Rule("two-times")]], &STALLS, &[]),
    cause("slow-wake", "served drive that sleeps after 50 ms without I/O and takes 150 ms to wake up, under a load that pauses")
        .at(filled(Behaviour { sleep_ms: Some((50, 150)), ..Behaviour::new(12, 2000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 1 --think 100ms:20")
        .answer(&[&[Rule("slow-wake")]], &STALLS, &[]),
    cause("few-slots", "served drive of 12 slots at depths 1 and 48")
        .call("verify TARGET --rw randread --workers 1 --depth 1,48 --time 10s --runs 6")
        .answer(&[&[ITSELF, Limit("queue")]], &[MORE_DEPTH[0]], &[]),
    cause("nearly-deep-enough", "served drive of 12 slots at depth 16, which is more than it takes")
        .call("verify TARGET --rw randread --workers 1 --depth 16")
        .answer(&[&[ITSELF]], &MORE_DEPTH, &[]),
    cause("nr-requests", "served drive of 48 slots behind a queue of 4 requests (nr_requests), at depths 1 and 32")
        .at(served(48, 3000))
        .amid(&[Meddling::Queue("nr_requests", "4")])
        .call("verify TARGET --rw randread --workers 1 --depth 1,32 --time 10s --runs 6")
        .reads(9500, 32, Kept)
        .answer(
            &[&[Limit("nr_requests"), Limit("requests"), Limit("the queue"), Limit("block layer"), Limit("kernel")]],
            &[MORE_DEPTH[0]],
            &[3],
        ),
    cause("bfq", "scheduler bfq before a served drive of 48 slots, at depths 1 and 48")
        .at(served(48, 3000))
        .amid(&[Meddling::Queue("scheduler", "bfq")])
        .call("verify TARGET --rw randread --workers 1 --depth 1,48 --time 10s --runs 6")
        .answer(&[&[Text("bfq"), Text("scheduler")]], &[], &[]),
    cause("stalls", "served drive that stalls for 1.5 s in every 4 s")
        .at(filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 12s --runs 6")
        .answer(&[&[Rule("stalls")]], &MORE_DEPTH, &[]),
    cause("stalls-alone", "the same at depth 1")
        .at(filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 1 --time 12s --runs 6")
        .answer(&[&[Rule("stalls")]], &MORE_DEPTH, &[]),
    cause("stalls-job", "the same, for a job")
        .at(filled(Behaviour { stall_ms: Some((4000, 1500)), ..Behaviour::new(12, 3000) }))
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=10 --time_based")
        .answer(&[&[Rule("stalls")]], &MORE_DEPTH, &[]),
    cause("slow-tail", "served drive of which 2 % of the I/Os take 100 ms")
        .at(filled(Behaviour { tail: Some((20, 100)), ..Behaviour::new(12, 3000) }))
        .answer(&[&[Rule("slow-tail"), Rule("stalls")]], &MORE_DEPTH, &[]),
    cause(
        "write-cliff",
        "served drive that writes at 3800 IOPS until 300 MiB are written (256 MiB before it is measured), and at 390 from then on",
    )
    .at(empty(Behaviour { cliff: Some((300, 30_000)), cache_mib: 256, ..Behaviour::new(12, 3000) }))
    .call("verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 24s --runs 6")
    .promise(3700, Some(12), "write", Broken)
    .answer(&[&[Rule("cliff")]], &MORE_DEPTH, &[1, 3]),
    cause("fading", "served drive that takes 0.6 ms longer in each second")
        .at(filled(Behaviour { fading_us: 600, ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 9s --runs 6")
        .reads(3700, 12, Broken)
        .answer(&[&[Rule("not-steady")]], &[], &[1, 3]),
    cause("slow-flush", "served drive that flushes in 20 ms, an fsync after every write")
        .at(empty(Behaviour { flush_us: 20_000, ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 1 --sync fsync --destroy KERNEL --destroy-unseen-users")
        .answer(&[&[Limit("sync"), Limit("flush")]], &[Limit("the way to")], &[]),
    cause("slow-flush-file", "the same through ext4 on it, in a scratch file")
        .at(Place::Folder(Ground::Served(Behaviour { flush_us: 20_000, ..Behaviour::new(12, 1000) })))
        .call("verify TARGET --size 32MiB --rw randwrite --workers 1 --depth 1 --sync fsync --time 10s --runs 6")
        .answer(&[&[Limit("sync"), Limit("flush")]], &[Limit("the way to")], &[]),
    cause("errors", "served drive of which 5 of 1000 I/Os fail with EIO")
        .at(filled(Behaviour { errors: 5, ..Behaviour::new(12, 3000) }))
        .reads(3700, 12, Unknowable)
        .answer(&[&[Rule("io-errors")]], &[], &[2, 3]),
    cause("hang", "served drive that gives no answer for 7 s, with an --io-timeout of 2 s")
        .at(filled(Behaviour { stall_ms: Some((10_000, 7000)), ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --io-timeout 2s")
        .reads(3700, 12, Unknowable)
        .answer(&[&[Rule("io-errors"), Text("hung")]], &[], &[2, 3]),
    cause("lost-writes", "served drive that acknowledges 2 of 1000 writes and forgets them, with --check")
        .at(empty(Behaviour { drops: 2, ..Behaviour::new(12, 1000) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 12 --check --destroy KERNEL --destroy-unseen-users")
        .answer(&[&[Rule("data-lost")]], &[], &[1]),
    cause("no-space", "job that writes 1 GiB to a filesystem of 240 MB")
        .at(Place::Folder(Ground::Served(Behaviour::new(12, 100))))
        .call("run --name=a --filename=TARGET/a --size=1g --rw=write --bs=1m --direct=1 --ioengine=io_uring --iodepth=4")
        .answer(&[&[Text("space"), Text("are free")]], &[], &[2]),
    cause("misaligned-partition", "partition that begins at sector 513 of 512 bytes, on a file of blocks of 4 KiB")
        .at(Place::Partition("513"))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .answer(&[&[Rule("misaligned"), Rule("unaligned"), Text("align")]], &[], &[]),
    cause("standard-steady", "a served drive of 8 slots that always takes 16 ms, by the standard's throughput tests")
        .at(empty(Behaviour::new(8, 16_000)))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 5 rounds")]], &[Text("not steady in 25")], &[]),
    cause("standard-tail", "the same, of whose I/Os one in a hundred takes 48 ms")
        .at(empty(Behaviour { tail: Some((10, 48)), ..Behaviour::new(8, 16_000) }))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 5 rounds")]], &[Text("not steady in 25")], &[]),
    // The round in which it falls may be as slow as those behind it.
    cause("standard-cliff", "the same, whose writes take three times as long after 206 MiB: in the third round of the first test")
        .at(empty(Behaviour { cliff: Some((206, 48_000)), ..Behaviour::new(8, 16_000) }))
        .call(THROUGHPUT)
        .answer(&[&[Text("steady after 7 rounds"), Text("steady after 8 rounds")]], &[Text("not steady in 25")], &[]),
];
