//! One worker's pair of queues: the hot path. Nothing here locks, allocates or enters the kernel, except where a drive has stopped answering.
//!
//! A slot is an I/O of the caller with a buffer of its own. It becomes one command, or several where the drive takes no more at once; identifier
//! `slot << shift | part` names each. The slot is done when its last command is.

mod places;
mod prp;
mod recovery;
mod slots;
mod split;

use crate::controller::{Controller, Namespace};
use crate::error::Error;
use crate::host::doorbell::Doorbell;
use crate::host::ring::Ring;
use crate::wire::Command;
use crate::wire::command::{FUA, nvm};
pub use places::Layout;
use places::Ranges;
use prp::Prps;
use recovery::Watch;
use slots::Slots;
use split::Limits;
use std::sync::Arc;

/// Most entries of a ring: what a 16-bit index holds with room to spare.
const ENTRIES_MAX: u32 = 32_768;

/// Least entries of a ring, where the drive takes as many: so the doorbell of the completion queue is rung but once for several I/Os of a small depth as well.
const ENTRIES_MIN: u32 = 64;

/// The share of a ring, as a divisor, whose completions may have been taken without the drive knowing of it.
const UNTOLD_SHARE: u16 = 4;

/// Looks at an empty queue between two looks at the clock.
const SPINS: u32 = 64;

/// Kind of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Reads into the slot's first buffer.
    Read,
    /// Writes from the slot's second buffer.
    Write {
        /// Force Unit Access: done when it is durable.
        fua: bool,
    },
    /// Makes all that was written durable.
    Flush,
    /// Tells that blocks are no longer needed.
    Deallocate,
    /// Makes blocks read as zeros.
    WriteZeroes,
}

/// A pair of queues to one namespace.
#[derive(Debug)]
pub struct IoQueue {
    controller: Arc<Controller>,
    namespace: Namespace,
    limits: Limits,
    number: u16,
    ring: Ring,
    submissions: Doorbell,
    completions: Doorbell,
    prps: Prps,
    ranges: Ranges,
    slots: Slots,
    /// True where commands were queued since the doorbell was rung.
    unrung: bool,
    /// Completions that were taken since the doorbell was rung.
    untold: u16,
    /// Most commands that the drive may have at once: there is room for their completions beside those that it was not told of.
    commands_max: u16,
    watch: Watch,
}

impl IoQueue {
    /// A pair of queues for the buffers of a layout, to a namespace of the controller. A drive that is silent for half of `patience_ns` while
    /// commands are outstanding is asked to abort them; after three quarters it is reset.
    ///
    /// # Errors
    /// When the drive refuses, has no queue left, or the buffers cannot be mapped.
    ///
    /// # Safety
    /// The region of the layout stays mapped in this process as long as the queue lives.
    pub unsafe fn new(controller: &Arc<Controller>, namespace: Namespace, layout: &Layout, patience_ns: u64) -> Result<Self, Error> {
        let limits = Limits::new(controller.facts(), &namespace);
        let slots = Slots::new(layout.slots.len(), limits.commands_max(layout.largest_bytes))?;
        let commands = slots.commands() as u32;
        let wanted = (commands * u32::from(UNTOLD_SHARE)).div_ceil(u32::from(UNTOLD_SHARE) - 1).next_power_of_two().max(ENTRIES_MIN);
        let entries = wanted.min(controller.facts().queue_entries_max).min(ENTRIES_MAX);
        let ring = Ring::new(controller.bus(), entries as u16)?;
        let commands_max = ring.entries() - untold_max(ring.entries(), commands);
        // SAFETY: as demanded of the caller.
        let prps = unsafe { Prps::new(controller.bus(), layout) }?;
        let ranges = Ranges::new(controller.bus(), layout.slots.len())?;
        let generation = controller.generation();
        let number = controller.create_pair(&ring)?;
        let [submissions, completions] = controller.doorbells(number);
        let watch = Watch::new(controller.bus().clock_ns(), patience_ns, generation);
        Ok(Self {
            controller: Arc::clone(controller),
            namespace,
            limits,
            number,
            ring,
            submissions,
            completions,
            prps,
            ranges,
            slots,
            unrung: false,
            untold: 0,
            commands_max,
            watch,
        })
    }

