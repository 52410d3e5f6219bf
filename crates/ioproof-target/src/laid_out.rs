//! The content that laying out writes into a file: it can be told again, byte by byte, from the file's device and inode and the place in it.
//!
//! It does not compress, no two blocks are alike, and each 4 KiB begins with ioproof's mark. So a file of a run that was killed can be read, and where it
//! holds this and zeros and nothing else, nobody's data is in it.

use crate::mark::{MARK, MARK_STRIDE, is_empty};
use ioproof_core::splitmix::{mixed, next};
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The length of one read. Bytes.
const PIECE_BYTES: usize = 1 << 20;

/// Fills `piece` with what belongs at `offset_bytes` of a file, given by device and inode.
pub fn fill(id: (u64, u64), offset_bytes: u64, piece: &mut [u8]) {
    let stride = MARK_STRIDE as u64;
    let mut at = 0;
    while at < piece.len() {
        let begin = offset_bytes + at as u64;
        let skip = (begin % stride) as usize;
        let length = (MARK_STRIDE - skip).min(piece.len() - at);
        let part = &mut piece[at..at + length];
        if length == MARK_STRIDE {
            fill_block(id, begin / stride, part);
        } else {
            let mut block = [0; MARK_STRIDE];
            fill_block(id, begin / stride, &mut block);
            part.copy_from_slice(&block[skip..skip + length]);
        }
        at += length;
    }
}

/// One whole block: the mark, then numbers that hang on file and place.
fn fill_block((device, inode): (u64, u64), block: u64, out: &mut [u8]) {
    let mut state = mixed(mixed(mixed(device) ^ inode) ^ block);
    for word in out.chunks_exact_mut(8) {
        word.copy_from_slice(&next(&mut state).to_le_bytes());
    }
    out[..MARK.len()].copy_from_slice(&MARK);
}

/// True if a file holds only this and zeros from its beginning to `size_bytes`; false also where `stop` was set.
pub(crate) fn is_all(file: impl AsFd, id: (u64, u64), size_bytes: u64, stop: &AtomicBool) -> io::Result<bool> {
    let (mut read, mut expected) = (vec![0; PIECE_BYTES], vec![0; PIECE_BYTES]);
    let mut at = 0;
    while at < size_bytes {
        let length = (size_bytes - at).min(PIECE_BYTES as u64) as usize;
        let count = match rustix::io::pread(&file, &mut read[..length], at) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        // Somebody makes it shorter while it is read.
        if count == 0 || stop.load(Relaxed) {
            return Ok(false);
        }
        if !is_expected(id, at, &read[..count], &mut expected[..count]) {
            return Ok(false);
        }
        at += count as u64;
    }
    Ok(true)
}

/// Byte by byte: any of them may not have been written, at an end that the file once had or after a power loss.
fn is_expected(id: (u64, u64), at: u64, read: &[u8], expected: &mut [u8]) -> bool {
    if is_empty(read) {
        return true;
    }
    fill(id, at, expected);
    read == expected || read.iter().zip(expected.iter()).all(|(read, expected)| read == expected || *read == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::empty_or_ours;
    use std::os::unix::fs::FileExt;

    const ID: (u64, u64) = (7, 11);

    fn is_ours(file: &std::fs::File, id: (u64, u64)) -> bool {
        is_all(file, id, file.metadata().unwrap().len(), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn any_piece_is_the_same_as_in_the_whole() {
        let mut whole = vec![0; 5 * 4096];
        fill(ID, 0, &mut whole);
        for (begin, length) in [(0, 1), (4096, 4096), (5, 4091), (4000, 8500), (12_288, 8192), (20_479, 1)] {
            let mut piece = vec![0; length];
            fill(ID, begin as u64, &mut piece);
            assert_eq!(piece, whole[begin..begin + length], "{begin}, {length}");
        }
    }

    #[test]
    fn blocks_bear_the_mark_and_differ_from_file_to_file() {
        let (mut one, mut other) = (vec![0; 8192], vec![0; 8192]);
        fill(ID, 0, &mut one);
        fill((7, 12), 0, &mut other);
        assert!(empty_or_ours(&one[..4096], 4096) && empty_or_ours(&one[4096..], 4096));
        assert!(one[8..4096] != one[4104..] && one[8..] != other[8..]);
    }

    #[test]
    fn one_foreign_byte_anywhere_is_seen() {
        let file = tempfile::tempfile().unwrap();
        let mut content = vec![0; (1 << 20) + 5000];
        fill(ID, 0, &mut content);
        file.write_all_at(&content, 0).unwrap();
        assert!(is_ours(&file, ID) && !is_ours(&file, (7, 12)));
        for at in [8, 511, 4095, 4096 + 20, 1 << 20, (1 << 20) + 4999] {
            file.write_all_at(&[content[at] ^ 1], at as u64).unwrap();
            assert!(!is_ours(&file, ID), "{at}");
            file.write_all_at(&content[at..=at], at as u64).unwrap();
        }
        file.write_all_at(&[0; 512], 1024).unwrap();
        file.set_len(4 << 20).unwrap();
        assert!(is_ours(&file, ID), "sectors that were not written, and a hole");
        file.write_all_at(b"x", 3 << 20).unwrap();
        assert!(!is_ours(&file, ID));
    }

    #[test]
    fn whoever_stops_it_gets_no_proof() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4096).unwrap();
        assert!(is_all(&file, ID, 4096, &AtomicBool::new(false)).unwrap());
        assert!(!is_all(&file, ID, 4096, &AtomicBool::new(true)).unwrap());
    }
}
