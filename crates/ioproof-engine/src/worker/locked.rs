//! Memory that is locked away while a job runs, so that the page cache has less of it, as on a smaller machine.

use std::io;
use std::ptr::NonNull;

/// Memory that is given back when dropped.
#[derive(Debug)]
pub(crate) struct Locked {
    start: NonNull<u8>,
    length: usize,
}

impl Locked {
    /// So many bytes; none of none.
    ///
    /// # Errors
    /// Where there is not so much, or a limit (RLIMIT_MEMLOCK) forbids it.
    pub(crate) fn new(bytes: u64) -> io::Result<Option<Self>> {
        if bytes == 0 {
            return Ok(None);
        }
        let made = Self::map(bytes).and_then(|memory| memory.lock().map(|()| memory));
        made.map(Some).map_err(|error| io::Error::new(error.kind(), format!("{bytes} bytes of memory cannot be locked away: {error}")))
    }

    fn map(bytes: u64) -> io::Result<Self> {
        let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, length })
    }

    /// Makes all of it present and keeps it so.
    fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is this mapping, and locking changes nothing of what it holds.
        match unsafe { libc::mlock(self.start.as_ptr().cast(), self.length) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nobody has a pointer into it. Unmapping unlocks.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_refused_and_nothing_is_nothing() {
        assert!(Locked::new(0).unwrap().is_none());
        assert!(Locked::new(4096).unwrap().is_some_and(|memory| memory.length == 4096));
        let said = Locked::new(1 << 60).unwrap_err().to_string();
        assert!(said.starts_with("1152921504606846976 bytes of memory cannot be locked away: "), "{said}");
    }
}
