//! The lie that a campaign's failures speak of: a pure function of what the tiny writer found after each cut. `ioproof powercut check` has a naming of its own, of which only the words are read here.
//!
//! The reach of failures into the past tells most: a flush that is ignored leaves everything since the beginning in the cache, one that reorders leaves little and not for long, one that is
//! ignored now and then leaves the last group, and only in the few cuts that came right behind it.

use super::found::{Found, Kind};
use crate::cached::behaviours::Lie;
use serde_json::Value;
use std::fmt;

/// Cuts below which *now and then* cannot be said.
const CUTS_MIN: usize = 8;

/// Share of the cuts that fail where a flush is ignored now and then: at most one in so many.
const SELDOM: usize = 4;

/// Operations with FUA that must have been intact before they are said to be.
const FUA_MIN: u64 = 20;

/// Name of what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Nothing,
    Lie(Lie),
    /// Failures of which the checker cannot tell the lie.
    Losses,
    /// FUA is ignored and flushes are not, which is the lie of no drive here.
    FuaIgnored,
    /// Failures that speak of none of the known lies: content is corrupt or elsewhere, or a filesystem is gone.
    Damage,
}

/// Names what these cuts show together.
pub fn name(cuts: &[Found], says_write_through: bool) -> Named {
    let failing: Vec<&Found> = cuts.iter().filter(|found| !found.is_clean()).collect();
    let any = |kind: Kind| failing.iter().any(|found| found.has(kind));
    let is_old = any(Kind::Lost) || any(Kind::Stale);
    if failing.is_empty() {
        return Named::Nothing;
    }
    if any(Kind::Corrupt) || any(Kind::Misplaced) || any(Kind::Missing) || any(Kind::Unmountable) {
        return Named::Damage;
    }
    Named::Lie(match () {
        () if says_write_through => Lie::SaysWriteThrough,
        () if any(Kind::Torn512) && !is_old => Lie::FlushedTorn(512),
        () if any(Kind::Torn4096) && !is_old => Lie::FlushedTorn(4096),
        () if !is_old => Lie::TrimReturns,
        () if is_seldom_and_late(&failing, cuts.len()) => Lie::FlushNowAndThenIgnored,
        () if !reaches_far(&failing) && failing.iter().any(|found| found.overtaken > 0) => Lie::FlushReorders,
        () if is_fua_intact(&failing) => Lie::FlushIgnoredButFua,
        () => Lie::FlushIgnored,
    })
}

/// The name that `ioproof powercut check` gives, in the words of this table; none where it says nothing of the drive.
pub fn told(habit: &Value) -> Option<Named> {
    Some(match habit["name"].as_str()? {
        "flushes_ignored" => Named::Lie(Lie::FlushIgnored),
        "flushes_ignored_but_direct" => Named::Lie(Lie::FlushIgnoredButFua),
        "flushes_sometimes_ignored" => Named::Lie(Lie::FlushNowAndThenIgnored),
        "out_of_order" => Named::Lie(Lie::FlushReorders),
        "torn" => Named::Lie(Lie::FlushedTorn(usize::try_from(habit["at_bytes"].as_u64()?).ok()?)),
        "trims_return" => Named::Lie(Lie::TrimReturns),
        "hidden_cache" => Named::Lie(Lie::SaysWriteThrough),
        "direct_ignored" => Named::FuaIgnored,
        "damage" => Named::Damage,
        _ => Named::Losses,
    })
}

fn is_seldom_and_late(failing: &[&Found], cuts: usize) -> bool {
    let is_late = failing.iter().all(|found| found.reach == Some(0));
    is_late && cuts >= CUTS_MIN && failing.len() * SELDOM <= cuts
}

/// True where failures of half of the failing cuts go back to the first half of what was written.
fn reaches_far(failing: &[&Found]) -> bool {
    let far = failing.iter().filter(|found| found.reach.unwrap_or(0) * 2 > found.groups);
    far.count() * 2 > failing.len()
}

fn is_fua_intact(failing: &[&Found]) -> bool {
    let sum = failing.iter().fold((0, 0), |sum, found| (sum.0 + found.fua.0, sum.1 + found.fua.1));
    sum.0 == 0 && sum.1 >= FUA_MIN
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Losses => f.write_str("losses"),
            Self::FuaIgnored => f.write_str("FUA is ignored, flushes are not"),
            Self::Damage => f.write_str("damage"),
            Self::Lie(Lie::FlushIgnored) => f.write_str("flushes are ignored"),
            Self::Lie(Lie::FlushIgnoredButFua) => f.write_str("flushes are ignored, FUA is not"),
            Self::Lie(Lie::FlushNowAndThenIgnored) => f.write_str("a flush is ignored now and then"),
            Self::Lie(Lie::FlushReorders) => f.write_str("flushes reorder"),
            Self::Lie(Lie::FlushedTorn(piece_bytes)) => write!(f, "flushed writes are torn at {piece_bytes}"),
            Self::Lie(Lie::TrimReturns) => f.write_str("trims come back"),
            Self::Lie(Lie::SaysWriteThrough) => f.write_str("a cache behind `write through`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cached::behaviours::BEHAVIOURS;
    use crate::powercut::tiny::testing::one_cut;

    #[test]
    fn every_drive_is_named_rightly_and_an_honest_one_never_fails() {
        for behaviour in BEHAVIOURS {
            // It loses once in some hundreds of cuts: these have one of them.
            let seeds = if behaviour.lie == Some(Lie::FlushNowAndThenIgnored) { 200..300 } else { 0..12 };
            let found: Vec<Found> = seeds.map(|seed| one_cut(behaviour, seed)).collect();
            assert!(found.iter().all(|found| found.groups > 10), "{}", behaviour.name);
            let expected = behaviour.lie.map_or(Named::Nothing, Named::Lie);
            assert_eq!(name(&found, behaviour.says_write_through), expected, "{}", behaviour.name);
        }
    }

    #[test]
    fn what_ioproof_says_is_read() {
        let named = |text: &str| told(&serde_json::from_str(text).unwrap());
        assert_eq!(named("null"), None);
        assert_eq!(named(r#"{"name":"torn","at_bytes":512}"#), Some(Named::Lie(Lie::FlushedTorn(512))));
        assert_eq!(named(r#"{"name":"unknown"}"#), Some(Named::Losses));
    }

    #[test]
    fn a_filesystem_that_is_gone_is_damage() {
        assert_eq!(name(&[Found::default(), Found::all_gone(Kind::Unmountable)], false), Named::Damage);
        assert_eq!(name(&[], false), Named::Nothing);
    }
}
