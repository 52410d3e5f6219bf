//! Memory that commands of a queue refer to: the caller's buffers, and ranges to deallocate.

use crate::error::Error;
use crate::host::bus::{Bus, DmaMemory};
use crate::wire::command::Range;
use std::ptr::NonNull;
use std::sync::Arc;

/// The buffers of a queue.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The region that holds them all. It begins at a page.
    pub start: NonNull<u8>,
    /// Its length. Bytes.
    pub bytes: usize,
    /// Of each slot: where it reads into, and where it writes from. Each begins at a page; both may be one place.
    pub slots: Vec<[*const u8; 2]>,
    /// Longest I/O. Bytes.
    pub largest_bytes: u32,
}

/// A range for Dataset Management of each slot.
#[derive(Debug)]
pub(super) struct Ranges {
    memory: DmaMemory,
}

impl Ranges {
    pub(super) fn new(bus: &Arc<dyn Bus>, slots: usize) -> Result<Self, Error> {
        Ok(Self { memory: DmaMemory::new(bus, slots.max(1) * size_of::<Range>())? })
    }

    /// Stores the range of a slot; gives the drive's address of it.
    pub(super) fn put(&mut self, slot: u32, first: u64, blocks: u32) -> u64 {
        let offset = slot as usize * size_of::<Range>();
        // SAFETY: the memory has room for the ranges of all slots, and the slot's command is not under way.
        unsafe { self.memory.at(offset).cast::<Range>().write(Range { attributes: 0, blocks, first }) };
        self.memory.address(offset)
    }
}
