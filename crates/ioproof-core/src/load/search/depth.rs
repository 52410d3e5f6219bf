//! The search for the depth at which a share of the I/Os keeps a latency, window by window.
//!
//! The order of depths is that of fio's `latency_target` as its debug output shows it: from 1 up by doubling, then by halves between the deepest that kept the target and the
//! shallowest that did not. When a window keeps the target and there is nothing between the two, what was measured so far is dropped and the depth
//! is tried once more; the next such window ends the job. With `latency_run` it never ends, and three such windows at one depth raise the ceiling.

use crate::counts::Direction;
use crate::histogram::Histogram;

/// Where no window is given. Nanoseconds.
const WINDOW_NS: u64 = 100_000_000;

/// The step after a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Window,
    /// Another window, and what was measured so far does not count.
    Anew,
    Found,
    /// Not even one I/O at a time keeps the target, and all of them must.
    Hopeless,
}

/// The latency that is to be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthGoal {
    /// The latency. Nanoseconds.
    pub target_ns: u64,
    /// Share of the I/Os that must keep it. Percent.
    pub percentile: f64,
    /// Time for which each depth is tried; 0: the usual one. Nanoseconds.
    pub trial_ns: u64,
    /// True where it goes on at the depth that was found.
    pub runs_on: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthSearch {
    /// The deepest that kept the target.
    low: u32,
    depth: u32,
    /// The shallowest that did not, or the deepest that is allowed.
    high: u32,
    most: u32,
    /// True where every I/O must keep the target.
    strict: bool,
    run_on: bool,
    /// True where the measurement counts for the result.
    settled: bool,
    /// Windows in a row that kept the target without a change of depth.
    unchanged: u32,
}

impl DepthSearch {
    /// At most `most` deep.
    pub fn new(goal: &DepthGoal, most: u32) -> Self {
        let most = most.max(1);
        let strict = goal.percentile >= 100.0;
        Self { low: 1, depth: 1, high: most, most, strict, run_on: goal.runs_on, settled: false, unchanged: 0 }
    }

    /// The depth of the next window.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Goes on after a window that kept the target or did not.
    pub fn after(&mut self, kept: bool) -> Next {
        if kept { self.deeper() } else { self.shallower() }
    }

    fn deeper(&mut self) -> Next {
        let before = self.depth;
        self.low = self.depth;
        self.depth = if self.depth.saturating_mul(2) < self.high { self.depth * 2 } else { self.between() };
        if self.depth != before {
            self.unchanged = 0;
            return self.moved();
        }
        self.unchanged += 1;
        match (self.run_on, self.settled) {
            (true, _) => self.raise(),
            (false, false) => {
                self.settled = true;
                Next::Anew
            }
            (false, true) => Next::Found,
        }
    }

    /// Halfway to the ceiling. The deepest that is allowed may itself be used; what failed may not.
    fn between(&self) -> u32 {
        if self.high == self.most && self.depth.saturating_mul(2) >= self.high { self.most } else { self.low.midpoint(self.high) }
    }

    /// The drive may have become faster.
    fn raise(&mut self) -> Next {
        if self.unchanged >= 3 && self.high < self.most {
            self.high += 1;
            self.depth = self.low.midpoint(self.high);
            self.unchanged = 0;
        }
        Next::Window
    }

    fn shallower(&mut self) -> Next {
        self.unchanged = 0;
        if self.depth == 1 {
            return if self.strict { Next::Hopeless } else { Next::Window };
        }
        self.high = self.depth;
        if self.low == self.depth {
            self.low -= 1;
        }
        self.depth = self.low.midpoint(self.high);
        self.moved()
    }

    /// The result is of the depth that is found alone, so what another one gave since it began to count is dropped.
    fn moved(&self) -> Next {
        if self.settled { Next::Anew } else { Next::Window }
    }
}

impl DepthGoal {
    /// Length of a window. Nanoseconds.
    pub fn window_ns(&self) -> u64 {
        if self.trial_ns == 0 { WINDOW_NS } else { self.trial_ns }
    }

