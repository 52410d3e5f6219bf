//! A drive that does not answer: seen to be gone, asked to abort, and reset at last.

use super::IoQueue;
use crate::error::Error;

/// Time between two looks at the status of a silent drive. Nanoseconds.
const LOOK_NS: u64 = 100_000_000;

/// Longest patience, as long as the kernel's driver waits. Nanoseconds.
const PATIENCE_MAX_NS: u64 = 30_000_000_000;

/// Progress of a queue.
#[derive(Debug)]
pub(super) struct Watch {
    patience_ns: u64,
    /// When something was last done, or nothing was outstanding.
    last_ns: u64,
    looked_ns: u64,
    progressed: bool,
    asked_to_abort: bool,
    /// Resets of the controller before the queue was made.
    pub(super) generation: u32,
    /// An identifier that the drive made up.
    pub(super) unknown_identifier: Option<u16>,
}

impl Watch {
    pub(super) fn new(now_ns: u64, patience_ns: u64, generation: u32) -> Self {
        let patience_ns = patience_ns.min(PATIENCE_MAX_NS);
        let (progressed, asked_to_abort, unknown_identifier) = (false, false, None);
        Self { patience_ns, last_ns: now_ns, looked_ns: now_ns, progressed, asked_to_abort, generation, unknown_identifier }
    }

    /// Notes a completion.
    #[inline]
    pub(super) fn saw(&mut self) {
        self.progressed = true;
    }

    /// Time since the drive last did something. Nanoseconds.
    fn silent_ns(&mut self, now_ns: u64, is_idle: bool) -> u64 {
        if self.progressed || is_idle {
            (self.progressed, self.asked_to_abort, self.last_ns) = (false, false, now_ns);
        }
        now_ns - self.last_ns
    }
}

impl IoQueue {
    /// Looks after a drive that has nothing done at the moment.
    #[cold]
    pub(super) fn look_after(&mut self, now_ns: u64) {
        if self.controller.generation() != self.watch.generation {
            return self.slots.fail_all(Error::WasReset.errno());
        }
        let silent_ns = self.watch.silent_ns(now_ns, self.slots.outstanding() == 0);
        if silent_ns < LOOK_NS || now_ns - self.watch.looked_ns < LOOK_NS {
            return;
        }
        self.watch.looked_ns = now_ns;
        let (status, patience_ns) = (self.controller.status(), self.watch.patience_ns);
        if self.controller.is_gone() {
            self.slots.fail_all(Error::Gone.errno());
        } else if status.is_fatal() || silent_ns > patience_ns / 4 * 3 {
            self.reset();
        } else if silent_ns > patience_ns / 2 && !self.watch.asked_to_abort {
            self.watch.asked_to_abort = true;
            self.abort_all();
        }
    }

    /// Asks the drive to abort what it has. Commands that it aborts come back as timed out.
    fn abort_all(&self) {
        for identifier in self.slots.identifiers() {
            // One that does not even answer this is reset a little later.
            if self.controller.abort(self.number, identifier).is_err() {
                return;
            }
        }
    }

    /// Resets the controller, which ends the commands of all queues.
    fn reset(&mut self) {
        let gone = matches!(self.controller.recover(self.watch.generation), Err(Error::Gone));
        self.slots.fail_all(if gone { Error::Gone } else { Error::WasReset }.errno());
    }
}
