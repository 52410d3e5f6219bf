//! The habit of a drive that loses acknowledged data, by what the cuts of a campaign show together: a pure function of counts that a witness can keep.
//!
//! The age of what is gone tells most. A flush that is never carried out leaves everything in the cache, so old writes go as new ones do; one that is carried out in part leaves a little, which a
//! further flush takes; one that is left out now and then shows in the few cuts that came right behind it. Where the evidence carries no name there is none.

use crate::judge::Loss;
use crate::tally::{FAR, Tally};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The way in which a stream has its writes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DurableWay {
    /// By a flush behind them.
    Flushed,
    /// By themselves, as with O_DSYNC.
    Direct,
    /// Through the journal of a filesystem.
    Names,
}

/// Counts of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sums {
    /// Blocks that were judged.
    pub blocks: u64,
    /// Lost or stale.
    pub gone: u64,
    /// Torn between units of 4096 bytes.
    pub torn: u64,
    /// Torn within one.
    pub torn_inside: u64,
    /// Trimmed, and back.
    pub returned: u64,
    /// Corrupt or misplaced.
    pub damaged: u64,
    /// Not to be read.
    pub unreadable: u64,
    /// Losses of any kind behind which at least [`FAR`] groups of their stream were acknowledged.
    pub far: u64,
    /// Losses of groups of which other blocks are there.
    pub split: u64,
    /// Losses of groups that were acknowledged before one of which something is there.
    pub out_of_order: u64,
}

/// Evidence of one cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CutEvidence {
    /// Streams of blocks that were flushed.
    pub flushed: Sums,
    /// Streams of blocks that were durable by themselves.
    pub direct: Sums,
    /// Streams of operations on names.
    pub names: Sums,
    /// True where the kernel took the drive for one without a volatile cache, so that it sent no flush.
    pub is_write_through: bool,
}

/// Habits of drives that lose what was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum Habit {
    /// Neither flushes nor forced unit access do anything.
    FlushesIgnored,
    /// Flushes do nothing, forced unit access does.
    FlushesIgnoredButDirect,
    /// Forced unit access does nothing, flushes do.
    DirectIgnored,
    /// About one flush in so many is left out.
    FlushesSometimesIgnored {
        /// Cuts for each that failed.
        one_in: u64,
    },
    /// A flush is carried out in part.
    OutOfOrder,
    /// Flushed writes are torn between pieces of so many bytes.
    Torn {
        /// 512 or 4096.
        at_bytes: u32,
    },
    /// Trims that were flushed come back.
    TrimsReturn,
    /// A volatile cache that the drive denies.
    HiddenCache,
    /// Content is there that nobody wrote to that place.
    Damage,
    /// These cuts do not tell.
    Unknown,
}

/// Cuts below which *now and then* cannot be said.
const CUTS_MIN: usize = 8;
/// Share of the cuts that fail where a flush is left out now and then: at most one in so many.
const SELDOM: usize = 4;
/// Failing cuts from which *in part* is told from *now and then*, where no order between groups tells it.
const FAILING_MIN: usize = 3;
/// Losses below which nothing is said of how flushes are carried out: a bad sector, or a stray write of somebody, is as few.
const LOSSES_MIN: u64 = 3;
/// Blocks that must have been intact before a way of writing is said to be honoured.
const INTACT_MIN: u64 = 20;
/// Share of the losses that are old where flushes do nothing: at least one in so many. Of a flush in part each further flush leaves but a part of what was left.
const OLD: u64 = 10;

impl AddAssign<&Tally> for Sums {
    fn add_assign(&mut self, tally: &Tally) {
        let sum = |losses: &[Loss]| losses.iter().map(|loss| tally.of_kind(*loss)).sum::<u64>();
        *self += &Self {
            blocks: tally.blocks,
            gone: sum(&[Loss::Lost, Loss::Stale]),
            torn: sum(&[Loss::Torn]),
            torn_inside: sum(&[Loss::TornInside]),
            returned: sum(&[Loss::Returned]),
            damaged: sum(&[Loss::Corrupt, Loss::Misplaced]),
            unreadable: tally.unreadable,
            far: tally.far,
            split: tally.split,
            out_of_order: tally.out_of_order,
        };
    }
}

impl AddAssign<&Self> for Sums {
    fn add_assign(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.gone += other.gone;
        self.torn += other.torn;
        self.torn_inside += other.torn_inside;
        self.returned += other.returned;
        self.damaged += other.damaged;
        self.unreadable += other.unreadable;
        self.far += other.far;
        self.split += other.split;
        self.out_of_order += other.out_of_order;
    }
}

