//! The power state descriptors at the end of Identify Controller: what each state draws, and how long it takes to enter and leave.

use crate::pages::{FieldKind, FieldRow, GroupCount, PlaceCondition, RepeatedGroup, bit, bits, is, place, row};

pub(super) const POWER_STATES: RepeatedGroup = RepeatedGroup {
    at: 2048,
    stride: 32,
    count: GroupCount::Told { place: place(263, 1), plus: 1, most: 32 },
    first: 0,
    used: None,
    rows: ROWS,
};

const WORKLOADS: &[(u128, &str)] = &[(1, "workload 1: random writes in bursts"), (2, "workload 2: heavy sequential writes")];

/// The same figure counts in 0.01 W or in 0.0001 W, as another place says; for the idle and active power that place may also say nothing.
const HUNDREDTHS: FieldKind = FieldKind::Scaled { plus: 0, times: 1, over: 100 };
const TEN_THOUSANDTHS: FieldKind = FieldKind::Scaled { plus: 0, times: 1, over: 10_000 };

const MAX_IN_HUNDREDTHS: PlaceCondition = is(bit(3, 0), 0);
const MAX_IN_TEN_THOUSANDTHS: PlaceCondition = is(bit(3, 0), 1);
const IDLE_IN_TEN_THOUSANDTHS: PlaceCondition = is(bits(18, 6, 2), 1);
const IDLE_IN_HUNDREDTHS: PlaceCondition = is(bits(18, 6, 2), 2);
const ACTIVE_IN_TEN_THOUSANDTHS: PlaceCondition = is(bits(22, 6, 2), 1);
const ACTIVE_IN_HUNDREDTHS: PlaceCondition = is(bits(22, 6, 2), 2);

const ROWS: &[FieldRow] = &[
    watts("power_state_#_max_watts", "power state # draws at most", 0, HUNDREDTHS, MAX_IN_HUNDREDTHS),
    watts("power_state_#_max_watts", "power state # draws at most", 0, TEN_THOUSANDTHS, MAX_IN_TEN_THOUSANDTHS),
    row("power_state_#_operational", "power state # takes I/O", bit(3, 1), FieldKind::NotFlag)
        .clause("clause 5.17.2.1, power state descriptor"),
    latency("power_state_#_entry_microseconds", "power state # is entered within", 4),
    latency("power_state_#_exit_microseconds", "power state # is left within", 8),
    rank("power_state_#_read_throughput_rank", "power state # read throughput, 0 is best", 12),
    rank("power_state_#_read_latency_rank", "power state # read latency, 0 is best", 13),
    rank("power_state_#_write_throughput_rank", "power state # write throughput, 0 is best", 14),
    rank("power_state_#_write_latency_rank", "power state # write latency, 0 is best", 15),
    watts("power_state_#_idle_watts", "power state # draws when idle", 16, HUNDREDTHS, IDLE_IN_HUNDREDTHS),
    watts("power_state_#_idle_watts", "power state # draws when idle", 16, TEN_THOUSANDTHS, IDLE_IN_TEN_THOUSANDTHS),
    watts("power_state_#_active_watts", "power state # draws under its workload", 20, HUNDREDTHS, ACTIVE_IN_HUNDREDTHS),
    watts("power_state_#_active_watts", "power state # draws under its workload", 20, TEN_THOUSANDTHS, ACTIVE_IN_TEN_THOUSANDTHS),
    row("power_state_#_workload", "power state # workload", bits(22, 0, 3), FieldKind::OneOf(WORKLOADS))
        .unless(0)
        .clause("clause 5.17.2.1, power state descriptor"),
];

const fn watts(key: &'static str, title: &'static str, at: usize, kind: FieldKind, when: PlaceCondition) -> FieldRow {
    row(key, title, place(at, 2), kind).unit("watts").unless(0).when(when).clause("clause 5.17.2.1, power state descriptor")
}

const fn latency(key: &'static str, title: &'static str, at: usize) -> FieldRow {
    row(key, title, place(at, 4), FieldKind::Unsigned).unit("microseconds").unless(0).clause("clause 5.17.2.1, power state descriptor")
}

const fn rank(key: &'static str, title: &'static str, at: usize) -> FieldRow {
    row(key, title, bits(at, 0, 5), FieldKind::Unsigned).clause("clause 5.17.2.1, power state descriptor")
}
