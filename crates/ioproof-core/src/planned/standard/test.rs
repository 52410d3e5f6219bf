//! The tests: names, cells, the order of cells, and the variable that is tracked until it is steady.

use super::{MOST_ROUNDS, Standard, demand};
use crate::base::distinct::distinct;
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
pub(super) const SEQUENTIAL_DEPTH: u32 = 32;
/// Block of the tracked variable of random I/O. Bytes.
const TRACKED_BLOCK: u32 = 4 << 10;
/// User capacities that write saturation writes, and the most time of it (10.2): whichever comes first, a steady state included.
pub const SATURATION_CAPACITIES: u64 = 4;
pub const SATURATION_NS: u64 = 24 * 3600 * 1_000_000_000;
/// Its rounds from one look at the steady state to the next: one minute after every 30.
const SATURATION_LOOK: usize = 31;
/// Rounds of a minute in half an hour. Before host idle recovery and demand intensity the last of each half hour is looked at.
const IDLE_LOOK: usize = 30;

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
    /// Random writes of 4 KiB to a purged drive until they are steady, before host idle recovery.
    HostIdleSaturation,
    /// Host idle recovery: random writes of 4 KiB with rests of the host between them, and without.
    HostIdle,
    /// Cross-stimulus recovery: large sequential, small random, and again large sequential writes.
    CrossStimulus,
    /// Random writes of 8 KiB to a purged drive until they are steady, before demand intensity.
    DemandSaturation,
    /// Demand intensity: IOPS against average response time over a grid of thread counts and OIO.
    DemandIntensity,
}

impl Test {
    /// Name in the specification.
    pub fn title(self) -> &'static str {
        match self {
            Self::Iops => "IOPS",
            Self::Throughput128 => "TP 128 KiB",
            Self::Throughput1024 => "TP 1024 KiB",
            Self::Latency => "LAT",
            Self::WriteSaturation => "WSAT",
            Self::HostIdleSaturation => "HIR preconditioning",
            Self::HostIdle => "HIR",
            Self::CrossStimulus => "XSR",
            Self::DemandSaturation => "DIRTH preconditioning",
            Self::DemandIntensity => "DIRTH",
        }
    }

    pub fn metric(self) -> Metric {
        match self {
            Self::Throughput128 | Self::Throughput1024 | Self::CrossStimulus => Metric::Throughput,
            Self::Latency => Metric::Latency,
            _ => Metric::Iops,
        }
    }

    /// The cells of a round in the order of the specification, which fixes the nesting of its loops.
    pub fn cells(self, standard: &Standard) -> Vec<Workload> {
        let random = |read, block| Workload::plain(Pattern::Random, read, block, standard.workers, standard.depth);
        let alone = |read, block| Workload::plain(Pattern::Random, read, block, 1, 1);
        let sequential = |block: u32| [100, 0].map(|read| Workload::plain(Pattern::Sequential, read, block, 1, SEQUENTIAL_DEPTH)).to_vec();
        match self {
            Self::Iops => nested(&MIXES, &BLOCKS, random),
            Self::Throughput128 => sequential(128 << 10),
            Self::Throughput1024 => sequential(1024 << 10),
            Self::Latency => nested(&LATENCY_MIXES, &LATENCY_BLOCKS, alone),
            Self::WriteSaturation | Self::HostIdleSaturation => vec![random(0, TRACKED_BLOCK)],
            Self::HostIdle | Self::CrossStimulus => self.cells_of_segments(standard),
            Self::DemandSaturation => vec![demand::writes()],
            Self::DemandIntensity => demand::round(),
        }
    }

    /// True for the cell whose figure tells a steady state: random writes of 4 KiB, of throughput the writes; none of a test in segments.
    pub fn tracks(self, cell: &Workload) -> bool {
        match self {
            Self::DemandSaturation => true,
            Self::DemandIntensity => demand::tracks(cell),
            _ => {
                let is_tracked_block = cell.pattern == Pattern::Sequential || cell.block_bytes == TRACKED_BLOCK;
                self.segments().is_empty() && cell.read_percent == 0 && is_tracked_block
            }
        }
    }

    /// The tracked variable as the specification names it.
    pub fn tracking_variable(self) -> &'static str {
        match self {
            Self::Iops | Self::WriteSaturation | Self::HostIdleSaturation | Self::HostIdle => "IOPS, RND 4 KiB, R/W 0/100",
            Self::Throughput128 => "Throughput, SEQ 128 KiB, R/W 0/100",
            Self::Throughput1024 => "Throughput, SEQ 1024 KiB, R/W 0/100",
            Self::Latency => "Average latency, RND 4 KiB, R/W 0/100",
            Self::CrossStimulus => "Throughput, R/W 0/100",
            Self::DemandSaturation => "IOPS, RND 8 KiB, R/W 0/100, TC 32, QD 32",
            Self::DemandIntensity => "IOPS, RND 8 KiB, R/W 65/35, TC 32, QD 32",
        }
    }

    /// True for the tests that every run has: their drive is written in full before them. The others begin on a purged drive.
    pub fn is_preconditioned(self) -> bool {
        matches!(self, Self::Iops | Self::Throughput128 | Self::Throughput1024 | Self::Latency)
    }

    /// False for host idle recovery and demand intensity, which begin on the drive as their preconditioning left it.
    pub fn is_purged(self) -> bool {
        !matches!(self, Self::HostIdle | Self::DemandIntensity)
    }

    /// True for a test that may end without a steady state, as the specification has it: write saturation, and those that run through.
    pub fn may_end_unsteady(self) -> bool {
        self == Self::WriteSaturation || !self.segments().is_empty()
    }

    /// Rounds from one value that tells a steady state to the next.
    pub fn looks_every(self) -> usize {
        match self {
            Self::WriteSaturation => SATURATION_LOOK,
            Self::HostIdleSaturation | Self::DemandSaturation => IDLE_LOOK,
            _ => 1,
        }
    }

    /// True where so many rounds are its last: the most without a steady state; of write saturation four capacities written, or 24 hours.
    pub fn ends_after(self, rounds: usize, written_bytes: u64, capacity_bytes: u64, elapsed_ns: u64) -> bool {
        match self {
            Self::WriteSaturation => written_bytes >= capacity_bytes.saturating_mul(SATURATION_CAPACITIES) || elapsed_ns >= SATURATION_NS,
            Self::HostIdle | Self::CrossStimulus => rounds >= 1,
            _ => rounds >= MOST_ROUNDS * self.looks_every(),
        }
    }
}

