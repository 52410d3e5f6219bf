//! A drive as purges and earlier runs left it. One value for each serial number, kept between runs by `ioproof-store`.

use super::DriveState;
use crate::claim::Metric;
use serde::{Deserialize, Serialize};

/// The past of a drive, as far as ioproof knows it. Counts begin at the last purge; without one, at the first look.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriveHistory {
    /// Serial number.
    pub serial: String,
    /// Time of the first look, RFC 3339.
    pub since: String,
    /// Time of the last look, RFC 3339.
    pub looked_at: String,
    /// The last purge that ioproof began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purge: Option<Purge>,
    /// Bytes written during runs of ioproof.
    #[serde(default)]
    pub own_bytes: u64,
    /// Bytes written between these runs by others, by the drive's own counter; `None`: the drive does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_bytes: Option<u64>,
    /// Largest span that one job wrote to. Bytes.
    #[serde(default)]
    pub span_bytes: u64,
    /// The last steady state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyState>,
    /// The drive at the last look: its counter of writes, temperature and wear.
    #[serde(default)]
    pub last: DriveState,
}

/// A purge: all data of the drive was discarded or erased by a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Purge {
    /// Time of its end; of one that did not end, of its beginning. RFC 3339.
    pub at: String,
    /// Method: `sanitize (block erase)`, `format (user data erase)`, `discard`.
    pub method: String,
    /// False where its end was not seen.
    pub is_complete: bool,
}

/// A rate that stayed the same over a window of rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SteadyState {
    /// Time of the run that reached it, RFC 3339.
    pub at: String,
    /// Id of that run.
    pub run: String,
    /// The workload: `random write 4 KiB`.
    pub workload: String,
    /// Block size. Bytes.
    pub block_bytes: u32,
    /// Metric of the rate.
    pub metric: Metric,
    /// Mean over the window, in the metric's stored unit.
    pub rate: f64,
}

/// State of a drive, as far as its past tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Less than its capacity was written since it was purged or made.
    Fresh,
    /// Its capacity was written, or it was steady, since then.
    Written,
    /// Its past is not known.
    Unknown,
}

impl DriveHistory {
    /// A drive that was never looked at before.
    pub fn new(serial: &str, at: &str) -> Self {
        Self { serial: serial.to_owned(), since: at.to_owned(), looked_at: at.to_owned(), ..Self::default() }
    }

    /// Takes a look before a run: what its counter rose by since the last look was written by others.
    pub fn look(&mut self, now: &DriveState, at: &str) {
        let more = self.counted_since(now);
        if now.written_bytes.is_some() {
            self.others_bytes = Some(self.others_bytes.unwrap_or(0).saturating_add(more.unwrap_or(0)));
        }
        self.take(now, at);
    }

    /// Takes a look behind a run that wrote so many bytes over this span.
    pub fn end_run(&mut self, written_bytes: u64, span_bytes: u64, now: &DriveState, at: &str) {
        let more = self.counted_since(now).unwrap_or(0);
        self.own_bytes = self.own_bytes.saturating_add(more.max(written_bytes));
        self.span_bytes = self.span_bytes.max(span_bytes);
        self.take(now, at);
    }

    /// Begins anew with a purge.
    pub fn begin_purge(&mut self, method: &str, at: &str) {
        self.purge = Some(Purge { at: at.to_owned(), method: method.to_owned(), is_complete: false });
        (self.own_bytes, self.span_bytes, self.steady) = (0, 0, None);
        self.others_bytes = self.others_bytes.map(|_| 0);
    }

    /// Ends the purge that was begun.
    pub fn end_purge(&mut self, now: &DriveState, at: &str) {
        if let Some(purge) = &mut self.purge {
            (purge.at, purge.is_complete) = (at.to_owned(), true);
        }
        self.take(now, at);
    }

    /// Bytes written by anyone.
    pub fn written_bytes(&self) -> u64 {
        self.own_bytes.saturating_add(self.others_bytes.unwrap_or(0))
    }

