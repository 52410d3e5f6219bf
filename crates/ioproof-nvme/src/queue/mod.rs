//! One worker's pair of queues: the hot path. Nothing here locks, allocates or enters the kernel, except where a drive has stopped answering.
//!
//! A slot is an I/O of the caller with a buffer of its own. It becomes one command, or several where the drive takes no more at once; identifier
//! `slot << shift | part` names each. The slot is done when its last command is.

mod places;
mod prp;
mod ready;
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
use ready::Ready;
use recovery::Watch;
use slots::{Completed, Slots, Waiting};
use split::{Limits, Short};
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
}

impl Operation {
    /// Opcode, flags in dword 12, and which of a slot's buffers, where it moves data.
    #[inline]
    fn transfer(self) -> Option<(u8, u32, usize)> {
        match self {
            Self::Read => Some((nvm::READ, 0, 0)),
            Self::Write { fua } => Some((nvm::WRITE, if fua { FUA } else { 0 }, 1)),
            Self::Flush | Self::Deallocate => None,
        }
    }
}

/// A pair of queues to one namespace.
#[derive(Debug)]
pub struct IoQueue {
    controller: Arc<Controller>,
    namespace: Namespace,
    limits: Limits,
    short: Short,
    number: u16,
    ring: Ring,
    submissions: Doorbell,
    completions: Doorbell,
    prps: Prps,
    ready: Ready,
    ranges: Ranges,
    slots: Slots,
    /// True where commands were queued since the doorbell was rung.
    unrung: bool,
    /// Completions that were taken since the doorbell was rung.
    untold: u16,
    /// Most of them. The drive never has more commands than there is room for their completions beside these.
    untold_max: u16,
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
        let untold_max = untold_max(ring.entries(), commands);
        let slots = slots.with_room(ring.entries() - untold_max);
        // SAFETY: as demanded of the caller.
        let prps = unsafe { Prps::new(controller.bus(), layout, controller.facts().page.takes_sgls) }?;
        let ranges = Ranges::new(controller.bus(), layout.slots.len())?;
        let generation = controller.generation();
        let number = controller.create_pair(&ring)?;
        let [submissions, completions] = controller.doorbells(number);
        let watch = Watch::new(controller.bus().clock_ns(), patience_ns, generation);
        Ok(Self {
            controller: Arc::clone(controller),
            namespace,
            limits,
            short: Short::new(limits, namespace.block_bytes()),
            number,
            ring,
            submissions,
            completions,
            prps,
            ready: Ready::new(layout.slots.len()),
            ranges,
            slots,
            unrung: false,
            untold: 0,
            untold_max,
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
    #[inline(always)]
    pub fn push(&mut self, operation: Operation, slot: u32, offset: u64, bytes: u32) {
        self.push_alike(operation, bytes, &[slot], &[offset]);
    }

    /// Queues I/Os that differ in nothing but their slots, which are free, and their offsets, one for each slot.
    #[inline(always)]
    pub fn push_alike(&mut self, operation: Operation, bytes: u32, slots: &[u32], offsets: &[u64]) {
        let mut at = 0;
        loop {
            let rest = slots.len() - at;
            if let Some(transfer) = operation.transfer()
                && self.short.has_length(bytes)
                && self.slots.has_room(rest)
            {
                at += self.push_short(transfer, bytes, &slots[at..], &offsets[at..]);
            }
            if at == slots.len() {
                return;
            }
            self.push_other(operation, slots[at], offsets[at], bytes);
            at += 1;
        }
    }

    /// Queues I/Os while each is a single command; gives how many. There is room for all.
    #[inline(always)]
    fn push_short(&mut self, (opcode, flags, side): (u8, u32, usize), bytes: u32, slots: &[u32], offsets: &[u64]) -> usize {
        let (short, Namespace { number, block_shift, .. }) = (self.short, self.namespace);
        let dword12 = (bytes >> block_shift).wrapping_sub(1) | flags;
        let mut submissions = self.ring.submissions;
        let (ready, mut of_slots) = (self.ready.all(), self.slots.short());
        let (mut started, most) = (0, slots.len().min(offsets.len()));
        let (bits, good) = short.aligned_bits(bytes).map_or((0, 1), |bits| (bits, 0));
        while started < most {
            let (slot, offset) = (slots[started], offsets[started]);
            if offset & bits != good && !short.has_place(offset, bytes) {
                break;
            }
            let identifier = of_slots.start(slot, bytes);
            let command = &mut ready[slot as usize][side];
            if command.dword12 != dword12 {
                let same = Command { dword12, ..Command::of_blocks(opcode, number, 0, 1) };
                *command = self.prps.filled(same.identified(identifier), slot, side, 0, bytes);
            }
            submissions.push_at(command, offset >> block_shift);
            started += 1;
        }
        self.ring.submissions = submissions;
        self.slots.count(started as u32, 0);
        self.unrung |= started > 0;
        started
    }

    /// Ends an I/O of a slot that is free, for which there is nothing to do.
    pub fn end(&mut self, slot: u32) {
        self.slots.end(slot, 0);
    }

    /// True for whole blocks, at least one, that begin at one.
    fn fits(&self, offset: u64, bytes: u32) -> bool {
        let rest = u64::from(self.namespace.block_bytes() - 1);
        bytes > 0 && (offset | u64::from(bytes)) & rest == 0
    }

    /// Everything else: several commands, no data, or a ring that is full for the moment.
    #[inline(never)]
    fn push_other(&mut self, operation: Operation, slot: u32, offset: u64, bytes: u32) {
        if operation != Operation::Flush && !self.fits(offset, bytes) {
            return self.slots.end(slot, -libc::EINVAL);
        }
        self.slots.begin(slot, operation, offset, bytes);
        let (mut at, mut part) = (0, 0);
        loop {
            let length = match operation {
                Operation::Read | Operation::Write { .. } => self.limits.first(offset + u64::from(at), bytes - at),
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
            && self.slots.has_ring_room()
            && let Some(waiting) = self.slots.next_waiting()
        {
            let command = self.command(&waiting);
            self.ring.submissions.push(command.identified(waiting.identifier));
            self.unrung = true;
        }
    }

    /// The command for a part of an I/O.
    fn command(&mut self, part: &Waiting) -> Command {
        let Namespace { number, block_shift, .. } = self.namespace;
        let Waiting { operation, slot, offset, start, bytes, .. } = *part;
        let first = (offset + u64::from(start)) >> block_shift;
        let blocks = bytes >> block_shift;
        let Some((opcode, flags, side)) = operation.transfer() else {
            return match operation {
                Operation::Deallocate => Command::deallocate(number, self.ranges.put(slot, first, blocks)),
                _ => Command::flush(number),
            };
        };
        let command = Command::of_blocks(opcode, number, first, blocks);
        let command = Command { dword12: command.dword12 | flags, ..command };
        self.prps.filled(command, slot, side, start, bytes)
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
        self.ring.completions.peek().is_some() || self.slots.has_ended()
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
        loop {
            self.reap_short(&mut done);
            self.take_other();
            let Some((slot, result)) = self.slots.take_ended() else { break };
            done(slot, result);
        }
        if self.untold > before {
            self.watch.saw();
            if self.untold >= self.untold_max {
                self.untold = 0;
                self.completions.ring(self.ring.head());
            }
            if self.slots.has_waiting() {
                self.push_waiting();
                self.ring.submit(&self.submissions);
                self.unrung = false;
            }
        }
    }

    /// Passes on I/Os of one command each that went well, up to the first completion of any other.
    #[inline(always)]
    fn reap_short(&mut self, done: &mut impl FnMut(u32, i32)) {
        let (mut completions, mut ended) = (self.ring.completions, 0);
        let mut of_slots = self.slots.short();
        while let Some(completion) = completions.peek()
            && let Some((slot, result)) = of_slots.complete(completion.identifier(), completion.status())
        {
            completions.take();
            ended += 1;
            done(slot, result);
        }
        self.ring.completions = completions;
        self.slots.count(0, ended);
        self.untold += ended as u16;
    }

    /// Takes completions of other I/Os: failed ones, and those of several commands.
    #[inline(never)]
    fn take_other(&mut self) {
        while !self.slots.has_ended()
            && let Some(completion) = self.ring.completions.peek()
        {
            match self.slots.complete_other(completion.identifier(), completion.status()) {
                Completed::Slot(slot, result) => self.slots.end(slot, result),
                Completed::Part => {}
                Completed::Unknown => {
                    self.watch.unknown_identifier = Some(completion.identifier());
                    return;
                }
            }
            self.ring.completions.take();
            self.untold += 1;
        }
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
