//! Turns of the streams of a session: for a while all of them write, and for a while only those that sync by a call. A drive without forced unit access gets a flush behind every write of the others, which
//! makes durable what an earlier flush left undone, so that a flush in part is seen only where they pause.

use crate::plan::{How, StreamPlan};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Groups that are flushed while all write, and then while the others pause.
const TOGETHER: u64 = 8;
const ALONE: u64 = 24;
/// Time between two looks at whether all is to end.
const LOOK: Duration = Duration::from_millis(50);

/// The turns of one session.
#[derive(Debug)]
pub struct SessionTurns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// Streams at work that sync by a call: where there is none nobody pauses.
    flushing: usize,
    /// Groups of theirs so far.
    groups: u64,
}

/// The part of one stream, until it is dropped.
pub(crate) struct Turn<'a> {
    turns: &'a SessionTurns,
    is_flush: bool,
}

impl SessionTurns {
    /// For these streams, each of which takes part once.
    #[must_use]
    pub fn new(streams: &[StreamPlan]) -> Self {
        let flushing = streams.iter().filter(|plan| plan.sync.is_flush()).count();
        Self { state: Mutex::new(State { flushing, groups: 0 }), changed: Condvar::new() }
    }

    pub(crate) fn begin(&self, how: How) -> Turn<'_> {
        Turn { turns: self, is_flush: how.is_flush() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_for_all(&self) -> bool {
        self.flushing == 0 || self.groups % (TOGETHER + ALONE) < TOGETHER
    }
}

impl Turn<'_> {
    /// Waits until the stream may write a group.
    pub(crate) fn wait(&self, stop: &AtomicBool) {
        let mut state = self.turns.lock();
        while !self.is_flush && !state.is_for_all() && !stop.load(Relaxed) {
            state = self.turns.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.groups += u64::from(self.is_flush);
        let is_for_all = state.is_for_all();
        drop(state);
        if self.is_flush && is_for_all {
            self.turns.changed.notify_all();
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().flushing -= usize::from(self.is_flush);
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Order;
    use ioproof_core::job::Span;

    fn turns(ways: &[How]) -> SessionTurns {
        let span = Span { offset_bytes: 0, length_bytes: 512 };
        let plan = |sync| StreamPlan { stream: 1, order: Order::Random, sync, writes_per_sync: 8, span };
        SessionTurns::new(&ways.iter().copied().map(plan).collect::<Vec<_>>())
    }

    #[test]
    fn others_pause_while_those_that_flush_go_on_and_go_on_when_they_have_ended() {
        let (turns, go) = (turns(&[How::Fsync, How::Dsync]), AtomicBool::new(false));
        let (flushed, direct) = (turns.begin(How::Fsync), turns.begin(How::Dsync));
        let mut open = Vec::new();
        for _ in 0..2 * (TOGETHER + ALONE) {
            open.push(turns.lock().is_for_all());
            flushed.wait(&go);
        }
        let of_all = open.iter().filter(|is_open| **is_open).count() as u64;
        assert_eq!((of_all, open[0], open[TOGETHER as usize]), (2 * TOGETHER, true, false));
        (0..TOGETHER).for_each(|_| flushed.wait(&go));
        assert!(!turns.lock().is_for_all());
        // Told to end it does not wait, and it waits for nobody who has ended.
        direct.wait(&AtomicBool::new(true));
        drop(flushed);
        direct.wait(&go);
    }

    #[test]
    fn where_nobody_flushes_nobody_pauses() {
        let turns = turns(&[How::Dsync, How::Sync]);
        assert!(turns.lock().is_for_all());
        turns.begin(How::Sync).wait(&AtomicBool::new(false));
    }
}
