//! The ways to hand I/O to the kernel, behind one small trait that works in batches. README.md says how to add one.

mod faulty;
mod psync;
mod uring;

pub(crate) use faulty::Faulty;
pub(crate) use psync::Psync;
pub(crate) use uring::Uring;

use crate::buffers::Buffers;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Which backend the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendChoice {
    /// io_uring where the kernel allows it, else psync with one thread for each outstanding I/O.
    Auto,
    /// io_uring or an error.
    IoUring,
    /// pread(2) and pwrite(2), one thread for each outstanding I/O.
    Psync,
}

/// What is done with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    /// fdatasync(2) of the whole target.
    Sync,
}

impl Operation {
    /// What the kernel returns when it went well.
    #[inline]
    pub(crate) fn expects(self, block_bytes: u32) -> i32 {
        if self == Self::Sync { 0 } else { block_bytes.cast_signed() }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "fdatasync",
        }
    }
}

/// What a backend works on: the target, the buffers, and the size of every I/O.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) target: &'a Arc<OwnedFd>,
    pub(crate) buffers: &'a Buffers,
    pub(crate) block_bytes: u32,
    pub(crate) depth: u32,
}

/// Queues I/O, hands it to the kernel and collects what is done. At most `depth` I/Os are outstanding, each under its own slot.
pub(crate) trait Backend {
    /// Queues one I/O. It is not started before [`Backend::submit`].
    fn push(&mut self, operation: Operation, slot: u32, offset: u64);

    /// Starts what is queued; with `wait` it returns once at least one I/O is done or after about 100 ms.
    ///
    /// # Errors
    /// When the kernel refuses the call itself; a failed I/O is a completion, not an error.
    fn submit(&mut self, wait: bool) -> io::Result<()>;

    /// Passes every finished I/O on: its slot, and the bytes moved or the negative errno.
    fn reap(&mut self, done: impl FnMut(u32, i32));

    /// Its name for the record.
    fn name(&self) -> &'static str;

    /// What of the kernel's abilities is in use.
    fn features(&self) -> Vec<String>;

    /// What could not be used, and why.
    fn fallbacks(&self) -> Vec<String>;
}
