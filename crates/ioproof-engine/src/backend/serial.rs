//! One I/O at a time, done when the call comes back: the common part of psync, pvsync2 and mmap. More outstanding I/Os take more threads.

use super::synchronous::{Targets, sleep};
use super::{Backend, BackendSetup, Build, Io, IoOperation};
use std::io;

/// A way to move bytes by one call.
pub(crate) trait SerialCall: Sized + 'static {
    fn new(setup: &BackendSetup) -> io::Result<Self>;

    /// Reads into slot 0; gives the bytes moved or the negative errno.
    fn read(&mut self, targets: &Targets, io: &Io) -> i32;

    /// Writes from slot 0; gives the bytes moved or the negative errno.
    fn write(&mut self, targets: &Targets, io: &Io) -> i32;

    /// Trims and syncs; gives 0 or the negative errno.
    fn perform(&mut self, targets: &Targets, io: &Io) -> i32 {
        targets.perform(io)
    }

    /// The I/O was timed: what is left of it costs no latency.
    #[inline]
    fn timed(&mut self) {}

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
}

impl<W: SerialCall> Build for Serial<W> {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        assert_eq!(setup.depth, 1, "one I/O is outstanding a thread");
        Ok(Self { way: W::new(setup)?, targets: Targets::new(setup)?, queued: None, done: None })
    }
}

impl<W: SerialCall> Backend for Serial<W> {
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
            IoOperation::Read => self.way.read(&self.targets, &io),
            IoOperation::Write => self.way.write(&self.targets, &io),
            _ => self.way.perform(&self.targets, &io),
        };
        self.done = Some((io.slot, result));
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        if let Some((slot, result)) = self.done.take() {
            done(slot, result);
            self.way.timed();
        }
    }

    fn features(&self) -> Vec<String> {
        self.way.features()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.way.fallbacks()
    }
}
