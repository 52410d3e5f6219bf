//! Judgement of blocks that were acknowledged: what of each is there after the cut.
//!
//! A block that holds its acknowledged write, or a later one of its place that was under way, is intact. Mixed sectors of the acknowledged write and a later
//! one are intact too: nobody promised the later one whole. What this campaign never wrote there is *foreign*: somebody may have written it since, so it is no loss of the drive. Everything else is a loss. Of a trim that was acknowledged nothing may come back. What losses mean together is `naming.rs`.

use crate::block::{self, SECTOR, SectorContent, WriteStamp};
use crate::step::After;

/// State of an acknowledged block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It is there.
    Intact,
    /// Something is there that this campaign did not write, or wrote in a session of which the witness has nothing: who did, and when, cannot be told.
    Foreign,
    /// It is not.
    Bad(Loss),
}

/// Kinds of loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Nothing is there.
    Lost,
    /// An earlier write is there.
    Stale,
    /// Some units of 4096 bytes are of the acknowledged write, others are older.
    Torn,
    /// The same of sectors within such a unit.
    TornInside,
    /// A block of another place is there.
    Misplaced,
    /// It bears our mark, and its checksum does not fit.
    Corrupt,
    /// Data that was trimmed, and was read as gone behind the sync.
    Returned,
}

impl Loss {
    /// Every kind.
    pub const ALL: [Self; 7] = [Self::Lost, Self::Stale, Self::Torn, Self::TornInside, Self::Misplaced, Self::Corrupt, Self::Returned];

    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Stale => "stale",
            Self::Torn => "torn",
            Self::TornInside => "torn within 4096 bytes",
            Self::Misplaced => "misplaced",
            Self::Corrupt => "corrupt",
            Self::Returned => "returned",
        }
    }
}

/// Unit in which drives of today write: a tear at another place lies within one. Bytes.
const UNIT: u64 = 4096;

/// Sectors of a block, each as it is to the step that is expected there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Of that step or a later one.
    Fresh,
    Old,
    Blank,
    Foreign,
    Misplaced,
    Damaged,
}

fn states<'a>(content: &'a [u8], expected: &'a WriteStamp) -> impl Iterator<Item = State> + 'a {
    content.chunks(SECTOR).enumerate().map(|(number, sector)| match block::read(sector, number as u16, &expected.campaign) {
        SectorContent::Damaged => State::Damaged,
        SectorContent::Blank => State::Blank,
        SectorContent::Foreign => State::Foreign,
        // The witness has nothing of that session, so what it left and what it wrote over cannot be told apart.
        SectorContent::Ours(stamp) if stamp.session > expected.session => State::Foreign,
        SectorContent::Ours(stamp) if (stamp.place, stamp.stream) != (expected.place, expected.stream) => State::Misplaced,
        SectorContent::Ours(stamp) if (stamp.session, stamp.sequence) >= (expected.session, expected.sequence) => State::Fresh,
        SectorContent::Ours(_) => State::Old,
    })
}

/// Sectors by their state.
fn counts(content: &[u8], expected: &WriteStamp) -> impl Fn(State) -> u32 {
    let mut counts = [0; 6];
    states(content, expected).for_each(|state| counts[state as usize] += 1);
    move |state| counts[state as usize]
}

/// Judges a block whose last acknowledged step is the write `expected`.
#[must_use]
pub fn judge(content: &[u8], expected: &WriteStamp) -> Found {
    let count = counts(content, expected);
    let (fresh, old, blank) = (count(State::Fresh), count(State::Old), count(State::Blank));
    match () {
        () if count(State::Foreign) > 0 => Found::Foreign,
        () if count(State::Damaged) > 0 => Found::Bad(Loss::Corrupt),
        () if count(State::Misplaced) > 0 => Found::Bad(Loss::Misplaced),
        () if fresh > 0 && old + blank == 0 => Found::Intact,
        () if fresh > 0 => Found::Bad(torn(content, expected)),
        () if old > 0 => Found::Bad(Loss::Stale),
        () => Found::Bad(Loss::Lost),
    }
}

fn torn(content: &[u8], expected: &WriteStamp) -> Loss {
    let unit = |sector: usize| (expected.place + (sector * SECTOR) as u64) / UNIT;
    let fresh: Vec<bool> = states(content, expected).map(|state| state == State::Fresh).collect();
    let is_inside = |(at, pair): (usize, &[bool])| unit(at) == unit(at + 1) && pair[0] != pair[1];
    if fresh.windows(2).enumerate().any(is_inside) { Loss::TornInside } else { Loss::Torn }
}

/// Judges a block whose last acknowledged step is the trim `expected`, behind which zeros were read.
#[must_use]
pub fn judge_trimmed(content: &[u8], expected: &WriteStamp) -> Found {
    match counts(content, expected)(State::Foreign) {
        0 => judge_trimmed_to_anything(content, expected),
        _ => Found::Foreign,
    }
}

/// The same of one behind which neither zeros nor anything of ours was read. What it reads as then is the drive's choice.
#[must_use]
pub fn judge_trimmed_to_anything(content: &[u8], expected: &WriteStamp) -> Found {
    let count = counts(content, expected);
    match () {
        () if count(State::Damaged) > 0 => Found::Bad(Loss::Corrupt),
        () if count(State::Misplaced) > 0 => Found::Bad(Loss::Misplaced),
        () if count(State::Old) > 0 => Found::Bad(Loss::Returned),
        () => Found::Intact,
    }
}

