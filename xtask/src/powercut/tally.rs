//! The row of one campaign: its cuts, what was found by kind, and whether that is right.

use super::found::Found;
use super::grade::{NOTHING, Right};
use super::prover::Writer;
use std::collections::BTreeMap;

pub const COLUMNS: &str = "drive               layer               writer    cuts  acknowledged  first found  named  seconds  ";

pub struct Tally {
    pub writer: Writer,
    pub found: Vec<Found>,
    pub right: Right,
}

impl Tally {
    pub fn named(&self) -> &str {
        self.named_by(self.found.len())
    }

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
        self.right.is(self.named())
    }

    pub fn first(&self) -> Option<usize> {
        self.found.iter().position(|found| !found.is_clean()).map(|at| at + 1)
    }

    fn kinds(&self) -> BTreeMap<&str, u64> {
        let all = self.found.iter().flat_map(|found| &found.kinds);
        all.fold(BTreeMap::new(), |mut sum, (kind, count)| {
            *sum.entry(*kind).or_default() += count;
            sum
        })
    }

    /// Failures by kind, their name, and whether it is right.
    fn told(&self) -> String {
        let overtaken: u64 = self.found.iter().map(|found| found.overtaken).sum();
        let order = (overtaken > 0).then(|| format!("{overtaken} out of order"));
        let kinds = self.kinds().into_iter().map(|(kind, count)| format!("{count} {kind}")).chain(order).collect::<Vec<_>>();
        let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
        format!("{} {}{kinds}", if self.is_right() { "right" } else { "WRONG" }, self.named())
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
