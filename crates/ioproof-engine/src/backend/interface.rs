//! The contract between the loop and a backend: one I/O, the setup that a backend is made from, and the trait that works in batches.

use super::OpenMedium;
use crate::buffers::Buffers;
use crate::slot::IoOperation;
use ioproof_core::faults::Faults;
use ioproof_core::job::{OrderHint, Span};
use ioproof_core::shape::DataCommand;
use std::io;

/// One I/O as a backend is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Io {
    pub(crate) operation: IoOperation,
    /// Names the I/O until it is done, and its buffer.
    pub(crate) slot: u32,
    /// Index among the targets of the setup.
    pub(crate) target: u32,
    pub(crate) bytes: u32,
    pub(crate) offset: u64,
    /// Its priority as the kernel's number, where the backend can tell it; 0: that of the thread.
    pub(crate) priority: u16,
}

/// Everything that a backend is made from.
#[derive(Debug)]
pub(crate) struct BackendSetup<'a> {
    pub(crate) targets: &'a [OpenMedium],
    pub(crate) buffers: &'a Buffers,
    pub(crate) depth: u32,
    /// Flags of every write as pwritev2(2) takes them: RWF_DSYNC, RWF_SYNC or none.
    pub(crate) write_flags: i32,
    /// True where writes are NVMe commands with FUA.
    pub(crate) fua: bool,
    /// NVMe commands of reads and writes.
    pub(crate) command: DataCommand,
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
    /// Time after which a drive that answers nothing is given up. Nanoseconds.
    pub(crate) io_timeout_ns: u64,
    /// Faults to inject, where a backend does.
    pub(crate) faults: Faults,
}

impl<'a> BackendSetup<'a> {
    /// A setup without targets.
    pub(crate) fn without_target(buffers: &'a Buffers, depth: u32, span: Span) -> Self {
        Self {
            targets: &[],
            buffers,
            depth,
            write_flags: 0,
            fua: false,
            command: DataCommand::Transfer,
            polled: false,
            kernel_submits: false,
            span,
            order_hint: None,
            writable: false,
            io_timeout_ns: u64::MAX,
            faults: Faults::default(),
        }
    }
}

/// Queues I/O, hands it to the kernel and collects what is done. At most `depth` I/Os are outstanding, each under its own slot.
pub(crate) trait Backend {
    /// I/Os handed over at once where I/O takes its time. The kernel's path: a drive waits for the first of a batch until the kernel has taken all of it, so few
    /// are better for throughput and latency both (docs/performance.md).
    const BATCH: usize = 8;

    /// Queues one I/O. It is not started before [`Backend::submit`].
    fn push(&mut self, io: Io);

    /// Queues I/Os that are like `io`, a read, write or trim, but for their slots and their offsets, one for each slot.
    #[inline(always)]
    fn push_alike(&mut self, io: Io, slots: &[u32], offsets: &[u64]) {
        let offsets = &offsets[..slots.len()];
        for (at, slot) in slots.iter().enumerate() {
            self.push(Io { slot: *slot, offset: offsets[at], ..io });
        }
    }

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
    fn new(setup: &BackendSetup) -> io::Result<Self>;
}

/// Work done with a backend of any type. It is compiled for each, so that the loop of a worker calls nothing through a pointer.
pub(crate) trait WithBackend {
    type Outcome;

    fn with<B: Build>(self) -> Self::Outcome;
}