    /// The controller that it belongs to.
    #[must_use]
    pub fn controller(&self) -> &Arc<Controller> {
        &self.controller
    }

    /// The namespace that it reads and writes.
    #[must_use]
    pub fn namespace(&self) -> Namespace {
        self.namespace
    }

    /// Entries of each of the two.
    #[must_use]
    pub fn entries(&self) -> u16 {
        self.ring.entries()
    }

    /// Most bytes of one command.
    #[must_use]
    pub fn transfer_bytes(&self) -> u32 {
        self.limits.transfer_bytes
    }

    /// Queues an I/O of a slot that is free. The drive sees it with the next [`Self::submit`].
    #[inline]
    pub fn push(&mut self, operation: Operation, slot: u32, offset: u64, bytes: u32) {
        let is_one = self.limits.first(offset, bytes) == bytes && self.slots.has_room(self.commands_max);
        match operation {
            Operation::Read if is_one => self.push_one(nvm::READ, 0, 0, slot, offset, bytes),
            Operation::Write { fua } if is_one => self.push_one(nvm::WRITE, if fua { FUA } else { 0 }, 1, slot, offset, bytes),
            _ => self.push_other(operation, slot, offset, bytes),
        }
    }

    /// The short way: an I/O that is one command.
    #[inline]
    fn push_one(&mut self, opcode: u8, flags: u32, side: usize, slot: u32, offset: u64, bytes: u32) {
        if !self.fits(offset, bytes) {
            return self.slots.fail(slot, libc::EINVAL);
        }
        let identifier = self.slots.start(slot, bytes);
        let shift = self.namespace.block_shift;
        let (prp1, prp2) = self.prps.of(slot, side, 0, bytes);
        let command = Command::of_blocks(opcode, self.namespace.number, offset >> shift, bytes >> shift).identified(identifier);
        self.ring.push(Command { prp1, prp2, dword12: command.dword12 | flags, ..command });
        self.unrung = true;
    }

    /// True for whole blocks, at least one, that begin at one.
    #[inline]
    fn fits(&self, offset: u64, bytes: u32) -> bool {
        let rest = u64::from(self.namespace.block_bytes() - 1);
        bytes > 0 && (offset | u64::from(bytes)) & rest == 0
    }

    /// Everything else: several commands, no data, or a ring that is full for the moment.
    #[inline(never)]
    fn push_other(&mut self, operation: Operation, slot: u32, offset: u64, bytes: u32) {
        if operation != Operation::Flush && !self.fits(offset, bytes) {
            return self.slots.fail(slot, libc::EINVAL);
        }
        self.slots.begin(slot, operation, offset, bytes);
        let (mut at, mut part) = (0, 0);
        loop {
            let length = match operation {
                Operation::Read | Operation::Write { .. } => self.limits.first(offset + u64::from(at), bytes - at),
                // At most 65536 blocks a command, which matters to Write Zeroes alone.
                Operation::WriteZeroes => (bytes - at).min(self.limits.transfer_bytes),
                Operation::Flush | Operation::Deallocate => bytes - at,
            };
            self.slots.await_room(slot, part, at, length);
            (at, part) = (at + length, part + 1);
            if at >= bytes {
                break;
            }
        }
        self.push_waiting();
    }

    /// Moves commands that wait for room into the ring.
    fn push_waiting(&mut self) {
        while self.slots.has_waiting()
            && self.slots.has_ring_room(self.commands_max)
            && let Some(waiting) = self.slots.next_waiting()
        {
            let command = self.command(&waiting);
            self.ring.push(command.identified(waiting.identifier));
            self.unrung = true;
        }
    }

