//! Workloads of two runs that are the same conditions. Of a run that measured several backends beside each other the backend is a condition of each workload,
//! of any other it is the run's: one of each is the same where the same backend served both. Between two runs that name none it is no condition but one of
//! the facts in which runs differ (`conditions`).

use super::titled;
use crate::base::distinct::distinct_by;
use crate::measured::{Context, Measured};
use crate::record::{JobRecord, RunRecord};
use crate::workload::Workload;

/// The conditions of a job, by which it is found in another run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ComparedConditions {
    pub name: Option<String>,
    pub workload: Workload,
    /// The backend that served it; of a run that has not begun the one that was asked for.
    pub served: Option<String>,
    /// True where it is of the blocks below a directory, past its filesystem.
    pub is_below: bool,
}

impl ComparedConditions {
    pub(super) fn of(record: &RunRecord, measured: &Measured) -> Self {
        let (name, workload) = (measured.job.name.clone(), measured.workload().clone());
        Self { name, workload, served: served(measured), is_below: is_below(record, measured.job) }
    }

    pub(super) fn planned(job: &JobRecord, run: &RunRecord) -> Self {
        let (name, workload, served) = (job.name.clone(), job.workload.clone(), Some(run.config.backend.clone()));
        Self { name, workload, served, is_below: is_below(run, job) }
    }

    /// Its job and conditions in words.
    pub(super) fn title(&self) -> String {
        let place = if self.is_below { " of blocks past the filesystem" } else { "" };
        titled(self.name.as_deref(), &self.workload) + place
    }

    /// True where both are the same conditions.
    pub(super) fn is(&self, other: &Self) -> bool {
        let rest = |of: &Self| Workload { backend: None, ..of.workload.clone() };
        self.name == other.name && self.is_below == other.is_below && self.has_backend_of(other) && rest(self) == rest(other)
    }

    fn has_backend_of(&self, other: &Self) -> bool {
        match (&self.workload.backend, &other.workload.backend) {
            (None, None) => true,
            (Some(own), Some(of_other)) => own == of_other,
            (Some(own), None) => other.served.as_ref() == Some(own),
            (None, Some(of_other)) => self.served.as_ref() == Some(of_other),
        }
    }

    /// The same with the backend that served it as a condition.
    pub(super) fn with_backend(self) -> Self {
        let backend = self.workload.backend.clone().or_else(|| self.served.clone());
        Self { workload: Workload { backend, ..self.workload }, ..self }
    }
}

fn is_below(record: &RunRecord, job: &JobRecord) -> bool {
    job.targets.iter().any(|target| record.targets.get(*target as usize).is_some_and(|target| target.below.is_some()))
}

/// The backend that served all rounds; none where they differ.
pub(super) fn served(measured: &Measured) -> Option<String> {
    let mut all = measured.rounds.iter().map(|part| &part.round.engine.backend);
    let first = all.next().filter(|backend| !backend.is_empty())?;
    all.all(|backend| backend == first).then(|| first.clone())
}

/// Jobs with a round that counts. What drives gave before a filesystem was made on them is of no layer.
fn compared<'c, 'a>(context: &'c Context<'a>) -> impl Iterator<Item = &'c Measured<'a>> {
    let is_raw = |measured: &&Measured| context.record.targets_of(measured.job).any(|target| target.is_raw);
    context.counted().filter(move |measured| !is_raw(measured))
}

/// The job of a run with these conditions.
pub(super) fn find<'c, 'a>(context: &'c Context<'a>, conditions: &ComparedConditions) -> Option<&'c Measured<'a>> {
    compared(context).find(|measured| ComparedConditions::of(context.record, measured).is(conditions))
}

/// Every job with a round that counts, each once, in the order in which the runs have them.
pub(super) fn all(contexts: &[Context]) -> Vec<ComparedConditions> {
    let of_context = |context| compared(context).map(|measured| ComparedConditions::of(context.record, measured));
    distinct_by(contexts.iter().flat_map(of_context), ComparedConditions::is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{compare, has_common, nearest};
    use crate::testing::record;

    /// A run that this backend served, which is a condition of its workloads where it is one of several.
    fn served_by(backend: &str, is_one_of_several: bool) -> RunRecord {
        let mut run = record();
        run.config.backend = if is_one_of_several { "io_uring,psync".into() } else { backend.into() };
        run.rounds_mut().for_each(|round| round.engine.backend = backend.into());
        run.jobs.iter_mut().for_each(|job| job.workload.backend = is_one_of_several.then(|| backend.into()));
        run
    }

    #[test]
    fn a_backend_that_is_named_is_found_where_it_served_unnamed() {
        let (named, unnamed) = (served_by("io_uring", true), served_by("io_uring", false));
        for runs in [[&named, &unnamed], [&unnamed, &named]] {
            let told = compare(&runs);
            assert!(told.alone.is_empty() && told.rows.len() == compare(&[&named, &named]).rows.len(), "{:?}", told.alone);
            assert!(told.rows.iter().all(|row| row.backends == [Some("io_uring".to_owned()), Some("io_uring".to_owned())]));
            assert!(has_common(runs[0], runs[1]));
        }
    }

    #[test]
    fn of_several_backends_a_run_by_one_has_the_same_conditions() {
        let (one, other) = (served_by("io_uring", false), served_by("psync", true));
        let mut several = served_by("io_uring", true);
        let jobs = several.jobs.len() as u32;
        several.jobs.extend(other.jobs);
        several.stages.extend(other.stages.into_iter().map(|mut stage| {
            stage.rounds.iter_mut().for_each(|round| round.job += jobs);
            stage
        }));
        let told = compare(&[&several, &one]);
        assert!(!told.rows.is_empty() && told.alone.len() == jobs as usize, "what psync served is in one run alone");
        assert_eq!(told.other_conditions(1).count(), 0, "{:?}", told.differing);
    }

    #[test]
    fn another_backend_is_another_condition_and_is_told_by_its_name() {
        let (named, unnamed) = (served_by("psync", true), served_by("io_uring", false));
        assert!(compare(&[&named, &unnamed]).rows.is_empty() && !has_common(&named, &unnamed));
        assert_eq!(nearest(&named, &unnamed).unwrap().differing, ["backend: psync, io_uring"]);
    }

    #[test]
    fn between_runs_that_name_none_it_is_a_fact_in_which_they_differ() {
        let told = compare(&[&served_by("io_uring", false), &served_by("psync", false)]);
        assert!(!told.rows.is_empty() && told.differing.iter().any(|one| one.name == "backend"), "{:?}", told.differing);
    }
}
