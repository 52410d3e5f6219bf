//! Memory of the process that the scripted controller was given: it touches no other.

use crate::host::bus::Piece;
use std::ptr::NonNull;

/// Mapped pieces: where they are, and how the drive sees them. The host keeps them mapped until it takes them away (`Bus::map`).
#[derive(Debug, Default)]
pub(super) struct Reach {
    pieces: Vec<(NonNull<u8>, Piece)>,
}

// SAFETY: ranges may be used by any thread; who uses what when is settled by the doorbells.
unsafe impl Send for Reach {}

impl Reach {
    pub(super) fn add(&mut self, start: NonNull<u8>, piece: Piece) {
        assert!(piece.address.is_multiple_of(4096) && piece.bytes.is_multiple_of(4096), "no whole pages");
        self.pieces.push((start, piece));
    }

    pub(super) fn remove(&mut self, address: u64, bytes: usize) {
        let index = self.pieces.iter().position(|(_, piece)| *piece == Piece { address, bytes });
        self.pieces.swap_remove(index.expect("a piece that was mapped"));
    }

    pub(super) fn count(&self) -> usize {
        self.pieces.len()
    }

    /// Pointer to memory that the drive may reach.
    fn at(&self, address: u64, bytes: usize) -> *mut u8 {
        let end = address + bytes as u64;
        let inside = |(_, piece): &&(NonNull<u8>, Piece)| address >= piece.address && end <= piece.address + piece.bytes as u64;
        let (start, piece) =
            self.pieces.iter().find(inside).unwrap_or_else(|| panic!("the drive reaches for {bytes} bytes at {address:#x}"));
        // SAFETY: the place lies in the piece.
        unsafe { start.as_ptr().add((address - piece.address) as usize) }
    }

    /// Reads a value without padding.
    pub(super) fn read<T: Copy>(&self, address: u64) -> T {
        // SAFETY: the place is mapped; values are plain numbers and structures of the wire, for which every byte pattern is valid.
        unsafe { self.at(address, size_of::<T>()).cast::<T>().read_volatile() }
    }

    pub(super) fn write<T: Copy>(&self, address: u64, value: T) {
        // SAFETY: the place is mapped and was given to the drive to write.
        unsafe { self.at(address, size_of::<T>()).cast::<T>().write_volatile(value) };
    }

    /// Moves bytes to the host.
    pub(super) fn copy_out(&self, address: u64, from: &[u8]) {
        // SAFETY: the place is mapped, and the host leaves a buffer alone while its command is under way.
        unsafe { self.at(address, from.len()).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
    }

    /// Moves bytes from the host.
    pub(super) fn copy_in(&self, address: u64, to: &mut [u8]) {
        // SAFETY: as above.
        unsafe { to.as_mut_ptr().copy_from_nonoverlapping(self.at(address, to.len()), to.len()) };
    }
}
