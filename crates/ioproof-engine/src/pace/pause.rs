//! Pauses between I/Os, as of a program that thinks: after so many I/Os none starts until all are back and the pause is over.

use ioproof_core::shape::Think;

/// The pauses of one worker.
#[derive(Debug)]
pub(super) struct Pauses {
    /// Length; 0 where there are none. Nanoseconds.
    ns: u64,
    every: u32,
    /// I/Os until the next pause.
    left: u32,
    /// End of the last pause; `u64::MAX` while I/O is outstanding that the next one waits for. Nanoseconds.
    until_ns: u64,
}

impl Pauses {
    pub(super) fn new(think: Option<Think>) -> Self {
        let Think { ns, every } = think.unwrap_or(Think { ns: 0, every: 1 });
        let every = every.max(1);
        Self { ns, every, left: every, until_ns: 0 }
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        self.ns == 0
    }

    /// The earliest time of the next I/O. Nanoseconds.
    #[inline]
    pub(super) fn due_ns(&self) -> u64 {
        self.until_ns
    }

    /// An I/O starts.
    #[inline]
    pub(super) fn start(&mut self) {
        if self.ns == 0 {
            return;
        }
        self.left -= 1;
        if self.left == 0 {
            (self.left, self.until_ns) = (self.every, u64::MAX);
        }
    }

    /// `outstanding` I/Os are left.
    #[inline]
    pub(super) fn seen(&mut self, outstanding: u32, now_ns: u64) {
        if outstanding == 0 && self.until_ns == u64::MAX {
            self.until_ns = now_ns.saturating_add(self.ns);
        }
    }
}
