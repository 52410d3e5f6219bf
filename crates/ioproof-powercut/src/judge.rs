//! Judgement of blocks that were acknowledged: what of each is there after the cut.
//!
//! A block that holds its acknowledged write, or a later one of its place that was under way, is intact. Mixed sectors of the acknowledged write and a later
//! one are intact too: nobody promised the later one whole. Everything else is a loss. Whether later writes survived where earlier ones are gone tells a drive that
//! keeps no order from one that lost its last writes.

use crate::block::{self, SECTOR, Sector, Stamp};

/// State of an acknowledged block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// It is there.
    Intact,
    /// It is not.
    Bad(Loss),
}

/// Kinds of loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Nothing of this campaign is there.
    Lost,
    /// An earlier write is there.
    Stale,
    /// Some sectors are of the acknowledged write, others are older.
    Torn,
    /// A block of another place is there.
    Misplaced,
    /// It bears our mark, and its checksum does not fit.
    Corrupt,
}

impl Loss {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Lost, Self::Stale, Self::Torn, Self::Misplaced, Self::Corrupt];

    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Stale => "stale",
            Self::Torn => "torn",
            Self::Misplaced => "misplaced",
            Self::Corrupt => "corrupt",
        }
    }
}

/// Judges a block whose last acknowledged write is `expected`.
#[must_use]
pub fn judge(content: &[u8], expected: &Stamp) -> Found {
    let sectors = content.chunks(SECTOR).enumerate().map(|(number, sector)| block::read(sector, number as u16, &expected.campaign));
    let (mut fresh, mut old, mut foreign, mut misplaced, mut damaged) = (0, 0, 0, 0, 0);
    for sector in sectors {
        match sector {
            Sector::Damaged => damaged += 1,
            Sector::Foreign => foreign += 1,
            Sector::Ours(stamp) if (stamp.place, stamp.stream) != (expected.place, expected.stream) => misplaced += 1,
            Sector::Ours(stamp) if (stamp.session, stamp.sequence) >= (expected.session, expected.sequence) => fresh += 1,
            Sector::Ours(_) => old += 1,
        }
    }
    match () {
        () if damaged > 0 => Found::Bad(Loss::Corrupt),
        () if misplaced > 0 => Found::Bad(Loss::Misplaced),
        () if fresh > 0 && old + foreign == 0 => Found::Intact,
        () if fresh > 0 => Found::Bad(Loss::Torn),
        () if old > 0 => Found::Bad(Loss::Stale),
        () => Found::Bad(Loss::Lost),
    }
}

/// Blocks of a stream, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Places of which a write was acknowledged.
    pub blocks: u64,
    /// Those that are there.
    pub intact: u64,
    /// Losses in the order of [`Loss::ALL`].
    pub losses: [u64; 5],
    /// Losses of writes that were acknowledged before another one that is there.
    pub out_of_order: u64,
    /// The first of them: place, number of the write, kind.
    pub examples: Vec<(u64, u64, Loss)>,
    /// Blocks that could not be read, and why the first of them could not.
    pub unreadable: u64,
    /// Reason of the first.
    pub why_unreadable: Option<String>,
}

/// Examples that are kept.
const EXAMPLES: usize = 10;

