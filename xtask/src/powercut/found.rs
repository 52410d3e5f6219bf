//! Findings of one check after a cut: what became of the operations that had been acknowledged.

use super::naming::Named;
use std::collections::BTreeMap;
use std::fmt;

/// Kinds of failure of an acknowledged operation, or of the place where they all were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// As if it had never been written.
    Lost,
    /// An earlier write to the same place is there.
    Stale,
    /// A part is there.
    Torn,
    /// Content that belongs elsewhere.
    Misplaced,
    /// Content that nobody wrote.
    Corrupt,
    /// Content that was trimmed.
    Returned,
    /// It cannot be read.
    Unreadable,
    /// The file is gone.
    Missing,
    /// The filesystem cannot be mounted.
    Unmountable,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::Stale => "stale",
            Self::Torn => "torn",
            Self::Misplaced => "misplaced",
            Self::Corrupt => "corrupt",
            Self::Returned => "returned",
            Self::Unreadable => "unreadable",
            Self::Missing => "file missing",
            Self::Unmountable => "not mountable",
        })
    }
}

/// Findings after one cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Acknowledged operations.
    pub acknowledged: u64,
    pub kinds: BTreeMap<Kind, u64>,
    /// Failed operations of which a later one survived: out of order.
    pub overtaken: u64,
    /// Name that the checker gives, after this cut and those before.
    pub habit: Option<Named>,
}

impl Found {
    /// The one failure of the whole place.
    pub fn all_gone(kind: Kind) -> Self {
        Self { kinds: BTreeMap::from([(kind, 1)]), ..Self::default() }
    }

    pub fn is_clean(&self) -> bool {
        self.kinds.is_empty()
    }

    pub fn has(&self, kind: Kind) -> bool {
        self.kinds.contains_key(&kind)
    }
}
