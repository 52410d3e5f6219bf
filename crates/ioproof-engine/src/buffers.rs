//! The memory that I/O goes through: one region per worker, with a part for each slot.
//!
//! Each slot has a part to write from and, where the workload also reads, another to read into, so that what was read is never written back.
//! `data` says what is written, `check` what its headers are, `memory` where the region comes from.

mod memory;

use crate::check::{Header, seal};
use crate::data::Source;
use ioproof_core::job::JobSpec;
use ioproof_core::shape::{Data, DataCommand};
use ioproof_core::workload::Workload;
use ioproof_target::mark::MARK_STRIDE;
use memory::Memory;
use std::io;
use std::os::fd::BorrowedFd;

/// The buffers of one worker. Dropping them while the kernel still works on one is the caller's fault to prevent.
#[derive(Debug)]
pub(crate) struct Buffers {
    memory: Memory,
    length: usize,
    /// Distance between two parts.
    stride: usize,
    largest: usize,
    /// Distance in slots between a slot's write part and its read part; 0 where one part serves.
    read_shift: usize,
    source: Source,
    note: Option<String>,
}

/// Bytes that the buffers of all workers of a job take.
#[must_use]
pub fn buffer_bytes(spec: &JobSpec) -> u64 {
    let w = &spec.workload;
    let [reads, writes] = parts_of(w);
    let layout = Layout::new(w.depth as usize, w.largest_block_bytes() as usize, reads, writes);
    layout.map_or(u64::MAX, |layout| (layout.length as u64).saturating_mul(w.workers.into()))
}

/// Parts of a slot: one to read into, one to write from. A Compare needs the second alone: the drive reads the expected data from it.
pub(crate) fn parts_of(workload: &Workload) -> [bool; 2] {
    let compares = workload.shape.data.command == DataCommand::Compare;
    [workload.read_percent > 0 && !compares, workload.writes() || compares]
}

/// Parts of a worker's region.
struct Layout {
    slots: usize,
    length: usize,
    stride: usize,
    largest: usize,
    read_shift: usize,
}

impl Layout {
    fn new(slots: usize, largest: usize, reads: bool, writes: bool) -> io::Result<Self> {
        let read_shift = if reads && writes { slots } else { 0 };
        let stride = largest.next_multiple_of(MARK_STRIDE);
        let length = (slots + read_shift).checked_mul(stride).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { slots, length, stride, largest, read_shift })
    }
}

impl Buffers {
    /// Memory for `slots` I/Os of at most `largest_bytes`; a slot has a part to write from and, where the job also reads, another to read into.
    ///
    /// # Errors
    /// When the kernel has no memory.
    pub(crate) fn new(
        slots: usize,
        largest_bytes: usize,
        reads: bool,
        writes: bool,
        data: &Data,
        huge_pages: bool,
        seed: u64,
    ) -> io::Result<Self> {
        let layout = Layout::new(slots, largest_bytes, reads, writes)?;
        let (memory, note) = Memory::new(layout.length, huge_pages)?;
        Ok(Self::filled(layout, memory, note, writes, Source::new(data, seed)))
    }

    /// The same in a file, of which worker `worker` has the part of that number.
    ///
    /// # Errors
    /// When the file cannot be mapped.
    pub(crate) fn in_file(
        (file, worker): (BorrowedFd<'_>, u64),
        slots: usize,
        largest_bytes: usize,
        reads: bool,
        writes: bool,
        data: &Data,
        seed: u64,
    ) -> io::Result<Self> {
        let layout = Layout::new(slots, largest_bytes, reads, writes)?;
        let memory = Memory::of_file(file, worker * layout.length as u64, layout.length)?;
        Ok(Self::filled(layout, memory, None, writes, Source::new(data, seed)))
    }

    fn filled(layout: Layout, memory: Memory, note: Option<String>, writes: bool, source: Source) -> Self {
        let Layout { slots, length, stride, largest, read_shift } = layout;
        let mut buffers = Self { memory, length, stride, largest, read_shift, source, note };
        for slot in 0..if writes { slots as u32 } else { 0 } {
            let (part, source) = buffers.write_part(slot, largest as u32);
            source.fill(part);
        }
        buffers
    }

    /// Wishes that could not be fulfilled, for the record.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.note.iter().cloned().collect()
    }

    /// The whole region, for registering with the kernel.
    pub(crate) fn as_iovec(&self) -> libc::iovec {
        libc::iovec { iov_base: self.memory.start().as_ptr().cast(), iov_len: self.length }
    }

    /// The parts of the region in their order, each as long as the largest I/O.
    pub(crate) fn parts(&self) -> Vec<libc::iovec> {
        let parts = (0..self.length / self.stride.max(1)).map(|part| self.at(part).cast());
        parts.map(|iov_base| libc::iovec { iov_base, iov_len: self.largest }).collect()
    }

    /// The place among the parts of that which a slot reads into, and of that which it writes from.
    pub(crate) fn places(&self, slot: u32) -> [usize; 2] {
        [slot as usize + self.read_shift, slot as usize]
    }

    /// The largest I/O. Bytes.
    pub(crate) fn largest_bytes(&self) -> u32 {
        self.largest as u32
    }

    /// Address that slot `slot` reads into.
    #[inline]
    pub(crate) fn read_at(&self, slot: u32) -> *mut u8 {
        self.at(slot as usize + self.read_shift)
    }

    /// Address that slot `slot` writes from.
    #[inline]
    pub(crate) fn write_at(&self, slot: u32) -> *mut u8 {
        self.at(slot as usize)
    }

    #[inline]
    fn at(&self, index: usize) -> *mut u8 {
        let offset = index * self.stride;
        assert!(offset + self.largest <= self.length, "slot outside the region");
        // SAFETY: just checked to lie inside the region.
        unsafe { self.memory.start().as_ptr().add(offset) }
    }

    /// The bytes that slot `slot` has read; the slot's I/O must be done.
    #[inline]
    pub(crate) fn read_part(&self, slot: u32, bytes: u32) -> &[u8] {
        assert!(bytes as usize <= self.largest, "longer than an I/O");
        // SAFETY: `at` checked that the part lies inside the region, and as the I/O is done, nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.read_at(slot), bytes as usize) }
    }

    #[inline]
    fn write_part(&mut self, slot: u32, bytes: u32) -> (&mut [u8], &mut Source) {
        assert!(bytes as usize <= self.largest, "longer than an I/O");
        // SAFETY: `at` checked that the part lies inside the region; the kernel does not use it while the slot is free, and this borrow is
        // the only one.
        let part = unsafe { std::slice::from_raw_parts_mut(self.write_at(slot), bytes as usize) };
        (part, &mut self.source)
    }

    /// Makes the block of a free slot ready for a write without headers; `number` differs for every write of a job.
    #[inline]
    pub(crate) fn prepare(&mut self, slot: u32, bytes: u32, offset: u64, number: u64) {
        let (part, source) = self.write_part(slot, bytes);
        source.renew(part, offset, number);
    }

    /// Makes the block of a free slot ready for a write with headers: one goes into every 512 bytes, which else stay as they were at first.
    #[inline]
    pub(crate) fn prepare_checked(&mut self, slot: u32, bytes: u32, offset: u64, sequence: u32, seed: u64) {
        let (part, _) = self.write_part(slot, bytes);
        seal(part, Header { seed, offset, sequence });
    }
}

#[cfg(test)]
mod tests;
