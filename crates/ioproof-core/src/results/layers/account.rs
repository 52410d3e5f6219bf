//! The account of the layers, of which bars are drawn: a layer that counts as 100 %, and what is left of it above. Only figures that stand are held against each other: what a
//! cache gave is no figure of a filesystem, and commits that do not wait for the drive are not to be held against durable writes.

use super::words::CACHED;
use super::{Below, DatabaseTurns, LayerKind, LayerRow, Layers, PoolShare, PoolWay, Unsynced, verdict};
use crate::base::distinct::distinct;
use crate::finding::{Effect, Finding};
use crate::measured::Context;
use crate::stats::Estimate;
use serde::{Deserialize, Serialize};

/// The rule that finds commits that do not wait for the drive.
const UNSYNCED: &str = "commits-unsynced";

/// Layers of one target that are shares of the same one below them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Account {
    /// Position of its target in the run's list.
    pub target: u32,
    /// The layer that counts as 100 %.
    pub whole: Whole,
    /// Its load in words: `random writes of 4 KiB + fdatasync`.
    pub title: String,
    /// Its reads or durable writes per second.
    pub per_s: Estimate,
    /// The layers above it.
    pub bars: Vec<AccountBar>,
    /// Layers above it that are not to be held against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// The layer that counts as 100 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// Reads of the same blocks past the filesystem.
    SameBlocks,
    /// Reads of its drives before it was made.
    Drives {
        /// The way in which they are stated.
        way: PoolWay,
        /// Their number.
        drives: u32,
    },
    /// Durable writes of the filesystem.
    DurableWrites,
}

/// The share of a layer in the one that counts as 100 %.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccountBar {
    /// The place of the layer.
    pub kind: LayerKind,
    /// In words, as in its row.
    pub title: String,
    /// The share. 0 to 1, or more.
    pub share: Estimate,
}

/// A layer that has no bar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// In words, as in its row.
    pub title: String,
    /// The rules that take its share away.
    pub rules: Vec<String>,
}

impl Whole {
    /// In words: `all 2 drives at once`.
    pub fn describe(self) -> String {
        match self {
            Self::SameBlocks => "the same blocks past the filesystem".into(),
            Self::Drives { way, drives } => way.title(drives),
            Self::DurableWrites => "durable writes".into(),
        }
    }

    /// The reads below a filesystem that policy holds its own against, where it is these.
    pub(super) fn below(self) -> Option<Below> {
        match self {
            Self::SameBlocks => Some(Below::SameBlocks),
            Self::Drives { way: PoolWay::AtOnce, .. } => Some(Below::DrivesAtOnce),
            Self::Drives { .. } | Self::DurableWrites => None,
        }
    }

    pub fn is_of_reads(self) -> bool {
        self != Self::DurableWrites
    }
}

pub(super) struct KnownAccount<'k> {
    pub rows: &'k [LayerRow],
    pub pool: &'k [PoolShare],
    pub context: &'k Context<'k>,
    pub findings: &'k [Finding],
}

/// All accounts of a run, target by target, reads before commits.
pub(super) fn accounts(known: &KnownAccount) -> Vec<Account> {
    let of_row = |row: &LayerRow| match row.kind {
        LayerKind::FilesystemReads => known.of_blocks(row).into_iter().chain(known.of_drives(row)).collect(),
        LayerKind::FilesystemWrites => known.of_commits(row).into_iter().collect::<Vec<_>>(),
        LayerKind::BlockReads | LayerKind::Database => Vec::new(),
    };
    known.rows.iter().flat_map(of_row).collect()
}

impl KnownAccount<'_> {
    /// Reads through a filesystem of those of the same blocks past it.
    fn of_blocks(&self, row: &LayerRow) -> Option<Account> {
        let (share, blocks) = (row.share?, verdict::blocks(self.rows, row)?);
        let rules = self.takes_away(row.job.into_iter().chain(blocks.job));
        Some(Account::empty(row, Whole::SameBlocks, &blocks.title, blocks.per_s).with(row, share, rules))
    }

    /// The same of those of its drives before it was made, in each way in which these are stated.
    fn of_drives(&self, row: &LayerRow) -> impl Iterator<Item = Account> {
        let own = self.pool.iter().filter(|share| Some(share.job) == row.job);
        own.map(|share| {
            let PoolShare { way, drives, .. } = *share;
            let rules = self.takes_away(verdict::jobs_of_drives(self.context.record, row.target).chain(row.job));
            let title = format!("{} of {}", row.title, way.title(drives));
            Account::empty(row, Whole::Drives { way, drives }, &title, share.per_s).with(row, share.estimate(), rules)
        })
    }

    /// Commits of databases of the durable writes of their filesystem, by as many writers as they have clients; none without a database whose transactions write.
    fn of_commits(&self, writes: &LayerRow) -> Option<Account> {
        let is_above = |row: &&LayerRow| {
            row.kind == LayerKind::Database && Layers::writes_of(self.rows, row).is_some_and(|below| std::ptr::eq(below, writes))
        };
        let empty = Account::empty(writes, Whole::DurableWrites, &writes.title, writes.per_s);
        let account = self.rows.iter().filter(is_above).filter_map(|row| Some((row, row.share?))).fold(empty, |account, (row, share)| {
            let mut rules = self.takes_away(writes.job.into_iter());
            if self.is_unsynced(row) {
                rules.push(UNSYNCED.into());
            }
            account.with(row, share, rules)
        });
        (!account.bars.is_empty() || !account.left_out.is_empty()).then_some(account)
    }

    fn is_unsynced(&self, row: &LayerRow) -> bool {
        let turns = row.database.and_then(|database| DatabaseTurns::of(self.context.record, database));
        turns.is_some_and(|turns| Unsynced::of(self.context, &turns).is_some())
    }

    /// The rules, each once, by which the figure of one of these jobs is not the drive's.
    fn takes_away(&self, jobs: impl Iterator<Item = u32> + Clone) -> Vec<String> {
        let is_taken = |finding: &&Finding| finding.effect == Effect::Invalid || finding.rule == CACHED;
        let taken = self.findings.iter().filter(is_taken).filter(|finding| jobs.clone().any(|job| finding.subject.concerns(job)));
        distinct(taken.map(|finding| finding.rule.clone()))
    }
}

impl Account {
    fn empty(row: &LayerRow, whole: Whole, title: &str, per_s: Estimate) -> Self {
        Self { target: row.target, whole, title: title.to_owned(), per_s, bars: Vec::new(), left_out: Vec::new() }
    }

    /// The same with a layer above; left out where rules take its share away.
    fn with(mut self, row: &LayerRow, share: Estimate, rules: Vec<String>) -> Self {
        let title = row.title.clone();
        match rules.is_empty() {
            true => self.bars.push(AccountBar { kind: row.kind, title, share }),
            false => self.left_out.push(LeftOut { title, rules }),
        }
        self
    }
}

#[cfg(test)]
mod tests;
