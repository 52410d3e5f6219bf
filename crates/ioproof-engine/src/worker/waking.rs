//! The first answer after a pause: a drive that sleeps when nothing is asked of it takes longer for that one.

use crate::clock::Clock;

/// Shortest time without anything under way that is a pause. Nanoseconds.
const PAUSE_NS: u64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waking {
    /// I/O goes on.
    No,
    /// Nothing was under way for so long. Nanoseconds.
    Paused(u64),
    /// The first I/O after a pause was handed over at this time. Nanoseconds.
    Since(u64),
}

impl Waking {
    /// Of a worker that begins: nobody knows for how long the drive had nothing to do.
    pub(super) const START: Self = Self::Paused(PAUSE_NS);

    /// Nothing was under way for so long. Nanoseconds.
    pub(super) fn paused(&mut self, ns: u64) {
        let before = if let Self::Paused(before) = self { *before } else { 0 };
        *self = Self::Paused(before.saturating_add(ns));
    }

    /// I/O is handed over.
    #[inline]
    pub(super) fn submits(&mut self, clock: &Clock) {
        if let Self::Paused(ns) = *self {
            *self = if ns < PAUSE_NS { Self::No } else { Self::Since(clock.now_ns()) };
        }
    }

    /// Something came back; gives how long the first I/O after a pause took.
    #[inline]
    pub(super) fn answered(&mut self, now_ns: u64) -> Option<u64> {
        let Self::Since(since_ns) = *self else { return None };
        *self = Self::No;
        Some(now_ns.saturating_sub(since_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockChoice;

    #[test]
    fn the_first_answer_after_a_pause_is_timed_and_no_other() {
        let clock = Clock::new(ClockChoice::System);
        let mut waking = Waking::START;
        waking.submits(&clock);
        assert!(waking.answered(u64::MAX).is_some());
        waking.submits(&clock);
        assert_eq!(waking.answered(u64::MAX), None);
        waking.paused(PAUSE_NS / 2);
        waking.submits(&clock);
        assert_eq!(waking.answered(u64::MAX), None, "too short");
        waking.paused(PAUSE_NS / 2);
        waking.paused(PAUSE_NS / 2);
        waking.submits(&clock);
        assert!(waking.answered(u64::MAX).is_some());
    }
}
