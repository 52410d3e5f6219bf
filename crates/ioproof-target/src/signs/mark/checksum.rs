//! The header of data that was written to be checked: CRC-32C over its 512 bytes, with the four bytes of the checksum as zeros. The engine writes it
//! (`check/header.rs` there) with the CPU's instruction; a look at some thousand blocks needs none.

use super::{MARK, POWER_CUT_MARK, SECTOR_BYTES};

/// The place of the checksum. Bytes.
const AT: usize = 28;

/// CRC-32C of every byte, reflected (RFC 3720, appendix B.4).
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0u32; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// True if 512 bytes bear a mark of ours with a checksum, and the checksum is right.
pub(super) fn is_sealed(sector: &[u8]) -> bool {
    has_header(sector) || is_of_power_cut(sector)
}

/// A sector of a power cut has its checksum at its end.
fn is_of_power_cut(sector: &[u8]) -> bool {
    let Some((content, sum)) = sector.split_last_chunk().filter(|_| sector.len() == SECTOR_BYTES) else { return false };
    content.starts_with(&POWER_CUT_MARK) && u32::from_le_bytes(*sum) == !add(!0, content)
}

fn has_header(sector: &[u8]) -> bool {
    let Some((head, rest)) = sector.split_at_checked(AT + 4).filter(|_| sector.len() == SECTOR_BYTES) else { return false };
    let stored = u32::from_le_bytes([head[AT], head[AT + 1], head[AT + 2], head[AT + 3]]);
    head.starts_with(&MARK) && stored == !add(add(add(!0, &head[..AT]), &[0; 4]), rest)
}

fn add(crc: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(crc, |crc, byte| (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)])
}

#[cfg(test)]
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    !add(!0, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_castagnolis() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa, "RFC 3720, appendix B.4");
    }
}