impl Tally {
    /// Losses of all kinds.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.losses.iter().sum()
    }

    /// Nothing is there any more of so many.
    #[must_use]
    pub fn all_lost(blocks: u64) -> Self {
        let lost: Vec<(u64, u64, Found)> = (1..=blocks).map(|number| (number, number, Found::Bad(Loss::Lost))).collect();
        Self::of(&lost)
    }

    /// Counts what was found of all places of a stream: place, number of its last acknowledged write, and its state.
    #[must_use]
    pub fn of(found: &[(u64, u64, Found)]) -> Self {
        let intact = |found: &&(u64, u64, Found)| found.2 == Found::Intact;
        let last_there = found.iter().filter(intact).map(|(_, sequence, _)| *sequence).max().unwrap_or(0);
        let mut tally = Self { blocks: found.len() as u64, ..Self::default() };
        for (place, sequence, state) in found {
            match state {
                Found::Intact => tally.intact += 1,
                Found::Bad(loss) => {
                    tally.losses[*loss as usize] += 1;
                    tally.out_of_order += u64::from(*sequence < last_there);
                    if tally.examples.len() < EXAMPLES {
                        tally.examples.push((*place, *sequence, *loss));
                    }
                }
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EXPECTED: Stamp = Stamp { campaign: [1; 16], session: 2, stream: 1, place: 4096, sequence: 10 };

    fn block(stamp: Stamp) -> Vec<u8> {
        let mut block = vec![0; 4096];
        stamp.fill(&mut block);
        block
    }

    /// The first sectors of one block, the rest of another.
    fn mixed(first: Stamp, rest: Stamp, sectors: usize) -> Vec<u8> {
        [&block(first)[..sectors * SECTOR], &block(rest)[sectors * SECTOR..]].concat()
    }

    #[test]
    fn each_kind_of_loss_is_told_from_the_others() {
        let with = |sequence| Stamp { sequence, ..EXPECTED };
        let bad = |loss| Found::Bad(loss);
        for (content, found) in [
            (block(EXPECTED), Found::Intact),
            (block(with(11)), Found::Intact),
            (mixed(with(11), EXPECTED, 3), Found::Intact),
            (block(Stamp { session: 3, ..with(1) }), Found::Intact),
            (vec![0; 4096], bad(Loss::Lost)),
            (block(Stamp { campaign: [2; 16], ..EXPECTED }), bad(Loss::Lost)),
            (block(with(9)), bad(Loss::Stale)),
            (block(Stamp { session: 1, ..with(99) }), bad(Loss::Stale)),
            (mixed(EXPECTED, with(9), 1), bad(Loss::Torn)),
            ([&block(EXPECTED)[..512], &[0; 3584]].concat(), bad(Loss::Torn)),
            (block(Stamp { place: 8192, ..EXPECTED }), bad(Loss::Misplaced)),
        ] {
            assert_eq!(judge(&content, &EXPECTED), found);
        }
        let mut damaged = block(EXPECTED);
        damaged[700] ^= 1;
        assert_eq!(judge(&damaged, &EXPECTED), bad(Loss::Corrupt));
    }

    #[test]
    fn a_loss_before_what_survived_is_out_of_order() {
        let found = |gone: &[u64]| -> Vec<(u64, u64, Found)> {
            (1..=6).map(|n| (n * 4096, n, if gone.contains(&n) { Found::Bad(Loss::Lost) } else { Found::Intact })).collect()
        };
        let last = Tally::of(&found(&[5, 6]));
        assert_eq!((last.blocks, last.intact, last.lost(), last.out_of_order), (6, 4, 2, 0));
        let earlier = Tally::of(&found(&[2, 6]));
        assert_eq!((earlier.lost(), earlier.out_of_order, earlier.examples[0]), (2, 1, (8192, 2, Loss::Lost)));
        assert_eq!(Tally::of(&[]).lost(), 0);
    }

    proptest! {
        #[test]
        fn an_acknowledged_write_with_any_later_one_is_intact(sectors in 0_usize..=8, later in 0_u64..5) {
            prop_assert_eq!(judge(&mixed(Stamp { sequence: 10 + later, ..EXPECTED }, EXPECTED, sectors), &EXPECTED), Found::Intact);
        }

        #[test]
        fn any_older_sector_is_a_loss(sectors in 0_usize..8, older in 1_u64..10) {
            let found = judge(&mixed(EXPECTED, Stamp { sequence: 10 - older, ..EXPECTED }, sectors), &EXPECTED);
            prop_assert!(matches!(found, Found::Bad(Loss::Torn | Loss::Stale)));
        }
    }
}
