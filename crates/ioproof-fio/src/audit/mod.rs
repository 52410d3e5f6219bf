//! What is wrong with a job before it starts: mistakes after which the figures are right and mean something else.
//!
//! A table of rules, a file for each theme, one rule a row; README.md says how to add one. Nothing here stops a job: each warning says what the figures
//! will be about, with the numbers of the job, and what to change.

mod cache;
mod clones;
mod data;
mod depth;
mod durability;
mod estimate;
mod facts;
mod groups;
mod latency;
mod layout;
mod names;
mod region;
mod rule;
mod said;
mod scene;
mod text;
mod time;
mod units;
mod verify;

#[cfg(test)]
mod tests;

pub use facts::{AuditFacts, FileFacts, FileKind};
pub use rule::{Grade, Rule};

use super::complaint::Place;
use super::jobs::Job;
use super::schedule::Schedule;
use rule::{Check, Found};
use scene::Scene;

/// The themes of the table, what spoils a figure most first.
const THEMES: [&[Rule]; 14] = [
    cache::RULES,
    depth::RULES,
    names::RULES,
    units::RULES,
    clones::RULES,
    groups::RULES,
    region::RULES,
    layout::RULES,
    data::RULES,
    durability::RULES,
    time::RULES,
    latency::RULES,
    verify::RULES,
    estimate::RULES,
];

/// One thing that is doubtful about a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Name of the rule.
    pub rule: &'static str,
    /// How grave it is.
    pub grade: Grade,
    /// Where the job begins, or where the option stands if that is known.
    pub place: Place,
    /// Name of the job.
    pub job: String,
    /// What is wrong, in one line with the figures; a sentence without its full stop.
    pub text: String,
    /// What to do about it; a sentence without its full stop.
    pub remedy: String,
}

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    THEMES.into_iter().flatten()
}

/// What is wrong with the jobs, in the order of the jobs and of the table. What was taken over from one place is said once, and what one rule says no other says
/// again about the same job.
#[must_use]
pub fn audit(jobs: &[Job], schedule: &Schedule, facts: &AuditFacts) -> Vec<Warning> {
    let scene = Scene::new(jobs, schedule, facts);
    let mut found: Vec<(usize, Warning)> = rules().flat_map(|rule| apply(rule, &scene)).collect();
    found.sort_by_key(|(job, _)| *job);
    let spoken: Vec<(usize, &'static str)> = found.iter().map(|(job, warning)| (*job, warning.rule)).collect();
    let mut warnings: Vec<Warning> = Vec::new();
    for (_, warning) in found.into_iter().filter(|(job, warning)| !is_covered(*job, warning.rule, &spoken)) {
        let is_same = |w: &Warning| (w.rule, &w.place, &w.text) == (warning.rule, &warning.place, &warning.text);
        if !warnings.iter().any(is_same) {
            warnings.push(warning);
        }
    }
    warnings
}

/// Whether another rule that spoke about the job says it too.
fn is_covered(job: usize, name: &str, spoken: &[(usize, &'static str)]) -> bool {
    rules().any(|rule| rule.covers.contains(&name) && spoken.contains(&(job, rule.name)))
}

fn apply(rule: &'static Rule, scene: &Scene) -> Vec<(usize, Warning)> {
    let found = match rule.check {
        Check::Job(check) => scene.views.iter().filter_map(|view| check(view).map(|found| (view.at, found))).collect(),
        Check::All(check) => check(scene),
    };
    found.into_iter().map(|(at, found)| (at, warning(rule, &scene.views[at], found))).collect()
}

fn warning(rule: &'static Rule, view: &scene::View, found: Found) -> Warning {
    let Found { place, text, remedy } = found;
    let place = place.unwrap_or_else(|| view.job.place.clone());
    Warning { rule: rule.name, grade: rule.grade, place, job: view.job.name.clone(), text, remedy }
}
