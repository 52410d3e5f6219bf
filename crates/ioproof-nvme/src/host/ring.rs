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
    submissions: NonNull<Command>,
    completions: NonNull<Completion>,
    entries: u16,
    tail: u16,
    head: u16,
    /// Phase tag of completions that are new; it turns with each round (4.6).
    phase: bool,
    memory: DmaMemory,
}

// SAFETY: the pointers lie in its own memory.
unsafe impl Send for Ring {}

impl Ring {
    /// Empty queues of `entries`, which is at least 2.
    pub(crate) fn new(bus: &Arc<dyn Bus>, entries: u16) -> Result<Self, Error> {
        let of_submissions = Self::submission_bytes(entries);
        let memory = DmaMemory::new(bus, of_submissions + usize::from(entries) * size_of::<Completion>())?;
        let (submissions, completions) = (memory.at(0).cast(), memory.at(of_submissions).cast());
        Ok(Self { submissions, completions, entries, tail: 0, head: 0, phase: true, memory })
    }

    fn submission_bytes(entries: u16) -> usize {
        (usize::from(entries) * size_of::<Command>()).next_multiple_of(PAGE_BYTES)
    }

    pub(crate) fn entries(&self) -> u16 {
        self.entries
    }

    /// The drive's address of the submission queue.
    pub(crate) fn submissions_at(&self) -> u64 {
        self.memory.address(0)
    }

    /// The drive's address of the completion queue.
    pub(crate) fn completions_at(&self) -> u64 {
        self.memory.address(Self::submission_bytes(self.entries))
    }

    /// Queues a command; the drive sees it with the next [`Self::submit`]. The caller keeps less than `entries` outstanding.
    #[inline]
    pub(crate) fn push(&mut self, command: Command) {
        // SAFETY: the tail is below the number of entries, and the drive has read what was there before: fewer commands than entries are outstanding.
        unsafe { self.submissions.add(self.tail.into()).write(command) };
        self.advance();
    }

    /// The same with another first block.
    #[inline]
    pub(crate) fn push_at(&mut self, command: &Command, first: u64) {
        // SAFETY: as above.
        let place = unsafe { self.submissions.add(self.tail.into()).as_mut() };
        *place = *command;
        (place.dword10, place.dword11) = (first as u32, (first >> 32) as u32);
        self.advance();
    }

    #[inline]
    fn advance(&mut self) {
        self.tail = if self.tail + 1 == self.entries { 0 } else { self.tail + 1 };
    }

    /// Shows the drive what was queued.
    #[inline]
    pub(crate) fn submit(&self, doorbell: &Doorbell) {
        doorbell.ring(self.tail);
    }

    /// Value of the submission queue's doorbell.
    pub(crate) fn tail(&self) -> u16 {
        self.tail
    }

    /// Value of the completion queue's doorbell.
    #[inline]
    pub(crate) fn head(&self) -> u16 {
        self.head
    }

    /// The oldest completion that was not taken.
    #[inline]
    pub(crate) fn peek(&self) -> Option<Completion> {
        // SAFETY: the head is below the number of entries. The drive may write at any time, so the read is volatile; the dword with the phase tag is written last.
        let place = unsafe { self.completions.add(self.head.into()) };
        // SAFETY: as above; a dword of an entry.
        let dword3 = unsafe { (&raw const (*place.as_ptr()).dword3).read_volatile() };
        if (dword3 >> 16 & 1 == 1) != self.phase {
            return None;
        }
        fence(Ordering::Acquire);
        // SAFETY: as above. The entry is whole now, and stays until the drive is told that it was taken.
        Some(Completion { dword3, ..unsafe { place.read() } })
    }

    /// Takes the completion that [`Self::peek`] gave.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.head += 1;
        if self.head == self.entries {
            self.head = 0;
            self.phase = !self.phase;
        }
    }
}
