//! The tests: names, cells, the order of cells, and the variable that is tracked until it is steady.

use super::{MOST_ROUNDS, Standard};
use crate::metric::Metric;
use crate::workload::{Pattern, Workload};
use serde::{Deserialize, Serialize};

/// Reads of the R/W mixes in the order of the IOPS test (7.2, step 3.2.1). Per cent.
const MIXES: [u8; 7] = [100, 95, 65, 50, 35, 5, 0];
/// Its blocks, in the order within each mix. Bytes.
const BLOCKS: [u32; 8] = [1024 << 10, 128 << 10, 64 << 10, 32 << 10, 16 << 10, 8 << 10, 4 << 10, 512];
/// The same of the latency test (9.2, step 3.2.1).
const LATENCY_MIXES: [u8; 3] = [100, 65, 0];
const LATENCY_BLOCKS: [u32; 3] = [8 << 10, 4 << 10, 512];
/// OIO of the one thread of the throughput test, which the specification leaves to the operator.
const SEQUENTIAL_DEPTH: u32 = 32;
/// Block of the tracked variable of random I/O. Bytes.
const TRACKED_BLOCK: u32 = 4 << 10;
/// User capacities that write saturation writes, and the most time of it (10.2): whichever comes first, a steady state included.
pub const SATURATION_CAPACITIES: u64 = 4;
pub const SATURATION_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Its rounds from one look at the steady state to the next: one minute after every 30.
const SATURATION_LOOK: usize = 31;

/// A test of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Random I/O of 7 R/W mixes and 8 block sizes (section 7).
    Iops,
    /// Sequential reads and writes of 128 KiB (section 8).
    #[serde(rename = "throughput_128k")]
    Throughput128,
    /// Sequential reads and writes of 1024 KiB (section 8).
    #[serde(rename = "throughput_1024k")]
    Throughput1024,
    /// Response time of one I/O at a time: 3 R/W mixes and 3 block sizes (section 9).
    Latency,
    /// Random writes of 4 KiB to a purged drive, without preconditioning, until they are steady or enough (section 10).
    WriteSaturation,
}

impl Test {
    /// Name in the specification.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Throughput128 => "TP 128 KiB",
            Self::Throughput1024 => "TP 1024 KiB",
            Self::Latency => "LAT",
            Self::WriteSaturation => "WSAT",
        }
    }

    /// The metric of its cells.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::Iops | Self::WriteSaturation => Metric::Iops,
            Self::Throughput128 | Self::Throughput1024 => Metric::Throughput,
            Self::Latency => Metric::Latency,
        }
    }

    /// The cells of a round in the order of the specification, which fixes the nesting of its loops.
    #[must_use]
    pub fn cells(self, standard: &Standard) -> Vec<Workload> {
        let random = |read, block| Workload::plain(Pattern::Random, read, block, standard.workers, standard.depth);
        let alone = |read, block| Workload::plain(Pattern::Random, read, block, 1, 1);
        let sequential = |block: u32| [100, 0].map(|read| Workload::plain(Pattern::Sequential, read, block, 1, SEQUENTIAL_DEPTH)).to_vec();
        match self {
            Self::Iops => nested(&MIXES, &BLOCKS, random),
            Self::Throughput128 => sequential(128 << 10),
            Self::Throughput1024 => sequential(1024 << 10),
            Self::Latency => nested(&LATENCY_MIXES, &LATENCY_BLOCKS, alone),
            Self::WriteSaturation => vec![random(0, TRACKED_BLOCK)],
        }
    }

    /// True for the cell whose figure tells a steady state: random writes of 4 KiB, of throughput the writes.
    #[must_use]
    pub fn tracks(self, cell: &Workload) -> bool {
        cell.read_percent == 0 && (cell.pattern == Pattern::Sequential || cell.block_bytes == TRACKED_BLOCK)
    }

    /// The tracked variable as the specification names it.
    #[must_use]
    pub fn tracking_variable(self) -> &'static str {
        match self {
            Self::Iops | Self::WriteSaturation => "IOPS, RND 4 KiB, R/W 0/100",
            Self::Throughput128 => "Throughput, SEQ 128 KiB, R/W 0/100",
            Self::Throughput1024 => "Throughput, SEQ 1024 KiB, R/W 0/100",
            Self::Latency => "Average latency, RND 4 KiB, R/W 0/100",
        }
    }

    /// False for write saturation, which begins on a purged drive.
    #[must_use]
    pub fn is_preconditioned(self) -> bool {
        self != Self::WriteSaturation
    }

    /// Rounds from one value that tells a steady state to the next.
    #[must_use]
    pub fn looks_every(self) -> usize {
        if self == Self::WriteSaturation { SATURATION_LOOK } else { 1 }
    }

    /// True where so many rounds are its last: the most without a steady state; of write saturation four capacities written, or 24 hours.
    #[must_use]
    pub fn ends_after(self, rounds: usize, written_bytes: u64, capacity_bytes: u64, elapsed_ns: u64) -> bool {
        match self {
            Self::WriteSaturation => written_bytes >= capacity_bytes.saturating_mul(SATURATION_CAPACITIES) || elapsed_ns >= SATURATION_NS,
            _ => rounds >= MOST_ROUNDS,
        }
    }
}

