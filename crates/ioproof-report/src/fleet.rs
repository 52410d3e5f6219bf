//! A fleet as reports see it: its judgement and the facts of its drives, or those of one day.

use ioproof_core::fleet::{DriveRun, Fleet};

/// Content of a report on a fleet.
#[derive(Debug, Clone, Copy)]
pub struct FleetReport<'a> {
    pub fleet: &'a Fleet,
    /// The runs that were judged, in the same order.
    pub runs: &'a [DriveRun],
    /// The only day of which a table has rows; it has no column of days then.
    pub day: Option<&'a str>,
}

impl FleetReport<'_> {
    /// `48 drives on 12 nodes: 3 drives at fault`.
    pub(crate) fn heading(&self) -> String {
        let count = |n: usize, thing: &str| ioproof_core::text::counted(n as u64, thing);
        format!("{} on {}: {}", count(self.fleet.drives, "drive"), count(self.fleet.nodes, "node"), self.fleet.exit_reason)
    }

    /// Lists of sentences below the tables, each under its title; none is empty.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        let problems = self.fleet.problems.iter().map(|problem| format!("{}: {}", problem.place, problem.text)).collect();
        let lists = [
            ("Notes", self.fleet.notes.clone()),
            ("Results that are missing or in doubt", problems),
            ("Method", self.fleet.method.clone()),
        ];
        lists.into_iter().filter(|(_, texts)| !texts.is_empty())
    }

    /// The days on which runs began, each once, in their order.
    #[must_use]
    pub fn days(&self) -> Vec<&str> {
        let days: std::collections::BTreeSet<&str> = self.runs.iter().map(DriveRun::day).collect();
        days.into_iter().collect()
    }
}
