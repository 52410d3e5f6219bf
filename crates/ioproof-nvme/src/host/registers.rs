//! The registers of a drive in this process.

use crate::error::Error;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;

/// Registers that every kernel maps, before a table of MSI-X. Bytes.
const SAFE_BYTES: usize = 0x2000;

/// A mapping of registers.
#[derive(Debug)]
pub(crate) struct Registers {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone; registers may be accessed by any thread.
unsafe impl Send for Registers {}
// SAFETY: as above; each access is one volatile load or store.
unsafe impl Sync for Registers {}

impl Registers {
    /// Maps the `whole` bytes of registers that a file has at an offset.
    pub(crate) fn map(file: &OwnedFd, offset: u64, whole: usize) -> Result<Self, Error> {
        if whole < SAFE_BYTES {
            return Err(Error::Unfit("its registers cannot be mapped".to_owned()));
        }
        let what = "map the registers of the drive";
        match Self::map_part(file, offset, whole) {
            // Before Linux 4.16 vfio maps none across a table of MSI-X.
            Err(_) if whole > SAFE_BYTES => Self::map_part(file, offset, SAFE_BYTES).map_err(Error::system(what)),
            other => other.map_err(Error::system(what)),
        }
    }

    fn map_part(file: &OwnedFd, offset: u64, bytes: usize) -> io::Result<Self> {
        let (protection, flags) = (rustix::mm::ProtFlags::READ | rustix::mm::ProtFlags::WRITE, rustix::mm::MapFlags::SHARED);
        // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { rustix::mm::mmap(std::ptr::null_mut(), bytes, protection, flags, file, offset) }?;
        let start = NonNull::new(start.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { start, bytes })
    }

    /// Size of the mapping. Bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads a register of 32 bits.
    pub(crate) fn read32(&self, offset: usize) -> u32 {
        // SAFETY: a register of the mapping.
        u32::from_le(unsafe { self.at(offset).read_volatile() })
    }

    /// Writes a register of 32 bits.
    #[inline]
    pub(crate) fn write32(&self, offset: usize, value: u32) {
        // SAFETY: as above.
        unsafe { self.at(offset).write_volatile(value.to_le()) };
    }

    /// A register of 32 bits.
    #[inline]
    fn at(&self, offset: usize) -> NonNull<u32> {
        assert!(offset + 4 <= self.bytes && offset.is_multiple_of(4), "no register");
        // SAFETY: just checked to lie inside.
        unsafe { self.start.add(offset).cast() }
    }
}

impl Drop for Registers {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own and is not used after the drop.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
