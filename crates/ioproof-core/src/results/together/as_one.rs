//! A run of several targets at once as one run of all of them together, by which it is held against another such run.

use super::{jobs_of, sets, stages};
use crate::record::{JobRecord, Purpose, Round, RunRecord, Stage};

const NAME: &str = "all at once";

/// The rounds of all targets at once, as those of a job on all of them. Rounds of each alone are left out.
pub fn as_one(record: &RunRecord) -> RunRecord {
    let sets = sets(record);
    let job = |jobs: &Vec<u32>| {
        let own = || jobs.iter().filter_map(|job| record.jobs.get(*job as usize));
        let targets = own().flat_map(|job| job.targets.iter().copied()).collect();
        own().next().map(|first| JobRecord { name: Some(NAME.into()), targets, claims: Vec::new(), ..first.clone() })
    };
    let stage = |stage: &Stage| {
        let jobs = jobs_of(stage);
        let job = sets.iter().position(|set| *set == jobs)? as u32;
        let round = stage.rounds.iter().cloned().reduce(|all, next| all.beside(&next))?;
        Some(Stage { purpose: Purpose::Measure, rounds: vec![Round { job, ..round }], ..stage.clone() })
    };
    let mut one = record.without_stages();
    one.jobs = sets.iter().filter_map(job).collect();
    one.stages = stages(record).filter_map(stage).collect();
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Answer, compare};
    use crate::together::tests::measured;

    #[test]
    fn runs_of_several_drives_are_compared_by_what_all_give_at_once() {
        let first = as_one(&measured(&[100e3, 100e3], &[90e3, 60e3], 6));
        let second = as_one(&measured(&[100e3, 100e3, 100e3], &[100e3, 100e3, 100e3], 6));
        assert_eq!((first.jobs.len(), first.stages.len(), second.jobs[0].targets.as_slice()), (1, 6, [0, 1, 2].as_slice()));
        let told = compare(&[&first, &second]);
        let rates: Vec<f64> = told.rows[0].measured.iter().flatten().map(|estimate| estimate.median).collect();
        assert_eq!((rates.as_slice(), told.rows[0].name.as_deref()), ([150e3, 300e3].as_slice(), Some("all at once")));
        assert_eq!(told.rows[0].against[0].as_ref().unwrap().answer, Answer::Better);
    }

    #[test]
    fn a_run_of_one_target_has_nothing_at_once() {
        let one = as_one(&crate::testing::record());
        assert!(one.jobs.is_empty() && one.stages.is_empty());
    }
}
