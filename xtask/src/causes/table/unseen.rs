//! The commonest truths of drives and clouds with figures of their own, written without a look at the rules that tell them: limits, mixes, places, times, settings.

use super::ITSELF;
use crate::causes::cause::{ANSWER, Answer, CAUSE, Cause, Meddling, Place, Promise, Truth, Word, reads};
use crate::causes::content::MIB;
use crate::causes::served::behaviour::Behaviour;

const fn filled(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: true }
}

const fn written(behaviour: Behaviour) -> Place {
    Place::Served { behaviour, filled: false }
}

const HYPERVISOR: Word = Word::Limit("hypervisor");

/// Wrong of every drive that sets its own rate, whatever else the host does.
const HOST: [Word; 2] = [HYPERVISOR, Word::HostAlone];

/// Of those, and of what would be mistaken for it.
const HOST_OR_FALL: [Word; 4] = [HYPERVISOR, Word::HostAlone, Word::Rule("cliff"), Word::Rule("late-rise")];
const HOST_OR_STALL: [Word; 4] = [HYPERVISOR, Word::HostAlone, Word::Rule("stalls"), Word::Rule("slow-tail")];

const fn rule(right: &'static [&'static [Word]]) -> Answer {
    Answer { right, wrong: &HOST, ..ANSWER }
}

const FIXED: Answer = rule(&[&[Word::Rule("fixed-rate")]]);
const PLACES: Answer = rule(&[&[Word::Rule("slow-places")]]);
const MIX: Answer = rule(&[&[Word::Rule("slower-mix")]]);
const SPLIT: Answer = rule(&[&[Word::Rule("split-requests")]]);
const SWINGS: Answer = Answer { right: &[&[Word::Rule("wide-range"), Word::Rule("not-steady")]], wrong: &HOST_OR_FALL, ..ANSWER };
const CHANNEL: Answer = Answer { right: &[&[Word::Rule("slow-channel")]], wrong: &HOST_OR_STALL, ..ANSWER };
const TWO_TIMES: Answer = Answer { right: &[&[Word::Rule("two-times")]], wrong: &HOST_OR_STALL, ..ANSWER };
const WAKES: Answer = Answer { right: &[&[Word::Rule("slow-wake")]], wrong: &HOST_OR_STALL, ..ANSWER };
const STANDS_BACK: Answer = Answer { right: &[&[Word::Rule("low-priority")]], wrong: &[HYPERVISOR], ..ANSWER };

const WRITES: &str = "verify TARGET --rw randwrite --workers 1 --depth 4,16 --destroy KERNEL --destroy-unseen-users --time 12s --runs 6";
const MIXED: &str =
    "verify TARGET --rw randread,randwrite,randrw --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 15s --runs 6";
const MIXED_70: &str =
    "verify TARGET --rw randread,randwrite,randrw:70 --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 15s --runs 6";
const AT_8: &str = "verify TARGET --rw randread --workers 1 --depth 8";

