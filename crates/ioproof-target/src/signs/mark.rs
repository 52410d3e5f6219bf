//! The mark that ioproof leaves in what it writes, by which it knows its own content again.
//!
//! A mark alone proves eight bytes. What stands behind it counts as ours as far as it can be told: data that was written to be checked has a header with a
//! checksum in every 512 bytes, as the blocks of a power cut have, and each is compared; other data is random, so what is not random behind a mark is somebody else's. Data of others that
//! looks random (compressed, encrypted) behind a mark of ours cannot be told from ours.

mod checksum;
mod random;

pub(crate) use random::looks_random;

/// The first bytes of every 4 KiB that ioproof writes (and of every block, where blocks are smaller).
///
/// The guard looks for it at multiples of 4 KiB from the start of the device, and of the logical block below that. Content that bears
/// its marks elsewhere is taken for foreign, which is the safe side.
pub const MARK: [u8; 8] = *b"IOPROOF\x01";

/// The first bytes of each 512 that are written to be looked for after a power cut; the last four of them are the CRC-32C of all before.
pub const POWER_CUT_MARK: [u8; 8] = *b"iopfcut\x01";

/// Distance between marks in bytes.
pub const MARK_STRIDE: usize = 4096;

/// The length over which a header of checked data has its checksum. Bytes.
const SECTOR_BYTES: usize = 512;

/// The mark and the number behind it, which stand at the start of random data. Bytes.
const STAMP_BYTES: usize = 16;

/// True if a piece of a device (up to 4 KiB, aligned to 4 KiB) holds nothing but zeros and what ioproof wrote, to its last byte.
///
/// A mark covers the sectors that follow it without a gap, and one at the start of the piece all that follow: ioproof's blocks may be larger than the
/// device's and begin anywhere. What is covered must look as what ioproof writes there.
#[must_use]
pub fn empty_or_ours(piece: &[u8], logical_block_bytes: usize) -> bool {
    let block = logical_block_bytes.clamp(SECTOR_BYTES, MARK_STRIDE);
    let marked_at_start = piece.starts_with(&MARK);
    // Checked data has a header in every sector of a block, so beside one header a mark without it was changed.
    let checked = piece.chunks(SECTOR_BYTES).any(checksum::is_sealed);
    let mut cover = Cover::Nothing;
    piece.chunks(SECTOR_BYTES).enumerate().all(|(index, sector)| {
        if is_empty(sector) {
            cover = if marked_at_start { cover } else { Cover::Nothing };
            return true;
        }
        // A checksum tells a header wherever it stands; a mark alone counts where a block may begin.
        let begins = checksum::is_sealed(sector) || sector.starts_with(&MARK) && (index * SECTOR_BYTES).is_multiple_of(block);
        if begins {
            cover = Cover::of(sector, checked);
        }
        match cover {
            Cover::Nothing => false,
            Cover::Itself => begins,
            Cover::Random { .. } if begins => true,
            Cover::Random { extent } => is_like(extent_of(sector), extent) && looks_random(&sector[..extent_of(sector)]),
        }
    })
}

/// True if a sector has as many bytes before its zeros as that with the mark: a few random bytes at the end may be zeros too. Where the data is so
/// compressible that hardly more than the stamp is left, the sector may have less.
fn is_like(extent: usize, marked: usize) -> bool {
    const LAST_ZEROS: usize = 4;
    extent <= marked + LAST_ZEROS && (extent + LAST_ZEROS >= marked || marked <= STAMP_BYTES + LAST_ZEROS)
}

/// The sectors for which a mark stands.
#[derive(Debug, Clone, Copy)]
enum Cover {
    Nothing,
    /// A sector with a header, and no other.
    Itself,
    /// Random data, of which each sector has zeros beyond this many bytes.
    Random {
        extent: usize,
    },
}

impl Cover {
    /// Of a sector that begins with a mark.
    fn of(sector: &[u8], checked: bool) -> Self {
        let body = sector.get(STAMP_BYTES..).unwrap_or_default();
        match () {
            () if checksum::is_sealed(sector) => Self::Itself,
            () if !checked && looks_random(&body[..extent_of(body)]) => Self::Random { extent: extent_of(sector).max(STAMP_BYTES) },
            () => Self::Nothing,
        }
    }
}

