//! The audit of a job file before it starts: mistakes after which the figures are right and mean something else.
//!
//! Two tables speak here. Mistakes of method are found by [`ioproof_core::method`], which sees the jobs as `describe` tells them; mistakes in fio's language are
//! rows here, a file for each theme. README.md says how to add one. Nothing here stops a job: each warning says what the figures will be about, with the numbers
//! of the job, and what to change.

mod context;
mod describe;
mod facts;
mod groups;
mod latency;
mod options;
mod region;
mod rule;
mod units;
mod words;

#[cfg(test)]
mod tests;

pub use describe::describe;
pub use facts::{AuditFacts, FileFacts, FileKind};
pub use rule::LanguageRule;
pub use words::FioWords;

use super::complaint::SourcePlace;
use super::jobs::FioJob;
use super::schedule::Schedule;
use context::{AuditContext, JobContext};
use ioproof_core::finding::{Effect, Evidence, Finding, Subject};
use ioproof_core::method::check_each;
use rule::{LanguageCheck, LanguageFinding};

const THEMES: [&[LanguageRule]; 5] = [units::RULES, groups::RULES, region::RULES, options::RULES, latency::RULES];

#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// The place where the job begins, or where the option stands if that is known.
    pub place: SourcePlace,
    pub job: String,
    /// The finding. Its subject is the job by its name; title and remedy are sentences without a full stop.
    pub finding: Finding,
}

pub fn rules() -> impl Iterator<Item = &'static LanguageRule> {
    THEMES.into_iter().flatten()
}

/// The mistakes in these jobs, in the order of the jobs, those of method first. What was taken over from one place is said once, and what one rule says no other
/// says again about the same job.
pub fn audit(jobs: &[FioJob], schedule: &Schedule, facts: &AuditFacts) -> Vec<Warning> {
    let context = AuditContext::new(jobs, schedule, facts);
    let mut all = by_method(&context);
    all.extend(rules().flat_map(|rule| apply(rule, &context)));
    all.sort_by_key(|(job, _)| *job);
    let spoken: Vec<(usize, String)> = all.iter().map(|(job, warning)| (*job, warning.finding.rule.clone())).collect();
    let mut warnings: Vec<Warning> = Vec::new();
    for (_, warning) in all.into_iter().filter(|(job, warning)| !is_covered(*job, &warning.finding.rule, &spoken)) {
        let is_same =
            |w: &Warning| (&w.finding.rule, &w.place, &w.finding.title) == (&warning.finding.rule, &warning.place, &warning.finding.title);
        if !warnings.iter().any(is_same) {
            warnings.push(warning);
        }
    }
    warnings
}

fn is_covered(job: usize, name: &str, spoken: &[(usize, String)]) -> bool {
    let spoke = |other: &str| spoken.iter().any(|(about, rule)| *about == job && rule == other);
    rules().any(|rule| {
        let by_this = rule.covers.contains(&name) && spoke(rule.name);
        by_this || (rule.name == name && rule.covered_by.iter().any(|other| spoke(other)))
    })
}

fn by_method(context: &AuditContext) -> Vec<(usize, Warning)> {
    let (jobs, loads): (Vec<usize>, Vec<_>) = describe::loads(context).into_iter().unzip();
    let placed = |(load, finding): (usize, Finding)| (jobs[load], warning(&context.jobs[jobs[load]], None, finding));
    check_each(&loads, &FioWords).into_iter().map(placed).collect()
}

fn apply(rule: &'static LanguageRule, context: &AuditContext) -> Vec<(usize, Warning)> {
    let found = match rule.check {
        LanguageCheck::Job(check) => context.jobs.iter().filter_map(|job| check(job).map(|found| (job.at, found))).collect(),
        LanguageCheck::All(check) => check(context),
    };
    found.into_iter().map(|(at, found)| (at, of_language(rule, &context.jobs[at], found))).collect()
}

fn of_language(rule: &LanguageRule, job: &JobContext, found: LanguageFinding) -> Warning {
    let LanguageFinding { place, title, evidence, remedy } = found;
    let subject = Subject::Named(job.job.name.clone());
    let finding = Finding { rule: rule.name.into(), severity: rule.severity, subject, title, evidence, effect: Effect::None, remedy };
    warning(job, place, finding)
}

/// The finding with its place, which is also kept as evidence, so that a stored finding knows it.
fn warning(job: &JobContext, place: Option<SourcePlace>, mut finding: Finding) -> Warning {
    let place = place.unwrap_or_else(|| job.job.place.clone());
    finding.evidence.push(Evidence::text("place", place.to_string()));
    Warning { place, job: job.job.name.clone(), finding }
}
