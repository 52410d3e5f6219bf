//! Right or wrong: what was found of a drive, held against the truth about it; the row of one campaign.

use super::judged::Found;
use super::layer::Layer;
use super::prover::Writer;
use crate::cached::behaviours::Behaviour;
use std::collections::BTreeMap;

/// Name of what a drive shows of which nothing was found.
pub const NOTHING: &str = "nothing";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// This name: of no failure at all, or of a lie.
    Named(&'static str),
    /// Any failure: what a filesystem makes of a drive that lies does not say how it lied.
    Anything,
}

impl Right {
    pub fn of(behaviour: &Behaviour, layer: &Layer) -> Self {
        let on_filesystem = layer.filesystem.is_some();
        // A cache that outlives the cut needs no flushes.
        if layer.keeps_flushes && !behaviour.habits.is_protected {
            return Self::Anything;
        }
        match behaviour.lie {
            None => Self::Named(NOTHING),
            // A hole in a file is the filesystem's own, and no trim reaches the drive.
            Some("trims_return") if on_filesystem => Self::Named(NOTHING),
            Some(_) if on_filesystem => Self::Anything,
            // No FUA passes through a loop device (`standing.rs`).
            Some("flushes_ignored_but_direct") if layer.has_device => Self::Named("flushes_ignored"),
            Some(lie) => Self::Named(lie),
        }
    }

    pub fn is(self, named: &str) -> bool {
        match self {
            Self::Named(name) => named == name,
            Self::Anything => named != NOTHING,
        }
    }
}

pub const COLUMNS: &str = "drive               layer               writer    cuts  acknowledged  first found  named  seconds  ";

pub struct Tally {
    pub writer: Writer,
    pub found: Vec<Found>,
    pub right: Right,
}

impl Tally {
    fn named_by(&self, cuts: usize) -> &str {
        let found = &self.found[..cuts];
        match found.iter().all(Found::is_clean) {
            true => NOTHING,
            false => found.iter().rev().find_map(|found| found.habit.as_deref()).unwrap_or("losses"),
        }
    }

    fn named_at(&self) -> Option<usize> {
        let wrong = (1..=self.found.len()).rev().find(|cuts| !self.right.is(self.named_by(*cuts)));
        Some(wrong.map_or(1, |cuts| cuts + 1)).filter(|cuts| self.first().is_some() && *cuts <= self.found.len())
    }

    pub fn is_right(&self) -> bool {
        self.right.is(self.named_by(self.found.len()))
    }

    fn first(&self) -> Option<usize> {
        self.found.iter().position(|found| !found.is_clean()).map(|at| at + 1)
    }

    fn told(&self) -> String {
        let overtaken: u64 = self.found.iter().map(|found| found.overtaken).sum();
        let order = (overtaken > 0).then(|| format!("{overtaken} out of order"));
        let mut sum: BTreeMap<&str, u64> = BTreeMap::new();
        self.found.iter().flat_map(|found| &found.kinds).for_each(|(kind, count)| *sum.entry(*kind).or_default() += count);
        let kinds = sum.into_iter().map(|(kind, count)| format!("{count} {kind}")).chain(order).collect::<Vec<_>>();
        let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
        format!("{} {}{kinds}", if self.is_right() { "right" } else { "WRONG" }, self.named_by(self.found.len()))
    }

    pub fn row(&self, drive: &str, layer: &str, seconds: f64) -> String {
        let acknowledged: u64 = self.found.iter().map(|found| found.acknowledged).sum();
        let [first, named] = [self.first(), self.named_at()].map(|cut| cut.map_or("-".to_owned(), |cut| cut.to_string()));
        format!(
            "{drive:<20}{layer:<20}{:<7}{:>7}{acknowledged:>14}{first:>13}{named:>7}{seconds:>9.1}  {}",
            self.writer.name(),
            self.found.len(),
            self.told()
        )
    }
}
