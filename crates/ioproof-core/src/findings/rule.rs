//! A rule over a record, and the findings that it gives.

use super::limit::RuleLimit;
use crate::finding::{Effect, Evidence, Finding, Severity, Subject};
use crate::measured::{Context, Measured};
#[cfg(test)]
use crate::record::RunRecord;

#[derive(Debug, Clone, Copy)]
pub struct FindingRule {
    /// Stable name, as findings carry it.
    pub name: &'static str,
    /// The thing it looks for, in one sentence.
    pub about: &'static str,
    pub(super) check: fn(&Context) -> Vec<Finding>,
    /// The way in which it limits a number, where it does.
    pub(crate) limit: Option<RuleLimit>,
    /// A record on which it fires.
    #[cfg(test)]
    pub(super) fires: fn() -> RunRecord,
    /// A record close to that one on which it is silent.
    #[cfg(test)]
    pub(super) silent: fn() -> RunRecord,
}

#[cfg(test)]
impl FindingRule {
    /// Titles of all that it finds in a record.
    pub(in crate::findings) fn titles(&self, record: &RunRecord) -> Vec<String> {
        (self.check)(&Context::new(record)).into_iter().map(|finding| finding.title).collect()
    }

    /// The same; a title that comes again and again comes once.
    pub(in crate::findings) fn distinct_titles(&self, record: &RunRecord) -> Vec<String> {
        let mut titles = self.titles(record);
        titles.dedup();
        titles
    }
}

/// The row of a rule: `check` of its file, and `fires` and `silent` of its tests.
macro_rules! rule {
    (name: $name:expr, about: $about:expr, limit: $limit:expr $(,)?) => {
        pub(in crate::findings) const RULE: $crate::findings::rule::FindingRule = $crate::findings::rule::FindingRule {
            name: $name,
            about: $about,
            check,
            limit: $limit,
            #[cfg(test)]
            fires: tests::fires,
            #[cfg(test)]
            silent: tests::silent,
        };
    };
}
pub(super) use rule;

impl FindingRule {
    /// True where what it finds can be what limits a number.
    #[must_use]
    pub fn limits(&self) -> bool {
        self.limit.is_some()
    }
}

/// The parts that all findings of a rule have alike.
pub(super) fn finding(
    rule: &FindingRule,
    severity: Severity,
    effect: Effect,
    title: String,
    evidence: Vec<Evidence>,
    remedy: &str,
) -> Finding {
    Finding { rule: rule.name.to_owned(), severity, subject: Subject::Run, title, evidence, effect, remedy: remedy.to_owned() }
}

pub(super) fn finding_on(
    measured: &Measured,
    rule: &FindingRule,
    severity: Severity,
    effect: Effect,
    title: String,
    evidence: Vec<Evidence>,
    remedy: &str,
) -> Finding {
    Finding { subject: Subject::Job(measured.index), ..finding(rule, severity, effect, title, evidence, remedy) }
}