pub const CAUSES: [Cause; 30] = [
    Cause {
        name: "unseen-gate-reads",
        made: "provider's limit of 1200 I/Os a second before 64 slots, at depths 8 and 64",
        place: filled(Behaviour { gate_us: (833, 0), ..Behaviour::new(64, 500) }),
        call: "verify TARGET --rw randread --workers 1 --depth 8,64 --time 12s --runs 6",
        answer: FIXED,
        ..CAUSE
    },
    Cause {
        name: "unseen-gate-writes",
        made: "provider's limit of 600 writes a second, at depths 4 and 16; reads, by which it is looked at before, are fast",
        place: written(Behaviour { gate_us: (1667, 0), cache_mib: MIB, ..Behaviour::new(32, 700) }),
        call: WRITES,
        answer: FIXED,
        ..CAUSE
    },
    Cause {
        name: "unseen-gate-bytes",
        made: "provider's limit of 30 MiB a second, in blocks of 64 and 256 KiB",
        place: filled(Behaviour { gate_us: (0, 33_333), ..Behaviour::new(32, 400) }),
        call: "verify TARGET --rw randread --bs 64k,256k --workers 1 --depth 8 --time 12s --runs 6",
        answer: FIXED,
        ..CAUSE
    },
    Cause {
        name: "unseen-gate-sequential",
        made: "provider's limit of 50 MiB a second, in sequence in blocks of 128 and 512 KiB",
        place: filled(Behaviour { gate_us: (0, 20_000), ..Behaviour::new(32, 400) }),
        call: "verify TARGET --rw read --bs 128k,512k --workers 1 --depth 4 --time 12s --runs 6",
        answer: FIXED,
        ..CAUSE
    },
    Cause {
        name: "unseen-credit-reads",
        made: "provider's limit of 400 I/Os a second, which lets 14,000 through before at 3800 a second",
        place: filled(Behaviour { gate_us: (2500, 0), credit: 14_000, ..Behaviour::new(12, 3000) }),
        promise: reads(3600, 12),
        answer: Answer { right: &[&[Word::Rule("cliff")]], wrong: &HOST, truth: Truth::Broken, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "unseen-credit-writes",
        made: "the same with writes, 16,000 through before",
        place: written(Behaviour { gate_us: (2500, 0), credit: 16_000, cache_mib: MIB, ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 12 --destroy KERNEL --destroy-unseen-users --time 16s --runs 8",
        promise: Some(Promise { iops: 3600, depth: Some(12), mix: "write" }),
        answer: Answer { right: &[&[Word::Rule("cliff")]], wrong: &HOST, truth: Truth::Broken, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "unseen-one-slot",
        made: "drive of one slot of 3.9 ms, at depths 1 and 16",
        place: filled(Behaviour::new(1, 3900)),
        call: "verify TARGET --rw randread --workers 1 --depth 1,16 --time 12s --runs 6",
        answer: rule(&[&[ITSELF, Word::Limit("queue"), Word::Rule("fixed-rate")]]),
        ..CAUSE
    },
    Cause {
        name: "unseen-seek",
        made: "drive that seeks for 9 ms, at depth 1",
        place: filled(Behaviour::new(1, 9000)),
        call: "verify TARGET --rw randread --workers 1 --depth 1",
        promise: reads(105, 1),
        answer: Answer { right: &[&[ITSELF]], wrong: &HOST, truth: Truth::Kept, ..ANSWER },
        ..CAUSE
    },
    Cause {
        name: "unseen-mix-half",
        made: "drive of 8 slots of 0.8 ms that takes 7 ms longer when the direction changes; reads, writes, halves",
        place: written(Behaviour { turn_us: 7000, ..Behaviour::new(8, 800) }),
        call: MIXED,
        answer: MIX,
        ..CAUSE
    },
    Cause {
        name: "unseen-mix-70",
        made: "the same with 70 % reads, 6 ms longer",
        place: written(Behaviour { turn_us: 6000, ..Behaviour::new(8, 800) }),
        call: MIXED_70,
        answer: MIX,
        ..CAUSE
    },
    Cause {
        name: "unseen-half",
        made: "drive whose second half takes six times as long",
        place: filled(Behaviour { slow_span: Some((MIB / 2, MIB, 6)), ..Behaviour::new(8, 1500) }),
        call: AT_8,
        answer: PLACES,
        ..CAUSE
    },
    Cause {
        name: "unseen-fast-start-of-span",
        made: "drive whose first eighth takes a tenth of the time of the rest",
        place: filled(Behaviour { slow_span: Some((MIB / 8, MIB, 10)), ..Behaviour::new(8, 500) }),
        call: AT_8,
        answer: PLACES,
        ..CAUSE
    },
    Cause {
        name: "unseen-bad-spot",
        made: "drive of which one sixteenth takes 15 times as long",
        place: filled(Behaviour { slow_span: Some((160, 176, 15)), ..Behaviour::new(8, 1500) }),
        call: AT_8,
        answer: Answer { wrong: &HOST_OR_STALL, ..PLACES },
        ..CAUSE
    },
    Cause {
        name: "unseen-half-writes",
        made: "drive whose last quarter takes five times as long, writes",
        place: written(Behaviour { slow_span: Some((MIB * 3 / 4, MIB, 5)), cache_mib: MIB, ..Behaviour::new(8, 1500) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users",
        answer: PLACES,
        ..CAUSE
    },
    Cause {
        name: "unseen-channel-of-8",
        made: "drive whose eighth channel of eight takes ten times as long, in stripes of 128 KiB",
        place: filled(Behaviour { slow_channel: Some((128, 8, 10)), ..Behaviour::new(16, 1500) }),
        call: "verify TARGET --rw randread --workers 1 --depth 16",
        answer: CHANNEL,
        ..CAUSE
    },
    Cause {
        name: "unseen-channel-of-4",
        made: "drive whose fourth channel of four takes five times as long, in stripes of 64 KiB, at depth 4",
        place: filled(Behaviour { slow_channel: Some((64, 4, 5)), ..Behaviour::new(8, 1500) }),
        call: "verify TARGET --rw randread --workers 1 --depth 4",
        answer: CHANNEL,
        ..CAUSE
    },
    Cause {
        name: "unseen-rise",
        made: "drive that takes 20 times as long in its first six seconds",
        place: filled(Behaviour { slow_start: Some((6000, 20)), ..Behaviour::new(12, 3000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 14s --runs 10",
        answer: rule(&[&[Word::Rule("late-rise")]]),
        ..CAUSE
    },
    Cause {
        name: "unseen-swing-fast",
        made: "drive that takes four times as long for half of every three seconds",
        place: filled(Behaviour { swing: Some((3000, 4)), ..Behaviour::new(12, 2000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 12s --runs 10",
        answer: SWINGS,
        ..CAUSE
    },
    Cause {
        name: "unseen-swing-slow",
        made: "drive that takes five times as long for half of every six seconds",
        place: filled(Behaviour { swing: Some((6000, 5)), ..Behaviour::new(12, 2000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 12 --time 16s --runs 12",
        answer: SWINGS,
        ..CAUSE
    },
    Cause {
        name: "unseen-two-times",
        made: "drive of which 30 % of the I/Os take 19 ms, and the others 2 ms",
        place: filled(Behaviour { tail: Some((300, 19)), ..Behaviour::new(8, 2000) }),
        call: AT_8,
        answer: TWO_TIMES,
        ..CAUSE
    },
    Cause {
        name: "unseen-two-times-few",
        made: "drive of which 15 % of the I/Os take 16 ms, and the others 2 ms, at depth 1",
        place: filled(Behaviour { tail: Some((150, 16)), ..Behaviour::new(8, 2000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 1",
        answer: TWO_TIMES,
        ..CAUSE
    },
    Cause {
        name: "unseen-wake-in-pauses",
        made: "drive that sleeps after 100 ms without I/O and takes 60 ms to wake up, under a load that pauses",
        place: filled(Behaviour { sleep_ms: Some((100, 60)), ..Behaviour::new(8, 2000) }),
        call: "verify TARGET --rw randread --workers 1 --depth 1 --think 200ms:25 --time 12s",
        answer: WAKES,
        ..CAUSE
    },
    Cause {
        name: "unseen-wake-at-starts",
        made: "drive that sleeps after 10 ms without I/O and takes 300 ms to wake up: at the start of each run",
        place: filled(Behaviour { sleep_ms: Some((10, 300)), ..Behaviour::new(8, 2000) }),
        call: AT_8,
        answer: Answer { wrong: &HOST, ..WAKES },
        ..CAUSE
    },
    Cause {
        name: "unseen-fading",
        made: "drive that takes 0.5 ms longer in each second, writes",
        place: written(Behaviour { fading_us: 500, cache_mib: MIB, ..Behaviour::new(8, 2000) }),
        call: "verify TARGET --rw randwrite --workers 1 --depth 8 --destroy KERNEL --destroy-unseen-users --time 12s --runs 8",
        answer: rule(&[&[Word::Rule("not-steady")]]),
        ..CAUSE
    },
    Cause {
        name: "unseen-requests-16",
        made: "max_sectors_kb of 16 before a drive of 8 slots of 1.5 ms, in blocks of 256 KiB",
        place: filled(Behaviour::new(8, 1500)),
        meddling: &[Meddling::Queue { file: "max_sectors_kb", value: "16" }],
        call: "verify TARGET --rw randread --bs 256k --workers 1 --depth 4",
        answer: SPLIT,
        ..CAUSE
    },
    Cause {
        name: "unseen-requests-64",
        made: "max_sectors_kb of 64 before the same, in sequence in blocks of 1 MiB",
        place: filled(Behaviour::new(8, 1500)),
        meddling: &[Meddling::Queue { file: "max_sectors_kb", value: "64" }],
        call: "verify TARGET --rw read --bs 1m --workers 1 --depth 2",
        answer: SPLIT,
        ..CAUSE
    },
    Cause {
        name: "unseen-idle-policy",
        made: "ioproof runs as SCHED_IDLE beside two processes that burn CPU",
        place: filled(Behaviour::new(12, 3000)),
        meddling: &[Meddling::Burners(2), Meddling::Through("chrt --idle 0")],
        answer: STANDS_BACK,
        ..CAUSE
    },
    Cause {
        name: "unseen-niced",
        made: "ioproof runs at niceness 19 beside two processes that burn CPU",
        place: filled(Behaviour::new(12, 3000)),
        meddling: &[Meddling::Burners(2), Meddling::Through("nice -n 19")],
        answer: STANDS_BACK,
        ..CAUSE
    },
    Cause {
        name: "unseen-pieces",
        made: "drive of 4 slots that takes 2 ms for each 32 KiB, in blocks of 32 and 128 KiB",
        place: filled(Behaviour { piece_kib: Some(32), ..Behaviour::new(4, 2000) }),
        call: "verify TARGET --rw randread --bs 32k,128k --workers 1 --depth 8 --time 12s --runs 6",
        answer: rule(&[&[Word::Rule("fixed-rate"), ITSELF]]),
        ..CAUSE
    },
    Cause {
        name: "unseen-above-claim",
        made: "drive of 12 slots of 3 ms that is promised to do 3350 IOPS, which is a tenth less than it does",
        place: filled(Behaviour::new(12, 3000)),
        promise: reads(3350, 12),
        answer: Answer { right: &[&[Word::Text("meets")]], wrong: &HOST, truth: Truth::Kept, exits: &[0], ..ANSWER },
        ..CAUSE
    },
];