    /// True where a window kept the target; one without I/O did not.
    pub fn is_kept(&self, sides: [&Direction; 3]) -> bool {
        let all: u64 = sides.iter().map(|side| side.latency.count()).sum();
        let good: u64 = sides.iter().map(|side| at_most(&side.latency, self.target_ns)).sum();
        all > 0 && good as f64 * 100.0 / all as f64 >= self.percentile
    }
}

/// Values at or below a limit, to within a bin.
fn at_most(latency: &Histogram, limit_ns: u64) -> u64 {
    if latency.max_ns().is_some_and(|most| most <= limit_ns) {
        return latency.count();
    }
    latency.counted().filter(|(lowest, width, _)| lowest.saturating_add(width - 1) <= limit_ns).map(|(_, _, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(target_ns: u64, percentile: f64, runs_on: bool) -> DepthGoal {
        DepthGoal { target_ns, percentile, trial_ns: 0, runs_on }
    }

    fn search(run_on: bool, percentile: f64, most: u32) -> DepthSearch {
        DepthSearch::new(&goal(1, percentile, run_on), most)
    }

    /// The depths that are tried, each with what came after.
    fn tried(mut search: DepthSearch, windows: &[bool]) -> (Vec<u32>, Next) {
        let mut depths = Vec::new();
        let mut next = Next::Window;
        for kept in windows {
            depths.push(search.depth());
            next = search.after(*kept);
        }
        (depths, next)
    }

    #[test]
    fn the_depths_are_those_that_fio_tried() {
        let windows = [true, true, true, true, false, false, false, false, true, false, false, true];
        let (depths, next) = tried(search(false, 90.0, 32), &windows);
        assert_eq!(depths, [1, 2, 4, 8, 16, 12, 10, 9, 8, 8, 7, 6]);
        assert_eq!(next, Next::Found);
        assert_eq!(
            tried(search(false, 90.0, 32), &windows[..10]).1,
            Next::Anew,
            "windows at 8 do not count for the depth that is tried next"
        );
        let windows = [true, true, true, true, false, true, false, false, true, false, false, false, true, true, false, true, true, true];
        let (depths, next) = tried(search(true, 95.0, 32), &windows);
        assert_eq!(depths, [1, 2, 4, 8, 16, 12, 14, 13, 12, 12, 11, 10, 9, 9, 9, 8, 8, 8]);
        assert_eq!(next, Next::Window);
    }

    #[test]
    fn the_deepest_that_is_allowed_can_be_found() {
        let (depths, next) = tried(search(false, 99.0, 20), &[true; 7]);
        assert_eq!((depths, next), (vec![1, 2, 4, 8, 16, 20, 20], Next::Found));
        assert_eq!(tried(search(false, 99.0, 1), &[true]).1, Next::Anew);
    }

    #[test]
    fn a_share_may_fail_for_ever_but_all_may_not() {
        assert_eq!(tried(search(false, 90.0, 32), &[false; 5]), (vec![1; 5], Next::Window));
        assert_eq!(tried(search(false, 100.0, 32), &[false]).1, Next::Hopeless);
    }

    #[test]
    fn three_good_windows_raise_the_ceiling() {
        let mut going = DepthSearch { low: 8, depth: 8, high: 9, ..search(true, 90.0, 32) };
        (0..3).for_each(|_| assert_eq!(going.after(true), Next::Window));
        assert_eq!((going.depth, going.high), (9, 10));
    }

    #[test]
    fn a_window_is_judged_by_the_share_of_good_ones() {
        let mut reads = Direction::default();
        (0..9).for_each(|_| reads.latency.record(1000));
        reads.latency.record(5000);
        let goal = |target_ns, percentile| goal(target_ns, percentile, false);
        let kept = |goal: DepthGoal| goal.is_kept([&reads, &Direction::default(), &Direction::default()]);
        assert!(kept(goal(2000, 90.0)) && !kept(goal(2000, 91.0)) && kept(goal(5000, 100.0)) && !kept(goal(500, 1.0)));
        assert!(!goal(5000, 1.0).is_kept([&Direction::default(), &Direction::default(), &Direction::default()]));
    }
}
