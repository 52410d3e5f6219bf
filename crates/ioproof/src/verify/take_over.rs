//! Rounds of an interrupted run, as part of the one that goes on with it.

use crate::complaint::complaint;
use anyhow::Result;
use ioproof_core::history::same_targets;
use ioproof_core::record::{Purpose, Round, RunRecord, Stage};

/// Takes what an earlier run measured into the record of the one that goes on with it.
///
/// # Errors
/// When the target is another one than it was.
pub fn take_over(record: &mut RunRecord, earlier: &RunRecord) -> Result<()> {
    if !same_targets(record, earlier) {
        return Err(complaint(
            format!("the target is not the one that run {} measured", earlier.id),
            "begin a new one: ioproof sweep TARGET",
        ));
    }
    let mut taken = 0;
    // The round that the interruption cut short is measured anew.
    let counts = |stage: &&Stage| stage.purpose == Purpose::Measure && stage.parts(&earlier.jobs).all(|part| part.counts());
    for stage in earlier.stages.iter().filter(counts) {
        let Some(rounds) = renumbered(stage, earlier, record) else { continue };
        record.stages.push(Stage { index: record.stages.len() as u32, rounds, ..stage.clone() });
        taken += 1;
    }
    record.notes.push(format!("goes on with run {}, whose {taken} rounds are among these", earlier.id));
    Ok(())
}

/// The rounds of a stage with the jobs of another record; none where it has no such job.
fn renumbered(stage: &Stage, of: &RunRecord, to: &RunRecord) -> Option<Vec<Round>> {
    let job = |number: u32| {
        let known = of.jobs.get(number as usize)?;
        to.jobs.iter().position(|job| (&job.workload, job.span) == (&known.workload, known.span))
    };
    stage.rounds.iter().map(|round| Some(Round { job: job(round.job)? as u32, ..round.clone() })).collect()
}
