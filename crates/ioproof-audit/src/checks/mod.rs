//! Checks of documents: a file and a row for each. README.md says how to add one.

pub(crate) mod commands;
pub(crate) mod outputs;
pub(crate) mod words;

// The words that checks are written in.
use crate::command::Command;
use crate::finding::{Findings, Weight};
use crate::measured::{Direction, Kind, Measured, Order, Side, Unfinished};
use crate::number::{Comma, Number, bytes, leading};
use crate::prose::{Figure, Paragraph, Row, Table, figures};
use crate::reading::Reading;
use crate::show;
use ioproof_core::units::{binary_size, block_size, decimal_size};

pub(crate) struct Check {
    pub name: &'static str,
    pub run: Run,
}

/// The scope of a check.
pub(crate) enum Run {
    One(fn(&Reading, &mut Findings)),
    /// All documents together.
    All(fn(&[Reading], &mut Findings)),
}

const fn one(name: &'static str, run: fn(&Reading, &mut Findings)) -> Check {
    Check { name, run: Run::One(run) }
}

const fn all(name: &'static str, run: fn(&[Reading], &mut Findings)) -> Check {
    Check { name, run: Run::All(run) }
}

pub fn names() -> impl Iterator<Item = &'static str> {
    tables().map(|check| check.name)
}

fn tables() -> impl Iterator<Item = &'static Check> {
    [outputs::CHECKS, words::CHECKS, commands::CHECKS].into_iter().flatten()
}

pub(crate) fn run(readings: &[Reading]) -> Findings {
    let mut findings = Findings::default();
    for check in tables() {
        match check.run {
            Run::One(run) => readings.iter().for_each(|reading| run(reading, &mut findings)),
            Run::All(run) => run(readings, &mut findings),
        }
    }
    let order = |file: &str| readings.iter().position(|reading| reading.file() == file);
    findings.found.sort_by_key(|found| (order(&found.file), found.line));
    findings.sound.sort_by_key(|sound| (order(&sound.file), sound.line));
    findings
}

/// The name of a rule, for as long as the program runs.
pub(crate) fn rule_name(name: &str) -> &'static str {
    let language = ioproof_fio::audit::rules().map(|rule| rule.name);
    let method = ioproof_core::method::rules().map(|rule| rule.name);
    language.chain(method).find(|known| *known == name).unwrap_or("job-file")
}
