//! The data pointer of commands: Physical Region Pages (4.3), or an SGL Data Block (4.4). The latter is used where the drive takes SGLs,
//! sees the buffer as one run, and would have to fetch a list of PRPs. The buffers of a queue stay where they are, so the lists are made
//! once and commands point into them.

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
    /// Its offset in the region. Bytes.
    at: usize,
    /// Offset of its first list among all lists. Bytes.
    list_at: usize,
}

/// The buffers of all slots: each has one to read into and one to write from.
#[derive(Debug)]
pub(super) struct Prps {
    buffers: Box<[[Buffer; 2]]>,
    /// The drive takes SGLs.
    sgls: bool,
    lists: Option<DmaMemory>,
    data: Mapped,
}

impl Prps {
    /// Maps the region of a layout and makes its lists, unless SGLs describe all buffers.
    ///
    /// # Safety
    /// The region stays mapped in this process as long as the value lives.
    pub(super) unsafe fn new(bus: &Arc<dyn Bus>, layout: &Layout, sgls: bool) -> Result<Self, Error> {
        // SAFETY: as demanded of the caller.
        let data = unsafe { Mapped::new(bus, layout.start, layout.bytes) }?;
        let pages = (layout.largest_bytes as usize).div_ceil(PAGE_BYTES);
        let places = layout.slots.iter().map(|places| offsets(&data, places)).collect::<Result<Vec<_>, _>>()?;
        let sgls_do = sgls && places.iter().flatten().all(|at| data.is_contiguous(*at, pages * PAGE_BYTES));
        let each = if sgls_do { 0 } else { list_bytes(pages) };
        let lists = if each > 0 { Some(DmaMemory::new(bus, 2 * places.len() * each)?) } else { None };
        let mut buffers = Vec::with_capacity(places.len());
        for (slot, both) in places.iter().enumerate() {
            buffers.push([0, 1].map(|side| {
                let (at, offset) = (both[side], (2 * slot + side) * each);
                if let Some(lists) = &lists {
                    fill(lists, offset, pages, |page| data.address(at + page * PAGE_BYTES));
                }
                Buffer { at, list_at: offset }
            }));
        }
        Ok(Self { buffers: buffers.into(), sgls, lists, data })
    }

    /// A command that moves `bytes` from `start` of a slot's buffer on; `side` is 0 for reads and 1 for writes.
    #[inline(never)]
    pub(super) fn filled(&self, command: Command, slot: u32, side: usize, start: u32, bytes: u32) -> Command {
        let buffer = self.buffers[slot as usize][side];
        let at = buffer.at + start as usize;
        let prp1 = self.data.address(at);
        let in_first = PAGE_BYTES as u32 - start % PAGE_BYTES as u32;
        if bytes <= in_first {
            return Command { prp1, ..command };
        }
        let first = start as usize / PAGE_BYTES;
        if bytes <= in_first + PAGE_BYTES as u32 {
            return Command { prp1, prp2: self.data.address(buffer.at + (first + 1) * PAGE_BYTES), ..command };
        }
        match &self.lists {
            Some(lists) if !self.sgls || !self.data.is_contiguous(at, bytes as usize) => {
                let list = first / LIST_STEP * PAGE_BYTES + first % LIST_STEP * 8;
                Command { prp1, prp2: lists.address(buffer.list_at + list), ..command }
            }
            _ => command.with_data_block(prp1, bytes),
        }
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

/// Writes the lists of a buffer, whose pages lie at `address_of`: entry `i` of list `n` is page `n * LIST_STEP + i + 1`.
fn fill(lists: &DmaMemory, offset: usize, pages: usize, address_of: impl Fn(usize) -> u64) {
    for index in 0..list_bytes(pages) / 8 {
        let (list, entry) = (index / LIST_ENTRIES, index % LIST_ENTRIES);
        let value = address_of((list * LIST_STEP + entry + 1).min(pages - 1));
        // SAFETY: the lists were allocated for all buffers, and the drive does not look at them yet.
        unsafe { lists.at(offset + 8 * index).cast::<u64>().write(value) };
    }
}

/// Offsets of both buffers of a slot. Each lies in the region and begins at a page.
fn offsets(data: &Mapped, places: &[*const u8; 2]) -> Result<[usize; 2], Error> {
    let outside = || Error::Unfit("a buffer lies outside of its region".to_owned());
    let offset = |place: *const u8| data.offset_of(place).filter(|at| at.is_multiple_of(PAGE_BYTES)).ok_or_else(outside);
    Ok([offset(places[0])?, offset(places[1])?])
}
