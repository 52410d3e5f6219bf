//! Linux's own asynchronous I/O, io_submit(2) and io_getevents(2), by its system calls. It is asynchronous only with O_DIRECT: otherwise
//! io_submit(2) itself waits for the I/O.

mod calls;

use super::refusals::NO_SUCH_OPERATION;
use super::row::Refusal;
use super::synchronous::Aside;
use super::{Backend, BackendSetup, Build, Io, IoOperation};
use calls::{AioCommand, AioContext, AioEvent, Block};
use rustix::fs::{OFlags, fcntl_getfl};
use std::io;

/// Errors of the kernel with their remedies.
pub(super) const REFUSALS: &[Refusal] = &[
    (
        libc::EAGAIN,
        "the system's asynchronous I/O is used up: /proc/sys/fs/aio-nr has reached /proc/sys/fs/aio-max-nr; raise it with \
         `sysctl fs.aio-max-nr=1048576`, or ask for less queue depth",
    ),
    (libc::ENOSYS, "this kernel is built without asynchronous I/O (CONFIG_AIO); `--backend psync` works"),
    NO_SUCH_OPERATION,
];

/// Asks the kernel whether it has it and lets this process use it.
///
/// # Errors
/// The kernel's answer.
pub(super) fn available() -> io::Result<()> {
    AioContext::new(1).map(drop)
}

/// One context, with a control block for each slot.
pub(crate) struct Libaio {
    context: AioContext,
    /// Addresses that each slot reads into and writes from.
    addresses: Box<[(u64, u64)]>,
    blocks: Box<[Block]>,
    /// Blocks to be handed over, in their order.
    queued: Vec<*mut Block>,
    /// Handed over and not done.
    outstanding: usize,
    events: Box<[AioEvent]>,
    /// Events that are not reaped.
    done: usize,
    write_flags: i32,
    queues_syncs: bool,
    aside: Aside,
    fallbacks: Vec<String>,
}

impl Build for Libaio {
    fn new(setup: &BackendSetup) -> io::Result<Self> {
        let room = setup.depth as usize;
        let context = AioContext::new(setup.depth)?;
        let slots = (0..setup.depth).map(|s| (setup.buffers.read_at(s) as u64, setup.buffers.write_at(s) as u64));
        let mut libaio = Self {
            queues_syncs: context.knows_syncs(),
            context,
            addresses: slots.collect(),
            blocks: vec![Block::default(); room].into(),
            queued: Vec::with_capacity(room),
            outstanding: 0,
            events: vec![AioEvent::default(); room].into(),
            done: 0,
            write_flags: setup.write_flags,
            aside: Aside::new(setup)?,
            fallbacks: Vec::new(),
        };
        libaio.explain_limits();
        Ok(libaio)
    }
}

impl Libaio {
    fn explain_limits(&mut self) {
        if !self.queues_syncs {
            self.fallbacks.push("syncs: this kernel does not queue them (IOCB_CMD_FDSYNC), so the worker waits for each".into());
        }
        let direct = |fd| fcntl_getfl(fd).is_ok_and(|flags| flags.contains(OFlags::DIRECT));
        if !self.aside.targets.fds().all(direct) {
            self.fallbacks.push("asynchronous I/O: the target is not open with O_DIRECT, so io_submit(2) waits for each I/O".into());
        }
    }

    /// The control block of an I/O; `None` for one that the kernel cannot queue.
    #[inline]
    fn block(&self, io: &Io) -> Option<Block> {
        let (read_into, write_from) = self.addresses[io.slot as usize];
        let (command, address, flags) = match io.operation {
            IoOperation::Read => (AioCommand::Read, read_into, 0),
            IoOperation::Write => (AioCommand::Write, write_from, self.write_flags),
            IoOperation::Datasync if self.queues_syncs => (AioCommand::Datasync, 0, 0),
            IoOperation::Fsync if self.queues_syncs => (AioCommand::Fsync, 0, 0),
            _ => return None,
        };
        let (offset, bytes) = if address == 0 { (0, 0) } else { (io.offset, io.bytes) };
        Some(
            Block::new(command, self.aside.targets.raw_fd(io.target), address, bytes, offset, flags)
                .with_data(io.slot.into())
                .with_priority(io.priority),
        )
    }

    /// Hands over the queued I/Os. One that the kernel has no room for stays queued; one that it refuses is done, with its error.
    fn hand_over(&mut self) {
        let mut first = 0;
        while first < self.queued.len() {
            // SAFETY: the blocks are in a box that does not move, each names its slot's buffer, which outlives the context's use of it, and
            // no slot is queued twice.
            match unsafe { self.context.submit(&mut self.queued[first..]) } {
                Ok(0) | Err(libc::EAGAIN) => break,
                Ok(count) => {
                    first += count;
                    self.outstanding += count;
                }
                Err(errno) => {
                    // SAFETY: the pointer is to one of the blocks, which are not moved or freed while this value lives.
                    let slot = unsafe { (*self.queued[first]).data() } as u32;
                    self.aside.refuse(slot, errno);
                    first += 1;
                }
            }
        }
        self.queued.drain(..first);
    }

    fn collect(&mut self, at_least: usize, wait_ns: u64) -> io::Result<()> {
        let count = self.context.events(at_least, &mut self.events[self.done..], wait_ns)?;
        self.done += count;
        self.outstanding = self.outstanding.saturating_sub(count);
        Ok(())
    }
}

impl Backend for Libaio {
    #[inline]
    fn push(&mut self, io: Io) {
        match self.block(&io) {
            Some(block) => {
                let place = &mut self.blocks[io.slot as usize];
                *place = block;
                self.queued.push(place);
            }
            None => self.aside.push(io),
        }
    }

    #[inline]
    fn submit(&mut self, wait_ns: u64) -> io::Result<()> {
        if !self.queued.is_empty() {
            self.hand_over();
        }
        self.aside.work();
        let wait = wait_ns > 0 && self.done == 0 && !self.aside.has_done();
        match (wait, self.outstanding) {
            (true, _) => self.collect(1, wait_ns),
            (false, 0) => Ok(()),
            (false, _) => self.collect(0, 0),
        }
    }

    #[inline]
    fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let count = std::mem::take(&mut self.done);
        self.events[..count].iter().for_each(|event| done(event.data as u32, event.result as i32));
        self.aside.reap(&mut done);
    }

    fn features(&self) -> Vec<String> {
        self.queues_syncs.then(|| "queued syncs".to_owned()).into_iter().collect()
    }

    fn fallbacks(&self) -> Vec<String> {
        self.fallbacks.clone()
    }
}
