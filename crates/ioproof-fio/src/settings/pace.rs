//! Rates, pauses, and limits of latency.

use crate::values::PerDirection;

/// Rates. `None`: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// `rate`: the most. Bytes per second, of each clone.
    pub bytes_per_s: PerDirection<Option<u64>>,
    /// `rate_min`: the job ends in error below it. Bytes per second.
    pub min_bytes_per_s: PerDirection<Option<u64>>,
    /// `rate_iops`: the most. I/Os per second, of each clone.
    pub ios_per_s: PerDirection<Option<u64>>,
    /// `rate_iops_min`: the job ends in error below it. I/Os per second.
    pub min_ios_per_s: PerDirection<Option<u64>>,
    /// `rate_process`: how I/Os lie in time.
    pub process: RateProcess,
    /// `rate_cycle`: over how long a rate is averaged. Nanoseconds.
    pub cycle_ns: u64,
    /// `rate_ignore_thinktime`: what was missed in a pause is not made up for.
    pub ignore_think: bool,
}

impl Default for Pace {
    fn default() -> Self {
        let none = PerDirection::all(None);
        Self {
            bytes_per_s: none,
            min_bytes_per_s: none,
            ios_per_s: none,
            min_ios_per_s: none,
            process: RateProcess::Linear,
            cycle_ns: 1_000_000_000,
            ignore_think: false,
        }
    }
}

/// Distribution of the I/Os of a rate over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateProcess {
    /// At even distances.
    Linear,
    /// At random distances, as a Poisson process.
    Poisson,
}

/// Pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Think {
    /// `thinktime`: length of a pause; 0: none. Nanoseconds.
    pub ns: u64,
    /// `thinktime_spin`: how much of it is spent computing. Nanoseconds.
    pub spin_ns: u64,
    /// `thinktime_blocks`: I/Os between two pauses; 0: not given, which is 1 unless there is a time between them.
    pub every: u32,
    /// `thinktime_blocks_type`: which I/Os are counted.
    pub at: ThinkAt,
    /// `thinktime_iotime`: the most time between two pauses; 0: only I/Os are counted. Nanoseconds.
    pub every_ns: u64,
}

impl Default for Think {
    fn default() -> Self {
        Self { ns: 0, spin_ns: 0, every: 0, at: ThinkAt::Complete, every_ns: 0 }
    }
}

/// Which I/Os are counted between two pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkAt {
    /// Those that are done.
    Complete,
    /// Those that were started.
    Issue,
}

/// Limits and targets of latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyTarget {
    /// `max_latency`: an I/O that takes longer ends the job in error; `None`: no limit. Nanoseconds.
    pub max_ns: PerDirection<Option<u64>>,
    /// `latency_target`: the depth is sought at which it is kept; 0: none. Nanoseconds.
    pub target_ns: u64,
    /// `latency_window`: how long each depth is tried. Nanoseconds.
    pub window_ns: u64,
    /// `latency_percentile`: share of the I/Os that must keep the target. Percent.
    pub percentile: f64,
    /// `latency_run`: goes on at the depth that was found.
    pub run_on: bool,
}

impl Default for LatencyTarget {
    fn default() -> Self {
        Self { max_ns: PerDirection::all(None), target_ns: 0, window_ns: 0, percentile: 100.0, run_on: false }
    }
}
