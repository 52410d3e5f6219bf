//! Limits that end a task in error while it runs: an I/O that is too slow, a rate that is too low.

use ioproof_core::record::Direction;
use ioproof_engine::JobSnapshot;

const EIO: i32 = 5;
const ETIMEDOUT: i32 = 110;

/// A rate is not judged before this. Nanoseconds.
const LET_GO_NS: u64 = 2_000_000_000;

const WORDS: [&str; 3] = ["read", "write", "trim"];

/// I/Os and bytes of reads, writes, trims.
type Counted = [(u64, u64); 3];

/// The limits of a task, each for reads, writes and trims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskLimits {
    /// The longest that an I/O may take (`max_latency`). Nanoseconds.
    pub longest_ns: [Option<u64>; 3],
    /// The lowest rate (`rate_min`). Bytes per second.
    pub least_bytes_per_s: [Option<u64>; 3],
    /// The lowest rate (`rate_iops_min`). I/Os per second.
    pub least_ios_per_s: [Option<u64>; 3],
    /// Time over which a rate is averaged (`rate_cycle`). Nanoseconds.
    pub cycle_ns: u64,
    /// Directions that the load has.
    pub used: [bool; 3],
}

/// A look at a task's limits.
#[derive(Debug)]
pub(crate) struct Watched<'a> {
    limits: &'a TaskLimits,
    ramp_ns: u64,
    /// Counts when the cycle under way began, and when that was.
    cycle: Option<(u64, Counted)>,
    /// The first that was broken, and the errno that tells its kind.
    pub broken: Option<(String, i32)>,
}

impl<'a> Watched<'a> {
    pub fn new(limits: &'a TaskLimits, ramp_ns: u64) -> Self {
        Self { limits, ramp_ns, cycle: None, broken: None }
    }

    /// Looks at a task under way; true when it is to end.
    pub fn look(&mut self, now: &JobSnapshot<'_>) -> bool {
        if self.broken.is_none() && self.limits.longest_ns != [None; 3] {
            self.broken = self.too_slow(now.longest_ns());
        }
        if self.broken.is_none() && self.has_floor() {
            self.broken = self.too_few(now.elapsed_ns.saturating_sub(self.ramp_ns), now.counted());
        }
        self.broken.is_some()
    }

    /// Takes what no look came to see.
    pub fn at_end(&mut self, sides: [&Direction; 3]) {
        if self.broken.is_none() {
            self.broken = self.too_slow(sides.map(|side| side.latency.max_ns().unwrap_or(0)));
        }
    }

    fn too_slow(&self, longest_ns: [u64; 3]) -> Option<(String, i32)> {
        let broken = |(at, limit): (usize, u64)| {
            let text = format!("a {} took {} ns, more than max_latency allows ({limit} ns)", WORDS[at], longest_ns[at]);
            (longest_ns[at] > limit).then_some((text, ETIMEDOUT))
        };
        let limits = self.limits.longest_ns.into_iter().enumerate();
        limits.filter_map(|(at, limit)| Some((at, limit.filter(|ns| *ns > 0)?))).find_map(broken)
    }

    fn has_floor(&self) -> bool {
        self.limits.least_bytes_per_s != [None; 3] || self.limits.least_ios_per_s != [None; 3]
    }

    fn too_few(&mut self, elapsed_ns: u64, counted: Counted) -> Option<(String, i32)> {
        if elapsed_ns < LET_GO_NS {
            return None;
        }
        let (began_ns, before) = *self.cycle.get_or_insert((elapsed_ns, counted));
        let length_ns = elapsed_ns.saturating_sub(began_ns);
        if length_ns == 0 || length_ns < self.limits.cycle_ns {
            return None;
        }
        self.cycle = Some((elapsed_ns, counted));
        (0..3).filter(|at| self.limits.used[*at]).find_map(|at| self.below(at, before[at], counted[at], length_ns))
    }

    fn below(&self, at: usize, before: (u64, u64), now: (u64, u64), length_ns: u64) -> Option<(String, i32)> {
        let rate = |before: u64, now: u64| u128::from(now.saturating_sub(before)) * 1_000_000_000 / u128::from(length_ns);
        let (ios, bytes) = (rate(before.0, now.0), rate(before.1, now.1));
        let floors = [
            ("rate_min", "B/s", self.limits.least_bytes_per_s[at], bytes),
            ("rate_iops_min", " IOPS", self.limits.least_ios_per_s[at], ios),
        ];
        let broken = |(option, unit, least, got): (&str, &str, Option<u64>, u128)| {
            let least = least.filter(|least| u128::from(*least) > got)?;
            Some((format!("{option}={least}{unit} not met, got {got}{unit}"), EIO))
        };
        floors.into_iter().find_map(broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const READS: [bool; 3] = [true, false, false];

    fn reads(ios: u64) -> Counted {
        [(ios, ios * 4096), (0, 0), (0, 0)]
    }

    #[test]
    fn a_rate_is_judged_over_a_cycle_once_two_seconds_are_over() {
        let limits = TaskLimits { least_ios_per_s: [Some(1000); 3], cycle_ns: SECOND, used: READS, ..TaskLimits::default() };
        let mut limits = Watched::new(&limits, 0);
        assert_eq!(limits.too_few(SECOND, reads(0)), None);
        assert_eq!(limits.too_few(2 * SECOND, reads(0)), None);
        assert_eq!(limits.too_few(2 * SECOND + SECOND / 2, reads(0)), None);
        assert_eq!(limits.too_few(3 * SECOND, reads(1000)), None, "it is exactly as fast as it must be");
        let broken = limits.too_few(4 * SECOND, reads(1999));
        assert_eq!(broken, Some(("rate_iops_min=1000 IOPS not met, got 999 IOPS".into(), 5)));
    }

    #[test]
    fn bytes_have_a_floor_and_unused_directions_none() {
        let limits = TaskLimits { least_bytes_per_s: [None, Some(1 << 30), Some(1 << 30)], used: READS, ..TaskLimits::default() };
        let mut unused = Watched::new(&limits, 0);
        assert_eq!((unused.too_few(2 * SECOND, reads(0)), unused.too_few(9 * SECOND, reads(0))), (None, None));
        let limits = TaskLimits { least_bytes_per_s: [Some(4096), None, None], ..limits };
        let mut used = Watched::new(&limits, 0);
        assert_eq!(used.too_few(9 * SECOND, reads(0)), None);
        assert_eq!(used.too_few(19 * SECOND, reads(9)).map(|(_, errno)| errno), Some(5));
    }

    #[test]
    fn one_slow_read_is_enough() {
        let limits = TaskLimits { longest_ns: [Some(1000), None, Some(0)], ..TaskLimits::default() };
        let limits = Watched::new(&limits, 0);
        assert_eq!(limits.too_slow([1000, 9000, 9000]), None);
        assert_eq!(limits.too_slow([1001, 0, 0]).map(|(_, errno)| errno), Some(110));
    }
}
