//! The commonest truths of drives and clouds with figures of their own, written without a look at the rules that tell them: limits, mixes, places, times, settings.

use super::ITSELF;
use crate::causes::cause::*;
use crate::causes::made::MIB;

const HYPERVISOR: Word = Limit("hypervisor");

/// Wrong of every drive that sets its own rate, whatever else the host does.
const HOST: [Word; 2] = [HYPERVISOR, HostAlone];

/// Of those, and of what would be mistaken for it.
const HOST_OR_FALL: [Word; 4] = [HYPERVISOR, HostAlone, Rule("cliff"), Rule("late-rise")];
const HOST_OR_STALL: [Word; 4] = [HYPERVISOR, HostAlone, Rule("stalls"), Rule("slow-tail")];
const FIXED: Answer = answer(&[&[Rule("fixed-rate")]], &HOST, &[]);
const PLACES: Answer = answer(&[&[Rule("slow-places")]], &HOST, &[]);
const MIX: Answer = answer(&[&[Rule("slower-mix")]], &HOST, &[]);
const SPLIT: Answer = answer(&[&[Rule("split-requests")]], &HOST, &[]);
const SWINGS: Answer = answer(&[&[Rule("wide-range"), Rule("not-steady")]], &HOST_OR_FALL, &[]);
const CHANNEL: Answer = answer(&[&[Rule("slow-channel")]], &HOST_OR_STALL, &[]);
const TWO_TIMES: Answer = answer(&[&[Rule("two-times")]], &HOST_OR_STALL, &[]);
const WAKES: Answer = answer(&[&[Rule("slow-wake")]], &HOST_OR_STALL, &[]);
const STANDS_BACK: Answer = answer(&[&[Rule("low-priority")]], &[HYPERVISOR], &[]);
const WRITES: &str = "verify TARGET --rw randwrite --workers 1 --depth 4,16 --destroy KERNEL --destroy-unseen-users --time 12s --runs 6";
const MIXED: &str =
    "verify TARGET --rw randread,randwrite,randrw --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 15s --runs 6";
const MIXED_70: &str =
    "verify TARGET --rw randread,randwrite,randrw:70 --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 15s --runs 6";
const AT_8: &str = "verify TARGET --rw randread --workers 1 --depth 8";

