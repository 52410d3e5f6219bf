//! Time of day for the record, and the time that a run has taken.

use std::time::{Duration, Instant};

/// How long the run goes on.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Since the start. Nanoseconds.
    pub fn elapsed_ns(self) -> u64 {
        self.elapsed().as_nanos() as u64
    }
}

/// The time of day, RFC 3339 in UTC to the millisecond.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    format!("{now:.3}")
}

/// A new run's id: local time to the second, so that ids sort by time, and four random digits.
pub fn new_id() -> String {
    let now = jiff::Zoned::now();
    format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), seed() & 0xffff)
}

/// A number that differs from run to run.
pub fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hash maps from the kernel's random source.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