/// The length without the zeros at the end: compressible data has its zeros there, in every sector alike.
fn extent_of(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
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
    use proptest::prelude::*;

    /// Random data as it is written in one block.
    fn random(bytes: usize, compressible_percent: usize) -> Vec<u8> {
        let mut block = vec![0; bytes];
        crate::signs::laid_out::fill((7, 11), 0, &mut block);
        for sector in block.chunks_mut(512) {
            let from = 512 - 512 * compressible_percent / 100;
            sector[from..].fill(0);
        }
        block[..8].copy_from_slice(&MARK);
        block[8..16].copy_from_slice(&77u64.to_le_bytes());
        block
    }

    /// A sector with a header, as checked data has it.
    fn sealed(fill: u8) -> Vec<u8> {
        let mut sector = vec![fill; 512];
        sector[..8].copy_from_slice(&MARK);
        sector[28..32].fill(0);
        let sum = checksum::crc32c(&sector);
        sector[28..32].copy_from_slice(&sum.to_le_bytes());
        sector
    }

    #[test]
    fn random_data_of_every_share_of_zeros_is_ours() {
        for percent in [0, 1, 25, 50, 90, 96, 97, 99] {
            assert!(empty_or_ours(&random(4096, percent), 512), "{percent} %");
        }
        let mut piece = vec![0u8; 4096];
        assert!(empty_or_ours(&piece, 512));
        piece[1024..2048].copy_from_slice(&random(1024, 0));
        assert!(empty_or_ours(&piece, 512), "a block of 1 KiB was written inside");
        assert!(!empty_or_ours(&piece, 4096), "no block of 4 KiB begins there");
        piece[3072] = 1;
        assert!(!empty_or_ours(&piece, 512), "somebody else's after a gap");
        piece[3072] = 0;
        piece[512] = 1;
        assert!(!empty_or_ours(&piece, 512), "somebody else's before ours");
    }

    #[test]
    fn what_somebody_wrote_behind_a_mark_is_not_ours() {
        let text = b"Dear diary, today I measured a drive. ".repeat(14);
        let table: Vec<u8> = (0..512u32).flat_map(|i| (i * 3).to_le_bytes()).take(512).collect();
        for other in [&text[..512], &text[..40], &table, &[0x5a; 512], b"x"] {
            for at in (512..4096).step_by(512) {
                let mut piece = random(4096, 0);
                piece[at..at + 512].fill(0);
                piece[at..at + other.len()].copy_from_slice(other);
                assert!(!empty_or_ours(&piece, 512), "at {at}");
            }
        }
        let mut piece = random(4096, 99);
        piece[1024..1024 + 40].copy_from_slice(&text[..40]);
        assert!(!empty_or_ours(&piece, 512), "more than a sector of such data has");
    }

    #[test]
    fn a_cut_mark_is_foreign_and_a_mark_before_nothing_random_too() {
        let mut piece = random(4096, 0);
        piece[7] = 2;
        assert!(!empty_or_ours(&piece, 512));
        let mut piece = vec![0xa5u8; 4096];
        piece[..8].copy_from_slice(&MARK);
        assert!(!empty_or_ours(&piece, 512));
    }

    #[test]
    fn a_checksum_tells_ours_on_drives_of_large_blocks_too_and_of_a_power_cut() {
        let mut cut = vec![0x33; 512];
        cut[..8].copy_from_slice(&POWER_CUT_MARK);
        let sum = checksum::crc32c(&cut[..508]);
        cut[508..].copy_from_slice(&sum.to_le_bytes());
        for sector in [sealed(9), cut] {
            let mut piece = sector.repeat(8);
            assert!(empty_or_ours(&piece, 4096) && empty_or_ours(&piece, 512));
            piece[512..1024].fill(0);
            assert!(empty_or_ours(&piece, 4096), "a piece that was trimmed");
            piece[600] = 1;
            assert!(!empty_or_ours(&piece, 4096));
            piece[512..1024].copy_from_slice(&sector);
            piece[700] ^= 1;
            assert!(!empty_or_ours(&piece, 4096), "one byte was changed");
        }
    }

    #[test]
    fn every_header_is_compared() {
        let piece: Vec<u8> = (0..8).flat_map(|i| sealed(i * 30)).collect();
        assert!(empty_or_ours(&piece, 512) && empty_or_ours(&piece[..1024], 512));
        for at in [9, 511, 512, 520, 2048 + 100, 4095] {
            let mut changed = piece.clone();
            changed[at] ^= 1;
            assert!(!empty_or_ours(&changed, 512), "byte {at}");
        }
        let mut half = piece.clone();
        half[2048..].copy_from_slice(&random(4096, 0)[2048..]);
        assert!(!empty_or_ours(&half, 512), "what follows a header has one itself");
    }

    proptest! {
        #[test]
        fn random_data_is_never_taken_for_foreign(seed: u64) {
            let mut piece = vec![0; 4096];
            crate::signs::laid_out::fill((seed, 1), seed / 4096 * 4096, &mut piece);
            prop_assert!(empty_or_ours(&piece, 512));
        }

        #[test]
        fn any_piece_can_be_judged(bytes in proptest::collection::vec(any::<u8>(), 0..1100), marked: bool) {
            let mut bytes = bytes;
            if marked && bytes.len() >= 8 {
                bytes[..8].copy_from_slice(&MARK);
            }
            let _ = empty_or_ours(&bytes, 512);
        }
    }
}
