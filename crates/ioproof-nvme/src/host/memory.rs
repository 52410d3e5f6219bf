//! Anonymous memory for queues: of one huge page or several where the administrator set some aside, else of small ones.

use std::io;
use std::ptr::NonNull;

/// The smaller huge page of x86-64. Bytes.
const HUGE_BYTES: usize = 2 << 20;

/// Below this a huge page would be a waste. Bytes.
const WORTH_BYTES: usize = 64 << 10;

/// A mapping that is given back when dropped.
#[derive(Debug)]
pub(super) struct Memory {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone; any thread may use or unmap it.
unsafe impl Send for Memory {}
// SAFETY: a shared reference only gives addresses.
unsafe impl Sync for Memory {}

impl Memory {
    /// At least `bytes` of zeros.
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        if bytes >= WORTH_BYTES
            && let Ok(memory) = Self::huge(bytes)
        {
            return Ok(memory);
        }
        Self::map(bytes.next_multiple_of(super::bus::PAGE_BYTES), libc::MAP_POPULATE)
    }

    /// The same in huge pages that the administrator set aside.
    pub(super) fn huge(bytes: usize) -> io::Result<Self> {
        let memory = Self::map(bytes.next_multiple_of(HUGE_BYTES), libc::MAP_HUGETLB | libc::MAP_HUGE_2MB)?;
        memory.populate()?;
        Ok(memory)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn map(bytes: usize, flags: i32) -> io::Result<Self> {
        // Shared, so that a child of this process never makes a copy that the drive does not see.
        let flags = flags | libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        match NonNull::new(start.cast()) {
            _ if start == libc::MAP_FAILED => Err(io::Error::last_os_error()),
            Some(start) => Ok(Self { start, bytes }),
            None => Err(io::ErrorKind::OutOfMemory.into()),
        }
    }

    /// Makes every page present: of huge pages the mapping alone promises nothing.
    fn populate(&self) -> io::Result<()> {
        // SAFETY: the range is this mapping; the advice changes nothing that it holds.
        match unsafe { libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_POPULATE_WRITE) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own and is not used after the drop.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_whole_pages_and_writable() {
        for bytes in [1, 4096, 100_000, 3 << 20] {
            let memory = Memory::new(bytes).unwrap();
            assert!(memory.bytes() >= bytes && memory.bytes().is_multiple_of(4096) && memory.start().align_offset(4096) == 0);
            // SAFETY: the last byte lies inside and belongs to the test.
            let last = unsafe { memory.start().add(memory.bytes() - 1).as_mut() };
            assert_eq!(std::mem::replace(last, 7), 0);
        }
    }
}
