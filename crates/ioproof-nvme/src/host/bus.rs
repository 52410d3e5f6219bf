//! The way to a controller: registers, and memory that both sides see. A real drive is behind vfio or behind no IOMMU, that of tests is
//! scripted.

use super::memory::Memory;
use crate::error::Error;
use std::fmt;
use std::io;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// Sleep between two looks at a register that is waited for.
const PAUSE: Duration = Duration::from_micros(50);

/// Access to one controller. Everything but doorbells is used outside of the hot path.
pub trait Bus: Send + Sync + fmt::Debug {
    /// Reads a 32-bit register; all ones where the drive is gone.
    fn read32(&self, offset: usize) -> u32;

    /// Writes a 32-bit register.
    fn write32(&self, offset: usize, value: u32);

    /// Size of the register space. Bytes.
    fn register_bytes(&self) -> usize;

    /// Lets the drive reach memory of this process. Gives the pieces of the range as the drive sees them, in their order. Start and
    /// length are multiples of a page.
    ///
    /// # Errors
    /// When the kernel refuses: ENOMEM where the limit of locked memory is too low. Where the drive is not confined, also when the memory
    /// is not in huge pages.
    ///
    /// # Safety
    /// The range is mapped, and stays so until it is unmapped here.
    unsafe fn map(&self, start: NonNull<u8>, bytes: usize) -> io::Result<Vec<Piece>>;

    /// Takes a piece of memory away from the drive.
    fn unmap(&self, address: u64, bytes: usize);

    /// True where the drive reaches no memory but what it is given. Where it is not confined, memory must be in huge pages, which stay in
    /// their place.
    fn is_confined(&self) -> bool {
        true
    }

    /// Cuts the drive off from all memory, before some is given back that it may still use. A confined drive needs none of this: what is
    /// unmapped it no longer reaches.
    fn cut_off(&self) {}

    /// A clock that only goes forward. Nanoseconds.
    fn clock_ns(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
    }

    /// Passes a little time while a register is waited for.
    fn pause(&self) {
        std::thread::sleep(PAUSE);
    }
}

/// A part of a range of memory that is contiguous for the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The drive's address of it.
    pub address: u64,
    /// Its length. Bytes.
    pub bytes: usize,
}

/// Reads a 64-bit register as two halves, which every controller allows (3.1).
pub(crate) fn read64(bus: &dyn Bus, offset: usize) -> u64 {
    u64::from(bus.read32(offset)) | u64::from(bus.read32(offset + 4)) << 32
}

/// Writes a 64-bit register, the lower half first.
pub(crate) fn write64(bus: &dyn Bus, offset: usize, value: u64) {
    bus.write32(offset, value as u32);
    bus.write32(offset + 4, (value >> 32) as u32);
}

/// Memory of somebody else that the drive reaches as long as this value lives.
#[derive(Debug)]
pub(crate) struct Mapped {
    bus: Arc<dyn Bus>,
    start: NonNull<u8>,
    pieces: Box<[Piece]>,
}

// SAFETY: the value only knows where the memory is; mapping and unmapping may be done by any thread.
unsafe impl Send for Mapped {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps a range, widened to whole pages.
    ///
    /// # Safety
    /// The range stays mapped in this process as long as the value lives.
    pub(crate) unsafe fn new(bus: &Arc<dyn Bus>, start: NonNull<u8>, bytes: usize) -> Result<Self, Error> {
        let bytes = bytes.next_multiple_of(PAGE_BYTES);
        // SAFETY: as demanded of the caller.
        let pieces = unsafe { bus.map(start, bytes) }.map_err(Error::system("let the drive reach memory"))?;
        Ok(Self { bus: Arc::clone(bus), start, pieces: pieces.into() })
    }

    /// Offset of a place in the range; `None` outside of it.
    pub(crate) fn offset_of(&self, place: *const u8) -> Option<usize> {
        let offset = place.addr().checked_sub(self.start.addr().get())?;
        self.run(offset).map(|_| offset)
    }

    /// The drive's address at an offset. The caller keeps to the range.
    pub(crate) fn address(&self, offset: usize) -> u64 {
        self.run(offset).expect("an offset inside of the range").address
    }

    /// True where the drive sees so many bytes at an offset as one run.
    pub(crate) fn is_contiguous(&self, offset: usize, bytes: usize) -> bool {
        self.run(offset).is_some_and(|run| bytes <= run.bytes)
    }

    /// The rest of a piece from an offset on.
    fn run(&self, offset: usize) -> Option<Piece> {
        let mut inside = offset;
        for piece in &self.pieces {
            if inside < piece.bytes {
                return Some(Piece { address: piece.address + inside as u64, bytes: piece.bytes - inside });
            }
            inside -= piece.bytes;
        }
        None
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        for piece in &self.pieces {
            self.bus.unmap(piece.address, piece.bytes);
        }
    }
}

/// A memory page of the controller (`CC.MPS`). Bytes.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Remedy where huge pages are missing for a drive that is not confined.
pub(crate) const HUGE_PAGES: &str =
    "memory of a drive behind no IOMMU must stay in its place; reserve huge pages by `sysctl vm.nr_hugepages=64`";

/// Memory of ours that the drive reaches: zeros at first, in a huge page where there is one.
#[derive(Debug)]
pub struct DmaMemory {
    // Unmapped from the drive before it is given back: fields are dropped in this order.
    mapped: Mapped,
    memory: Memory,
}

impl DmaMemory {
    /// At least `bytes` of zeros.
    pub(crate) fn new(bus: &Arc<dyn Bus>, bytes: usize) -> Result<Self, Error> {
        let memory = if bus.is_confined() { Memory::new(bytes) } else { Memory::huge(bytes) };
        let memory = memory.map_err(|cause| match bus.is_confined() {
            true => Error::System { what: "get memory for queues", cause },
            false => Error::Unfit(format!("no huge page for a queue ({cause}): {HUGE_PAGES}")),
        })?;
        // SAFETY: the memory is dropped after the mapping.
        let mapped = unsafe { Mapped::new(bus, memory.start(), memory.bytes()) }?;
        Ok(Self { mapped, memory })
    }

    /// Address of this process at an offset. The caller keeps to the size that it asked for.
    pub(crate) fn at(&self, offset: usize) -> NonNull<u8> {
        assert!(offset < self.memory.bytes(), "outside of the memory");
        // SAFETY: just checked to lie inside.
        unsafe { self.memory.start().add(offset) }
    }

    /// The drive's address at an offset.
    pub(crate) fn address(&self, offset: usize) -> u64 {
        self.mapped.address(offset)
    }

    /// True where the drive sees so many bytes at an offset as one run.
    pub(crate) fn is_contiguous(&self, offset: usize, bytes: usize) -> bool {
        self.mapped.is_contiguous(offset, bytes)
    }

    /// Copies a page out of it, after the drive has written it.
    pub(crate) fn page(&self, offset: usize) -> [u8; PAGE_BYTES] {
        assert!(offset + PAGE_BYTES <= self.memory.bytes(), "outside of the memory");
        // SAFETY: the page lies inside, and the drive is done with it.
        unsafe { self.at(offset).cast::<[u8; PAGE_BYTES]>().read_volatile() }
    }
}
