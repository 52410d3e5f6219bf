//! The latency that a search for the highest rate must keep.

use ioproof_core::units::latency;

/// A percentile of latency that is to stay below a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyTarget {
    /// Which percentile. Per cent of the I/Os, between 0 and 100.
    pub percent: f64,
    /// The limit. Nanoseconds.
    pub limit_ns: u64,
}

impl LatencyTarget {
    /// The percentile as a quantile, 0 to 1.
    pub fn quantile(&self) -> f64 {
        self.percent / 100.0
    }

    /// In words: `p99.9 up to 1 ms`.
    pub fn describe(&self) -> String {
        format!("p{} up to {}", self.percent, latency(self.limit_ns as f64))
    }
}
