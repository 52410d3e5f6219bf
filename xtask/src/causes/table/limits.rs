//! Limits in front of the drive, the host's and ioproof's own; and somebody else on the drive or on the way to it.

use super::{DISK, ITSELF};
use crate::causes::cause::*;

const HELD_BACK: Answer = answer(&[&[Rule("own-limit")], &[Limit("group")]], &[ITSELF], &[2, 3]);

const fn throttle(file: &'static str, value: &'static str) -> Meddling {
    Meddling::Group("blkio", file, value)
}

const FOREIGN: &[&[Word]] = &[&[Rule("foreign-io")]];

pub const CAUSES: &[Cause] = &[
    cause("group-iops", "control group that allows 800 reads a second, on a served drive that does 3800")
        .amid(&[throttle("blkio.throttle.read_iops_device", "DEVICE 800")])
        .reads(3700, 12, Kept)
        .like(HELD_BACK),
    cause("group-bytes", "control group that allows 4 MB/s of reads, on the same")
        .amid(&[throttle("blkio.throttle.read_bps_device", "DEVICE 4000000")])
        .reads(3700, 12, Kept)
        .like(HELD_BACK),
    cause("group-iops-scratch", "control group that allows 2000 reads a second of the disk, a scratch file on it")
        .at(Place::Folder(Ground::Disk))
        .amid(&[throttle("blkio.throttle.read_iops_device", "DEVICE 2000")])
        .call("verify TARGET --size 256MiB --rw randread --workers 1 --depth 32")
        .answer(HELD_BACK.right, HELD_BACK.wrong, &[]),
    cause("group-iops-job", "the same limit on a served drive, for a job")
        .amid(&[throttle("blkio.throttle.read_iops_device", "DEVICE 800")])
        .call("run --name=a --filename=TARGET --rw=randread --bs=4k --direct=1 --ioengine=io_uring --iodepth=12 --runtime=4 --time_based")
        .answer(HELD_BACK.right, HELD_BACK.wrong, &[]),
    cause("group-loose", "control group that allows 50 thousand reads a second of a served drive that does 3800: it holds nothing back")
        .amid(&[throttle("blkio.throttle.read_iops_device", "DEVICE 50000")])
        .reads(3700, 12, Kept)
        .answer(&[&[ITSELF]], &[Limit("group"), Rule("own-limit")], &[]),
    cause("cpu-quota", "control group that allows 5 % of one CPU, reads of a loop device on the disk")
        .at(DISK)
        .amid(&[Meddling::Group("cpu", "cpu.cfs_quota_us", "5000")])
        .call("verify TARGET --rw randread --workers 2 --depth 32")
        .answer(&[&[Rule("cpu-quota")]], &[ITSELF, Limit("hypervisor")], &[]),
    cause("cpu-quota-tight", "control group that allows 1 % of one CPU, on a served drive")
        .amid(&[Meddling::Group("cpu", "cpu.cfs_quota_us", "1000")])
        .reads(3700, 12, Kept)
        .answer(&[&[Rule("cpu-quota")]], &[ITSELF, Limit("hypervisor")], &[3]),
    cause("burners", "six processes that burn CPU, reads of a loop device on the disk")
        .at(DISK)
        .amid(&[Meddling::Burners(6)])
        .call("verify TARGET --rw randread --workers 2 --depth 32")
        .answer(&[&[Rule("busy-host"), Rule("cpu-pressure")]], &[Limit("hypervisor")], &[]),
    cause(
        "burners-niced",
        "two processes that burn CPU at the lowest priority, on a served drive: a thread that wakes up waits for the kernel's tick",
    )
    .amid(&[Meddling::NicedBurners(2)])
    .reads(3700, 12, Kept)
    .answer(&[&[Rule("busy-host"), Rule("cpu-pressure")]], &[Limit("hypervisor")], &[]),
    cause("frozen", "ioproof is stopped for half a second in every two (freezer), on a served drive")
        .amid(&[Meddling::Freezing])
        .reads(3700, 12, Kept)
        .answer(
            &[&[Limit("generator"), Limit("stopped"), Limit("frozen"), Title("stopped"), Title("frozen")]],
            &[ITSELF, Limit("stalls: some")],
            &[3],
        ),
    cause("generator-cpu", "one worker on a device that answers at once")
        .at(Place::Node("/dev/zero"))
        .call("verify TARGET --rw randread --workers 1 --depth 32")
        .answer(&[&[Limit("the generator"), Rule("generator-cpu")]], &[ITSELF], &[]),
    cause("own-rate", "--rate 500 on a served drive that does 3800")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --rate 500")
        .answer(&[&[Limit("rate"), Limit("pace"), Limit("asked")]], &[ITSELF], &[]),
    cause("own-limit-iops", "--max-read-iops 500 on the same")
        .call("verify TARGET --rw randread --workers 1 --depth 12 --max-read-iops 500")
        .reads(3700, 12, Kept)
        .answer(&[&[Limit("rate"), Limit("limit"), Limit("asked"), Limit("max-read")]], &[ITSELF], &[]),
    cause("own-pauses", "--think 20ms after every I/O on the same")
        .call("verify TARGET --rw randread --workers 1 --depth 1 --think 20ms")
        .reads(300, 1, Kept)
        .answer(&[&[Limit("think"), Limit("pause"), Limit("asked")]], &[ITSELF], &[]),
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
