//! Blocks of a stream, counted by what became of them, and by how losses lie among what is there: that tells the kinds of drives that lie from one another.

use crate::judge::{Found, Loss};
use std::collections::BTreeSet;

/// A place with its last acknowledged step, and what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// Offset in bytes; of a name its number.
    pub place: u64,
    /// Number of the step.
    pub sequence: u64,
    /// The group that was acknowledged with it.
    pub group: u64,
    /// State of the place.
    pub found: Found,
}

/// Blocks of a stream, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Places that were judged: each had a step acknowledged that promises something.
    pub blocks: u64,
    /// Those that are as acknowledged.
    pub intact: u64,
    /// Those that hold what this campaign did not write.
    pub foreign: u64,
    /// The campaign that one of them bears the mark of.
    pub foreign_campaign: Option<[u8; 16]>,
    /// Losses in the order of [`Loss::ALL`].
    pub losses: [u64; Loss::ALL.len()],
    /// Losses of groups that were acknowledged before another one of which something is there.
    pub out_of_order: u64,
    /// Losses of groups of which other blocks are there: their sync was carried out in part.
    pub split: u64,
    /// Losses behind which at least [`FAR`] further groups of the stream were acknowledged.
    pub far: u64,
    /// The first losses.
    pub examples: Vec<(u64, u64, Loss)>,
    /// Trims that left the data readable, of which nothing can be told.
    pub untold: u64,
    /// Blocks that could not be read, and why the first of them could not.
    pub unreadable: u64,
    /// Reason of the first.
    pub why_unreadable: Option<String>,
}

/// Examples that are kept.
const EXAMPLES: usize = 10;
/// Further syncs behind which a loss is of no last-minute kind.
pub const FAR: u64 = 4;

impl Tally {
    /// Losses of a kind.
    #[must_use]
    pub fn of_kind(&self, loss: Loss) -> u64 {
        self.losses[loss as usize]
    }

    /// Losses of all kinds.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.losses.iter().sum()
    }

    /// Nothing is there any more of so many.
    #[must_use]
    pub fn all_lost(blocks: u64) -> Self {
        let lost = |number| Judged { place: number, sequence: number, group: number, found: Found::Bad(Loss::Lost) };
        Self::of(&(1..=blocks).map(lost).collect::<Vec<_>>(), blocks)
    }

    /// Counts what was found of all places of a stream, whose newest acknowledged group is `newest`.
    #[must_use]
    pub fn of(all: &[Judged], newest: u64) -> Self {
        let there = || all.iter().filter(|judged| judged.found == Found::Intact);
        let last_there = there().map(|judged| judged.group).max().unwrap_or(0);
        let harmed: BTreeSet<u64> = all.iter().filter(|judged| matches!(judged.found, Found::Bad(_))).map(|judged| judged.group).collect();
        let split: BTreeSet<u64> = there().map(|judged| judged.group).filter(|group| harmed.contains(group)).collect();
        let mut tally = Self { blocks: all.len() as u64, ..Self::default() };
        for Judged { place, sequence, group, found } in all {
            let loss = match found {
                Found::Bad(loss) => loss,
                other => {
                    tally.intact += u64::from(*other == Found::Intact);
                    tally.foreign += u64::from(*other == Found::Foreign);
                    continue;
                }
            };
            tally.losses[*loss as usize] += 1;
            tally.out_of_order += u64::from(*group < last_there);
            tally.split += u64::from(split.contains(group));
            tally.far += u64::from(group + FAR <= newest);
            if tally.examples.len() < EXAMPLES {
                tally.examples.push((*place, *sequence, *loss));
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six places, two a group, of which some are gone.
    fn tally(gone: &[u64]) -> Tally {
        let found = |n| if gone.contains(&n) { Found::Bad(Loss::Lost) } else { Found::Intact };
        let all: Vec<Judged> = (1..=6).map(|n| Judged { place: n * 4096, sequence: n, group: n.div_ceil(2), found: found(n) }).collect();
        Tally::of(&all, 3)
    }

    #[test]
    fn a_loss_before_a_later_group_that_survived_is_out_of_order_and_within_a_group_it_is_split() {
        let seen = |gone: &[u64]| {
            let tally = tally(gone);
            (tally.intact, tally.lost(), tally.out_of_order, tally.split)
        };
        assert_eq!(seen(&[]), (6, 0, 0, 0));
        assert_eq!(seen(&[5, 6]), (4, 2, 0, 0), "the last group as a whole");
        assert_eq!(seen(&[5]), (5, 1, 0, 1), "order inside a group is free");
        assert_eq!(seen(&[1, 2, 6]), (3, 3, 2, 1));
        assert_eq!(tally(&[2]).examples, [(8192, 2, Loss::Lost)]);
        assert_eq!(Tally::of(&[], 0).lost(), 0);
    }

    #[test]
    fn what_others_wrote_is_neither_intact_nor_a_loss() {
        let all = [Found::Intact, Found::Foreign].map(|found| Judged { place: 0, sequence: 1, group: 1, found });
        let tally = Tally::of(&all, 9);
        assert_eq!((tally.blocks, tally.intact, tally.foreign, tally.lost(), tally.split, tally.far), (2, 1, 1, 0, 0, 0));
    }

    #[test]
    fn a_loss_behind_which_much_was_synced_is_far() {
        let all = [1, 2].map(|group| Judged { place: 0, sequence: group, group, found: Found::Bad(Loss::Stale) });
        assert_eq!([4, 5, 6].map(|newest| Tally::of(&all, newest).far), [0, 1, 2]);
    }
}
