//! The time before its moment at which a wait must end, because waking up takes time: as long as it took of late, and the rest is spent looking at the clock.
//!
//! On an idle machine that is a fraction of what it is on a busy one, so it is learnt: a late awakening counts at once and is forgotten slowly.

/// A wait ends at least so much before its moment. Nanoseconds.
const LEAST_NS: u64 = 60_000;

/// And at most so much, so that looking at the clock stays a small part of a pause. Nanoseconds.
const MOST_NS: u64 = 250_000;

/// Awakenings of one worker so far.
#[derive(Debug)]
pub(super) struct Waking {
    slack_ns: u64,
    /// When the wait ends that was last asked for; 0: none was.
    until_ns: u64,
}

impl Waking {
    pub(super) fn new() -> Self {
        Self { slack_ns: LEAST_NS, until_ns: 0 }
    }

    /// For how long to wait for the moment `due_ns`, at most `most_ns`; 0 where only the clock is to be looked at. Nanoseconds.
    #[inline]
    pub(super) fn wait_ns(&mut self, due_ns: u64, now_ns: u64, most_ns: u64) -> u64 {
        let wait_ns = due_ns.saturating_sub(now_ns).saturating_sub(self.slack_ns).min(most_ns);
        self.until_ns = if wait_ns == 0 { 0 } else { now_ns.saturating_add(wait_ns) };
        wait_ns
    }

    /// The worker runs again at `now_ns`. Where I/O that came back ended the wait, nothing is learnt.
    #[inline]
    pub(super) fn woke(&mut self, now_ns: u64) {
        let until_ns = std::mem::take(&mut self.until_ns);
        if until_ns == 0 || now_ns < until_ns {
            return;
        }
        let late_ns = (now_ns - until_ns).clamp(LEAST_NS, MOST_NS);
        self.slack_ns = late_ns.max(self.slack_ns - self.slack_ns.saturating_sub(late_ns) / 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for one moment after the other, and wakes as late as `late_ns` says; gives the ends of the waits before their moments.
    fn slacks(late_ns: &[u64]) -> Vec<u64> {
        let mut waking = Waking::new();
        let once = |late_ns: &u64| {
            let wait_ns = waking.wait_ns(1_000_000, 0, u64::MAX);
            waking.woke(wait_ns + late_ns);
            1_000_000 - wait_ns
        };
        late_ns.iter().map(once).collect()
    }

    #[test]
    fn a_late_awakening_counts_at_once_and_is_forgotten_slowly() {
        assert_eq!(slacks(&[100_000, 20_000, 20_000]), [60_000, 100_000, 95_000]);
        assert_eq!(slacks(&[20_000; 3]), [60_000; 3]);
        assert_eq!(slacks(&[9_000_000, 0])[1], 250_000, "a worker never looks at the clock for longer");
        assert!(slacks(&[vec![250_000], vec![0; 60]].concat())[60] < 61_000);
    }

    #[test]
    fn what_came_back_early_teaches_nothing() {
        let mut waking = Waking::new();
        assert_eq!(waking.wait_ns(1_000_000, 0, 500_000), 500_000);
        waking.woke(400_000);
        waking.woke(9_000_000);
        assert_eq!(waking.wait_ns(1_000_000, 0, u64::MAX), 940_000);
        assert_eq!(waking.wait_ns(1_000_000, 950_000, u64::MAX), 0);
        waking.woke(9_000_000);
        assert_eq!(waking.wait_ns(1_000_000, 0, u64::MAX), 940_000, "no wait was asked for");
    }
}
