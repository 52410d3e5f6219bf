//! The memory that I/O goes through: one region per worker, page-aligned, filled with incompressible data.
//!
//! Each slot has a part to write from and, where the workload also reads, another to read into, so that what was read is never written back.
//! Before every write each 4 KiB gets ioproof's mark and a number of its own, so that no two blocks are equal to a deduplicating layer.

use crate::offsets::Random;
use ioproof_target::mark::{MARK, MARK_STRIDE};
use std::io;
use std::ptr::NonNull;

/// The buffers of one worker. Dropping them while the kernel still works on one is the caller's fault to prevent.
#[derive(Debug)]
pub(crate) struct Buffers {
    region: NonNull<u8>,
    length: usize,
    block: usize,
    /// Distance in slots between a slot's write part and its read part; 0 where one part serves.
    read_shift: usize,
}

// SAFETY: the region belongs to this value alone; it moves to the worker's thread as a whole.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Buffers for `slots` I/Os of `block` bytes.
    ///
    /// # Errors
    /// When the kernel has no memory.
    pub(crate) fn new(slots: usize, block: usize, reads: bool, writes: bool, seed: u64) -> io::Result<Self> {
        let read_shift = if reads && writes { slots } else { 0 };
        let length = (slots + read_shift) * block.next_multiple_of(MARK_STRIDE);
        let region = map(length)?;
        let mut buffers = Self { region, length, block, read_shift };
        if writes {
            buffers.fill(slots * buffers.stride(), seed);
        }
        Ok(buffers)
    }

    fn stride(&self) -> usize {
        self.block.next_multiple_of(MARK_STRIDE)
    }

    /// The whole region, for registering with the kernel.
    pub(crate) fn as_iovec(&self) -> libc::iovec {
        libc::iovec { iov_base: self.region.as_ptr().cast(), iov_len: self.length }
    }

    /// Where slot `slot` reads into.
    #[inline]
    pub(crate) fn read_at(&self, slot: u32) -> *mut u8 {
        self.at(slot as usize + self.read_shift)
    }

    /// Where slot `slot` writes from.
    #[inline]
    pub(crate) fn write_at(&self, slot: u32) -> *mut u8 {
        self.at(slot as usize)
    }

    #[inline]
    fn at(&self, index: usize) -> *mut u8 {
        let offset = index * self.stride();
        assert!(offset + self.block <= self.length, "slot outside the region");
        // SAFETY: just checked to lie inside the region.
        unsafe { self.region.as_ptr().add(offset) }
    }

    /// Marks the block of a slot before it is written; `number` differs for every write of a job.
    #[inline]
    pub(crate) fn stamp(&mut self, slot: u32, number: u64) {
        let start = self.write_at(slot);
        for offset in (0..self.block).step_by(MARK_STRIDE) {
            // SAFETY: a block is at least 512 bytes, so mark and number lie inside the slot's part of the region, which the kernel
            // does not use while the slot is free.
            unsafe {
                start.add(offset).cast::<[u8; 8]>().write(MARK);
                start.add(offset + 8).cast::<u64>().write(number.wrapping_add((offset as u64) << 40));
            }
        }
    }

    fn fill(&mut self, length: usize, seed: u64) {
        let mut random = Random::new(seed);
        for offset in (0..length).step_by(8) {
            // SAFETY: `length` is a multiple of the stride and at most the region's length; the region is aligned to a page.
            unsafe { self.region.as_ptr().add(offset).cast::<u64>().write(random.next()) };
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        // SAFETY: the region was mapped with this length by `map` and is not used after the drop.
        unsafe { libc::munmap(self.region.as_ptr().cast(), self.length) };
    }
}

fn map(length: usize) -> io::Result<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
    // SAFETY: an anonymous mapping at an address of the kernel's choice overlaps nothing.
    let region = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    match region {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        region => NonNull::new(region.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(buffers: &Buffers, slot: u32) -> Vec<u8> {
        // SAFETY: the slot is inside the region and nobody else uses it.
        unsafe { std::slice::from_raw_parts(buffers.write_at(slot), buffers.block) }.to_vec()
    }

    #[test]
    fn every_4_kib_is_marked_and_different() {
        let mut buffers = Buffers::new(2, 16384, false, true, 1).unwrap();
        buffers.stamp(0, 5);
        let first = block(&buffers, 0);
        buffers.stamp(0, 6);
        let second = block(&buffers, 0);
        let chunks: Vec<_> = first.chunks(4096).chain(second.chunks(4096)).collect();
        assert!(chunks.iter().all(|c| c.starts_with(&MARK)));
        for (i, a) in chunks.iter().enumerate() {
            assert!(chunks[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn the_data_has_no_zeros_to_exploit() {
        let buffers = Buffers::new(1, 4096, false, true, 1).unwrap();
        let zeros = block(&buffers, 0).iter().filter(|b| **b == 0).count();
        assert!(zeros < 64, "{zeros} zero bytes of 4096");
    }

    #[test]
    fn a_mix_reads_into_other_memory_than_it_writes_from() {
        let buffers = Buffers::new(4, 512, true, true, 1).unwrap();
        let parts: Vec<_> = (0..4).flat_map(|s| [buffers.write_at(s) as usize, buffers.read_at(s) as usize]).collect();
        for (i, a) in parts.iter().enumerate() {
            assert!(parts[i + 1..].iter().all(|b| a.abs_diff(*b) >= 512));
        }
    }
}
