//! A row of the table: its name, weight and check, and a job file for which it speaks beside one for which it is silent.

use super::context::{AuditContext, JobContext};
use crate::complaint::SourcePlace;
use ioproof_core::finding::{Evidence, Severity};

#[derive(Debug, Clone, Copy)]
pub struct LanguageRule {
    pub name: &'static str,
    /// *Warn* where the job does something else than its author believes, which `--strict` makes an error; *info* where it is true and only worth knowing.
    pub severity: Severity,
    /// Rules, also of method, that say the same in other words: where this one speaks about a job, they are left out.
    pub covers: &'static [&'static str],
    /// Rules of method that say the same and more: where one of them speaks about a job, this one is left out.
    pub covered_by: &'static [&'static str],
    pub about: &'static str,
    pub fires_on: &'static str,
    pub silent_on: &'static str,
    pub(super) check: LanguageCheck,
}

pub(super) const fn rule(name: &'static str, severity: Severity, check: LanguageCheck) -> LanguageRule {
    LanguageRule { name, severity, covers: &[], covered_by: &[], about: "", fires_on: "", silent_on: "", check }
}

impl LanguageRule {
    pub(super) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(super) const fn fires_on(self, fires_on: &'static str) -> Self {
        Self { fires_on, ..self }
    }

    pub(super) const fn silent_on(self, silent_on: &'static str) -> Self {
        Self { silent_on, ..self }
    }

    pub(super) const fn covers(self, covers: &'static [&'static str]) -> Self {
        Self { covers, ..self }
    }

    pub(super) const fn covered_by(self, covered_by: &'static [&'static str]) -> Self {
        Self { covered_by, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum LanguageCheck {
    Job(fn(&JobContext) -> Option<LanguageFinding>),
    /// All jobs together; the number is the job's position in the list.
    All(fn(&AuditContext) -> Vec<(usize, LanguageFinding)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct LanguageFinding {
    /// The place of the option; `None`: where the job begins.
    pub(super) place: Option<SourcePlace>,
    pub(super) title: String,
    pub(super) evidence: Vec<Evidence>,
    pub(super) remedy: String,
}

pub(super) fn found(title: impl Into<String>, evidence: Vec<Evidence>, remedy: impl Into<String>) -> LanguageFinding {
    LanguageFinding { place: None, title: title.into(), evidence, remedy: remedy.into() }
}
