//! Counts of what clients did: each counts for itself, and the counts are put together as the round of the record. Only transactions that ended within the measurement count for
//! figures; the whole round is counted beside, since the kernel's counters around it have all of it.

use crate::own_use::Use;
use ioproof_core::database::DatabaseLoad;
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{DatabaseRound, DatabaseSlice, RoundOutcome};
use std::time::Duration;

/// Length of a slice. Nanoseconds.
const SLICE_NS: u64 = 1_000_000_000;

/// Counts of one client, or of several.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Transactions that ended within the measurement.
    latency: Histogram,
    /// Transactions that were under way when it ended.
    late: Histogram,
    /// Commits of those that ended within it.
    commit: Histogram,
    slices: Vec<Slice>,
    pub(crate) total: u64,
    pub(crate) retried: u64,
    pub(crate) used: Option<Use>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slice {
    transactions: u64,
    sum_ns: u64,
    max_ns: u64,
}

/// A transaction that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedTransaction {
    /// Since the round began. Nanoseconds.
    pub end_ns: u64,
    /// With all retries. Nanoseconds.
    pub latency_ns: u64,
    /// The commit alone, where it is timed. Nanoseconds.
    pub commit_ns: Option<u64>,
}

impl Tally {
    /// Counts a transaction.
    pub(crate) fn count(&mut self, round: &DatabaseLoad, done: EndedTransaction) {
        self.total += 1;
        let Some(since_ns) = done.end_ns.checked_sub(nanos(round.warm_up)) else { return };
        if since_ns >= nanos(round.measure) {
            return self.count_late(done.latency_ns);
        }
        self.latency.record(done.latency_ns);
        done.commit_ns.iter().for_each(|ns| self.commit.record(*ns));
        let at = (since_ns / SLICE_NS) as usize;
        if self.slices.len() <= at {
            self.slices.resize(at + 1, Slice::default());
        }
        let slice = &mut self.slices[at];
        (slice.transactions, slice.sum_ns) = (slice.transactions + 1, slice.sum_ns.saturating_add(done.latency_ns));
        slice.max_ns = slice.max_ns.max(done.latency_ns);
    }

    /// Counts a transaction that was under way when the measurement ended, with the time that it took, or had taken when it was given up.
    pub(crate) fn count_late(&mut self, latency_ns: u64) {
        self.late.record(latency_ns);
    }

    /// Adds the counts of another client.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.latency.merge(&other.latency);
        self.late.merge(&other.late);
        self.commit.merge(&other.commit);
        (self.total, self.retried) = (self.total + other.total, self.retried + other.retried);
        self.used = match (self.used, other.used) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        self.slices.resize(self.slices.len().max(other.slices.len()), Slice::default());
        for (mine, theirs) in self.slices.iter_mut().zip(&other.slices) {
            (mine.transactions, mine.sum_ns) = (mine.transactions + theirs.transactions, mine.sum_ns.saturating_add(theirs.sum_ns));
            mine.max_ns = mine.max_ns.max(theirs.max_ns);
        }
    }

    /// The round of the record; `ended_ns` is when the last client was told to end. Nanoseconds since the round began.
    pub(crate) fn round(self, spec: &DatabaseLoad, ended_ns: u64) -> DatabaseRound {
        let measure_ns = nanos(spec.measure);
        let elapsed_ns = ended_ns.saturating_sub(nanos(spec.warm_up)).min(measure_ns);
        DatabaseRound {
            database: spec.database,
            outcome: if elapsed_ns < measure_ns { RoundOutcome::Interrupted } else { RoundOutcome::Complete },
            elapsed_ns,
            transactions: self.latency.count(),
            retried: self.retried,
            total_transactions: self.total,
            intervals: slices(&self.slices, elapsed_ns),
            commit: Some(self.commit).filter(|commit| commit.count() > 0),
            latency: self.latency,
            late: Some(self.late).filter(|late| late.count() > 0),
            written_bytes: self.used.and_then(|used| used.written_bytes),
            cpu_ns: self.used.map(|used| used.cpu_ns),
            ..DatabaseRound::default()
        }
    }
}

/// All slices of a measurement of this length, those without a transaction among them.
fn slices(counted: &[Slice], elapsed_ns: u64) -> Vec<DatabaseSlice> {
    let of = |at: u64| {
        let end_ns = ((at + 1) * SLICE_NS).min(elapsed_ns);
        let slice = counted.get(at as usize).copied().unwrap_or_default();
        DatabaseSlice {
            end_ns,
            length_ns: end_ns - at * SLICE_NS,
            transactions: slice.transactions,
            latency_ns_mean: slice.sum_ns / slice.transactions.max(1),
            latency_ns_max: slice.max_ns,
        }
    };
    (0..elapsed_ns.div_ceil(SLICE_NS)).map(of).collect()
}

pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn spec() -> DatabaseLoad {
        DatabaseLoad { database: 3, clients: 1, warm_up: Duration::from_secs(1), measure: Duration::from_millis(2500), seed: 1 }
    }

    fn done(end_ns: u64, latency_ns: u64) -> EndedTransaction {
        EndedTransaction { end_ns, latency_ns, commit_ns: Some(latency_ns / 2) }
    }

    #[test]
    fn only_what_ends_within_the_measurement_counts_for_figures() {
        let mut tally = Tally::default();
        for end_ns in [SECOND_NS - 1, SECOND_NS, 2 * SECOND_NS, 3_400_000_000, 3_500_000_000] {
            tally.count(&spec(), done(end_ns, 1000));
        }
        let round = tally.round(&spec(), 3_500_000_000);
        assert_eq!((round.transactions, round.total_transactions, round.elapsed_ns), (3, 5, 2_500_000_000));
        assert_eq!((round.outcome, round.database), (RoundOutcome::Complete, 3));
        assert_eq!((round.latency.count(), round.timed().count()), (3, 4), "the one that outlived it is timed");
        let slices: Vec<(u64, u64)> = round.intervals.iter().map(|slice| (slice.transactions, slice.length_ns)).collect();
        assert_eq!(slices, [(1, SECOND_NS), (1, SECOND_NS), (1, SECOND_NS / 2)]);
        assert_eq!(round.commit.unwrap().mean_ns(), Some(500.0));
    }

    #[test]
    fn clients_are_added_up() {
        let (mut one, mut other) = (Tally { retried: 1, ..Tally::default() }, Tally { retried: 2, ..Tally::default() });
        one.used = Some(Use { cpu_ns: 5, written_bytes: Some(10) });
        other.used = one.used;
        one.count(&spec(), done(SECOND_NS, 1000));
        (0..2).for_each(|_| other.count(&spec(), done(2 * SECOND_NS, 4000)));
        one.merge(&other);
        let round = one.round(&spec(), 3_500_000_000);
        assert_eq!((round.transactions, round.retried, round.cpu_ns, round.written_bytes), (3, 3, Some(10), Some(20)));
        assert_eq!(
            (round.intervals[1].transactions, round.intervals[1].latency_ns_mean, round.intervals[1].latency_ns_max),
            (2, 4000, 4000)
        );
    }

    #[test]
    fn a_round_that_was_ended_early_has_figures_of_its_time_and_says_so() {
        let mut tally = Tally::default();
        tally.count(&spec(), done(SECOND_NS, 1000));
        let round = tally.round(&spec(), 2 * SECOND_NS);
        assert_eq!((round.outcome, round.elapsed_ns, round.intervals.len()), (RoundOutcome::Interrupted, SECOND_NS, 1));
        assert_eq!(Tally::default().round(&spec(), 5).intervals.len(), 0);
    }
}
