//! CPU time of the host by its use: the first line of `/proc/stat` (proc_stat(5)).
//!
//! `snapshot` takes it before and after; what a single worker used is the engine's business.

/// CPU time of all CPUs since boot, in ticks of `USER_HZ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    /// user, nice, system, idle, iowait, irq, softirq, steal. Guest time is part of user and nice.
    ticks: [u64; 8],
}

const IDLE: usize = 3;
const IOWAIT: usize = 4;
const STEAL: usize = 7;

impl CpuTimes {
    /// Reads the contents of `/proc/stat`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::of_fields(text.lines().find_map(|line| line.strip_prefix("cpu "))?)
    }

    /// Those of each CPU, in the order of the file.
    pub(crate) fn of_each(text: &str) -> Vec<Self> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("cpu")?.split_once(' '));
        lines.filter(|(number, _)| !number.is_empty()).filter_map(|(_, fields)| Self::of_fields(fields)).collect()
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
        // iowait and idle may go backwards by a tick or two (proc_stat(5)), which is no time at all.
        let spent: Vec<u128> = self.ticks.iter().zip(earlier.ticks).map(|(to, from)| u128::from(to.saturating_sub(from))).collect();
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
        assert_eq!(CpuTimes::of_each("cpu  1 1 1 1 1 1 1 1\ncpu0 1 2 3 4 5 6 7 8\ncpu11 8 7 6 5 4 3 2 1\nintr 1 2\n").len(), 2);
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
