//! A driver of our own (`ioproof-nvme`): each worker has a pair of queues of each drive, writes commands into memory that the drive reads, and polls
//! for completions. The kernel takes no part; a drive that stops answering is aborted and reset by the driver, and its I/Os fail.

use super::row::Refusal;
use super::{Backend, BackendSetup, Build, Io, IoOperation};
use ioproof_nvme::{IoQueue, Layout, Operation};
use std::io;
use std::ptr::NonNull;

/// Time that one of several drives is waited for before the next is looked at. Nanoseconds.
const TURN_NS: u64 = 5_000;

/// Errors with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[
    (
        libc::ENOMEM,
        "the limit of locked memory is too low for buffers that the drive reaches: raise it (`ulimit -l`, LimitMEMLOCK= of a service), or take \
         less depth or smaller blocks",
    ),
    (libc::ETIMEDOUT, "the drive stopped answering and was reset: `ioproof device unbind` gives it back to the kernel"),
];

/// Queues to the targets of a job.
#[derive(Debug)]
pub(crate) struct Polled {
    queues: Box<[IoQueue]>,
    /// Every write has Force Unit Access.
    fua: bool,
}

impl Build for Polled {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let layout = layout(setup)?;
        // SAFETY: the worker keeps the buffers until after the backend is dropped.
        let queues = setup.targets.iter().map(|target| Ok(unsafe { target.drive()?.queue(&layout, setup.io_timeout_ns) }?));
        let queues = queues.collect::<io::Result<_>>()?;
        let fua = setup.fua || setup.write_flags & (libc::RWF_DSYNC | libc::RWF_SYNC) != 0;
        Ok(Self { queues, fua })
    }
}

/// The buffers of the worker as the driver takes them.
fn layout(setup: &BackendSetup) -> io::Result<Layout> {
    let region = setup.buffers.as_iovec();
    let start = NonNull::new(region.iov_base.cast()).ok_or(io::ErrorKind::InvalidInput)?;
    let slots = (0..setup.depth).map(|slot| [setup.buffers.read_at(slot).cast_const(), setup.buffers.write_at(slot).cast_const()]);
    Ok(Layout { start, bytes: region.iov_len, slots: slots.collect(), largest_bytes: setup.buffers.largest_bytes() })
}

impl Polled {
    /// Waits for any of several drives.
    fn wait(&mut self, wait_ns: u64) -> io::Result<()> {
        let mut left_ns = wait_ns;
        while left_ns > 0 {
            for queue in &mut self.queues {
                queue.submit(left_ns.min(TURN_NS))?;
                left_ns = left_ns.saturating_sub(TURN_NS);
                if queue.is_done() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

impl Backend for Polled {
    /// No call into the kernel: the first waits for some 1,100 instructions until all are queued (docs/performance.md).
    const BATCH: usize = 16;

    #[inline(always)]
    fn push(&mut self, io: Io) {
        if io.operation == IoOperation::RangeSync {
            // It brings a page cache to the drive, and there is none.
            return self.queues[io.target as usize].end(io.slot);
        }
        self.push_alike(io, &[io.slot], &[io.offset]);
    }

    #[inline(always)]
    fn push_alike(&mut self, io: Io, slots: &[u32], offsets: &[u64]) {
        let operation = match io.operation {
            IoOperation::Read => Operation::Read,
            IoOperation::Write => Operation::Write { fua: self.fua },
            IoOperation::Trim => Operation::Deallocate,
            IoOperation::Datasync | IoOperation::Fsync | IoOperation::RangeSync => Operation::Flush,
        };
        self.queues[io.target as usize].push_alike(operation, io.bytes, slots, offsets);
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if let [queue] = &mut *self.queues {
            return Ok(queue.submit(wait_ns)?);
        }
        for queue in &mut self.queues {
            queue.submit(0)?;
        }
        if wait_ns > 0 && !self.queues.iter().any(IoQueue::is_done) { self.wait(wait_ns) } else { Ok(()) }
    }

    #[inline]
    #[expect(clippy::redundant_closure, reason = "a reference to it is called, and not compiled into the loop")]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        for queue in &mut self.queues {
            queue.reap(|slot, result| done(slot, result));
        }
    }

    fn features(&self) -> Vec<String> {
        let mut features = vec!["polled NVMe driver".to_owned()];
        if let Some(queue) = self.queues.first() {
            features.push(format!("queue of {} entries", queue.entries()));
            features.push(format!("commands of up to {} KiB", queue.transfer_bytes() >> 10));
            if queue.controller().facts().shadow_doorbells {
                features.push("shadow doorbells".to_owned());
            }
            if queue.controller().facts().page.takes_sgls {
                features.push("SGLs".to_owned());
            }
            if !queue.controller().is_confined() {
                features.push("no IOMMU".to_owned());
            }
        }
        features
    }

    fn fallbacks(&self) -> Vec<String> {
        Vec::new()
    }
}