/// The campaign, beside the one that is checked, whose blocks stand there; that one itself where they are of a later session of it.
pub(crate) fn writer_of(content: &[u8], expected: &WriteStamp) -> Option<[u8; 16]> {
    let other = content.chunks(SECTOR).filter_map(block::campaign_of).find(|campaign| *campaign != expected.campaign);
    let mut sectors = content.chunks(SECTOR).enumerate().map(|(number, sector)| block::read(sector, number as u16, &expected.campaign));
    let mut is_later = || sectors.any(|sector| matches!(sector, SectorContent::Ours(stamp) if stamp.session > expected.session));
    other.or_else(|| is_later().then_some(expected.campaign))
}

/// Content of a block right behind a trim of it.
pub(crate) fn after_trim(content: &[u8], campaign: &[u8; 16]) -> After {
    let is_gone = |(number, sector): (usize, &[u8])| {
        matches!(block::read(sector, number as u16, campaign), SectorContent::Blank | SectorContent::Foreign)
    };
    match () {
        () if !content.chunks(SECTOR).enumerate().all(is_gone) => After::Still,
        () if content.iter().all(|byte| *byte == 0) => After::Zeros,
        () => After::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EXPECTED: WriteStamp = WriteStamp { campaign: [1; 16], session: 2, stream: 1, place: 4096, sequence: 10 };

    fn block(stamp: WriteStamp) -> Vec<u8> {
        let mut block = vec![0; 4096];
        stamp.fill(&mut block);
        block
    }

    /// The first sectors of one block, the rest of another.
    fn mixed(first: WriteStamp, rest: WriteStamp, sectors: usize) -> Vec<u8> {
        [&block(first)[..sectors * SECTOR], &block(rest)[sectors * SECTOR..]].concat()
    }

    #[test]
    fn each_kind_of_loss_is_told_from_the_others() {
        let with = |sequence| WriteStamp { sequence, ..EXPECTED };
        let bad = |loss| Found::Bad(loss);
        for (content, found) in [
            (block(EXPECTED), Found::Intact),
            (block(with(11)), Found::Intact),
            (mixed(with(11), EXPECTED, 3), Found::Intact),
            (block(WriteStamp { session: 3, ..with(1) }), Found::Foreign),
            (vec![0; 4096], bad(Loss::Lost)),
            (block(WriteStamp { campaign: [2; 16], ..EXPECTED }), Found::Foreign),
            (vec![0xff; 4096], bad(Loss::Lost)),
            ([&block(EXPECTED)[..512], b"foreign", &[0; 3577]].concat(), Found::Foreign),
            (block(with(9)), bad(Loss::Stale)),
            (block(WriteStamp { session: 1, ..with(99) }), bad(Loss::Stale)),
            (mixed(EXPECTED, with(9), 1), bad(Loss::TornInside)),
            ([&block(EXPECTED)[..512], &[0; 3584]].concat(), bad(Loss::TornInside)),
            (block(WriteStamp { place: 8192, ..EXPECTED }), bad(Loss::Misplaced)),
        ] {
            assert_eq!(judge(&content, &EXPECTED), found);
        }
        let mut damaged = block(EXPECTED);
        damaged[700] ^= 1;
        assert_eq!(judge(&damaged, &EXPECTED), bad(Loss::Corrupt));
    }

    #[test]
    fn a_tear_within_4096_bytes_is_told_from_one_between_them() {
        let whole = |stamp: WriteStamp| {
            let mut block = vec![0; 16 << 10];
            stamp.fill(&mut block);
            block
        };
        let torn = |at: usize| judge(&[&whole(EXPECTED)[..at], &whole(WriteStamp { sequence: 9, ..EXPECTED })[at..]].concat(), &EXPECTED);
        assert_eq!([512, 4096, 8192, 9216].map(torn), [Loss::TornInside, Loss::Torn, Loss::Torn, Loss::TornInside].map(Found::Bad));
    }

    #[test]
    fn of_a_trim_nothing_may_come_back_and_all_else_may_be_there() {
        let with = |sequence| WriteStamp { sequence, ..EXPECTED };
        for (content, found) in [
            (vec![0; 4096], Found::Intact),
            (vec![0xff; 4096], Found::Intact),
            (block(with(11)), Found::Intact),
            ([&block(with(11))[..512], &[0; 3584]].concat(), Found::Intact),
            (block(with(9)), Found::Bad(Loss::Returned)),
            ([&[0; 512], &block(with(9))[512..]].concat(), Found::Bad(Loss::Returned)),
            (block(WriteStamp { place: 8192, ..EXPECTED }), Found::Bad(Loss::Misplaced)),
            (block(WriteStamp { campaign: [2; 16], ..EXPECTED }), Found::Foreign),
        ] {
            assert_eq!(judge_trimmed(&content, &EXPECTED), found);
        }
        let other = block(WriteStamp { campaign: [2; 16], ..EXPECTED });
        assert_eq!(judge_trimmed_to_anything(&other, &EXPECTED), Found::Intact, "the drive's choice");
        let after = [vec![0; 4096], vec![1; 4096], block(EXPECTED), [&[0; 512], &block(EXPECTED)[512..]].concat()];
        assert_eq!(after.map(|content| after_trim(&content, &[1; 16])), [After::Zeros, After::Other, After::Still, After::Still]);
    }

    proptest! {
        #[test]
        fn an_acknowledged_write_with_any_later_one_is_intact(sectors in 0_usize..=8, later in 0_u64..5) {
            prop_assert_eq!(judge(&mixed(WriteStamp { sequence: 10 + later, ..EXPECTED }, EXPECTED, sectors), &EXPECTED), Found::Intact);
        }

        #[test]
        fn any_older_sector_is_a_loss(sectors in 0_usize..8, older in 1_u64..10) {
            let found = judge(&mixed(EXPECTED, WriteStamp { sequence: 10 - older, ..EXPECTED }, sectors), &EXPECTED);
            prop_assert!(matches!(found, Found::Bad(Loss::TornInside | Loss::Stale)));
        }
    }
}