impl Sums {
    fn lost(&self) -> u64 {
        self.gone + self.torn + self.torn_inside + self.returned + self.damaged + self.unreadable
    }

    fn is_honoured(&self) -> bool {
        self.lost() == 0 && self.blocks >= INTACT_MIN
    }
}

impl CutEvidence {
    /// Takes what became of a stream.
    pub fn add(&mut self, way: DurableWay, tally: &Tally) {
        match way {
            DurableWay::Flushed => self.flushed += tally,
            DurableWay::Direct => self.direct += tally,
            DurableWay::Names => self.names += tally,
        }
    }

    fn has_losses(&self) -> bool {
        [self.flushed, self.direct, self.names].iter().any(|sums| sums.lost() > 0)
    }
}

/// Names the habit that the cuts of a campaign show together; none where nothing was lost.
#[must_use]
pub fn name(cuts: &[CutEvidence]) -> Option<Habit> {
    let failing: Vec<&CutEvidence> = cuts.iter().filter(|cut| cut.has_losses()).collect();
    let (mut flushed, mut direct, mut names) = (Sums::default(), Sums::default(), Sums::default());
    for cut in &failing {
        flushed += &cut.flushed;
        direct += &cut.direct;
        names += &cut.names;
    }
    let mut blocks = flushed;
    blocks += &direct;
    Some(match () {
        () if failing.is_empty() => return None,
        () if blocks.damaged + names.damaged > 0 => Habit::Damage,
        () if blocks.lost() == 0 || blocks.unreadable > 0 => Habit::Unknown,
        () if blocks.gone == 0 && blocks.torn_inside > 0 => Habit::Torn { at_bytes: 512 },
        () if blocks.gone == 0 && blocks.torn > 0 => Habit::Torn { at_bytes: 4096 },
        () if blocks.gone == 0 => Habit::TrimsReturn,
        () if blocks.lost() < LOSSES_MIN => Habit::Unknown,
        () if failing.iter().all(|cut| cut.is_write_through) => Habit::HiddenCache,
        () if flushed.is_honoured() => Habit::DirectIgnored,
        () if blocks.far * OLD >= blocks.lost() && direct.is_honoured() => Habit::FlushesIgnoredButDirect,
        () if blocks.far * OLD >= blocks.lost() => Habit::FlushesIgnored,
        () if cuts.len() >= CUTS_MIN && failing.len() * SELDOM <= cuts.len() => {
            Habit::FlushesSometimesIgnored { one_in: (cuts.len() as f64 / failing.len() as f64).round() as u64 }
        }
        () if blocks.out_of_order > 0 || blocks.split > 0 && failing.len() >= FAILING_MIN => Habit::OutOfOrder,
        () => Habit::Unknown,
    })
}

