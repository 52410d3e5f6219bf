//! Findings: the subject of each, its evidence in words, its weight.

use super::Conditions;
use ioproof_core::finding::{Effect, Finding, Severity, Subject};
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;

/// Something that explains or invalidates a number.
pub(crate) struct FindingView {
    pub rule: String,
    pub severity: Severity,
    /// A short name of the job, drive or target that it is about; none for the whole run.
    pub subject: Option<String>,
    /// The same in full.
    about: String,
    pub title: String,
    pub evidence: Vec<(String, String)>,
    pub effect: Effect,
    pub remedy: String,
}

impl FindingView {
    pub(crate) fn new(finding: &Finding, record: &RunRecord) -> Self {
        let (subject, about) = describe_subject(&finding.subject, record);
        Self {
            rule: visible(&finding.rule),
            severity: finding.severity,
            subject,
            about,
            title: visible(&finding.title),
            evidence: finding.evidence.iter().map(|e| (visible(&e.name), visible(&e.describe()))).collect(),
            effect: finding.effect,
            remedy: visible(&finding.remedy),
        }
    }

    /// The subject in full, and the bearing on verdicts.
    pub(crate) fn about(&self) -> String {
        match describe_effect(self.effect) {
            "" => self.about.clone(),
            effect => format!("{}: {effect}", self.about),
        }
    }

    /// The subject alone, in full.
    pub(crate) fn subject_in_full(&self) -> &str {
        &self.about
    }

    /// The bearing on verdicts in words; empty for none.
    pub(crate) fn effect_text(&self) -> &'static str {
        describe_effect(self.effect)
    }

    /// The severity in a word.
    pub(crate) fn weight(&self) -> &'static str {
        match self.severity {
            Severity::Block => "invalid",
            Severity::Warn => "doubt",
            Severity::Info => "note",
        }
    }

    /// `bytes at the device 0.3 %, page cache grew 1.2 GB`.
    pub(crate) fn evidence_text(&self) -> String {
        self.evidence.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// The subject for a line of the summary, and in full.
fn describe_subject(subject: &Subject, record: &RunRecord) -> (Option<String>, String) {
    let both = |text: String| (Some(text.clone()), text);
    match subject {
        Subject::Run => (None, "whole run".to_owned()),
        Subject::Host => both("host".to_owned()),
        Subject::Drive(name) => both(format!("drive {}", visible(name))),
        Subject::Target(path) => both(format!("target {}", visible(path))),
        Subject::Named(name) => both(visible(name)),
        Subject::Job(job) => match Conditions::of_job(*job, record) {
            Some(of) => (Some(of.shortest()), format!("{}, {}", of.full_title(), of.depth_formula())),
            None => both(format!("job {job}")),
        },
    }
}

/// The bearing of a finding, be there a claim or none.
fn describe_effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Easier => "made easier by this",
        Effect::Harder => "made harder by this",
        other => super::rows::describe_effect(other),
    }
}
