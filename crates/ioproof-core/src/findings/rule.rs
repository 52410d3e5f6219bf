//! A rule over a record, and the findings that it gives.

use super::limit::RuleLimit;
use crate::finding::{Effect, Evidence, Finding, Severity, Subject};
use crate::layers::DatabaseTurns;
use crate::measured::{Context, Measured};
use crate::record::DriveBracket;
#[cfg(test)]
use crate::record::RunRecord;

/// The places at which a rule looks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// The whole run. It may give several findings.
    Run(fn(&Context) -> Vec<Finding>),
    /// Each job by itself.
    EachJob(fn(&Context, &Measured) -> Option<Finding>),
    /// Each job with a round that counts.
    EachCounted(fn(&Context, &Measured) -> Option<Finding>),
    /// Each drive that told of itself before and after the run.
    EachDrive(fn(&DriveBracket) -> Option<Finding>),
    /// Each database of a run of `layers` with a round that counts.
    EachDatabase(fn(&Context, &DatabaseTurns) -> Option<Finding>),
}

#[derive(Debug, Clone, Copy)]
pub struct FindingRule {
    /// Stable name, as findings carry it.
    pub name: &'static str,
    /// The thing it looks for, in one sentence.
    pub about: &'static str,
    pub(super) check: Check,
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
    pub(in crate::findings) fn found(&self, record: &RunRecord) -> Vec<Finding> {
        self.find(&Context::new(record))
    }

    pub(in crate::findings) fn titles(&self, record: &RunRecord) -> Vec<String> {
        self.found(record).into_iter().map(|finding| finding.title).collect()
    }

    /// The same; a title that comes again and again comes once.
    pub(in crate::findings) fn distinct_titles(&self, record: &RunRecord) -> Vec<String> {
        let mut titles = self.titles(record);
        titles.dedup();
        titles
    }

    /// It finds something, all with this effect and such a title.
    #[track_caller]
    pub(in crate::findings) fn says(&self, record: &RunRecord, effect: Effect, title: impl Fn(&str) -> bool) {
        let found = self.found(record);
        assert!(!found.is_empty() && found.iter().all(|f| f.effect == effect && title(&f.title)), "{found:?}");
    }

    /// It finds nothing in any of these records.
    #[track_caller]
    pub(in crate::findings) fn silent_on<const N: usize>(&self, records: [RunRecord; N]) {
        for (number, record) in records.iter().enumerate() {
            assert_eq!(self.titles(record), [""; 0], "record {number}");
        }
    }
}

/// The row of a rule, with `fires` and `silent` of its tests.
macro_rules! rule {
    (name: $name:expr, about: $about:expr, check: $check:expr $(,)?) => {
        rule! { @ $name, $about, $check, None }
    };
    (name: $name:expr, about: $about:expr, check: $check:expr, limit: $limit:expr $(,)?) => {
        rule! { @ $name, $about, $check, Some($limit) }
    };
    (@ $name:expr, $about:expr, $check:expr, $limit:expr) => {
        pub(in crate::findings) const RULE: $crate::findings::rule::FindingRule = $crate::findings::rule::FindingRule {
            name: $name,
            about: $about,
            check: $check,
            limit: $limit,
            #[cfg(test)]
            fires: tests::fires,
            #[cfg(test)]
            silent: tests::silent,
        };
    };
}
pub(super) use rule;

/// `fires` and `silent` of a rule's tests, where each is one expression.
#[cfg(test)]
macro_rules! records {
    (fires: $fires:expr, silent: $silent:expr $(,)?) => {
        pub(in crate::findings) fn fires() -> RunRecord {
            $fires
        }

        pub(in crate::findings) fn silent() -> RunRecord {
            $silent
        }
    };
}
#[cfg(test)]
pub(super) use records;

impl FindingRule {
    pub(super) fn find(&self, context: &Context) -> Vec<Finding> {
        match self.check {
            Check::Run(check) => check(context),
            Check::EachJob(check) => context.measured.iter().filter_map(|measured| check(context, measured)).collect(),
            Check::EachCounted(check) => context.counted().filter_map(|measured| check(context, measured)).collect(),
            Check::EachDrive(check) => context.record.health.iter().filter_map(check).collect(),
            Check::EachDatabase(check) => DatabaseTurns::each(context.record).filter_map(|turns| check(context, &turns)).collect(),
        }
    }

    /// True where what it finds can be what limits a number.
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