impl Habit {
    /// The meaning in a sentence.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::FlushesIgnored => format!(
                "writes are gone behind which {FAR} and more syncs of their stream were acknowledged: flushes are not carried out"
            ),
            Self::FlushesIgnoredButDirect => {
                "writes with a flush behind several of them are gone, and those with O_DSYNC are there: flushes are not carried out, and what makes a write with O_DSYNC durable is".into()
            }
            Self::DirectIgnored => {
                "writes with O_DSYNC are gone, and those that were flushed are there: forced unit access is not carried out".into()
            }
            Self::FlushesSometimesIgnored { one_in } => format!(
                "about one cut in {one_in} lost what was acknowledged right before it, and nothing older: about one flush in {one_in} is not carried out, or not in full"
            ),
            Self::OutOfOrder => {
                "of what was flushed last a part is gone, others of it or later ones are there, and little that is older is gone: flushes are carried out in part, and writes become durable out of order"
                    .into()
            }
            Self::Torn { at_bytes } => {
                format!("acknowledged writes are torn at {at_bytes} bytes: a part of each is there, and a part is older, although it was synced")
            }
            Self::TrimsReturn => {
                "trims come back: data is there again that was trimmed, and was read as gone behind the flush of the trim".into()
            }
            Self::HiddenCache => {
                "synced writes are gone, and the kernel sent no flush, since the drive says write through: it has a volatile cache that it denies".into()
            }
            Self::Damage => "places hold what nobody wrote there: corrupt, or of another place".into(),
            Self::Unknown => {
                "acknowledged writes are lost, and these cuts do not tell in which way: more cuts of one campaign may (--campaign), and blocks on the drive itself tell more than names or a filesystem".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: CutEvidence = CutEvidence { flushed: blocks(80), direct: blocks(40), names: blocks(0), is_write_through: false };

    const fn blocks(blocks: u64) -> Sums {
        Sums { blocks, gone: 0, torn: 0, torn_inside: 0, returned: 0, damaged: 0, unreadable: 0, far: 0, split: 0, out_of_order: 0 }
    }

    fn flushed(sums: Sums) -> CutEvidence {
        CutEvidence { flushed: Sums { blocks: 80, ..sums }, ..CLEAN }
    }

    fn both(sums: Sums) -> CutEvidence {
        CutEvidence { direct: Sums { blocks: 40, ..sums }, ..flushed(sums) }
    }

    /// So many cuts like this one among clean ones.
    fn named(cut: CutEvidence, failing: usize, clean: usize) -> Option<Habit> {
        name(&[vec![cut; failing], vec![CLEAN; clean]].concat())
    }

    #[test]
    fn each_habit_has_its_name() {
        let sums = Sums::default;
        let old = Sums { gone: 40, far: 20, split: 30, out_of_order: 39, ..sums() };
        let last = Sums { gone: 4, split: 4, ..sums() };
        for (cut, failing, clean, habit) in [
            (both(old), 1, 0, Habit::FlushesIgnored),
            (both(Sums { torn: 3, returned: 8, ..old }), 2, 2, Habit::FlushesIgnored),
            (flushed(old), 1, 0, Habit::FlushesIgnoredButDirect),
            (CutEvidence { direct: old, ..CLEAN }, 1, 0, Habit::DirectIgnored),
            (CutEvidence { is_write_through: true, ..both(old) }, 1, 0, Habit::HiddenCache),
            (both(last), 3, 0, Habit::OutOfOrder),
            (flushed(Sums { out_of_order: 1, ..last }), 1, 0, Habit::OutOfOrder),
            (flushed(last), 2, 198, Habit::FlushesSometimesIgnored { one_in: 100 }),
            (flushed(last), 1, 3, Habit::Unknown),
            (flushed(Sums { gone: 1, far: 1, out_of_order: 1, ..sums() }), 1, 0, Habit::Unknown),
            (flushed(Sums { gone: 2, ..sums() }), 1, 99, Habit::Unknown),
            (flushed(Sums { gone: 8, ..sums() }), 5, 0, Habit::Unknown),
            (both(Sums { torn_inside: 2, torn: 1, ..sums() }), 1, 9, Habit::Torn { at_bytes: 512 }),
            (both(Sums { torn: 1, returned: 2, ..sums() }), 1, 9, Habit::Torn { at_bytes: 4096 }),
            (flushed(Sums { returned: 64, far: 60, ..sums() }), 1, 0, Habit::TrimsReturn),
            (both(Sums { damaged: 1, ..old }), 1, 0, Habit::Damage),
            (flushed(Sums { unreadable: 1, ..sums() }), 1, 0, Habit::Unknown),
            (CutEvidence { names: Sums { blocks: 9, gone: 3, far: 1, ..sums() }, ..CLEAN }, 3, 0, Habit::Unknown),
        ] {
            assert_eq!(named(cut, failing, clean), Some(habit), "{failing} and {clean} clean ones: {cut:?}");
        }
        assert_eq!((named(CLEAN, 5, 5), name(&[])), (None, None));
    }

    #[test]
    fn a_few_intact_blocks_do_not_show_that_a_way_is_honoured() {
        let old = Sums { gone: 40, far: 20, ..Sums::default() };
        let few = CutEvidence { direct: blocks(INTACT_MIN - 1), ..flushed(old) };
        assert_eq!(name(&[few]), Some(Habit::FlushesIgnored));
    }

    #[test]
    fn evidence_is_kept_and_an_older_one_has_less() {
        let mut evidence = CLEAN;
        evidence.add(DurableWay::Direct, &Tally::all_lost(6));
        assert_eq!((evidence.direct.blocks, evidence.direct.gone, evidence.direct.far), (46, 6, 2));
        let text = serde_json::to_string(&evidence).unwrap();
        assert_eq!(serde_json::from_str::<CutEvidence>(&text).unwrap(), evidence);
        assert_eq!(serde_json::from_str::<CutEvidence>("{}").unwrap(), CutEvidence::default());
    }
}
