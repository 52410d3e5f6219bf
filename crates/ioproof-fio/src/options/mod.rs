//! The table of fio's options: one row an option, a file for each theme.
//!
//! Reading job files, the command line, the help and `docs/fio-compatibility.md` all come from it. How to add a row is said in the README beside this file.

mod access;
mod data;
mod engine;
mod files;
mod host;
mod jobs;
mod kind;
mod pace;
mod region;
mod replay;
mod report;
mod row;
mod value;
mod verify;

#[cfg(test)]
mod tests;

pub use data::is_of_writes;
pub use kind::ValueKind;
pub use row::{OptionRow, OptionTreatment, Set, SettingChange};
pub use value::OptionValue;

use super::command_line::Takes;
use super::values::nearest;

pub const GROUPS: &[(&str, &[OptionRow])] = &[
    ("The job", jobs::JOB),
    ("Files", files::FILES),
    ("How files are made", files::CREATION),
    ("The part of the files, and how much", region::REGION),
    ("Directions and order", access::ACCESS),
    ("Sizes of I/Os", access::BLOCKS),
    ("Random offsets", access::RANDOM),
    ("The I/O engine", engine::ENGINE),
    ("The queue", engine::QUEUE),
    ("Durability", verify::SYNC),
    ("Time", pace::TIME),
    ("Rates and pauses", pace::RATE),
    ("Latency", pace::LATENCY),
    ("What is written", data::BUFFERS),
    ("Memory", data::MEMORY),
    ("Verification", verify::VERIFY),
    ("Trims while verifying", verify::TRIM),
    ("Clones, groups and the order of jobs", jobs::START),
    ("CPUs, memory nodes, priorities", host::HOST),
    ("Logs", report::LOGS),
    ("The report", report::REPORT),
    ("Errors", report::ERRORS),
    ("Steady state", pace::STEADY),
    ("Commands before and after", jobs::HOOKS),
    ("Recording and replaying I/O", replay::RECORDED),
    ("Zoned devices", region::ZONES),
];

pub fn rows() -> impl Iterator<Item = &'static OptionRow> {
    GROUPS.iter().flat_map(|(_, rows)| *rows)
}

pub fn find(name: &str) -> Option<&'static OptionRow> {
    rows().find(|row| row.names().any(|known| known == name))
}

pub fn names() -> Vec<(&'static str, Takes)> {
    rows().flat_map(|row| row.names().map(|name| (name, row.kind.takes()))).collect()
}

pub fn nearest_name(unknown: &str) -> Option<&'static str> {
    nearest(unknown, rows().flat_map(OptionRow::names))
}
