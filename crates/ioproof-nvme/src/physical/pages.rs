//! Physical addresses of this process's memory, from /proc/self/pagemap and /proc/kpageflags (Documentation/admin-guide/mm/pagemap.rst).

use crate::host::bus::{HUGE_PAGES, PAGE_BYTES, Piece};
use std::io;
use std::os::fd::OwnedFd;

/// Number of the page frame, of a page in memory (bits 54:0 of an entry of pagemap). Zero for whoever lacks CAP_SYS_ADMIN.
const FRAME: u64 = (1 << 55) - 1;
/// The page is in memory (bit 63).
const PRESENT: u64 = 1 << 63;
/// A page of hugetlbfs, which stays in its place (`KPF_HUGE`, bit 17 of an entry of kpageflags). Transparent huge pages may move, and have
/// another bit.
const HUGE: u64 = 1 << 17;

/// Both files. Each has 8 bytes for a page.
#[derive(Debug)]
pub(super) struct Pages {
    map: OwnedFd,
    flags: OwnedFd,
}

impl Pages {
    pub(super) fn new(map: OwnedFd, flags: OwnedFd) -> Self {
        Self { map, flags }
    }

    /// The pieces of a range of whole pages, which must all be huge.
    pub(super) fn pieces(&self, start: usize, bytes: usize) -> io::Result<Vec<Piece>> {
        let entries = entries(&self.map, start / PAGE_BYTES, bytes / PAGE_BYTES)?;
        let frames = entries.into_iter().map(frame).collect::<io::Result<Vec<_>>>()?;
        let pieces = joined(&frames);
        for piece in &pieces {
            let flags = entries_of(&self.flags, piece)?;
            if flags.iter().any(|flags| flags & HUGE == 0) {
                return Err(small());
            }
        }
        Ok(pieces)
    }
}

fn entries_of(flags: &OwnedFd, piece: &Piece) -> io::Result<Vec<u64>> {
    entries(flags, piece.address as usize / PAGE_BYTES, piece.bytes / PAGE_BYTES)
}

/// So many entries of a file, from the one with this number on.
fn entries(file: &OwnedFd, first: usize, count: usize) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; count * 8];
    let mut done = 0;
    while done < bytes.len() {
        match rustix::io::pread(file, &mut bytes[done..], (first * 8 + done) as u64)? {
            0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the kernel says nothing about a page")),
            more => done += more,
        }
    }
    Ok(bytes.as_chunks::<8>().0.iter().map(|entry| u64::from_ne_bytes(*entry)).collect())
}

/// The frame of an entry of pagemap.
fn frame(entry: u64) -> io::Result<u64> {
    match entry & FRAME {
        _ if entry & PRESENT == 0 => Err(io::Error::new(io::ErrorKind::InvalidInput, "a page is not in memory")),
        0 => Err(io::Error::new(io::ErrorKind::PermissionDenied, "physical addresses are told to root (CAP_SYS_ADMIN) alone")),
        frame => Ok(frame),
    }
}

/// Frames that follow one another, as pieces.
fn joined(frames: &[u64]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for frame in frames {
        let address = frame * PAGE_BYTES as u64;
        match pieces.last_mut() {
            Some(last) if last.address + last.bytes as u64 == address => last.bytes += PAGE_BYTES,
            _ => pieces.push(Piece { address, bytes: PAGE_BYTES }),
        }
    }
    pieces
}

/// Refusal of memory that the kernel may move.
pub(super) fn small() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is not in huge pages; {HUGE_PAGES}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A file of entries.
    fn file(entries: &[u64]) -> OwnedFd {
        let mut file = tempfile::tempfile().unwrap();
        entries.iter().for_each(|entry| file.write_all(&entry.to_ne_bytes()).unwrap());
        file.into()
    }

    fn page(frame: u64) -> u64 {
        // Soft-dirty and exclusively mapped pages have further bits.
        PRESENT | 1 << 55 | 1 << 56 | frame
    }

    #[test]
    fn an_entry_has_the_frame_in_its_lower_bits() {
        assert_eq!(frame(page(0x12_3456)).unwrap(), 0x12_3456);
        assert_eq!(frame(u64::MAX).unwrap(), (1 << 55) - 1);
        assert_eq!(frame(0x12_3456).unwrap_err().kind(), io::ErrorKind::InvalidInput, "swapped out");
        assert!(frame(page(0)).unwrap_err().to_string().contains("CAP_SYS_ADMIN"));
    }

    #[test]
    fn frames_that_follow_one_another_are_one_piece() {
        let pages = Pages::new(file(&[page(1), page(4), page(5), page(2)]), file(&[0, 0, HUGE, 0, HUGE, HUGE | 1]));
        let piece = |frame: u64, pages: usize| Piece { address: frame * 4096, bytes: pages * 4096 };
        assert_eq!(pages.pieces(0x1000, 0x3000).unwrap(), [piece(4, 2), piece(2, 1)]);
        assert_eq!(pages.pieces(0x2000, 0x1000).unwrap(), [piece(5, 1)]);
    }

    #[test]
    fn memory_outside_of_huge_pages_is_refused_with_what_to_do() {
        let transparent = 1 << 22;
        let pages = Pages::new(file(&[page(0), page(1), page(2)]), file(&[0, HUGE, transparent]));
        let error = pages.pieces(0x1000, 0x2000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert!(error.to_string().contains("sysctl vm.nr_hugepages=64"), "{error}");
        assert_eq!(pages.pieces(0, 0x1000).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(pages.pieces(0x3000, 0x1000).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
