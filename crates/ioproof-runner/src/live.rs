//! A task under way, as it is seen from outside of its thread.

use crate::end::TaskEnd;
use ioproof_core::database::DatabaseCount;
use ioproof_core::record::{CheckResult, Direction};
use ioproof_engine::JobSnapshot;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of a task at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Since it started, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// I/Os and bytes of reads, writes and trims since then.
    pub done: [(u64, u64); 3],
}

impl Counts {
    /// All I/Os.
    #[must_use]
    pub fn ios(&self) -> u64 {
        self.done.iter().map(|(ios, _)| ios).sum()
    }

    /// All bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.done.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Latencies of a task at a moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Latencies {
    /// Since it started, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// Reads, writes and trims of the measurement so far; nothing in the ramp.
    pub measured: [Direction; 3],
}

/// One task.
#[derive(Debug, Default)]
pub struct LiveTask {
    state: AtomicU8,
    started_ms: AtomicU64,
    counts: Mutex<Counts>,
    /// Number of the last request for results so far.
    wanted: AtomicU64,
    /// Its results so far, and the request that they answer.
    answer: Mutex<(u64, TaskEnd)>,
    /// Pieces that it has read back by its end and that are not what was written.
    bad: AtomicU64,
    /// Set while latencies are asked for.
    latencies_wanted: AtomicBool,
    /// The latencies that were asked for, until somebody takes them.
    latencies: Mutex<Option<Box<Latencies>>>,
}

const WAITS: u8 = 0;
const RUNS: u8 = 1;
const ENDED: u8 = 2;

impl LiveTask {
    /// Takes a look from inside. The first one says that it has started. Gives the number of a request for results that is not answered yet.
    pub(crate) fn look(&self, now: &JobSnapshot<'_>, now_ms: u64) -> Option<u64> {
        if self.state.swap(RUNS, Relaxed) == WAITS {
            self.started_ms.store(now_ms.saturating_sub(now.elapsed_ns / 1_000_000), Relaxed);
        }
        *held(&self.counts) = Counts { elapsed_ns: now.elapsed_ns, done: now.counted() };
        if self.latencies_wanted.swap(false, Relaxed) {
            *held(&self.latencies) = Some(Box::new(Latencies { elapsed_ns: now.elapsed_ns, measured: now.measured() }));
        }
        let wanted = self.wanted.load(Relaxed);
        (wanted > held(&self.answer).0).then_some(wanted)
    }

    /// Takes a look at a database from inside, whose transactions count as writes without bytes.
    pub(crate) fn count(&self, now: DatabaseCount, now_ms: u64) {
        if self.state.swap(RUNS, Relaxed) == WAITS {
            self.started_ms.store(now_ms.saturating_sub(now.elapsed_ns / 1_000_000), Relaxed);
        }
        *held(&self.counts) = Counts { elapsed_ns: now.elapsed_ns, done: [(0, 0), (now.transactions, 0), (0, 0)] };
    }

    /// Its results so far, for a request.
    pub(crate) fn answer(&self, number: u64, end: TaskEnd) {
        *held(&self.answer) = (number, end);
    }

    /// It has ended.
    pub(crate) fn end(&self, end: TaskEnd) {
        let check = end.round.as_ref().and_then(|round| round.check.as_ref());
        self.bad.store(check.map_or(0, CheckResult::bad), Relaxed);
        self.answer(u64::MAX, end);
        self.state.store(ENDED, Relaxed);
    }

    /// Pieces that it read back and that are not what was written; 0 until it has ended.
    #[must_use]
    pub fn bad(&self) -> u64 {
        self.bad.load(Relaxed)
    }

    /// When it started. Milliseconds since 1970; 0 where it has not.
    #[must_use]
    pub fn started_ms(&self) -> u64 {
        self.started_ms.load(Relaxed)
    }

    /// Its counts.
    #[must_use]
    pub fn counts(&self) -> Counts {
        *held(&self.counts)
    }

    /// True while it does its I/O.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.state.load(Relaxed) == RUNS
    }

    /// True when it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.state.load(Relaxed) == ENDED
    }

    /// Asks for its latencies so far. They are there some 100 ms later; every bin of every worker is looked at for them, so it is not for every tick.
    pub fn ask_latencies(&self) {
        self.latencies_wanted.store(true, Relaxed);
    }

    /// Takes the latencies that were asked for, once they are there.
    #[must_use]
    pub fn take_latencies(&self) -> Option<Box<Latencies>> {
        held(&self.latencies).take()
    }

    /// Asks for its results so far; gives the number of the request.
    pub fn ask(&self) -> u64 {
        self.wanted.fetch_add(1, Relaxed) + 1
    }

    /// True where nothing is to be waited for from it.
    #[must_use]
    pub fn has_answered(&self, number: u64) -> bool {
        !self.runs() || held(&self.answer).0 >= number
    }

    /// Its results as it last gave them.
    #[must_use]
    pub fn so_far(&self) -> TaskEnd {
        held(&self.answer).1.summary()
    }
}

/// A count that a thread which panicked left behind is still a count.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
