//! Content of a block: every 512 bytes bear the campaign, the place, the number of the write and a checksum, so that a reader tells an old write from a new
//! one, one block from another, and a part of a write from all of it.
//!
//! Little end first: mark 8 bytes, campaign 16, place 8, sequence 8, stream 4, session 4, number of the sector 2; then filling that no compressor shortens,
//! and the CRC32C of all before in the last 4.

use ioproof_core::splitmix;
use ioproof_target::mark::POWER_CUT_MARK as MARK;

/// The unit that a drive writes whole or not at all. Bytes.
pub(crate) const SECTOR: usize = 512;
const HEAD: usize = 50;
const CHECKED: usize = SECTOR - 4;

/// The write that a block is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteStamp {
    /// The campaign.
    pub campaign: [u8; 16],
    /// Its session, from 1; a later one writes over an earlier one.
    pub session: u32,
    /// The stream of writes that it belongs to.
    pub stream: u32,
    /// Offset of the block in bytes.
    pub place: u64,
    /// Number of the write in its stream and session, from 1.
    pub sequence: u64,
}

/// Content of a sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectorContent {
    /// A whole one of this campaign.
    Ours(WriteStamp),
    /// It bears the mark, and its checksum does not fit.
    Damaged,
    /// One byte over and over, as the zeros that were there first, or flash that holds nothing.
    Blank,
    /// Something else: another campaign's, or nobody's of ours.
    Foreign,
}

impl WriteStamp {
    /// Fills a block, whose length is a multiple of 512.
    pub fn fill(&self, block: &mut [u8]) {
        for (number, sector) in block.chunks_exact_mut(SECTOR).enumerate() {
            self.fill_sector(number as u16, sector);
        }
    }

    fn fill_sector(&self, number: u16, sector: &mut [u8]) {
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            sector[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(&MARK);
        put(&self.campaign);
        put(&self.place.to_le_bytes());
        put(&self.sequence.to_le_bytes());
        put(&self.stream.to_le_bytes());
        put(&self.session.to_le_bytes());
        put(&number.to_le_bytes());
        let mut random = self.sequence.rotate_left(32) ^ self.place ^ u64::from(number) << 48;
        for piece in sector[HEAD..CHECKED].chunks_mut(8) {
            piece.copy_from_slice(&splitmix::next(&mut random).to_le_bytes()[..piece.len()]);
        }
        let sum = crc32c::crc32c(&sector[..CHECKED]);
        sector[CHECKED..].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Reads the sector number `number` of a block.
pub(crate) fn read(sector: &[u8], number: u16, campaign: &[u8; 16]) -> SectorContent {
    let Some(content) = sector.get(..SECTOR) else { return SectorContent::Foreign };
    // What a medium gives that holds nothing; another byte all over was written by somebody.
    if [0, 0xff].contains(&content[0]) && content.iter().all(|byte| *byte == content[0]) {
        return SectorContent::Blank;
    }
    if content[..8] != MARK || content[8..24] != *campaign {
        return SectorContent::Foreign;
    }
    let sum = u32::from_le_bytes(array(&content[CHECKED..]));
    if crc32c::crc32c(&content[..CHECKED]) != sum || u16::from_le_bytes(array(&content[48..50])) != number {
        return SectorContent::Damaged;
    }
    SectorContent::Ours(WriteStamp {
        campaign: *campaign,
        place: u64::from_le_bytes(array(&content[24..32])),
        sequence: u64::from_le_bytes(array(&content[32..40])),
        stream: u32::from_le_bytes(array(&content[40..44])),
        session: u32::from_le_bytes(array(&content[44..48])),
    })
}

/// The campaign whose whole sector this is; none of a sector that bears no mark.
pub(crate) fn campaign_of(sector: &[u8]) -> Option<[u8; 16]> {
    let content = sector.get(..SECTOR).filter(|content| content[..8] == MARK)?;
    let sum = u32::from_le_bytes(array(&content[CHECKED..]));
    (crc32c::crc32c(&content[..CHECKED]) == sum).then(|| array(&content[8..24]))
}

/// The first bytes as an array; zeros where there are fewer.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    let length = bytes.len().min(N);
    array[..length].copy_from_slice(&bytes[..length]);
    array
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(super) const STAMP: WriteStamp = WriteStamp { campaign: [7; 16], session: 2, stream: 3, place: 8192, sequence: 99 };

    #[test]
    fn a_block_is_known_again_sector_by_sector() {
        let mut block = vec![0; 4096];
        STAMP.fill(&mut block);
        for (number, sector) in block.chunks(SECTOR).enumerate() {
            assert_eq!(read(sector, number as u16, &[7; 16]), SectorContent::Ours(STAMP));
            assert_eq!(read(sector, number as u16 + 1, &[7; 16]), SectorContent::Damaged, "a sector in another's place");
            assert_eq!(read(sector, number as u16, &[8; 16]), SectorContent::Foreign, "of another campaign");
        }
        assert_eq!(campaign_of(&block[SECTOR..]), Some([7; 16]));
        assert_eq!((read(&[0; SECTOR], 0, &[7; 16]), campaign_of(&[0; SECTOR])), (SectorContent::Blank, None));
        assert_eq!([0xff, b'A'].map(|byte| read(&[byte; SECTOR], 0, &[7; 16])), [SectorContent::Blank, SectorContent::Foreign]);
        assert_eq!(read(&[[1; 256], [2; 256]].concat(), 0, &[7; 16]), SectorContent::Foreign);
        assert_eq!(read(&[], 0, &[7; 16]), SectorContent::Foreign);
    }

    proptest! {
        #[test]
        fn one_changed_byte_is_seen(at in 24_usize..SECTOR, by in 1_u8..=255) {
            let mut block = vec![0; SECTOR];
            STAMP.fill(&mut block);
            block[at] ^= by;
            prop_assert_eq!(read(&block, 0, &[7; 16]), SectorContent::Damaged);
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            read(&bytes, 0, &[7; 16]);
        }
    }
}
