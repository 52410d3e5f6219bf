//! A submission queue and its completion queue in memory (4.1): tail, head and phase tag. It knows nothing of what the commands are for.

use super::bus::{Bus, DmaMemory, PAGE_BYTES};
use super::doorbell::Doorbell;
use crate::error::Error;
use crate::wire::{Command, Completion};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// A pair of queues of one length. One thread at a time uses it.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Where the next command goes.
    pub(crate) submissions: Submissions,
    /// Where the next completion comes.
    pub(crate) completions: Completions,
    memory: DmaMemory,
}

/// A place in a submission queue. A copy of it may go on, and is put back then: the loops keep it in registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Submissions {
    start: NonNull<Command>,
    entries: u32,
    tail: u32,
}

/// A place in a completion queue; as [`Submissions`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Completions {
    start: NonNull<Completion>,
    entries: u32,
    head: u32,
    /// Phase tag of completions that are new, as bit 16; it turns with each round (4.6).
    phase: u32,
}

/// The phase tag in dword 3 of a completion.
const PHASE: u32 = 1 << 16;

// SAFETY: the pointers lie in its own memory.
unsafe impl Send for Ring {}

impl Ring {
    /// Empty queues of `entries`, which is at least 2.
    pub(crate) fn new(bus: &Arc<dyn Bus>, entries: u16) -> Result<Self, Error> {
        let of_submissions = Self::submission_bytes(entries);
        let of_completions = usize::from(entries) * size_of::<Completion>();
        let memory = DmaMemory::new(bus, of_submissions + of_completions)?;
        // Both are created as contiguous (5.3, 5.4).
        if !memory.is_contiguous(0, of_submissions) || !memory.is_contiguous(of_submissions, of_completions) {
            return Err(Error::Unfit(format!(
                "queues of {entries} entries are not contiguous in memory: take less depth or larger blocks"
            )));
        }
        let entries = u32::from(entries);
        let submissions = Submissions { start: memory.at(0).cast(), entries, tail: 0 };
        let completions = Completions { start: memory.at(of_submissions).cast(), entries, head: 0, phase: PHASE };
        Ok(Self { submissions, completions, memory })
    }

    fn submission_bytes(entries: u16) -> usize {
        (usize::from(entries) * size_of::<Command>()).next_multiple_of(PAGE_BYTES)
    }

    pub(crate) fn entries(&self) -> u16 {
        self.submissions.entries as u16
    }

    /// The drive's address of the submission queue.
    pub(crate) fn submissions_at(&self) -> u64 {
        self.memory.address(0)
    }

    /// The drive's address of the completion queue.
    pub(crate) fn completions_at(&self) -> u64 {
        self.memory.address(Self::submission_bytes(self.entries()))
    }

    /// Shows the drive what was queued.
    #[inline]
    pub(crate) fn submit(&self, doorbell: &Doorbell) {
        doorbell.ring(self.tail());
    }

    /// Value of the submission queue's doorbell.
    #[inline]
    pub(crate) fn tail(&self) -> u16 {
        self.submissions.tail as u16
    }

    /// Value of the completion queue's doorbell.
    #[inline]
    pub(crate) fn head(&self) -> u16 {
        self.completions.head as u16
    }
}

impl Submissions {
    /// Queues a command; the drive sees it with the next [`Ring::submit`]. The caller keeps less than all entries outstanding.
    #[inline]
    pub(crate) fn push(&mut self, command: Command) {
        // SAFETY: the tail is below the number of entries, and the drive has read what was there before: fewer commands than entries are outstanding.
        unsafe { self.start.add(self.tail as usize).write(command) };
        self.advance();
    }

    /// The same with another first block.
    #[inline(always)]
    pub(crate) fn push_at(&mut self, command: &Command, first: u64) {
        // SAFETY: as above.
        let place = unsafe { self.start.add(self.tail as usize).as_mut() };
        *place = *command;
        (place.dword10, place.dword11) = (first as u32, (first >> 32) as u32);
        self.advance();
    }

    #[inline(always)]
    fn advance(&mut self) {
        self.tail = if self.tail + 1 == self.entries { 0 } else { self.tail + 1 };
    }
}

impl Completions {
    /// The oldest completion that was not taken.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<Completion> {
        // SAFETY: the head is below the number of entries. The drive may write at any time, so the read is volatile; the dword with the phase tag is written last.
        let place = unsafe { self.start.add(self.head as usize) };
        // SAFETY: as above; a dword of an entry.
        let dword3 = unsafe { (&raw const (*place.as_ptr()).dword3).read_volatile() };
        if (dword3 ^ self.phase) & PHASE != 0 {
            return None;
        }
        fence(Ordering::Acquire);
        // SAFETY: as above. The entry is whole now, and stays until the drive is told that it was taken.
        Some(Completion { dword3, ..unsafe { place.read() } })
    }

    /// Takes the completion that [`Self::peek`] gave.
    #[inline(always)]
    pub(crate) fn take(&mut self) {
        self.head += 1;
        if self.head == self.entries {
            (self.head, self.phase) = (0, self.phase ^ PHASE);
        }
    }
}
