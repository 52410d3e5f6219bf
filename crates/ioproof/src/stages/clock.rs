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

/// The id of a run that began then (RFC 3339): local time to the millisecond, so that ids sort by when their runs began, and four random digits.
pub fn new_id(started_at: &str) -> String {
    let began: jiff::Timestamp = started_at.parse().unwrap_or_else(|_| jiff::Timestamp::now());
    let local = began.to_zoned(jiff::tz::TimeZone::system());
    format!("{}-{:04x}", local.strftime("%Y%m%d-%H%M%S-%3f"), seed() & 0xffff)
}

/// A number that differs from run to run.
pub fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hash maps from the kernel's random source.
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_second_sort_by_when_their_runs_began() {
        let all: Vec<String> = (0..1000).map(|ms| new_id(&format!("2026-11-21T16:31:05.{ms:03}Z"))).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert!(all[7].contains("-007-") && new_id("2026-11-21T16:31:06Z") > all[999], "{}", all[7]);
    }

    #[test]
    fn the_time_of_the_record_is_that_of_the_id() {
        let now = now();
        let ms = &now[now.len() - 4..now.len() - 1];
        assert!(new_id(&now).contains(&format!("-{ms}-")), "{now}");
    }
}
