//! Rules of method: mistakes after which a load runs without an error and its figures mean something else than its author believes.
//!
//! They look at a neutral description of a load ([`Load`]), so that flags, a sweep, a job file and a transcript of another tool are held to the same rules;
//! [`Words`] names the options in the language of those who asked. A table of rules, a file for each theme, one rule a row; README.md says how to add one.
//! Deliberately absent: what went wrong while a load ran (`findings`), and mistakes in a language of jobs (the audit of `ioproof-fio`).

mod cache;
mod checked;
mod data;
mod depth;
mod described;
mod durability;
mod estimate;
mod layout;
mod name_hints;
mod names;
mod neighbours;
mod prelude;
mod region;
mod rule;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod workers;

pub use described::load::{
    BackendTraits, CacheUse, HostSize, Load, LoadTarget, LoadTime, MediumKind, Part, Percentiles, Start, WriteBuffers,
};
pub use described::words::{Content, Flags, Phrases, Setting, Words};
pub use rule::MethodRule;
pub use time::PACE_BEYOND_RUN;

use crate::finding::{Effect, Finding};
use rule::{MethodCheck, MethodFinding};

/// The themes of the table, those that spoil a figure most first.
const THEMES: [&[MethodRule]; 12] = [
    cache::RULES,
    depth::RULES,
    names::RULES,
    workers::RULES,
    neighbours::RULES,
    region::RULES,
    layout::RULES,
    data::RULES,
    durability::RULES,
    time::RULES,
    checked::RULES,
    estimate::RULES,
];

pub fn rules() -> impl Iterator<Item = &'static MethodRule> {
    THEMES.into_iter().flatten()
}

/// Findings about loads, in the order of the loads and of the table. What one rule says no other says again about the same load.
pub fn check(loads: &[Load], words: &dyn Words) -> Vec<Finding> {
    check_each(loads, words).into_iter().map(|(_, finding)| finding).collect()
}

/// The same, each with the position of its load.
pub fn check_each(loads: &[Load], words: &dyn Words) -> Vec<(usize, Finding)> {
    let mut all: Vec<(usize, &MethodRule, MethodFinding)> = rules().flat_map(|rule| apply(rule, loads, words)).collect();
    all.sort_by_key(|(load, ..)| *load);
    let is_covered = |load: usize, name: &str| all.iter().any(|(other, rule, _)| *other == load && rule.covers.contains(&name));
    let kept: Vec<bool> = all.iter().map(|(load, rule, _)| !is_covered(*load, rule.name)).collect();
    let kept = all.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|((load, rule, found), _)| (load, finding(rule, &loads[load], found))).collect()
}

fn apply(rule: &'static MethodRule, loads: &[Load], words: &dyn Words) -> Vec<(usize, &'static MethodRule, MethodFinding)> {
    let found = match rule.check {
        MethodCheck::Each(check) => loads.iter().enumerate().filter_map(|(at, load)| Some((at, check(load, words)?))).collect(),
        MethodCheck::All(check) => check(loads, words),
    };
    found.into_iter().map(|(at, found)| (at, rule, found)).collect()
}

fn finding(rule: &MethodRule, load: &Load, found: MethodFinding) -> Finding {
    let MethodFinding { title, evidence, remedy } = found;
    let subject = load.subject.clone();
    Finding { rule: rule.name.into(), severity: rule.severity, subject, title, evidence, effect: Effect::None, remedy }
}
