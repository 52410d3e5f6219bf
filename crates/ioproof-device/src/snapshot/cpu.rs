//! CPU time of the host by its use: the first line of `/proc/stat` (proc_stat(5)).
//!
//! `snapshot` takes it before and after; what a single worker used is the engine's business.

use ioproof_core::record::InterruptedCpu;

/// CPU time of all CPUs since boot, in ticks of `USER_HZ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    /// user, nice, system, idle, iowait, irq, softirq, steal. Guest time is part of user and nice.
    ticks: [u64; 8],
}

const IDLE: usize = 3;
const IOWAIT: usize = 4;
const IRQ: usize = 5;
const SOFTIRQ: usize = 6;
const STEAL: usize = 7;

impl CpuTimes {
    /// Reads the contents of `/proc/stat`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::of_fields(text.lines().find_map(|line| line.strip_prefix("cpu "))?)
    }

    /// Those of each CPU with its number, in the order of the file.
    pub(crate) fn of_each(text: &str) -> Vec<(u32, Self)> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("cpu")?.split_once(' '));
        lines.filter_map(|(number, fields)| Some((number.parse().ok()?, Self::of_fields(fields)?))).collect()
    }

    /// The CPU that spent the greatest share of the time since `earlier` on interrupts; `None` where no time passed on any.
    pub(crate) fn most_interrupted(later: &[(u32, Self)], earlier: &[(u32, Self)]) -> Option<InterruptedCpu> {
        let of = |(cpu, later): &(u32, Self)| {
            let (_, earlier) = earlier.iter().find(|(number, _)| number == cpu)?;
            let (busy, _) = later.shares_since(earlier)?;
            Some(InterruptedCpu { cpu: *cpu, interrupts: later.share_of(&[IRQ, SOFTIRQ], earlier)?, busy })
        };
        later.iter().filter_map(of).max_by(|a, b| a.interrupts.total_cmp(&b.interrupts))
    }

    /// Share of the time since `earlier` in these uses.
    fn share_of(&self, uses: &[usize], earlier: &Self) -> Option<f64> {
        let spent = self.spent_since(earlier);
        let total: u128 = spent.iter().sum();
        (total > 0).then(|| uses.iter().map(|at| spent[*at]).sum::<u128>() as f64 / total as f64)
    }

    /// Ticks since `earlier` by use. iowait and idle may go backwards by a tick or two (proc_stat(5)), which is no time at all.
    fn spent_since(&self, earlier: &Self) -> [u128; 8] {
        std::array::from_fn(|at| u128::from(self.ticks[at].saturating_sub(earlier.ticks[at])))
    }

    fn of_fields(fields: &str) -> Option<Self> {
        let mut ticks = [0; 8];
        let mut fields = fields.split_whitespace();
        for tick in &mut ticks {
            *tick = fields.next()?.parse().ok()?;
        }
        Some(Self { ticks })
    }

    /// The shares of the time since `earlier`, 0 to 1: used by anyone here, and taken away by a hypervisor. `None` where no time passed.
    pub(crate) fn shares_since(&self, earlier: &Self) -> Option<(f64, f64)> {
        let spent = self.spent_since(earlier);
        let total: u128 = spent.iter().sum();
        let busy = total - spent[IDLE] - spent[IOWAIT] - spent[STEAL];
        (total > 0).then(|| (busy as f64 / total as f64, spent[STEAL] as f64 / total as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_of_a_second() {
        let earlier = CpuTimes::parse("cpu  1000 0 1000 5000 10 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n").unwrap();
        let later = CpuTimes::parse("cpu  1020 0 1025 5095 20 2 3 45 20 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n").unwrap();
        assert_eq!(later.shares_since(&earlier), Some((0.25, 0.225)));
        assert_eq!(later.shares_since(&later), None);
    }

    #[test]
    fn each_cpu_has_a_line() {
        let each = CpuTimes::of_each("cpu  1 1 1 1 1 1 1 1\ncpu0 1 2 3 4 5 6 7 8\ncpu11 8 7 6 5 4 3 2 1\nintr 1 2\n");
        assert_eq!(each.iter().map(|(number, _)| *number).collect::<Vec<u32>>(), [0, 11]);
    }

    #[test]
    fn the_cpu_that_interrupts_take_up_is_found_by_its_number() {
        let each = |text| CpuTimes::of_each(text);
        let earlier = each("cpu0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n");
        // CPU 0 went away in between.
        let later = each("cpu1 9 0 0 0 0 9 9 0\ncpu2 10 0 20 10 0 20 40 0\n");
        let found = CpuTimes::most_interrupted(&later, &earlier).unwrap();
        assert_eq!(found, InterruptedCpu { cpu: 2, interrupts: 0.6, busy: 0.9 });
        assert_eq!(CpuTimes::most_interrupted(&earlier, &earlier), None);
    }

    #[test]
    fn only_the_line_of_all_cpus_counts() {
        assert_eq!(CpuTimes::parse("cpu0 1 2 3 4 5 6 7 8\n"), None);
        assert_eq!(CpuTimes::parse("cpu  1 2 3 4 5 6 7\n"), None);
        assert_eq!(CpuTimes::parse("intr 1\ncpu  1 2 3 4 5 6 7 8\n"), Some(CpuTimes { ticks: [1, 2, 3, 4, 5, 6, 7, 8] }));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,60}|cpu  ([0-9]{1,22} ){0,12}") {
            let _ = CpuTimes::parse(&text);
        }

        #[test]
        fn shares_are_shares(from in any::<[u64; 8]>(), to in any::<[u64; 8]>()) {
            if let Some((busy, steal)) = (CpuTimes { ticks: to }).shares_since(&CpuTimes { ticks: from }) {
                prop_assert!(busy >= 0.0 && steal >= 0.0 && busy + steal <= 1.0 + 1e-9);
            }
        }
    }
}
