//! A piece of the address space that stands for a file: a ring that is shared with the kernel, or the target itself.

use ioproof_core::job::OrderHint;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

/// Memory mapped with mmap(2); unmapped when it is dropped.
#[derive(Debug)]
pub(super) struct MemoryMap {
    start: NonNull<u8>,
    length: usize,
}

impl MemoryMap {
    /// Maps `length` bytes from `offset` on, shared. Both protection and flags are those of mmap(2).
    ///
    /// # Errors
    /// The error of mmap(2).
    pub(super) fn new(fd: BorrowedFd, offset: u64, length: usize, protection: i32, flags: i32) -> io::Result<Self> {
        let flags = flags | libc::MAP_SHARED;
        // SAFETY: a mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, fd.as_raw_fd(), offset.cast_signed()) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length })
    }

    /// Maps `length` bytes of it, from the page at `within` on, once more: there the file has `offset`.
    ///
    /// # Errors
    /// The error of mmap(2); the memory then stays as it was.
    pub(super) fn renew(&self, fd: BorrowedFd, offset: u64, within: usize, length: usize, protection: i32) -> io::Result<()> {
        assert!(within <= self.length && length <= self.length - within, "beyond the mapping");
        let (fd, offset, flags) = (fd.as_raw_fd(), offset.cast_signed(), libc::MAP_SHARED | libc::MAP_FIXED);
        // SAFETY: just checked to lie inside the mapping, of which nobody holds a reference.
        let start = unsafe { libc::mmap(self.start.as_ptr().add(within).cast(), length, protection, flags, fd, offset) };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Tells the kernel in which order it will be used. A kernel that does not want to know reads ahead as it likes.
    pub(super) fn advise(&self, hint: Option<OrderHint>) {
        let advice = match hint {
            None => return,
            Some(OrderHint::Sequential) => libc::MADV_SEQUENTIAL,
            Some(OrderHint::Random) => libc::MADV_RANDOM,
        };
        // SAFETY: the range is this mapping, and neither advice changes what it holds.
        unsafe { libc::madvise(self.start.as_ptr().cast(), self.length, advice) };
    }

    /// The first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Its length. Bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }
}

impl Drop for MemoryMap {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length by `new`, and whoever took a pointer into it holds this value.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}