fn nested(mixes: &[u8], blocks: &[u32], cell: impl Fn(u8, u32) -> Workload) -> Vec<Workload> {
    mixes.iter().flat_map(|read| blocks.iter().map(|block| cell(*read, *block)).collect::<Vec<_>>()).collect()
}

impl Standard {
    /// The cells of all tests.
    #[must_use]
    pub fn workloads(&self) -> Vec<Workload> {
        self.tests.iter().flat_map(|test| test.cells(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Class;
    use super::*;
    use crate::job::Span;

    fn standard(tests: &[Test]) -> Standard {
        let active_range = Span { offset_bytes: 0, length_bytes: 1 << 30 };
        Standard { class: Class::Enterprise, tests: tests.to_vec(), workers: 4, depth: 32, active_range, purge: None, not_purged: None }
    }

    #[test]
    fn a_round_has_the_cells_of_the_specification_in_its_order() {
        let of = |test: Test| test.cells(&standard(&[test])).iter().map(Workload::id).collect::<Vec<_>>();
        let iops = of(Test::Iops);
        assert_eq!((iops.len(), iops[0].as_str(), iops[1].as_str()), (56, "rand-read-1m-4x32", "rand-read-128k-4x32"));
        assert_eq!(
            (iops[8].as_str(), iops[54].as_str(), iops[55].as_str()),
            ("rand-mix95-1m-4x32", "rand-write-4k-4x32", "rand-write-512b-4x32")
        );
        assert_eq!(of(Test::Throughput1024), ["seq-read-1m-1x32", "seq-write-1m-1x32"]);
        assert_eq!(of(Test::Latency)[..4], ["rand-read-8k-1x1", "rand-read-4k-1x1", "rand-read-512b-1x1", "rand-mix65-8k-1x1"]);
        assert_eq!(of(Test::Latency).len(), 9);
    }

    #[test]
    fn each_test_tracks_one_cell() {
        for test in [Test::Iops, Test::Throughput128, Test::Throughput1024, Test::Latency, Test::WriteSaturation] {
            let tracked: Vec<Workload> = test.cells(&standard(&[test])).into_iter().filter(|cell| test.tracks(cell)).collect();
            assert_eq!(tracked.len(), 1, "{}", test.title());
            assert!(tracked[0].main_metric() == test.metric() && tracked[0].read_percent == 0);
        }
    }

    #[test]
    fn write_saturation_ends_by_bytes_or_time_and_others_by_rounds() {
        let hours = |hours: u64| hours * 3600 * 1_000_000_000;
        assert!(!Test::WriteSaturation.ends_after(1000, 399, 100, hours(1)) && Test::WriteSaturation.ends_after(1, 400, 100, 0));
        assert!(Test::WriteSaturation.ends_after(1, 0, 100, hours(24)));
        assert!(!Test::Iops.ends_after(24, u64::MAX, 1, hours(99)) && Test::Iops.ends_after(25, 0, 1, 0));
    }
}
