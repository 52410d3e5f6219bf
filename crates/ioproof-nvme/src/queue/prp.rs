//! The data pointer of commands: Physical Region Pages (4.3), or an SGL Data Block (4.4) where the drive takes SGLs and PRPs would need a list, which the drive is
//! then spared to fetch. The buffers of a queue stay where they are, so the lists are made once and commands point into them.

use super::Layout;
use crate::error::Error;
use crate::host::bus::{Bus, DmaMemory, Mapped, PAGE_BYTES};
use crate::wire::Command;
use std::sync::Arc;

/// Entries in a list: one page of them, so that no list needs a chain.
const LIST_ENTRIES: usize = PAGE_BYTES / 8;

/// Pages after which a further list of a long buffer begins. Lists overlap by half, so that a command of at most so many pages finds all of its own in one.
const LIST_STEP: usize = LIST_ENTRIES / 2;

/// Largest transfer of one command. Bytes.
pub(super) const TRANSFER_BYTES_MAX: u32 = (LIST_STEP * PAGE_BYTES) as u32;

/// One buffer as the drive sees it.
#[derive(Debug, Clone, Copy)]
struct Buffer {
    address: u64,
    /// Address of its first list.
    lists: u64,
}

/// The buffers of all slots: each has one to read into and one to write from.
#[derive(Debug)]
pub(super) struct Prps {
    buffers: Box<[[Buffer; 2]]>,
    /// The drive takes SGLs.
    sgls: bool,
    _lists: Option<DmaMemory>,
    _data: Mapped,
}

impl Prps {
    /// Maps the region of a layout and makes its lists, where `sgls` does not do without.
    ///
    /// # Safety
    /// The region stays mapped in this process as long as the value lives.
    pub(super) unsafe fn new(bus: &Arc<dyn Bus>, layout: &Layout, sgls: bool) -> Result<Self, Error> {
        // SAFETY: as demanded of the caller.
        let data = unsafe { Mapped::new(bus, layout.start, layout.bytes) }?;
        let pages = (layout.largest_bytes as usize).div_ceil(PAGE_BYTES);
        let each = if sgls { 0 } else { list_bytes(pages) };
        let count = 2 * layout.slots.len();
        let lists = if each > 0 { Some(DmaMemory::new(bus, count * each)?) } else { None };
        let mut buffers = Vec::with_capacity(layout.slots.len());
        for (slot, places) in layout.slots.iter().enumerate() {
            let mut both = [Buffer { address: 0, lists: 0 }; 2];
            for (side, place) in places.iter().enumerate() {
                let outside = || Error::Unfit("a buffer lies outside of its region".to_owned());
                let address = data.address_of(*place).filter(|address| address % PAGE_BYTES as u64 == 0).ok_or_else(outside)?;
                let offset = (2 * slot + side) * each;
                both[side] = Buffer { address, lists: lists.as_ref().map_or(0, |lists| lists.address(offset)) };
                if let Some(lists) = &lists {
                    fill(lists, offset, address, pages);
                }
            }
            buffers.push(both);
        }
        Ok(Self { buffers: buffers.into(), sgls, _lists: lists, _data: data })
    }

    /// A command that moves `bytes` from `start` of a slot's buffer on; `side` is 0 for reads and 1 for writes.
    #[inline(never)]
    pub(super) fn filled(&self, command: Command, slot: u32, side: usize, start: u32, bytes: u32) -> Command {
        let buffer = self.buffers[slot as usize][side];
        let prp1 = buffer.address + u64::from(start);
        let in_first = PAGE_BYTES as u32 - start % PAGE_BYTES as u32;
        if bytes <= in_first {
            return Command { prp1, ..command };
        }
        let first = start as usize / PAGE_BYTES;
        if bytes <= in_first + PAGE_BYTES as u32 {
            return Command { prp1, prp2: buffer.address + ((first + 1) * PAGE_BYTES) as u64, ..command };
        }
        if self.sgls {
            return command.with_data_block(prp1, bytes);
        }
        let list = first / LIST_STEP * PAGE_BYTES + first % LIST_STEP * 8;
        Command { prp1, prp2: buffer.lists + list as u64, ..command }
    }
}

/// Bytes of the lists of a buffer, such that none crosses a page; none for what two entries reach.
fn list_bytes(pages: usize) -> usize {
    match pages {
        0..=2 => 0,
        _ if pages <= LIST_ENTRIES => (pages * 8).next_power_of_two(),
        _ => pages.div_ceil(LIST_STEP) * PAGE_BYTES,
    }
}

/// Writes the lists of the buffer at `address`: entry `i` of list `n` is page `n * LIST_STEP + i + 1`.
fn fill(lists: &DmaMemory, offset: usize, address: u64, pages: usize) {
    for index in 0..list_bytes(pages) / 8 {
        let (list, entry) = (index / LIST_ENTRIES, index % LIST_ENTRIES);
        let page = (list * LIST_STEP + entry + 1).min(pages - 1);
        let value = address + (page * PAGE_BYTES) as u64;
        // SAFETY: the lists were allocated for all buffers, and the drive does not look at them yet.
        unsafe { lists.at(offset + 8 * index).cast::<u64>().write(value) };
    }
}
