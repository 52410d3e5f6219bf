//! The mark that ioproof leaves in what it writes, by which it knows its own content again.

/// The first bytes of every 4 KiB that ioproof writes (and of every block, where blocks are smaller).
///
/// The guard looks for it at multiples of 4 KiB from the start of the device, and of the logical block below that. Content that bears
/// its marks elsewhere is taken for foreign, which is the safe side.
pub const MARK: [u8; 8] = *b"IOPROOF\x01";

/// Distance between marks in bytes.
pub const MARK_STRIDE: usize = 4096;

/// True if a piece of a device (up to 4 KiB, aligned to 4 KiB) holds nothing but zeros and what ioproof wrote.
///
/// A mark at its start covers it all, whatever the pattern; one inside covers the logical blocks that follow without a gap, since
/// ioproof's blocks may be larger than the device's and begin anywhere.
#[must_use]
pub fn empty_or_ours(piece: &[u8], logical_block_bytes: usize) -> bool {
    let mut covered = false;
    let ours = piece.starts_with(&MARK);
    ours || piece.chunks(logical_block_bytes.clamp(512, MARK_STRIDE)).all(|block| {
        let empty = is_empty(block);
        covered = !empty && (covered || block.starts_with(&MARK));
        empty || covered
    })
}

/// True if it is all zeros.
#[must_use]
pub fn is_empty(piece: &[u8]) -> bool {
    const ZEROS: [u8; MARK_STRIDE] = [0; MARK_STRIDE];
    piece.chunks(MARK_STRIDE).all(|part| *part == ZEROS[..part.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_and_marks_are_ours() {
        let mut piece = vec![0u8; 4096];
        assert!(empty_or_ours(&piece, 512));
        piece[1024..1032].copy_from_slice(&MARK);
        piece[1100] = 7;
        assert!(empty_or_ours(&piece, 512), "a block of 512 bytes was written inside");
        assert!(!empty_or_ours(&piece, 4096), "no block of 4 KiB begins there");
        piece[1536] = 7;
        assert!(empty_or_ours(&piece, 512), "a block of 1 KiB was written inside");
        piece[3072] = 1;
        assert!(!empty_or_ours(&piece, 512), "somebody else's after a gap");
        piece[3072] = 0;
        piece[512] = 1;
        assert!(!empty_or_ours(&piece, 512), "somebody else's before ours");
    }

    #[test]
    fn a_mark_covers_its_4_kib_and_a_cut_one_is_foreign() {
        let mut piece = vec![0xa5u8; 4096];
        piece[..8].copy_from_slice(&MARK);
        assert!(empty_or_ours(&piece, 512));
        piece[1024..2048].fill(0);
        assert!(empty_or_ours(&piece, 512), "a pattern with zeros in it");
        piece[7] = 2;
        assert!(!empty_or_ours(&piece, 512));
    }
}
