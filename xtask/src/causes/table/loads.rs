//! Loads that measure something else than they seem to.

use super::ITSELF;
use crate::causes::cause::*;

const FILE: Place = Place::File(Content::Random, Ground::Disk);

pub const CAUSES: &[Cause] = &[
    cause("faults-errors", "errors injected by request (--faults)")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --faults errors=0.01")
        .reads(3700, 12, Unknowable)
        .answer(&[&[Rule("faults-injected")], &[Rule("io-errors")]], &[], &[2, 3]),
    cause("faults-delay", "20 ms added to each I/O by request")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --faults delay_us=20000")
        .reads(3700, 12, Unknowable)
        .answer(&[&[Rule("faults-injected")]], &[], &[2, 3]),
    cause("polled", "--polled on a device without queues for it")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --polled")
        .answer(&[&[Text("poll")]], &[], &[2]),
    cause("psync-depth", "job with iodepth=32 by psync, which keeps one I/O outstanding")
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=psync --iodepth=32 --runtime=4 --time_based")
        .answer(&[&[Rule("depth-of-one")]], &[], &[]),
    cause("same-blocks", "job of four clones that all read the same blocks in sequence, through the page cache")
        .call("run --name=a --filename=TARGET --rw=read --bs=64k --direct=0 --ioengine=psync --numjobs=4 --group_reporting --runtime=4")
        .answer(&[&[Rule("same-blocks")], &[Rule("page-cache"), Rule("fits-in-memory"), Rule("buffered-reads")]], &[], &[]),
    cause("read-ahead", "job that reads in sequence by 4 KiB through the page cache, which reads ahead")
        .call("run --name=a --filename=TARGET --rw=read --bs=4k --direct=0 --ioengine=psync --runtime=4")
        .answer(&[&[Rule("page-cache"), Rule("fits-in-memory"), Rule("buffered-reads"), Text("read-ahead")]], &[], &[]),
    cause("buffered-writes", "job that writes through the page cache and never syncs")
        .at(FILE)
        .call("run --name=a --filename=TARGET --overwrite=TARGET --rw=randwrite --bs=4k --direct=0 --ioengine=psync --runtime=4 --time_based")
        .answer(&[&[
                Rule("buffered-writes"),
                Rule("unsynced-writes"),
                Rule("page-cache"),
                Rule("fits-in-memory"),
            ]], &[ITSELF], &[]),
    cause("zeros-written", "writes of zeros")
        .at(empty(Behaviour::new(12, 3000)))
        .call("verify TARGET --rw randwrite --workers 1 --depth 12 --data zero --destroy KERNEL --destroy-unseen-users")
        .answer(&[&[Rule("zeros")]], &[], &[]),
    cause("side-by-side", "two jobs that look like separate tests and run at the same time on one drive")
        .call("run --filename=TARGET --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based --name=sequential --rw=read --name=random --rw=randread")
        .answer(&[&[Rule("side-by-side"), Text("at the same time")]], &[], &[]),
    cause("overload", "open loop of 8000 I/Os a second on a served drive that does 3800")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --rate 8000")
        .answer(&[&[Rule("pace-not-kept")]], &[], &[]),
    cause("too-few-runs", "two runs of half a second, which carry no verdict")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 2s --runs 2")
        .promise(3700, Some(12), "read", Unknowable)
        .answer(&[&[Text("cannot tell")]], &[], &[3]),
    cause("pinned-to-one", "four workers bound to one CPU, on a device that answers at once")
        .at(Place::Node("/dev/zero"))
        .call("verify TARGET --rw randread --workers 4 --depth 32 --pin 0")
        .answer(&[&[Limit("the generator"), Rule("generator-cpu")]], &[ITSELF], &[]),
];
