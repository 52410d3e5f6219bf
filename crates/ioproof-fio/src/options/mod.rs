//! The table of fio's options: one row an option, a file for each theme.
//!
//! Reading job files, the command line, the help and `docs/fio-compatibility.md` all come from it. How to add a row is said in the README beside this file.

mod access;
mod blocks;
mod buffers;
mod creation;
mod engine;
mod errors;
mod files;
mod hooks;
mod host;
mod job;
mod kind;
mod latency;
mod logs;
mod memory;
mod queue;
mod random;
mod rate;
mod region;
mod replay;
mod report;
mod row;
mod start;
mod steady;
mod sync;
mod time;
mod trim;
mod value;
mod verify;
mod zones;

#[cfg(test)]
mod tests;

pub use buffers::is_of_writes;
pub use kind::Kind;
pub use row::{Row, Set, Treatment};
pub use value::Value;

use super::command_line::Takes;
use super::settings::Settings;
use super::values::{Context, keywords, nearest};

/// A theme of the table.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// Its heading.
    pub name: &'static str,
    /// Its options.
    pub rows: &'static [Row],
}

/// The whole table.
pub const GROUPS: &[Group] = &[
    Group { name: "The job", rows: job::ROWS },
    Group { name: "Files", rows: files::ROWS },
    Group { name: "How files are made", rows: creation::ROWS },
    Group { name: "The part of the files, and how much", rows: region::ROWS },
    Group { name: "Directions and order", rows: access::ROWS },
    Group { name: "Sizes of I/Os", rows: blocks::ROWS },
    Group { name: "Random offsets", rows: random::ROWS },
    Group { name: "The I/O engine", rows: engine::ROWS },
    Group { name: "The queue", rows: queue::ROWS },
    Group { name: "Durability", rows: sync::ROWS },
    Group { name: "Time", rows: time::ROWS },
    Group { name: "Rates and pauses", rows: rate::ROWS },
    Group { name: "Latency", rows: latency::ROWS },
    Group { name: "What is written", rows: buffers::ROWS },
    Group { name: "Memory", rows: memory::ROWS },
    Group { name: "Verification", rows: verify::ROWS },
    Group { name: "Trims while verifying", rows: trim::ROWS },
    Group { name: "Clones, groups and the order of jobs", rows: start::ROWS },
    Group { name: "CPUs, memory nodes, priorities", rows: host::ROWS },
    Group { name: "Logs", rows: logs::ROWS },
    Group { name: "The report", rows: report::ROWS },
    Group { name: "Errors", rows: errors::ROWS },
    Group { name: "Steady state", rows: steady::ROWS },
    Group { name: "Commands before and after", rows: hooks::ROWS },
    Group { name: "Recording and replaying I/O", rows: replay::ROWS },
    Group { name: "Zoned devices", rows: zones::ROWS },
];

/// All rows.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    GROUPS.iter().flat_map(|group| group.rows)
}

/// The row of a name or another name of it.
#[must_use]
pub fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.names().any(|known| known == name))
}

/// All names and how they are given on the command line.
#[must_use]
pub fn names() -> Vec<(&'static str, Takes)> {
    rows().flat_map(|row| row.names().map(|name| (name, row.kind.takes()))).collect()
}

/// The known name that is most like an unknown one.
#[must_use]
pub fn nearest_name(unknown: &str) -> Option<&'static str> {
    nearest(unknown, rows().flat_map(Row::names))
}

impl Row {
    /// Changes the settings as the value says; the error says why it cannot.
    pub fn apply(&self, settings: &mut Settings, text: Option<&str>, context: &Context) -> Result<(), String> {
        let text = text.map(|text| keywords(text, context)).transpose()?;
        let value = Value::new(text.as_deref(), context);
        self.kind.check(&value)?;
        (self.set)(settings, &value).map_err(|error| if error.is_empty() { self.treatment.text().to_owned() } else { error })
    }

    /// Difference from fio with this value.
    #[must_use]
    pub fn differs(&self, text: Option<&str>, context: &Context) -> Option<&'static str> {
        let Treatment::Approximated(differs) = self.treatment else { return None };
        let mut settings = Settings::default();
        let applied = self.apply(&mut settings, text, context).is_ok();
        let differs_for = |settings: &Settings| self.otherwise.map_or(*settings != Settings::default(), |otherwise| otherwise(settings));
        (applied && differs_for(&settings)).then_some(differs)
    }
}
