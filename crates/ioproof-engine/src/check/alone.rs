//! Headers that an earlier job or run wrote, of which nothing is known here: each piece must be one of ours, whole, and made for this place. Whether it
//! is the newest that was written there cannot be told.

use super::header::{Header, open};
use super::{Found, Piece};
use ioproof_core::record::CheckResult;

/// Judges the pieces of a read from `offset` that somebody is known to have written, and notes the seeds of those who did.
pub(super) fn check(offset: u64, block: &[u8], was_written: impl Fn(u64) -> bool, result: &mut CheckResult) {
    let mut found = Found::default();
    for (at, piece) in (offset..).step_by(super::PIECE_BYTES).zip(block.as_chunks().0).filter(|(at, _)| was_written(*at)) {
        match says(open(piece), at, result) {
            Piece::InPlace(_) => found.good += 1,
            Piece::Elsewhere(meant_for) => found.misplace(at, meant_for),
            Piece::Broken(flaw) => found.spoil(at, flaw, piece),
        }
    }
    found.add_to(result);
}

#[inline]
fn says(opened: Result<Header, super::Flaw>, at: u64, result: &mut CheckResult) -> Piece {
    match opened {
        Err(flaw) => Piece::Broken(flaw),
        Ok(header) => {
            result.note_seed(header.seed);
            if header.offset == at { Piece::InPlace(super::PieceOrigin::Write(header.sequence)) } else { Piece::Elsewhere(header.offset) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::seal;
    use super::*;

    const AT: u64 = 8192;

    fn block(seed: u64, sequence: u32) -> Vec<u8> {
        let mut block = vec![0x5a; 4096];
        seal(&mut block, Header { seed, offset: AT, sequence });
        block
    }

    fn of(block: &[u8]) -> CheckResult {
        let mut result = CheckResult::default();
        check(AT, block, |_| true, &mut result);
        result
    }

    #[test]
    fn whoever_wrote_it_a_sound_piece_in_its_place_is_good() {
        let mixed = [&block(3, 1)[..2048], &block(4, 9)[2048..]].concat();
        let result = of(&mixed);
        assert_eq!((result.good, result.bad(), &result.seeds[..]), (8, 0, &[3, 4][..]));
        let mut again = result;
        check(AT, &block(3, 1), |_| true, &mut again);
        assert_eq!((again.good, &again.seeds[..]), (16, &[3, 4][..]));
    }

    #[test]
    fn each_damage_is_seen() {
        let mut flipped = block(3, 1);
        flipped[1000] ^= 4;
        let result = of(&flipped);
        assert_eq!((result.good, result.corrupt), (7, 1));
        assert!(result.first.unwrap_or_default().contains("corrupt at byte 8704: the header says checksum"));
        let mut moved = Vec::new();
        moved.extend_from_slice(&block(3, 1)[512..]);
        moved.extend_from_slice(&block(3, 1)[..512]);
        let result = of(&moved);
        assert_eq!((result.good, result.misplaced), (0, 8));
        assert!(result.first.unwrap_or_default().contains("written for byte 8704"));
        let result = of(&[0; 4096]);
        assert_eq!((result.corrupt, result.seeds.len()), (8, 0));
        assert!(result.first.unwrap_or_default().contains("zeros"));
    }
}