pub const CAUSES: &[Cause] = &[
    cause("unseen-gate-reads", "provider's limit of 1200 I/Os a second before 64 slots, at depths 8 and 64")
        .at(filled(Behaviour { gate_us: (833, 0), ..Behaviour::new(64, 500) }))
        .call("verify TARGET --rw randread --workers 1 --depth 8,64 --time 12s --runs 6")
        .like(FIXED),
    cause(
        "unseen-gate-writes",
        "provider's limit of 600 writes a second, at depths 4 and 16; reads, by which it is looked at before, are fast",
    )
    .at(empty(Behaviour { gate_us: (1667, 0), cache_mib: MIB, ..Behaviour::new(32, 700) }))
    .call(WRITES)
    .like(FIXED),
    cause("unseen-gate-bytes", "provider's limit of 30 MiB a second, in blocks of 64 and 256 KiB")
        .at(filled(Behaviour { gate_us: (0, 33_333), ..Behaviour::new(32, 400) }))
        .call("verify TARGET --rw randread --bs 64k,256k --workers 1 --depth 8 --time 12s --runs 6")
        .like(FIXED),
    cause("unseen-gate-sequential", "provider's limit of 50 MiB a second, in sequence in blocks of 128 and 512 KiB")
        .at(filled(Behaviour { gate_us: (0, 20_000), ..Behaviour::new(32, 400) }))
        .call("verify TARGET --rw read --bs 128k,512k --workers 1 --depth 4 --time 12s --runs 6")
        .like(FIXED),
    cause("unseen-credit-reads", "provider's limit of 400 I/Os a second, which lets 14,000 through before at 3800 a second")
        .at(filled(Behaviour { gate_us: (2500, 0), credit: 14_000, ..Behaviour::new(12, 3000) }))
        .reads(3600, 12, Broken)
        .answer(&[&[Rule("cliff")]], &HOST, &[]),
    cause("unseen-credit-writes", "the same with writes, 16,000 through before")
        .at(empty(Behaviour { gate_us: (2500, 0), credit: 16_000, cache_mib: MIB, ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 16s --runs 8")
        .promise(3600, Some(12), "write", Broken)
        .answer(&[&[Rule("cliff")]], &HOST, &[]),
    cause("unseen-one-slot", "drive of one slot of 3.9 ms, at depths 1 and 16")
        .at(filled(Behaviour::new(1, 3900)))
        .call("verify TARGET --rw randread --workers 1 --depth 1,16 --time 12s --runs 6")
        .answer(&[&[ITSELF, Limit("queue"), Rule("fixed-rate")]], &HOST, &[]),
    cause("unseen-seek", "drive that seeks for 9 ms, at depth 1")
        .at(filled(Behaviour::new(1, 9000)))
        .call("verify TARGET --rw randread --workers 1 --depth 1")
        .reads(105, 1, Kept)
        .answer(&[&[ITSELF]], &HOST, &[]),
    cause("unseen-mix-half", "drive of 8 slots of 0.8 ms that takes 7 ms longer when the direction changes; reads, writes, halves")
        .at(empty(Behaviour { turn_us: 7000, ..Behaviour::new(8, 800) }))
        .call(MIXED)
        .like(MIX),
    cause("unseen-mix-70", "the same with 70 % reads, 6 ms longer")
        .at(empty(Behaviour { turn_us: 6000, ..Behaviour::new(8, 800) }))
        .call(MIXED_70)
        .like(MIX),
    cause("unseen-half", "drive whose second half takes six times as long")
        .at(filled(Behaviour { slow_span: Some((MIB / 2, MIB, 6)), ..Behaviour::new(8, 1500) }))
        .call(AT_8)
        .like(PLACES),
    cause("unseen-fast-start-of-span", "drive whose first eighth takes a tenth of the time of the rest")
        .at(filled(Behaviour { slow_span: Some((MIB / 8, MIB, 10)), ..Behaviour::new(8, 500) }))
        .call(AT_8)
        .like(PLACES),
    cause("unseen-bad-spot", "drive of which one sixteenth takes 15 times as long")
        .at(filled(Behaviour { slow_span: Some((160, 176, 15)), ..Behaviour::new(8, 1500) }))
        .call(AT_8)
        .answer(PLACES.right, &HOST_OR_STALL, &[]),
    cause("unseen-half-writes", "drive whose last quarter takes five times as long, writes")
        .at(empty(Behaviour { slow_span: Some((MIB * 3 / 4, MIB, 5)), cache_mib: MIB, ..Behaviour::new(8, 1500) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users")
        .like(PLACES),
    cause("unseen-channel-of-8", "drive whose eighth channel of eight takes ten times as long, in stripes of 128 KiB")
        .at(filled(Behaviour { slow_channel: Some((128, 8, 10)), ..Behaviour::new(16, 1500) }))
        .call("verify TARGET --rw randread --workers 1 --depth 16")
        .like(CHANNEL),
    cause("unseen-channel-of-4", "drive whose fourth channel of four takes five times as long, in stripes of 64 KiB, at depth 4")
        .at(filled(Behaviour { slow_channel: Some((64, 4, 5)), ..Behaviour::new(8, 1500) }))
        .call("verify TARGET --rw randread --workers 1 --depth 4")
        .like(CHANNEL),
    cause("unseen-rise", "drive that takes 20 times as long in its first six seconds")
        .at(filled(Behaviour { slow_start: Some((6000, 20)), ..Behaviour::new(12, 3000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 14s --runs 10")
        .answer(&[&[Rule("late-rise")]], &HOST, &[]),
    cause("unseen-swing-fast", "drive that takes four times as long for half of every three seconds")
        .at(filled(Behaviour { swing: Some((3000, 4)), ..Behaviour::new(12, 2000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 12s --runs 10")
        .like(SWINGS),
    cause("unseen-swing-slow", "drive that takes five times as long for half of every six seconds")
        .at(filled(Behaviour { swing: Some((6000, 5)), ..Behaviour::new(12, 2000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 12 --time 16s --runs 12")
        .like(SWINGS),
    cause("unseen-two-times", "drive of which 30 % of the I/Os take 19 ms, and the others 2 ms")
        .at(filled(Behaviour { tail: Some((300, 19)), ..Behaviour::new(8, 2000) }))
        .call(AT_8)
        .like(TWO_TIMES),
    cause("unseen-two-times-few", "drive of which 15 % of the I/Os take 16 ms, and the others 2 ms, at depth 1")
        .at(filled(Behaviour { tail: Some((150, 16)), ..Behaviour::new(8, 2000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 1")
        .like(TWO_TIMES),
    cause("unseen-wake-in-pauses", "drive that sleeps after 100 ms without I/O and takes 60 ms to wake up, under a load that pauses")
        .at(filled(Behaviour { sleep_ms: Some((100, 60)), ..Behaviour::new(8, 2000) }))
        .call("verify TARGET --rw randread --workers 1 --depth 1 --think 200ms:25 --time 12s")
        .like(WAKES),
    cause("unseen-wake-at-starts", "drive that sleeps after 10 ms without I/O and takes 300 ms to wake up: at the start of each run")
        .at(filled(Behaviour { sleep_ms: Some((10, 300)), ..Behaviour::new(8, 2000) }))
        .call(AT_8)
        .answer(WAKES.right, &HOST, &[]),
    cause("unseen-fading", "drive that takes 0.5 ms longer in each second, writes")
        .at(empty(Behaviour { fading_us: 500, cache_mib: MIB, ..Behaviour::new(8, 2000) }))
        .call("verify TARGET --rw randwrite --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 12s --runs 8")
        .answer(&[&[Rule("not-steady")]], &HOST, &[]),
    cause("unseen-requests-16", "max_sectors_kb of 16 before a drive of 8 slots of 1.5 ms, in blocks of 256 KiB")
        .at(filled(Behaviour::new(8, 1500)))
        .amid(&[Meddling::Queue("max_sectors_kb", "16")])
        .call("verify TARGET --rw randread --bs 256k --workers 1 --depth 4")
        .like(SPLIT),
    cause("unseen-requests-64", "max_sectors_kb of 64 before the same, in sequence in blocks of 1 MiB")
        .at(filled(Behaviour::new(8, 1500)))
        .amid(&[Meddling::Queue("max_sectors_kb", "64")])
        .call("verify TARGET --rw read --bs 1m --workers 1 --depth 2")
        .like(SPLIT),
    cause("unseen-idle-policy", "ioproof runs as SCHED_IDLE beside two processes that burn CPU")
        .amid(&[Meddling::Burners(2), Meddling::Through("chrt --idle 0")])
        .like(STANDS_BACK),
    cause("unseen-niced", "ioproof runs at niceness 19 beside two processes that burn CPU")
        .amid(&[Meddling::Burners(2), Meddling::Through("nice -n 19")])
        .like(STANDS_BACK),
    cause("unseen-pieces", "drive of 4 slots that takes 2 ms for each 32 KiB, in blocks of 32 and 128 KiB")
        .at(filled(Behaviour { piece_kib: Some(32), ..Behaviour::new(4, 2000) }))
        .call("verify TARGET --rw randread --bs 32k,128k --workers 1 --depth 8 --time 12s --runs 6")
        .answer(&[&[Rule("fixed-rate"), ITSELF]], &HOST, &[]),
    cause("unseen-above-claim", "drive of 12 slots of 3 ms that is promised to do 3350 IOPS, which is a tenth less than it does")
        .reads(3350, 12, Kept)
        .answer(&[&[Text("meets")]], &HOST, &[0]),
];
