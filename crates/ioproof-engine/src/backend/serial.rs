//! One I/O at a time, done when the call comes back: the common part of psync, pvsync2 and mmap. More outstanding I/Os take more threads.

use super::synchronous::{Targets, sleep};
use super::{Backend, Io, Operation, Setup};
use std::io;

/// How bytes are moved.
pub(crate) trait Way: Sized {
    /// Its name for the record.
    const NAME: &'static str;
    /// Whether it can wait by polling the device.
    const POLLS: bool;

    fn new(setup: &Setup) -> io::Result<Self>;

    /// Reads into slot 0; gives the bytes moved or the negative errno.
    fn read(&mut self, targets: &Targets, io: &Io) -> i32;

    /// Writes from slot 0; gives the bytes moved or the negative errno.
    fn write(&mut self, targets: &Targets, io: &Io) -> i32;

    /// Trims and syncs; gives 0 or the negative errno.
    fn perform(&mut self, targets: &Targets, io: &Io) -> i32 {
        targets.perform(io)
    }

    fn features(&self) -> Vec<String> {
        Vec::new()
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A backend of depth 1.
#[derive(Debug)]
pub(crate) struct Serial<W> {
    way: W,
    targets: Targets,
    queued: Option<Io>,
    done: Option<(u32, i32)>,
    fallbacks: Vec<String>,
}

impl<W: Way> Serial<W> {
    /// # Errors
    /// When the targets do not bear this way of I/O.
    pub(crate) fn new(setup: &Setup) -> io::Result<Self> {
        assert_eq!(setup.depth, 1, "{} keeps one I/O outstanding a thread", W::NAME);
        let way = W::new(setup)?;
        let fallbacks = [way.fallbacks(), not_used(setup, W::POLLS)].concat();
        Ok(Self { way, targets: Targets::new(setup)?, queued: None, done: None, fallbacks })
    }
}

impl<W: Way> Backend for Serial<W> {
    #[inline]
    fn push(&mut self, io: Io) {
        self.queued = Some(io);
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        let Some(io) = self.queued.take() else {
            if self.done.is_none() {
                sleep(wait_ns);
            }
            return Ok(());
        };
        let result = match io.operation {
            Operation::Read => self.way.read(&self.targets, &io),
            Operation::Write => self.way.write(&self.targets, &io),
            _ => self.way.perform(&self.targets, &io),
        };
        self.done = Some((io.slot, result));
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        if let Some((slot, result)) = self.done.take() {
            done(slot, result);
        }
    }

    fn name(&self) -> &'static str {
        W::NAME
    }

    fn features(&self) -> Vec<String> {
        self.way.features()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.fallbacks.clone()
    }
}

/// What was asked for that a backend without rings does not have.
pub(super) fn not_used(setup: &Setup, polls: bool) -> Vec<String> {
    let asked = [
        (setup.polled && !polls, "polling: only io_uring and pvsync2 can"),
        (setup.kernel_submits, "submission by a kernel thread: only io_uring can"),
    ];
    asked.into_iter().filter(|(missing, _)| *missing).map(|(_, text)| text.to_owned()).collect()
}
