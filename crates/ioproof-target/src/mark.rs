//! The mark that ioproof leaves in what it writes, by which it knows its own content again.

/// The first bytes of every 4 KiB that ioproof writes (and of every block, where blocks are smaller).
///
/// The guard looks for it at multiples of 4 KiB from the start of the device, and of the logical block below that. Content that bears
/// its marks elsewhere is taken for foreign, which is the safe side.
pub const MARK: [u8; 8] = *b"IOPROOF\x01";

/// Distance between marks in bytes.
pub const MARK_STRIDE: usize = 4096;

/// Whether a piece of a device (up to 4 KiB, aligned to 4 KiB) holds nothing but zeros and what ioproof wrote.
#[must_use]
pub fn empty_or_ours(piece: &[u8], logical_block_bytes: usize) -> bool {
    is_empty(piece) || piece.starts_with(&MARK) || piece.chunks(logical_block_bytes.max(512)).all(|b| is_empty(b) || b.starts_with(&MARK))
}

/// Whether it is all zeros.
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
        piece[2048] = 1;
        assert!(!empty_or_ours(&piece, 512), "a byte of somebody else");
    }

    #[test]
    fn a_mark_covers_its_4_kib_and_a_cut_one_is_foreign() {
        let mut piece = vec![0xa5u8; 4096];
        piece[..8].copy_from_slice(&MARK);
        assert!(empty_or_ours(&piece, 512));
        piece[7] = 2;
        assert!(!empty_or_ours(&piece, 512));
    }
}
