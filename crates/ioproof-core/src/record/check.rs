//! Results of reading back blocks that were written with headers.

use crate::base::serde_skip::is_zero;
use serde::{Deserialize, Serialize};

/// Results of reading back blocks that were written with headers. Counted in pieces of 512 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CheckResult {
    /// Pieces that were as they were last written.
    pub good: u64,
    /// Pieces that nobody of this run had written; nothing is known of them.
    pub unwritten: u64,
    /// Pieces whose checksum is wrong or that bear no header.
    pub corrupt: u64,
    /// Pieces that are sound but were written for another place.
    pub misplaced: u64,
    /// Pieces that are sound but older than the last acknowledged write.
    pub stale: u64,
    /// I/Os whose pieces are sound but of different writes.
    pub torn: u64,
    /// Pieces of acknowledged writes that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// The first that was not good, in words, with its offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// I/Os with a piece that was not good.
    #[serde(skip_serializing_if = "is_zero")]
    pub bad_ios: u64,
    /// Seeds of the runs that wrote it, where it was not known beforehand who had; at most [`Self::SEEDS_MAX`] of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<u64>,
}

impl CheckResult {
    pub const SEEDS_MAX: usize = 8;

    /// Keeps a seed, unless it is known or there is no room.
    #[inline]
    pub fn note_seed(&mut self, seed: u64) {
        if !self.seeds.contains(&seed) && self.seeds.len() < Self::SEEDS_MAX {
            self.seeds.push(seed);
        }
    }

    /// Pieces that are not what was written.
    #[inline]
    pub fn bad(&self) -> u64 {
        [self.misplaced, self.stale, self.torn, self.unreadable].into_iter().fold(self.corrupt, u64::saturating_add)
    }

    pub fn bad_words(&self) -> String {
        match self.bad() {
            1 => "1 piece or I/O that was read back is not what was written".to_owned(),
            bad => format!("{bad} pieces or I/Os that were read back are not what was written"),
        }
    }

    /// Adds another's counts; the first that was not good stays.
    #[inline]
    pub fn merge(&mut self, other: &CheckResult) {
        self.good = self.good.saturating_add(other.good);
        self.unwritten = self.unwritten.saturating_add(other.unwritten);
        self.corrupt = self.corrupt.saturating_add(other.corrupt);
        self.misplaced = self.misplaced.saturating_add(other.misplaced);
        self.stale = self.stale.saturating_add(other.stale);
        self.torn = self.torn.saturating_add(other.torn);
        self.unreadable = self.unreadable.saturating_add(other.unreadable);
        self.bad_ios = self.bad_ios.saturating_add(other.bad_ios);
        other.seeds.iter().for_each(|seed| self.note_seed(*seed));
        self.first = self.first.take().or_else(|| other.first.clone());
    }
}
