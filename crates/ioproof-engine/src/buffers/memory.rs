//! Memory from the kernel, anonymous or of a file; the former aligned to a page and present before it is used; in huge pages where that is wanted and possible.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

/// Size of a huge page that is asked for; on x86-64 the smaller of the two that there are.
const HUGE_BYTES: usize = 2 << 20;

/// A mapping that is given back when dropped.
#[derive(Debug)]
pub(super) struct Memory {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to this value alone; any thread may use or unmap it.
unsafe impl Send for Memory {}

impl Memory {
    /// At least `length` bytes of zeros, and the wish that could not be fulfilled.
    pub(super) fn new(length: usize, huge_pages: bool) -> io::Result<(Self, Option<String>)> {
        if !huge_pages {
            return Ok((Self::map(length, libc::MAP_POPULATE)?, None));
        }
        let length = length.next_multiple_of(HUGE_BYTES);
        match Self::reserved(length) {
            Ok(memory) => Ok((memory, None)),
            Err(refusal) => Self::transparent(length, &refusal),
        }
    }

    /// `length` bytes of a file from `offset` on, shared with it.
    pub(super) fn of_file(file: BorrowedFd<'_>, offset: u64, length: usize) -> io::Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        let (protection, file, offset) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd(), offset.cast_signed());
        // SAFETY: a mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, file, offset) };
        Self::mapped(start, length)
    }

    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Of the huge pages that the administrator set aside.
    fn reserved(length: usize) -> io::Result<Self> {
        let memory = Self::map(length, libc::MAP_HUGETLB | libc::MAP_HUGE_2MB)?;
        memory.populate()?;
        Ok(memory)
    }

    /// Of small pages that the kernel is asked to put together.
    fn transparent(length: usize, refusal: &io::Error) -> io::Result<(Self, Option<String>)> {
        let memory = Self::map(length + HUGE_BYTES, 0)?.aligned(length);
        let asked = memory.advise(libc::MADV_HUGEPAGE);
        memory.populate()?;
        let why = match refusal.raw_os_error() {
            Some(libc::ENOMEM) => "not enough are reserved (vm.nr_hugepages)".to_owned(),
            _ => format!("reserved ones cannot be had ({refusal})"),
        };
        let instead = match asked {
            Ok(()) => "transparent ones were asked for instead".to_owned(),
            Err(error) => format!("nor transparent ones ({error})"),
        };
        Ok((memory, Some(format!("huge pages: {why}; {instead}"))))
    }

    fn map(length: usize, flags: i32) -> io::Result<Self> {
        let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        Self::mapped(start, length)
    }

    /// The answer of mmap(2).
    fn mapped(start: *mut libc::c_void, length: usize) -> io::Result<Self> {
        match NonNull::new(start.cast()) {
            _ if start == libc::MAP_FAILED => Err(io::Error::last_os_error()),
            Some(start) => Ok(Self { start, length }),
            None => Err(io::ErrorKind::OutOfMemory.into()),
        }
    }

    /// Only what begins at a multiple of the huge page's size can be one: of a mapping that is longer by one, the rest is given back.
    fn aligned(self, length: usize) -> Self {
        let before = self.start.align_offset(HUGE_BYTES);
        let after = self.length - length - before;
        // SAFETY: the mapping is one huge page longer than `length`, and `before` is less than that.
        let start = unsafe { self.start.add(before) };
        std::mem::forget(self);
        let kept = Self { start, length };
        // SAFETY: both ends were of the mapping, whose owner is forgotten, are not of what is kept, and were never used.
        unsafe {
            unmap(start.sub(before), before);
            unmap(start.add(length), after);
        }
        kept
    }

    fn advise(&self, advice: i32) -> io::Result<()> {
        // SAFETY: the range is this mapping, and neither of the advices in use changes what it holds.
        match unsafe { libc::madvise(self.start.as_ptr().cast(), self.length, advice) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Makes every page present, so that none is missing in the loop. Unlike MAP_POPULATE it says when that fails, as under a limit of a
    /// control group, where touching the page would end the process.
    fn populate(&self) -> io::Result<()> {
        match self.advise(libc::MADV_POPULATE_WRITE) {
            // Kernels before 5.14 do not know it; there the pages come when they are touched.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            other => other,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own and is not used after the drop.
        unsafe { unmap(self.start, self.length) };
    }
}

/// Gives a range back; of none, nothing.
///
/// # Safety
/// The range must be mapped, and nobody may use it any more.
unsafe fn unmap(start: NonNull<u8>, length: usize) {
    if length > 0 {
        // SAFETY: as demanded of the caller.
        unsafe { libc::munmap(start.as_ptr().cast(), length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(memory: &mut Memory) -> &mut [u8] {
        // SAFETY: the mapping is readable and writable, and borrowed for as long.
        unsafe { std::slice::from_raw_parts_mut(memory.start.as_ptr(), memory.length) }
    }

    #[test]
    fn memory_is_zero_and_can_be_written() {
        let (mut memory, note) = Memory::new(10_000, false).unwrap();
        assert_eq!((memory.start.align_offset(4096), note), (0, None));
        assert!(bytes(&mut memory).iter().all(|b| *b == 0));
        bytes(&mut memory)[9_999] = 1;
    }

    #[test]
    fn huge_pages_are_aligned_and_whole_whether_reserved_or_not() {
        let (mut memory, note) = Memory::new(HUGE_BYTES + 1, true).unwrap();
        assert_eq!((memory.start.align_offset(HUGE_BYTES), memory.length), (0, 2 * HUGE_BYTES));
        bytes(&mut memory).fill(7);
        assert!(note.is_none_or(|n| n.starts_with("huge pages: ") && n.contains("; ")));
    }

    #[test]
    fn without_reserved_pages_transparent_ones_are_asked_for_and_it_is_said_why() {
        let (mut memory, note) = Memory::transparent(HUGE_BYTES, &io::Error::from_raw_os_error(libc::ENOMEM)).unwrap();
        bytes(&mut memory).fill(7);
        assert!(note.unwrap().starts_with("huge pages: not enough are reserved (vm.nr_hugepages); "));
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        assert!(Memory::new(1 << 60, false).is_err() && Memory::new(1 << 60, true).is_err());
    }
}
