//! Content of a sector: it says by itself who wrote it, again and again.

use crate::cached::medium::SECTOR_BYTES;

const MAGIC: &[u8; 8] = b"tinycut1";

/// Bytes of the words that say who wrote a sector: magic, seed, operation, place.
const HEAD_BYTES: usize = 32;

/// One sector as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sector {
    Zeros,
    /// By this operation of this seed, for this sector of the area.
    Written {
        seed: u64,
        operation: u64,
        index: u64,
    },
    /// Something that was never written.
    Corrupt,
}

/// Content of a sector.
pub fn sector(seed: u64, operation: u64, index: u64) -> Vec<u8> {
    let head = [*MAGIC, seed.to_le_bytes(), operation.to_le_bytes(), index.to_le_bytes()].concat();
    head.repeat(SECTOR_BYTES / HEAD_BYTES)
}

/// Reads one sector.
pub fn read(bytes: &[u8]) -> Sector {
    if bytes == [0; SECTOR_BYTES] {
        return Sector::Zeros;
    }
    let word = |nth: usize| bytes.get(nth * 8..nth * 8 + 8)?.try_into().ok().map(u64::from_le_bytes);
    match (bytes.get(..HEAD_BYTES), word(1), word(2), word(3)) {
        (Some(_), Some(seed), Some(operation), Some(index)) if sector(seed, operation, index) == bytes => {
            Sector::Written { seed, operation, index }
        }
        _ => Sector::Corrupt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_is_known_again_and_any_change_of_it_is_seen() {
        let written = sector(7, 8, 9);
        assert_eq!(read(&written), Sector::Written { seed: 7, operation: 8, index: 9 });
        assert_eq!(read(&[0; SECTOR_BYTES]), Sector::Zeros);
        for at in [0, 8, 31, 32, 511] {
            let mut changed = written.clone();
            changed[at] ^= 1;
            assert_eq!(read(&changed), Sector::Corrupt, "{at}");
        }
    }
}
