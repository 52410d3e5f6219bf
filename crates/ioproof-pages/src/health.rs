//! Health of a drive by its own account: a table of rules over the fields of its pages, whoever read them. What is wrong with it is a list of findings.
//!
//! `ok` and `ok_as_far_as_told` differ in what was told (`basis`); `worn` includes a drive that is too hot, whose figures may not be those of its datasheet; `unknown`:
//! the pages say nothing about health, or say it in a way that could not be read. A finding of severity *block* makes a drive failing, *warn* worn or one to watch, *info* is a note.
//!
//! The limits of NVMe drives follow the SMART / Health Information log (NVM Express Base Specification 2.0c, 5.16.1.3, figure 207):
//! - *Critical Warning*: each bit is a condition that the drive itself calls critical.
//! - *Available Spare*: reaching the threshold counts as failing. Worn is what is nearer to it than twice its value, or where it is high, nearer than half the way to it.
//! - *Percentage Used*: 100 is the endurance that the maker estimates, "but may not indicate an NVM subsystem failure"; so it is worn from 80 on and never failing.
//! - *Composite Temperature* against WCTEMP and CCTEMP (figure 275): above the first a drive may slow itself down, above the second it may stop.
//!
//! Deliberately absent: statistics of how drives die, and any vendor's own scale other than life left in percent.

mod admit;
mod basis;
mod rules;
#[cfg(test)]
mod tests;

pub use admit::{Admission, admit};
pub(crate) use basis::ENDS_EARLY;

use crate::evidence::{self, of_field};
use crate::field::{Field, Page, Value, find};
use ioproof_core::finding::{Effect, Evidence, Finding, Severity, Subject};
use rules::{HealthCondition, HealthRule, RULES};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// Nothing speaks against it, and all that a drive of its kind tells was told.
    Ok,
    /// Nothing speaks against it, but not all was told.
    OkAsFarAsTold,
    /// It works as when it was new, and something happened that may happen again.
    Watch,
    /// It works, but not as when it was new, or not right now.
    Worn,
    /// It says that it fails, or data is lost already.
    Failing,
    Unknown,
}

/// A row of the table by which a drive was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthRow {
    /// State of the drive by it; `None` for a note.
    pub state: Option<HealthState>,
    pub said: String,
    /// Where it was read.
    pub read_at: String,
    pub reason: &'static str,
    /// Author of the reason.
    pub source: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Health {
    pub state: HealthState,
    pub findings: Vec<Finding>,
    /// Health figures that the drive reported, out of those that its kind reports: `spare`, `wear`.
    #[serde(default)]
    pub rests_on: Vec<String>,
    #[serde(default)]
    pub not_told: Vec<String>,
}

/// Fields without which nothing is known; a temperature alone is not health.
#[rustfmt::skip]
const TELLING: [&str; 22] = [
    "kernel_medium_errors", "failing_by_host", "caution_by_host",
    "predicted_failures", "end_to_end_errors", "scan_unreadable_sectors", "logged_missing_sectors",
    "uncorrectable_read_age_hours", "self_tests_failed", "logged_uncorrectable_reads", "critical_warnings", "smart_passed",
    "available_spare_percent", "percentage_used_percent", "life_left_percent", "media_wearout_left_percent", "uncorrectable_sectors",
    "pending_sectors", "reallocated_sectors", "media_errors", "attributes_failing", "controller_errors",
];

