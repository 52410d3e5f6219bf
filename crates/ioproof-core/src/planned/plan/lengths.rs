//! Lengths of rounds: one for all workloads of a plan, or longer ones for larger blocks.
//!
//! An I/O of b bytes takes a time that does not hang on b, and b over the bandwidth. Which of both is the larger part is not known before a drive is measured, so
//! half of a round goes by each: where every I/O takes as long no workload has less than half of the I/Os that it would have in even rounds, and where the
//! bandwidth rules large blocks get as many as small ones as far as the other half carries that. The time of all rounds together stays what it is.

use super::{MEASURE_NS, Plan};
use crate::workload::Workload;

/// Part of a round whose results are dropped, as a divisor.
pub(super) const RAMP: u64 = 5;
/// Shortest and longest round with its ramp. Nanoseconds.
const ROUND_NS: (u64, u64) = (MEASURE_NS.0 * 5 / 4, MEASURE_NS.1 * 5 / 4);

/// The rounds of a plan. Made once where the lengths of many are asked for.
#[derive(Debug, Clone, Copy)]
pub struct Rounds<'a> {
    plan: &'a Plan,
    /// Mean size of the largest blocks of all workloads, where lengths hang on these. Bytes.
    mean_bytes: Option<f64>,
}

impl Rounds<'_> {
    /// Length of a round of this workload with its ramp. Nanoseconds.
    pub fn round_ns_of(&self, workload: &Workload) -> u64 {
        let as_all_ns = self.plan.round_ns();
        let Some(mean_bytes) = self.mean_bytes else { return as_all_ns };
        let even_ns = (as_all_ns / 2).max(ROUND_NS.0.min(as_all_ns));
        let by_size_ns = (as_all_ns - even_ns) as f64 * (f64::from(workload.largest_block_bytes()) / mean_bytes);
        even_ns.saturating_add(by_size_ns as u64).min(ROUND_NS.1.max(as_all_ns))
    }

    /// Lengths of the ramp and of the measurement of a round of this workload. Nanoseconds.
    pub fn lengths_of(&self, workload: &Workload) -> (u64, u64) {
        match self.round_ns_of(workload) {
            as_all if as_all == self.plan.round_ns() => (self.plan.ramp_ns, self.plan.measure_ns),
            round_ns => (round_ns / RAMP, round_ns - round_ns / RAMP),
        }
    }
}

impl Plan {
    pub fn rounds(&self) -> Rounds<'_> {
        let mean_bytes = || {
            let size = |sum, workload: &Workload| sum + f64::from(workload.largest_block_bytes());
            let (all, count) = self.all().fold((0.0, 0.0), |(sum, count), planned| (size(sum, &planned.workload), count + 1.0));
            Some(all / count).filter(|mean: &f64| *mean > 0.0)
        };
        Rounds { plan: self, mean_bytes: self.by_size.then(mean_bytes).flatten() }
    }

    /// Length of a round of this workload with its ramp. Nanoseconds.
    pub fn round_ns_of(&self, workload: &Workload) -> u64 {
        self.rounds().round_ns_of(workload)
    }

    /// Lengths of the ramp and of the measurement of a round of this workload. Nanoseconds.
    pub fn lengths_of(&self, workload: &Workload) -> (u64, u64) {
        self.rounds().lengths_of(workload)
    }

    /// The shortest and the longest measurement of a round. Nanoseconds.
    pub fn measure_ns_range(&self) -> (u64, u64) {
        let rounds = self.rounds();
        let lengths = || self.all().map(|planned| rounds.lengths_of(&planned.workload).1);
        (lengths().min().unwrap_or(self.measure_ns), lengths().max().unwrap_or(self.measure_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::request;
    use super::super::{Plan, Request};
    use crate::workload::{Pattern, Workload};

    fn plan(sizes: &[u32], time_s: u64, by_size: bool) -> Plan {
        let only: Vec<Workload> = sizes.iter().map(|bytes| Workload::plain(Pattern::Random, 100, *bytes, 1, 32)).collect();
        Plan::make(&Request { only: &only, time_ns: time_s * 1_000_000_000, by_size, ..request() })
    }

    fn rounds_ns(plan: &Plan) -> Vec<u64> {
        plan.all().map(|planned| plan.round_ns_of(&planned.workload)).collect()
    }

    const SIZES: [u32; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

    #[test]
    fn larger_blocks_have_longer_rounds_and_all_together_take_as_long() {
        let plan = plan(&SIZES, 300, true);
        let rounds = rounds_ns(&plan);
        assert!(rounds.is_sorted() && rounds[0] >= plan.round_ns() / 2 && rounds[5] > plan.round_ns() * 2, "{rounds:?}");
        let (sum, even) = (rounds.iter().sum::<u64>(), plan.round_ns() * 6);
        assert!(sum.abs_diff(even) < 100, "{sum} of {even}");
        let (ramp_ns, measure_ns) = plan.lengths_of(&plan.reads[5].workload);
        assert_eq!(ramp_ns + measure_ns, rounds[5]);
        assert_eq!(plan.measure_ns_range().1, measure_ns);
    }

    #[test]
    fn blocks_of_one_size_and_plans_of_other_runs_have_even_rounds() {
        for plan in [plan(&[4096], 300, true), plan(&SIZES, 300, false), plan(&SIZES, 1, true)] {
            assert!(rounds_ns(&plan).iter().all(|round_ns| *round_ns == plan.round_ns()), "{:?} of {}", rounds_ns(&plan), plan.round_ns());
            assert_eq!(plan.measure_ns_range(), (plan.measure_ns, plan.measure_ns));
        }
    }

    #[test]
    fn no_round_is_too_short_or_too_long() {
        let (short, long) = (plan(&SIZES, 15, true), plan(&SIZES, 3600, true));
        assert!(rounds_ns(&short).iter().all(|round_ns| *round_ns >= 250_000_000), "{:?}", rounds_ns(&short));
        assert!(rounds_ns(&long).iter().all(|round_ns| *round_ns <= 75_000_000_000), "{:?}", rounds_ns(&long));
    }
}
