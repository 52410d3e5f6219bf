//! Behaviours of drives with a volatile write cache: honest ones and liars, one row each.
//!
//! A row says what is true of the drive; `cached.rs` does it, and `powercut` holds what was found against it.

use super::medium::{Cut, SECTOR_BYTES};

pub struct Behaviour {
    pub name: &'static str,
    pub habits: Habits,
    /// The drive says that it has no volatile cache, so that the kernel sends no flushes.
    pub says_write_through: bool,
    /// Untruth of a drive that lies, as `ioproof powercut check` calls the habit in its document; behind `torn` at how many bytes.
    pub lie: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    pub is_protected: bool,
    pub flush: Flush,
    /// A write with FUA is durable when it is answered. Not so: it is a write like others.
    pub honours_fua: bool,
    /// Trims are forgotten by a flush, and what was there is back after a cut.
    pub trims_return: bool,
    pub unflushed: Cut,
    /// A cut tears the writes of the last flush into pieces of so many bytes.
    pub flushed_torn: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    Whole,
    /// The newest write is durable, and of the older ones each by a draw.
    Newest,
    Ignored,
    IgnoredOnceIn(u64),
}

impl Habits {
    pub const HONEST: Self = Self {
        is_protected: false,
        flush: Flush::Whole,
        honours_fua: true,
        trims_return: false,
        unflushed: Cut::Whole,
        flushed_torn: None,
    };
}

impl Behaviour {
    const fn honest(name: &'static str, habits: Habits) -> Self {
        Self { name, habits, says_write_through: false, lie: None }
    }

    const fn liar(name: &'static str, habits: Habits, lie: &'static str) -> Self {
        Self { lie: Some(lie), ..Self::honest(name, habits) }
    }
}

/// The lie of a drive that tells it once in so many flushes that it is seldom found.
pub const SELDOM: &str = "flushes_sometimes_ignored";

pub const BEHAVIOURS: &[Behaviour] = &[
    // Each write that was not flushed is kept or lost as a whole.
    Behaviour::honest("honest", Habits::HONEST),
    // What was not flushed is torn into sectors, or into blocks.
    Behaviour::honest("honest-torn-512", Habits { unflushed: Cut::Torn(SECTOR_BYTES), ..Habits::HONEST }),
    Behaviour::honest("honest-torn-4096", Habits { unflushed: Cut::Torn(4096), ..Habits::HONEST }),
    Behaviour::honest("honest-all-lost", Habits { unflushed: Cut::All, ..Habits::HONEST }),
    Behaviour::honest("protected", Habits { is_protected: true, ..Habits::HONEST }),
    // Flushes and FUA are answered and make nothing durable.
    Behaviour::liar("flush-ignored", Habits { flush: Flush::Ignored, honours_fua: false, ..Habits::HONEST }, "flushes_ignored"),
    // A flush makes the newest write durable and not all older ones.
    Behaviour::liar("flush-reordered", Habits { flush: Flush::Newest, ..Habits::HONEST }, "out_of_order"),
    // Writes of the last flush are torn.
    Behaviour::liar("flushed-torn-512", Habits { flushed_torn: Some(SECTOR_BYTES), ..Habits::HONEST }, "torn at 512"),
    Behaviour::liar("flushed-torn-4096", Habits { flushed_torn: Some(4096), ..Habits::HONEST }, "torn at 4096"),
    Behaviour::liar("one-flush-in-100", Habits { flush: Flush::IgnoredOnceIn(100), ..Habits::HONEST }, SELDOM),
    Behaviour::liar("fua-only", Habits { flush: Flush::Ignored, ..Habits::HONEST }, "flushes_ignored_but_direct"),
    // What was trimmed and flushed is back after a cut.
    Behaviour::liar("trim-returns", Habits { trims_return: true, ..Habits::HONEST }, "trims_return"),
    // A volatile cache that the drive denies, so that no flush is sent.
    Behaviour { says_write_through: true, ..Behaviour::liar("says-write-through", Habits::HONEST, "hidden_cache") },
];

pub fn find(name: &str) -> Option<&'static Behaviour> {
    BEHAVIOURS.iter().find(|behaviour| behaviour.name == name)
}
