//! The content that laying out writes into a file. It does not compress, no two blocks are alike, and each 4 KiB begins with ioproof's mark.

use crate::signs::mark::{MARK, MARK_STRIDE};
use ioproof_core::splitmix::{mixed, next};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signs::mark::empty_or_ours;

    const ID: (u64, u64) = (7, 11);

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
}
