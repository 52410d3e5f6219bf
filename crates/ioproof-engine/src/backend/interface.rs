//! The contract between the loop and a backend: one I/O, the setup that a backend is made from, and the trait that works in batches.

use super::Medium;
use crate::buffers::Buffers;
use ioproof_core::job::{OrderHint, Span};
use std::io;

/// Kind of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    /// Discards blocks: BLKDISCARD on a block device, a punched hole in a file.
    Trim,
    /// fdatasync(2) of the whole target.
    Datasync,
    /// fsync(2) of the whole target.
    Fsync,
    /// sync_file_range(2) of the whole target: starts writing back and waits for it.
    RangeSync,
}

impl Operation {
    /// Result of the kernel when it went well.
    #[inline]
    pub(crate) fn expects(self, bytes: u32) -> i32 {
        if matches!(self, Self::Read | Self::Write) { bytes.cast_signed() } else { 0 }
    }

    /// True where it changes what the target holds.
    #[inline]
    pub(crate) fn changes_data(self) -> bool {
        matches!(self, Self::Write | Self::Trim)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Datasync => "fdatasync",
            Self::Fsync => "fsync",
            Self::RangeSync => "sync_file_range",
        }
    }
}

/// One I/O as a backend is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) operation: Operation,
    /// Names the I/O until it is done, and its buffer.
    pub(crate) slot: u32,
    /// Index among the targets of the setup.
    pub(crate) target: u32,
    pub(crate) bytes: u32,
    pub(crate) offset: u64,
}

/// Everything that a backend is made from.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) targets: &'a [Medium],
    pub(crate) buffers: &'a Buffers,
    pub(crate) depth: u32,
    /// Flags of every write as pwritev2(2) takes them: RWF_DSYNC, RWF_SYNC or none.
    pub(crate) write_flags: i32,
    /// True where writes are NVMe commands with FUA.
    pub(crate) fua: bool,
    /// Wait for completions by polling the device (IOPOLL, RWF_HIPRI).
    pub(crate) polled: bool,
    /// Let a kernel thread submit (SQPOLL).
    pub(crate) kernel_submits: bool,
    /// The part of each target that I/O falls into.
    pub(crate) span: Span,
    /// Order of the I/O, as the kernel is told it.
    pub(crate) order_hint: Option<OrderHint>,
    /// True where the targets are open for writing.
    pub(crate) writable: bool,
}

/// Queues I/O, hands it to the kernel and collects what is done. At most `depth` I/Os are outstanding, each under its own slot.
pub(crate) trait Backend {
    /// Queues one I/O. It is not started before [`Backend::submit`].
    fn push(&mut self, io: Io);

    /// Starts what is queued, and waits until at least one I/O is done or `wait_ns` have gone by; with 0 it does not wait, but what is done becomes visible to [`Backend::reap`].
    ///
    /// # Errors
    /// When the kernel refuses the call itself; a failed I/O is a completion, not an error.
    fn submit(&mut self, wait_ns: u64) -> io::Result<()>;

    /// Passes every finished I/O on: its slot, and the bytes moved (0 for trims and syncs) or the negative errno.
    fn reap(&mut self, done: impl FnMut(u32, i32));

    /// Abilities of the kernel that are in use.
    fn features(&self) -> Vec<String>;

    /// Abilities that could not be used, each with the reason.
    fn fallbacks(&self) -> Vec<String>;
}

/// A backend that the table can make.
pub(crate) trait Build: Backend + Sized + 'static {
    /// Must be called on the thread that uses it.
    ///
    /// # Errors
    /// When the kernel does not have it or forbids it, or the targets do not bear it.
    fn new(setup: &Setup) -> io::Result<Self>;
}
