//! The header in every 512 bytes that are written to be checked, by which a reader knows what stands there and whether it is whole.
//!
//! All numbers are little-endian.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | ioproof's mark, by which the write rule knows its own |
//! | 8 | 8 | seed: which run wrote it |
//! | 16 | 8 | where it was to be written: bytes from the start of the target |
//! | 24 | 4 | sequence number of the write |
//! | 28 | 4 | CRC-32C of the 512 bytes, with these four as zeros |
//! | 32 | 480 | data |

use ioproof_target::mark::MARK;

/// Bytes that bear one header.
pub(crate) const PIECE_BYTES: usize = 512;

/// Which write a piece is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) seed: u64,
    /// Offset that it was written for. Bytes.
    pub(crate) offset: u64,
    pub(crate) sequence: u32,
}

/// Reasons why a piece has no header that can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    NoMark,
    Checksum { stored: u32, computed: u32 },
}

/// Puts a header into every 512 bytes of a block; `first` is that of the first, the others differ in the offset.
#[inline]
pub(crate) fn seal(block: &mut [u8], first: Header) {
    for (piece, index) in block.as_chunks_mut::<PIECE_BYTES>().0.iter_mut().zip(0u64..) {
        seal_piece(piece, Header { offset: first.offset.wrapping_add(index * PIECE_BYTES as u64), ..first });
    }
}

#[inline]
fn seal_piece(piece: &mut [u8; PIECE_BYTES], header: Header) {
    let words = piece.as_chunks_mut::<8>().0;
    words[0] = MARK;
    words[1] = header.seed.to_le_bytes();
    words[2] = header.offset.to_le_bytes();
    words[3] = u64::from(header.sequence).to_le_bytes();
    let checksum = crc32c::crc32c(piece);
    piece[28..32].copy_from_slice(&checksum.to_le_bytes());
}

/// The header of a piece, if its mark and checksum are right.
#[inline]
pub(super) fn open(piece: &[u8; PIECE_BYTES]) -> Result<Header, Flaw> {
    let words = piece.as_chunks::<8>().0;
    if words[0] != MARK {
        return Err(Flaw::NoMark);
    }
    let last = u64::from_le_bytes(words[3]);
    let (sequence, stored) = (last as u32, (last >> 32) as u32);
    let computed = checksum(piece);
    if stored != computed {
        return Err(Flaw::Checksum { stored, computed });
    }
    Ok(Header { seed: u64::from_le_bytes(words[1]), offset: u64::from_le_bytes(words[2]), sequence })
}

/// Over the piece with the checksum's own place as zeros.
#[inline]
fn checksum(piece: &[u8; PIECE_BYTES]) -> u32 {
    let mut head = [0; 32];
    head[..28].copy_from_slice(&piece[..28]);
    crc32c::crc32c_append(crc32c::crc32c(&head), &piece[32..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: Header = Header { seed: 0x0102_0304_0506_0708, offset: 0x1112_1314_1516_1718, sequence: 0x2122_2324 };

    #[test]
    fn the_layout_is_as_documented() {
        let mut piece = [0xa5; PIECE_BYTES];
        seal(&mut piece, HEADER);
        assert_eq!(piece[..8], MARK);
        assert_eq!(piece[8..16], [8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(piece[16..24], [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]);
        assert_eq!(piece[24..28], [0x24, 0x23, 0x22, 0x21]);
        assert!(piece[32..].iter().all(|b| *b == 0xa5));
        assert_eq!(open(&piece), Ok(HEADER));
    }

    #[test]
    fn the_checksum_is_castagnolis() {
        // Bit by bit as the polynomial says (RFC 3720, appendix B.4 has the check value of nine digits).
        let slow = |bytes: &[u8]| {
            !bytes.iter().fold(!0u32, |crc, byte| {
                (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0x82f6_3b78 } else { c >> 1 })
            })
        };
        assert_eq!(slow(b"123456789"), 0xe306_9283);
        let mut piece: [u8; PIECE_BYTES] = std::array::from_fn(|i| i as u8);
        seal(&mut piece, HEADER);
        let stored = u32::from_le_bytes([piece[28], piece[29], piece[30], piece[31]]);
        piece[28..32].fill(0);
        assert_eq!(stored, slow(&piece));
    }

    #[test]
    fn pieces_of_a_block_differ_in_their_offset() {
        let mut block = [0; 2048];
        seal(&mut block, Header { offset: 4096, ..HEADER });
        let offsets: Vec<u64> = block.as_chunks().0.iter().map(|piece| open(piece).unwrap().offset).collect();
        assert_eq!(offsets, [4096, 4608, 5120, 5632]);
    }

    proptest! {
        #[test]
        fn anything_can_be_opened(bytes: [u8; 32], rest: u8, marked: bool) {
            let mut piece = [rest; PIECE_BYTES];
            piece[..32].copy_from_slice(&bytes);
            if marked {
                piece[..8].copy_from_slice(&MARK);
            }
            prop_assert!(open(&piece).is_err(), "a checksum right by accident");
        }

        #[test]
        fn a_change_of_any_byte_is_seen(at in 0..PIECE_BYTES, change in 1u8..) {
            let mut piece = [0x5a; PIECE_BYTES];
            seal(&mut piece, HEADER);
            piece[at] ^= change;
            prop_assert!(open(&piece).is_err());
        }
    }
}
