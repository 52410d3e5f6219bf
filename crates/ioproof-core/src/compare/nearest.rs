//! The reason for which two runs have no figure in common: the two workloads, one of each, that differ in the fewest conditions.

use super::same::{self, ComparedConditions};
use crate::measured::Context;
use crate::record::{RunRecord, RunStatus};
use crate::units::block_size;
use crate::workload::{Pattern, Workload};

/// The nearest workloads of two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// That of the first run, in words.
    pub first: String,
    pub second: String,
    /// Conditions in which they differ, each with both values: `queue depth: 1, 32`.
    pub differing: Vec<String>,
}

/// A condition: its name and its value.
type WorkloadCondition = (&'static str, fn(Option<&str>, &Workload) -> String);

const CONDITIONS: [WorkloadCondition; 9] = [
    ("name of the job", |name, _| name.unwrap_or("none").to_owned()),
    ("order of blocks", |_, w| if w.pattern == Pattern::Random { "random" } else { "sequential" }.to_owned()),
    ("reads", |_, w| format!("{} %", w.read_percent)),
    ("block size", |_, w| block_size(w.block_bytes.into())),
    ("workers", |_, w| w.workers.to_string()),
    ("queue depth per worker", |_, w| w.depth.to_string()),
    ("durability", |_, w| if w.durability.describe().is_empty() { "none".to_owned() } else { w.durability.describe() }),
    ("backend", |_, w| w.backend_name().unwrap_or_else(|| "not told".to_owned())),
    ("special", |_, w| if w.shape.is_plain() { "nothing".to_owned() } else { w.shape.describe().join(", ") }),
];

/// The workloads of two runs that differ least, of all that were measured, or that are planned where a run has not begun; `None` where a run measured nothing.
pub fn nearest(first: &RunRecord, second: &RunRecord) -> Option<Nearest> {
    let (of_first, of_second) = (jobs(first), jobs(second));
    let names_backends = [&of_first, &of_second].into_iter().flatten().any(|job| job.workload.backend.is_some());
    let named = |all: Vec<ComparedConditions>| -> Vec<ComparedConditions> {
        all.into_iter().map(|job| if names_backends { job.with_backend() } else { job }).collect()
    };
    let (of_first, of_second) = (named(of_first), named(of_second));
    let pairs = of_first.iter().flat_map(|a| of_second.iter().map(move |b| (a, b)));
    let (a, b) = pairs.min_by_key(|(a, b)| differing(a, b).len())?;
    Some(Nearest { first: a.title(), second: b.title(), differing: differing(a, b) })
}

fn jobs(record: &RunRecord) -> Vec<ComparedConditions> {
    if record.status == RunStatus::Running && record.stages.is_empty() {
        return record.jobs.iter().map(|job| ComparedConditions::planned(job, record)).collect();
    }
    same::all(&[Context::new(record)])
}

fn differing(a: &ComparedConditions, b: &ComparedConditions) -> Vec<String> {
    let of = |(name, value): &WorkloadCondition| {
        let value = |of: &ComparedConditions| value(of.name.as_deref(), &of.workload);
        let (of_a, of_b) = (value(a), value(b));
        (of_a != of_b).then(|| format!("{name}: {of_a}, {of_b}"))
    };
    CONDITIONS.iter().filter_map(of).collect()
}

/// True where a run that is about to begin has a job that an earlier one has measured.
pub fn has_common(earlier: &RunRecord, planned: &RunRecord) -> bool {
    let measured = Context::new(earlier);
    let is_measured = |job: &crate::record::JobRecord| same::find(&measured, &ComparedConditions::planned(job, planned)).is_some();
    planned.jobs.iter().any(is_measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn the_nearest_workloads_are_told_by_what_sets_them_apart() {
        let (first, mut second) = (record(), record());
        second.jobs.iter_mut().for_each(|job| job.workload.depth += 100);
        second.jobs.iter_mut().for_each(|job| job.name = Some("j".into()));
        assert!(!has_common(&first, &second));
        let nearest = nearest(&first, &second).unwrap();
        assert_eq!(nearest.differing.len(), 2, "{nearest:?}");
        assert!(nearest.differing[0].contains("none, j") && nearest.differing[1].starts_with("queue depth per worker"), "{nearest:?}");
    }

    #[test]
    fn a_run_that_measured_nothing_has_nothing_near() {
        let (first, mut second) = (record(), record());
        second.stages.clear();
        assert_eq!(nearest(&first, &second), None);
        assert!(has_common(&first, &second), "it may still measure it");
        second.status = RunStatus::Running;
        assert_eq!(nearest(&first, &second).unwrap().differing, Vec::<String>::new(), "it is about to measure the same");
        assert!(!has_common(&second, &first));
    }
}
