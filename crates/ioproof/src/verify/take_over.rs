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
    for stage in earlier.stages.iter().filter(|stage| counts(stage, earlier)) {
        let Some(rounds) = renumbered(stage, earlier, record) else { continue };
        record.stages.push(Stage { index: record.stages.len() as u32, rounds, ..stage.clone() });
        taken += 1;
    }
    record.notes.push(format!("goes on with run {}, whose {taken} rounds are among these", earlier.id));
    Ok(())
}

/// True for a stage that was measured whole. One that the interruption cut short, which may have no round at all, is measured anew.
fn counts(stage: &Stage, of: &RunRecord) -> bool {
    stage.purpose == Purpose::Measure && !stage.rounds.is_empty() && stage.parts(&of.jobs).all(|part| part.counts())
}

/// The rounds of a stage with the jobs of another record; none where it has no such job.
fn renumbered(stage: &Stage, of: &RunRecord, to: &RunRecord) -> Option<Vec<Round>> {
    let job = |number: u32| {
        let known = of.jobs.get(number as usize)?;
        to.jobs.iter().position(|job| (&job.workload, job.span) == (&known.workload, known.span))
    };
    stage.rounds.iter().map(|round| Some(Round { job: job(round.job)? as u32, ..round.clone() })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::sweep::SweepSource;
    use crate::sources::testing;
    use ioproof_core::record::RoundOutcome;
    use ioproof_runner::Script;

    #[test]
    fn only_stages_that_were_measured_whole_are_taken_over() {
        let load = testing::load("--rw randread --workers 1 --depth 1,2,4");
        let mut earlier = testing::record(&load);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut earlier, &script, &mut SweepSource::new(testing::tasks(&load), true)).unwrap();
        earlier.stages.truncate(5);
        earlier.stages[3].rounds[0].outcome = RoundOutcome::Interrupted;
        earlier.stages[4].rounds.clear();
        let mut record = testing::record(&load);
        take_over(&mut record, &earlier).unwrap();
        assert_eq!(record.stages.iter().map(|stage| stage.index).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(record.notes.iter().any(|note| note.contains("whose 3 rounds are among these")), "{:?}", record.notes);
        earlier.targets[0].facts.resolved = "/y".into();
        assert!(take_over(&mut record, &earlier).is_err(), "another target");
    }
}
