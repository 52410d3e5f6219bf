//! Commits that do not wait for the drive: the database is set so, or far fewer flushes reached the drive than commits need.
//!
//! Clients that commit at a time share a flush, so of n clients a commit has a flush for n at least. Flushes tell only where durable writes of the same run had
//! theirs: a drive without a volatile cache is sent none, and a log that is opened with O_DSYNC may use FUA.

use super::DatabaseTurns;
use crate::measured::Context;
use crate::record::{DatabaseKind, DatabaseRecord};
use crate::stats::Estimate;
use crate::syncs;

/// Share of the fewest flushes that commits need, below which there are clearly fewer.
const CLEARLY_FEWER: f64 = 0.5;
/// Flushes of a durable write from which on the drive is seen to be sent them.
const SENT: f64 = 0.5;
/// Commits below which flushes tell nothing.
const COMMITS_MIN: u64 = 20;

/// A database whose commits do not wait for the drive.
#[derive(Debug)]
pub(crate) struct Unsynced<'a> {
    /// The setting by which they do not, and its value; none where flushes tell it.
    pub setting: Option<(&'static str, &'a str)>,
    /// Flushes of the drive for each commit, where they were counted.
    pub flushes: Option<Estimate>,
}

impl<'a> Unsynced<'a> {
    /// None where nothing tells that they do not wait.
    pub(crate) fn of(context: &Context, turns: &DatabaseTurns<'a>) -> Option<Self> {
        let (flushes, setting) = (turns.estimate(&|turn| turn.flushes()), setting(turns.database));
        // By its setting no transaction waits, whichever there are.
        let may_commit = turns.database.commits() || !turns.database.scripts.is_empty();
        let is_told = may_commit && setting.is_some() || turns.database.commits() && are_missed(context, turns, flushes);
        is_told.then_some(Self { setting, flushes })
    }
}

/// The setting by which commits do not wait, and its value.
fn setting(database: &DatabaseRecord) -> Option<(&'static str, &str)> {
    let is =
        |name: &'static str, off: &str| database.setting(name).filter(|value| value.eq_ignore_ascii_case(off)).map(|value| (name, value));
    match database.kind {
        DatabaseKind::Postgres => is("fsync", "off").or_else(|| is("synchronous_commit", "off")),
        // With a log it syncs at checkpoints alone.
        DatabaseKind::Sqlite => {
            is("synchronous", "off").or_else(|| is("synchronous", "normal").filter(|_| is("journal_mode", "wal").is_some()))
        }
    }
}

/// Flushes of a commit below which there are clearly fewer than it needs.
pub(crate) fn least_flushes(database: &DatabaseRecord) -> f64 {
    CLEARLY_FEWER / f64::from(database.clients.max(1))
}

/// True where commits have clearly too few flushes, and durable writes of the same filesystem have theirs.
fn are_missed(context: &Context, turns: &DatabaseTurns, flushes: Option<Estimate>) -> bool {
    let is_few = flushes.is_some_and(|flushes| flushes.high < least_flushes(turns.database)) && turns.transactions() >= COMMITS_MIN;
    let is_by_flush = turns.database.setting("wal_sync_method").is_none_or(|method| !method.starts_with("open_"));
    let of_writes = || {
        let writes = turns.durable_writes(context)?;
        let values: Vec<f64> = writes.rounds.iter().filter_map(syncs::flushes_per_commit).collect();
        writes.estimate_of(&values)
    };
    is_few && is_by_flush && of_writes().is_some_and(|of_writes| of_writes.low >= SENT)
}
