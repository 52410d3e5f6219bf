//! A row of the table: what is looked for, how, and a job for which it speaks beside one for which it is silent.

use super::scene::{Scene, View};
use crate::complaint::Place;

/// One rule.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Stable name, as warnings carry it.
    pub name: &'static str,
    /// How grave it is.
    pub grade: Grade,
    /// Names of rules that say the same in other words, or about figures that mean nothing any more: where this one speaks about a job, they go without saying.
    pub covers: &'static [&'static str],
    /// What it looks for, in one sentence.
    pub about: &'static str,
    /// A job file for which it speaks.
    pub fires_on: &'static str,
    /// A job file close to that one for which it is silent.
    pub silent_on: &'static str,
    pub(super) check: Check,
}

/// How grave it is what a rule speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The job measures something else than its author believes; `--strict` makes it an error.
    Mistake,
    /// True and worth knowing, and not wrong.
    Remark,
}

/// How a rule looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// At each job by itself.
    Job(fn(&View) -> Option<Found>),
    /// At all jobs; with the place of the job in the list.
    All(fn(&Scene) -> Vec<(usize, Found)>),
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Where; `None`: where the job begins.
    pub(super) place: Option<Place>,
    /// What is wrong, with the figures, as a sentence without its full stop.
    pub(super) text: String,
    /// What to do about it.
    pub(super) remedy: String,
}

/// Something that was found about a job as a whole.
pub(super) fn found(text: impl Into<String>, remedy: impl Into<String>) -> Found {
    Found { place: None, text: text.into(), remedy: remedy.into() }
}