    /// State of a drive of this capacity once so many more bytes are written.
    pub fn freshness(&self, capacity_bytes: u64, more_bytes: u64) -> Freshness {
        let is_below = |bytes: u64| bytes.saturating_add(more_bytes) < capacity_bytes;
        let written = self.written_bytes();
        match &self.purge {
            Some(purge) if purge.is_complete && is_below(written) => Freshness::Fresh,
            // Of a drive that was never written in full, no purge is needed.
            None if self.last.written_bytes.is_some_and(is_below) => Freshness::Fresh,
            _ if !is_below(written) || self.steady.is_some() => Freshness::Written,
            _ => Freshness::Unknown,
        }
    }

    /// The rise of the drive's counter since the last look; `None` where it does not count, or counts anew.
    fn counted_since(&self, now: &DriveState) -> Option<u64> {
        now.written_bytes?.checked_sub(self.last.written_bytes?)
    }

    fn take(&mut self, now: &DriveState, at: &str) {
        (self.last, self.looked_at) = (now.clone(), at.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPACITY: u64 = 1000;

    fn counts(bytes: u64) -> DriveState {
        DriveState { present: true, written_bytes: Some(bytes), ..DriveState::default() }
    }

    fn purged(written: u64) -> DriveHistory {
        let mut history = DriveHistory::new("S1", "a");
        history.look(&counts(written), "a");
        history.begin_purge("discard", "b");
        history.end_purge(&counts(written), "c");
        history
    }

    #[test]
    fn writes_of_others_are_those_between_runs() {
        let mut history = purged(5000);
        history.look(&counts(5100), "d");
        assert_eq!((history.own_bytes, history.others_bytes), (0, Some(100)));
        history.end_run(300, 64, &counts(5400), "e");
        history.end_run(0, 32, &counts(5400), "f");
        assert_eq!((history.own_bytes, history.others_bytes, history.span_bytes), (300, Some(100), 64));
        history.end_run(10, 32, &counts(5500), "g");
        assert_eq!(history.own_bytes, 400, "a database beside the load writes too");
        history.look(&counts(7), "h");
        assert_eq!((history.written_bytes(), history.looked_at.as_str()), (500, "h"), "a counter that begins anew tells nothing");
    }

    #[test]
    fn a_drive_that_does_not_count_says_nothing_of_others() {
        let mut history = DriveHistory::new("S1", "a");
        history.look(&DriveState::default(), "a");
        history.end_run(300, 64, &DriveState::default(), "b");
        assert_eq!((history.own_bytes, history.others_bytes), (300, None));
        assert_eq!(history.freshness(CAPACITY, 0), Freshness::Unknown);
        assert_eq!(history.freshness(CAPACITY, 700), Freshness::Written);
    }

    #[test]
    fn fresh_is_a_purge_and_less_than_the_capacity() {
        let mut history = purged(5000);
        assert_eq!((history.freshness(CAPACITY, 999), history.freshness(CAPACITY, 1000)), (Freshness::Fresh, Freshness::Written));
        history.look(&counts(5900), "d");
        assert_eq!((history.freshness(CAPACITY, 99), history.freshness(CAPACITY, 100)), (Freshness::Fresh, Freshness::Written));
        history.begin_purge("discard", "e");
        assert_eq!(history.freshness(CAPACITY, 0), Freshness::Unknown, "whose end was not seen");
    }

    #[test]
    fn a_drive_that_was_never_written_in_full_is_fresh_without_a_purge() {
        let mut history = DriveHistory::new("S1", "a");
        history.look(&counts(400), "a");
        assert_eq!((history.freshness(CAPACITY, 500), history.freshness(CAPACITY, 600)), (Freshness::Fresh, Freshness::Unknown));
        history.steady = Some(SteadyState {
            at: "b".into(),
            run: "r".into(),
            workload: "random write 4 KiB".into(),
            block_bytes: 4096,
            metric: Metric::Iops,
            rate: 1.0,
        });
        assert_eq!(history.freshness(CAPACITY, 600), Freshness::Written);
    }
}
