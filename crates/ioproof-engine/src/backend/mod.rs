//! The ways to hand I/O to the kernel, behind one small trait that works in batches. README.md says how to add one.

mod bus_error;
mod faulty;
mod libaio;
mod libaio_calls;
mod mapping;
mod mmap;
mod nops;
mod null;
mod posix_aio;
mod probe;
mod psync;
mod pvsync2;
mod ring;
mod serial;
mod synchronous;
#[cfg(test)]
mod tests;
mod uring;
mod uring_abi;

pub(crate) use faulty::Faulty;
pub(crate) use libaio::Libaio;
pub(crate) use mmap::Mmap;
pub(crate) use nops::Nops;
pub(crate) use null::Null;
pub(crate) use posix_aio::PosixAio;
pub use probe::hint_of_io;
pub(crate) use probe::{explain, probe};
pub(crate) use psync::Psync;
pub(crate) use pvsync2::Pvsync2;
pub(crate) use uring::Uring;

use crate::buffers::Buffers;
use ioproof_core::job::{OrderHint, Span};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// Which backend the caller wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendChoice {
    /// io_uring where the kernel allows it and it can do what the job needs, else psync with one thread for each outstanding I/O.
    Auto,
    /// io_uring or an error.
    IoUring,
    /// Linux's own asynchronous I/O: io_submit(2).
    Libaio,
    /// aio_read(3) and its kin: threads of the C library.
    PosixAio,
    /// pread(2) and pwrite(2), one thread for each outstanding I/O.
    Psync,
    /// preadv2(2) and pwritev2(2), one thread for each outstanding I/O; can poll (RWF_HIPRI).
    Pvsync2,
    /// Copies to and from a mapping, one thread for each outstanding I/O.
    Mmap,
    /// No I/O at all: everything is done at once.
    Null,
}

impl BackendChoice {
    /// Its name, as the command line and the record have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::IoUring => "io_uring",
            Self::Libaio => "libaio",
            Self::PosixAio => "posixaio",
            Self::Psync => "psync",
            Self::Pvsync2 => "pvsync2",
            Self::Mmap => "mmap",
            Self::Null => "null",
        }
    }

    /// Whether a worker keeps but one I/O outstanding, so that depth is made of threads.
    pub(crate) fn is_synchronous(self) -> bool {
        matches!(self, Self::Psync | Self::Pvsync2 | Self::Mmap)
    }
}

/// What is done.
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
    /// What the kernel returns when it went well.
    #[inline]
    pub(crate) fn expects(self, bytes: u32) -> i32 {
        if matches!(self, Self::Read | Self::Write) { bytes.cast_signed() } else { 0 }
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

/// What a backend works with.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) targets: &'a [Arc<OwnedFd>],
    pub(crate) buffers: &'a Buffers,
    pub(crate) depth: u32,
    /// Flags of every write as pwritev2(2) takes them: RWF_DSYNC, RWF_SYNC or none.
    pub(crate) write_flags: i32,
    /// Wait for completions by polling the device (IOPOLL, RWF_HIPRI).
    pub(crate) polled: bool,
    /// Let a kernel thread submit (SQPOLL).
    pub(crate) kernel_submits: bool,
    /// The part of each target that I/O falls into.
    pub(crate) span: Span,
    /// What the kernel is told about the order of the I/O.
    pub(crate) order_hint: Option<OrderHint>,
    /// Whether the targets are open for writing.
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

    /// Its name for the record.
    fn name(&self) -> &'static str;

    /// What of the kernel's abilities is in use.
    fn features(&self) -> Vec<String>;

    /// What could not be used, and why.
    fn fallbacks(&self) -> Vec<String>;
}