/// Judges the pages of the drive with this name, which may be empty. Where several pages say the same thing, each is judged and the worst counts.
pub fn judge(drive: &str, pages: &[Page]) -> Health {
    let mut findings: Vec<Finding> = Vec::new();
    for finding in RULES.iter().flat_map(|rule| rule.findings(drive, pages)) {
        if !findings.iter().any(|known| known.title == finding.title && known.rule == finding.rule) {
            findings.push(finding);
        }
    }
    let (rests_on, not_told) = basis::told_and_missing(pages);
    let is_told = TELLING.iter().any(|key| find(pages, key).is_some());
    let is_unread = findings.iter().any(|finding| finding.rule == UNREAD);
    let has = |severity: Severity| findings.iter().any(|finding| finding.severity == severity);
    let state = match () {
        () if has(Severity::Block) => HealthState::Failing,
        () if findings.iter().any(|finding| state_by(finding) == Some(HealthState::Worn)) => HealthState::Worn,
        () if has(Severity::Warn) => HealthState::Watch,
        () if is_unread => HealthState::Unknown,
        () if is_told && not_told.is_empty() => HealthState::Ok,
        () if is_told => HealthState::OkAsFarAsTold,
        () => HealthState::Unknown,
    };
    Health { state, findings, rests_on, not_told }
}

/// Rule that fires where a line on health could not be read.
const UNREAD: &str = "health-line-unread";

fn rule_of(finding: &Finding) -> Option<&'static HealthRule> {
    RULES.iter().find(|rule| rule.name == finding.rule)
}

fn state_by(finding: &Finding) -> Option<HealthState> {
    rule_of(finding)?.state
}

impl Health {
    /// The judgement as a table: each thing that was found, what the drive becomes by it, why, and who says so.
    pub fn table(&self) -> Vec<HealthRow> {
        let row = |finding: &Finding| {
            let rule = rule_of(finding)?;
            let (said, read_at) = (finding.title.clone(), finding.source().to_owned());
            Some(HealthRow { state: rule.state, said, read_at, reason: rule.why, source: rule.source })
        };
        self.findings.iter().filter_map(row).collect()
    }
}

impl HealthRule {
    fn findings(&self, drive: &str, pages: &[Page]) -> Vec<Finding> {
        let told = pages.iter().filter_map(|page| Some((page, page.field(self.key)?)));
        let figures = told.flat_map(|(page, field)| self.of_field(pages, page, field));
        figures.map(|(title, evidence)| self.finding(drive, title, evidence)).collect()
    }

    /// Title and evidence for each thing of a field that the rule fires on. A limit is looked for on the same page first.
    fn of_field(&self, pages: &[Page], page: &Page, field: &Field) -> Vec<(String, Evidence)> {
        let limit = |key: &str| page.field(key).or_else(|| find(pages, key)).and_then(number);
        match (&field.value, self.when) {
            (Value::Flag(false), HealthCondition::IsFalse) => return vec![(self.title.to_owned(), of_field(field))],
            (Value::List(words), _) => return words.iter().filter_map(|word| self.of_word(field, word)).collect(),
            _ => {}
        }
        let Some(figure) = number(field) else { return Vec::new() };
        let Some(limit) = self.when.holds(figure, limit) else { return Vec::new() };
        let limit_shown = limit.map(|limit| limit.to_string()).unwrap_or_default();
        let title = self.title.replace("{}", &figure.to_string()).replace("{limit}", &limit_shown);
        vec![(title, evidence::against(field, figure, limit))]
    }

    fn of_word(&self, field: &Field, word: &str) -> Option<(String, Evidence)> {
        let holds = match self.when {
            HealthCondition::WordWith(part) => word.contains(part),
            HealthCondition::WordWithout(part) => !word.contains(part),
            _ => false,
        };
        holds.then(|| (self.title.replace("{}", word), Evidence::text(&field.title, word).read_at(&field.source)))
    }

    fn finding(&self, drive: &str, title: String, evidence: Evidence) -> Finding {
        Finding {
            rule: self.name.to_owned(),
            severity: self.severity,
            subject: Subject::Drive(drive.to_owned()),
            title,
            evidence: vec![evidence],
            effect: Effect::None,
            remedy: self.remedy.to_owned(),
        }
    }
}

fn number(field: &Field) -> Option<f64> {
    match &field.value {
        Value::Number(number) => Some(*number as f64),
        Value::Real(number) => Some(*number),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}
