//! Stages that were measured in a session of their own, as part of the record of another.

use ioproof_core::record::{JobRecord, Round, RunRecord, Stage};
use ioproof_store::config_hash::rehash;

/// Puts the jobs and stages of a part behind those of the record. The jobs name targets of the record already.
pub(crate) fn join(record: &mut RunRecord, jobs: impl IntoIterator<Item = JobRecord>, stages: Vec<Stage>) {
    let (first_job, first_stage) = (record.jobs.len() as u32, record.stages.len() as u32);
    let renumbered = |round: Round| Round { job: round.job + first_job, ..round };
    record.jobs.extend(jobs);
    record.stages.extend(stages.into_iter().map(|stage| Stage {
        index: stage.index + first_stage,
        rounds: stage.rounds.into_iter().map(renumbered).collect(),
        ..stage
    }));
    rehash(record);
}
