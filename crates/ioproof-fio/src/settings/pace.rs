//! Rates, pauses, and limits of latency.

use crate::values::PerDirection;

settings! {
    /// Rates. `None`: no limit.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PaceSettings {
        pub bytes_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        pub min_bytes_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        pub ios_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        pub min_ios_per_s: PerDirection<Option<u64>> = PerDirection::all(None),
        pub process: RateProcess = RateProcess::Linear,
        pub cycle_ns: u64 = 1_000_000_000,
        pub ignore_think: bool = false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateProcess {
    Linear,
    Poisson,
}

settings! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ThinkSettings {
        /// `thinktime`: length of a pause; 0: none. Nanoseconds.
        pub ns: u64 = 0,
        /// `thinktime_blocks`: I/Os between two pauses; 0: not given, which is 1 unless there is a time between them.
        pub every: u32 = 0,
        /// `thinktime_iotime`: the most time between two pauses; 0: only I/Os are counted. Nanoseconds.
        pub every_ns: u64 = 0,
    }
}

settings! {
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct LatencyTargetSettings {
        /// `max_latency`: an I/O that takes longer ends the job in error; `None`: no limit. Nanoseconds.
        pub max_ns: PerDirection<Option<u64>> = PerDirection::all(None),
        /// `latency_target`: the depth is sought at which it is kept; 0: none. Nanoseconds.
        pub target_ns: u64 = 0,
        pub window_ns: u64 = 0,
        /// `latency_percentile`: share of the I/Os that must keep the target. Percent.
        pub percentile: f64 = 100.0,
        pub run_on: bool = false,
    }
}
