//! The names that `ioproof powercut check` gives to the lie of a drive, in the words of the table of drives.

use crate::cached::behaviours::Lie;
use serde_json::Value;
use std::fmt;

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

/// The name that a check gives; none where it says nothing of the drive.
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

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Losses => "losses",
            Self::FuaIgnored => "FUA is ignored, flushes are not",
            Self::Damage => "damage",
            Self::Lie(Lie::FlushIgnored) => "flushes are ignored",
            Self::Lie(Lie::FlushIgnoredButFua) => "flushes are ignored, FUA is not",
            Self::Lie(Lie::FlushNowAndThenIgnored) => "a flush is ignored now and then",
            Self::Lie(Lie::FlushReorders) => "flushes reorder",
            Self::Lie(Lie::FlushedTorn(piece_bytes)) => return write!(f, "flushed writes are torn at {piece_bytes}"),
            Self::Lie(Lie::TrimReturns) => "trims come back",
            Self::Lie(Lie::SaysWriteThrough) => "a cache behind `write through`",
        })
    }
}
