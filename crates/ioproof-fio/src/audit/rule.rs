//! A row of the table: its name, weight and check, and a job file for which it speaks beside one for which it is silent.

use super::context::{AuditContext, JobContext};
use crate::complaint::Place;
use ioproof_core::finding::{Evidence, Severity};

/// One rule about fio's language.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name, as findings carry it.
    pub name: &'static str,
    /// *Warn* where the job does something else than its author believes, which `--strict` makes an error; *info* where it is true and only worth knowing.
    pub severity: Severity,
    /// Rules, also of method, that say the same in other words: where this one speaks about a job, they are left out.
    pub covers: &'static [&'static str],
    /// Rules of method that say the same and more: where one of them speaks about a job, this one is left out.
    pub covered_by: &'static [&'static str],
    /// The mistake it looks for, in one sentence.
    pub about: &'static str,
    /// A job file for which it speaks.
    pub fires_on: &'static str,
    /// A job file close to that one for which it is silent.
    pub silent_on: &'static str,
    pub(super) check: Check,
}

/// The scope of a check.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// Each job by itself.
    Job(fn(&JobContext) -> Option<Found>),
    /// All jobs together; the number is the job's position in the list.
    All(fn(&AuditContext) -> Vec<(usize, Found)>),
}

/// One mistake that a check has found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The place of the option; `None`: where the job begins.
    pub(super) place: Option<Place>,
    /// One sentence with the figures, without its full stop.
    pub(super) title: String,
    /// The figures.
    pub(super) evidence: Vec<Evidence>,
    /// The way to mend it; a sentence without its full stop.
    pub(super) remedy: String,
}

/// A mistake of a job as a whole.
pub(super) fn found(title: impl Into<String>, evidence: Vec<Evidence>, remedy: impl Into<String>) -> Found {
    Found { place: None, title: title.into(), evidence, remedy: remedy.into() }
}