    /// The command for a part of an I/O.
    fn command(&mut self, part: &slots::Waiting) -> Command {
        let Namespace { number, block_shift, .. } = self.namespace;
        let slots::Waiting { operation, slot, offset, start, bytes, .. } = *part;
        let first = (offset + u64::from(start)) >> block_shift;
        let blocks = bytes >> block_shift;
        let (opcode, flags, side) = match operation {
            Operation::Flush => return Command::flush(number),
            Operation::Deallocate => return Command::deallocate(number, self.ranges.put(slot, first, blocks)),
            Operation::WriteZeroes => return Command::of_blocks(nvm::WRITE_ZEROES, number, first, blocks),
            Operation::Read => (nvm::READ, 0, 0),
            Operation::Write { fua } => (nvm::WRITE, if fua { FUA } else { 0 }, 1),
        };
        let (prp1, prp2) = self.prps.of(slot, side, start, bytes);
        let command = Command::of_blocks(opcode, number, first, blocks);
        Command { prp1, prp2, dword12: command.dword12 | flags, ..command }
    }

    /// Shows the drive what is queued, and waits until something is done or `wait_ns` have gone by; with 0 it does not wait.
    ///
    /// # Errors
    /// When the drive breaks the protocol; what is outstanding is then lost. A drive that is gone or was reset fails its I/Os instead.
    #[inline]
    pub fn submit(&mut self, wait_ns: u64) -> Result<(), Error> {
        if self.unrung {
            self.unrung = false;
            self.ring.submit(&self.submissions);
        }
        if let Some(identifier) = self.watch.unknown_identifier {
            return Err(Error::UnknownIdentifier { queue: self.number, identifier });
        }
        if wait_ns > 0 && !self.is_done() { self.wait(wait_ns) } else { Ok(()) }
    }

    /// True where [`Self::reap`] has something to give.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.ring.peek().is_some() || self.slots.has_ended()
    }

    /// Looks without the processor's hint to a spinning loop (PAUSE): it delays what is seen by up to 140 cycles, and in an emulated machine each traps.
    fn wait(&mut self, wait_ns: u64) -> Result<(), Error> {
        let until_ns = self.controller.bus().clock_ns().saturating_add(wait_ns);
        loop {
            for _ in 0..SPINS {
                if self.is_done() {
                    return Ok(());
                }
            }
            let now_ns = self.controller.bus().clock_ns();
            self.look_after(now_ns);
            if now_ns >= until_ns {
                return Ok(());
            }
        }
    }

    /// Passes on every slot that is done: with the bytes moved (0 but for reads and writes), or the negative errno.
    #[inline]
    pub fn reap(&mut self, mut done: impl FnMut(u32, i32)) {
        let before = self.untold;
        while let Some(completion) = self.ring.peek() {
            let identifier = completion.identifier();
            let status = completion.status();
            let errno = if status.is_good() { 0 } else { status.errno() };
            match self.slots.complete(identifier, errno) {
                slots::Completed::Slot(slot, result) => done(slot, result),
                slots::Completed::Part => {}
                slots::Completed::Unknown => {
                    self.watch.unknown_identifier = Some(identifier);
                    break;
                }
            }
            self.ring.take();
            self.untold += 1;
        }
        if self.untold > before {
            self.watch.saw();
            if self.untold >= self.ring.entries() - self.commands_max {
                self.untold = 0;
                self.completions.ring(self.ring.head());
            }
            if self.slots.has_waiting() {
                self.push_waiting();
                self.ring.submit(&self.submissions);
                self.unrung = false;
            }
        }
        self.slots.take_ended(done);
    }
}

/// Number of completions that are taken before the doorbell is rung. A doorbell costs a write over the bus, in a virtual machine a trap.
/// A ring that is no larger than the number of commands has no room for that: there each completion rings.
fn untold_max(entries: u16, commands: u32) -> u16 {
    let room = u32::from(entries).saturating_sub(commands) as u16;
    (entries / UNTOLD_SHARE).min(room).max(1)
}

impl Drop for IoQueue {
    fn drop(&mut self) {
        self.controller.delete_pair(self.number, self.watch.generation);
    }
}
