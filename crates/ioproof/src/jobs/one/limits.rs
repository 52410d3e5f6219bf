//! What ends a clone in error while it runs: an I/O slower than `max_latency`, a rate below `rate_min` or `rate_iops_min`.

use ioproof_fio::settings::{LatencyTarget, Pace, Settings};
use ioproof_fio::values::PerDirection;
use ioproof_core::record::Direction;
use ioproof_core::workload::Workload;
use ioproof_engine::Snapshot;

const EIO: i32 = 5;
const ETIMEDOUT: i32 = 110;

/// A rate is not judged before this; as fio does. Nanoseconds.
const LET_GO_NS: u64 = 2_000_000_000;

const WORDS: [&str; 3] = ["read", "write", "trim"];

/// I/Os and bytes of reads, writes, trims.
type Counted = [(u64, u64); 3];

/// The limits of a clone and how it keeps them.
#[derive(Debug)]
pub struct Limits {
    goal: LatencyTarget,
    pace: Pace,
    ramp_ns: u64,
    used: [bool; 3],
    /// What had been done when the cycle under way began, and when that was.
    cycle: Option<(u64, Counted)>,
    /// The first that was broken, and the errno that fio reports.
    pub broken: Option<(String, i32)>,
}

impl Limits {
    /// Of a job.
    pub fn new(settings: &Settings, workload: &Workload) -> Self {
        let trims = workload.trims();
        let used = [workload.read_percent > 0 && !trims, workload.writes() && !trims, trims];
        Self { goal: settings.latency_target, pace: settings.pace, ramp_ns: settings.time.ramp_ns, used, cycle: None, broken: None }
    }

    /// Looks at a clone under way; true when it is to end.
    pub fn look(&mut self, now: &Snapshot<'_>) -> bool {
        if self.broken.is_none() && self.goal.max_ns != PerDirection::all(None) {
            self.broken = self.too_slow(now.longest_ns());
        }
        if self.broken.is_none() && self.has_floor() {
            self.broken = self.too_few(now.elapsed_ns.saturating_sub(self.ramp_ns), now.counted());
        }
        self.broken.is_some()
    }

    /// What no look came to see.
    pub fn at_end(&mut self, sides: [&Direction; 3]) {
        if self.broken.is_none() {
            self.broken = self.too_slow(sides.map(|side| side.latency.max_ns().unwrap_or(0)));
        }
    }

    fn too_slow(&self, longest_ns: [u64; 3]) -> Option<(String, i32)> {
        let limits = each(self.goal.max_ns);
        let broken = |(at, limit): (usize, u64)| {
            let text = format!("a {} took {} ns, more than max_latency allows ({limit} ns)", WORDS[at], longest_ns[at]);
            (longest_ns[at] > limit).then_some((text, ETIMEDOUT))
        };
        limits.into_iter().enumerate().filter_map(|(at, limit)| Some((at, limit.filter(|ns| *ns > 0)?))).find_map(broken)
    }

    fn has_floor(&self) -> bool {
        let none = PerDirection::all(None);
        self.pace.min_bytes_per_s != none || self.pace.min_ios_per_s != none
    }

    fn too_few(&mut self, elapsed_ns: u64, counted: Counted) -> Option<(String, i32)> {
        if elapsed_ns < LET_GO_NS {
            return None;
        }
        let (began_ns, before) = *self.cycle.get_or_insert((elapsed_ns, counted));
        let length_ns = elapsed_ns.saturating_sub(began_ns);
        if length_ns == 0 || length_ns < self.pace.cycle_ns {
            return None;
        }
        self.cycle = Some((elapsed_ns, counted));
        (0..3).filter(|at| self.used[*at]).find_map(|at| self.below(at, before[at], counted[at], length_ns))
    }

    fn below(&self, at: usize, before: (u64, u64), now: (u64, u64), length_ns: u64) -> Option<(String, i32)> {
        let rate = |before: u64, now: u64| u128::from(now.saturating_sub(before)) * 1_000_000_000 / u128::from(length_ns);
        let (ios, bytes) = (rate(before.0, now.0), rate(before.1, now.1));
        let floors = [
            ("rate_min", "B/s", each(self.pace.min_bytes_per_s)[at], bytes),
            ("rate_iops_min", " IOPS", each(self.pace.min_ios_per_s)[at], ios),
        ];
        let broken = |(option, unit, least, got): (&str, &str, Option<u64>, u128)| {
            let least = least.filter(|least| u128::from(*least) > got)?;
            Some((format!("{option}={least}{unit} not met, got {got}{unit}"), EIO))
        };
        floors.into_iter().find_map(broken)
    }
}

fn each<T>(of: PerDirection<T>) -> [T; 3] {
    [of.read, of.write, of.trim]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::workload::Pattern;

    const SECOND: u64 = 1_000_000_000;

    fn limits(change: fn(&mut Settings)) -> Limits {
        let mut settings = Settings::default();
        change(&mut settings);
        Limits::new(&settings, &Workload::plain(Pattern::Random, 100, 4096, 1, 1))
    }

    fn reads(ios: u64) -> Counted {
        [(ios, ios * 4096), (0, 0), (0, 0)]
    }

    #[test]
    fn a_rate_is_judged_over_a_cycle_once_two_seconds_are_over() {
        let mut limits = limits(|s| s.pace.min_ios_per_s = PerDirection::all(Some(1000)));
        assert_eq!(limits.too_few(SECOND, reads(0)), None);
        assert_eq!(limits.too_few(2 * SECOND, reads(0)), None);
        assert_eq!(limits.too_few(2 * SECOND + SECOND / 2, reads(0)), None);
        assert_eq!(limits.too_few(3 * SECOND, reads(1000)), None, "it is exactly as fast as it must be");
        let broken = limits.too_few(4 * SECOND, reads(1999));
        assert_eq!(broken, Some(("rate_iops_min=1000 IOPS not met, got 999 IOPS".into(), 5)));
    }

    #[test]
    fn bytes_have_a_floor_and_unused_directions_none() {
        let mut limits = limits(|s| s.pace.min_bytes_per_s = PerDirection { read: None, write: Some(1 << 30), trim: Some(1 << 30) });
        assert_eq!((limits.too_few(2 * SECOND, reads(0)), limits.too_few(9 * SECOND, reads(0))), (None, None));
        limits.pace.min_bytes_per_s.read = Some(4096);
        assert_eq!(limits.too_few(19 * SECOND, reads(9)).map(|(_, errno)| errno), Some(5));
    }

    #[test]
    fn one_slow_read_is_enough() {
        let limits = limits(|s| s.latency_target.max_ns = PerDirection { read: Some(1000), write: None, trim: Some(0) });
        assert_eq!(limits.too_slow([1000, 9000, 9000]), None);
        assert_eq!(limits.too_slow([1001, 0, 0]).map(|(_, errno)| errno), Some(110));
    }
}
