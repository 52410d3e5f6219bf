//! Pauses between I/Os, as of a program that thinks: after so many I/Os, or after so much time, none starts until all are back and the pause is over.

use ioproof_core::shape::Think;

/// The pauses of one worker.
#[derive(Debug)]
pub(super) struct Pauses {
    /// Length; 0 where there are none. Nanoseconds.
    ns: u64,
    /// I/Os between two pauses; `u64::MAX` where they do not count.
    every: u64,
    /// I/Os until the next pause.
    left: u64,
    /// The most between a pause and the next; `u64::MAX` where it does not count. Nanoseconds.
    every_ns: u64,
    /// When the next pause is to begin at the latest. Nanoseconds.
    next_ns: u64,
    /// End of the last pause; `u64::MAX` while I/O is outstanding that the next one waits for. Nanoseconds.
    until_ns: u64,
}

impl Pauses {
    /// `start_ns`: when the job began, by the clock.
    pub(super) fn new(think: Option<Think>, start_ns: u64) -> Self {
        let Think { ns, every, every_ns } = think.unwrap_or(Think { ns: 0, every: 0, every_ns: 0 });
        let every = if every == 0 { u64::MAX } else { every.into() };
        let every_ns = if every_ns == 0 { u64::MAX } else { every_ns };
        Self { ns, every, left: every, every_ns, next_ns: start_ns.saturating_add(every_ns), until_ns: 0 }
    }

    /// True where there are none.
    pub(super) fn are_none(&self) -> bool {
        self.ns == 0
    }

    /// The earliest time of the next I/O. Nanoseconds.
    #[inline]
    pub(super) fn due_ns(&self) -> u64 {
        self.until_ns
    }

    /// An I/O starts. The one that is late for the next pause is the last before it.
    #[inline]
    pub(super) fn start(&mut self, now_ns: u64) {
        if self.ns == 0 {
            return;
        }
        self.left -= 1;
        if self.left == 0 || now_ns >= self.next_ns {
            (self.left, self.until_ns) = (self.every, u64::MAX);
        }
    }

    /// `outstanding` I/Os are left.
    #[inline]
    pub(super) fn seen(&mut self, outstanding: u32, now_ns: u64) {
        if outstanding == 0 && self.until_ns == u64::MAX {
            self.until_ns = now_ns.saturating_add(self.ns);
            self.next_ns = self.until_ns.saturating_add(self.every_ns);
        }
    }
}