fn nested(mixes: &[u8], blocks: &[u32], cell: impl Fn(u8, u32) -> Workload) -> Vec<Workload> {
    mixes.iter().flat_map(|read| blocks.iter().map(|block| cell(*read, *block)).collect::<Vec<_>>()).collect()
}

impl Standard {
    /// The cells of all tests, each once.
    pub fn workloads(&self) -> Vec<Workload> {
        distinct(self.tests.iter().flat_map(|test| test.cells(self)))
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
        let cross = of(Test::CrossStimulus);
        assert_eq!(
            (cross[479].as_str(), cross[480].as_str(), cross[840].as_str()),
            ("seq-write-1m-1x32", "rand-write-8k-1x32", "seq-write-1m-1x32")
        );
        assert_eq!(
            (of(Test::HostIdle)[0].as_str(), standard(&[Test::HostIdleSaturation, Test::HostIdle]).workloads().len()),
            ("rand-write-4k-4x32", 1)
        );
    }

    #[test]
    fn each_test_tracks_one_cell() {
        for test in [
            Test::Iops,
            Test::Throughput128,
            Test::Throughput1024,
            Test::Latency,
            Test::WriteSaturation,
            Test::HostIdleSaturation,
            Test::DemandSaturation,
            Test::DemandIntensity,
        ] {
            let tracked: Vec<Workload> = test.cells(&standard(&[test])).into_iter().filter(|cell| test.tracks(cell)).collect();
            assert_eq!(tracked.len(), 1, "{}", test.title());
            assert!(tracked[0].main_metric() == test.metric() && (tracked[0].read_percent == 0) == (test != Test::DemandIntensity));
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
