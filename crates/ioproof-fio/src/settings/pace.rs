//! Rates, pauses, and limits of latency.

use crate::values::PerDirection;

settings! {
    /// Rates. `None`: no limit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Pace {
        /// `rate`: the most. Bytes per second, of each clone.
        pub bytes_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `rate_min`: the job ends in error below it. Bytes per second.
        pub min_bytes_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `rate_iops`: the most. I/Os per second, of each clone.
        pub ios_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `rate_iops_min`: the job ends in error below it. I/Os per second.
        pub min_ios_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `rate_process`: how I/Os lie in time.
        pub process: RateProcess = RateProcess::Linear,
        /// `rate_cycle`: over how long a rate is averaged. Nanoseconds.
        pub cycle_ns: u64 = 1_000_000_000,
        /// `rate_ignore_thinktime`: what was missed in a pause is not made up for.
        pub ignore_think: bool = false,
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

settings! {
    /// Pauses.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Think {
        /// `thinktime`: length of a pause; 0: none. Nanoseconds.
        pub ns: u64 = 0,
        /// `thinktime_blocks`: I/Os between two pauses; 0: not given, which is 1 unless there is a time between them.
        pub every: u32 = 0,
        /// `thinktime_iotime`: the most time between two pauses; 0: only I/Os are counted. Nanoseconds.
        pub every_ns: u64 = 0,
    }
}

settings! {
    /// Limits and targets of latency.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct LatencyTarget {
        /// `max_latency`: an I/O that takes longer ends the job in error; `None`: no limit. Nanoseconds.
        pub max_ns: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `latency_target`: the depth is sought at which it is kept; 0: none. Nanoseconds.
        pub target_ns: u64 = 0,
        /// `latency_window`: how long each depth is tried. Nanoseconds.
        pub window_ns: u64 = 0,
        /// `latency_percentile`: share of the I/Os that must keep the target. Percent.
        pub percentile: f64 = 100.0,
        /// `latency_run`: goes on at the depth that was found.
        pub run_on: bool = false,
    }
}
