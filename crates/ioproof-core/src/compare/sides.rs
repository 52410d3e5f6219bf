//! A run in which two targets took turns, as two runs: each side with its own target, jobs, databases and rounds. The device below a directory is of its side.

use crate::record::{JobRecord, RunRecord, TargetRecord};

/// Letters behind the id of the run, a side each.
const LETTERS: [&str; 2] = ["first", "second"];

/// True where two targets took turns in this run: each job is on one of both, each workload is on both, and none ran beside another, as clones of a job file do.
pub fn is_interleaved(record: &RunRecord) -> bool {
    let of = |target: u32| {
        let own = record.jobs.iter().filter(move |job| job.targets == [target]);
        own.map(|job| (&job.name, &job.workload)).collect::<Vec<_>>()
    };
    let (first, second) = (of(0), of(1));
    let below = record.jobs.iter().filter(|job| !matches!(job.targets.as_slice(), [0 | 1]) && side_of(record, &job.targets).is_some());
    record.targets.iter().take_while(|target| target.below.is_none()).count() == 2
        && record.targets.iter().skip(2).all(|target| target.below.is_some())
        && first.len() + second.len() + below.count() == record.jobs.len()
        && !first.is_empty()
        && first.iter().all(|job| second.contains(job))
        && record.stages.iter().all(|stage| stage.rounds.len() <= 1)
}

/// The side that has these as its only target, or as the device below it.
fn side_of(record: &RunRecord, targets: &[u32]) -> Option<u32> {
    let [target] = targets else { return None };
    Some(record.targets.get(*target as usize)?.below.unwrap_or(*target))
}

/// True if these are both sides of one run.
pub(super) fn took_turns(records: &[&RunRecord]) -> bool {
    let [first, second] = records else { return false };
    let run = |record: &RunRecord, letter: &str| record.id.strip_suffix(letter).and_then(|id| id.strip_suffix('/')).map(str::to_owned);
    run(first, LETTERS[0]).is_some_and(|id| run(second, LETTERS[1]) == Some(id))
}

pub fn sides(record: &RunRecord) -> [RunRecord; 2] {
    [0, 1].map(|target| side(record, target))
}

fn side(record: &RunRecord, target: u32) -> RunRecord {
    let is_own = |job: u32| record.jobs.get(job as usize).is_some_and(|job| side_of(record, &job.targets) == Some(target));
    let has = |database: u32| record.databases.get(database as usize).is_some_and(|database| database.target == target);
    // Positions of jobs and databases stay as they are, so that rounds and findings still name them; those of the other side have no round.
    let mut side = record.without_stages();
    side.id = format!("{}/{}", record.id, LETTERS[target as usize]);
    side.stages = record.stages.clone();
    for stage in &mut side.stages {
        stage.rounds.retain(|round| is_own(round.job));
        stage.databases.retain(|round| has(round.database));
    }
    side.stages.retain(|stage| !stage.rounds.is_empty() || !stage.databases.is_empty());
    let below = record.targets.iter().find(|other| other.below == Some(target));
    side.targets = record.targets.get(target as usize).cloned().into_iter().collect();
    side.targets.extend(below.map(|below| TargetRecord { below: Some(0), ..below.clone() }));
    let is_directory = |job: &JobRecord| matches!(job.targets.as_slice(), [0 | 1]);
    side.jobs.iter_mut().for_each(|job| job.targets = vec![if is_directory(job) { 0 } else { 1 }]);
    side.databases.iter_mut().for_each(|database| database.target = 0);
    side
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::testing::record;

    /// A run of one workload on two targets, the second of which is slower.
    fn interleaved() -> RunRecord {
        let mut record = record();
        let second = record.targets[0].clone();
        record.targets.push(second);
        record.jobs.truncate(2);
        record.jobs[1] = crate::record::JobRecord { targets: vec![1], ..record.jobs[0].clone() };
        record.stages.retain(|stage| stage.rounds[0].job < 2);
        record
    }

    #[test]
    fn jobs_side_by_side_took_no_turns() {
        let mut record = interleaved();
        let beside = crate::record::Round { job: 1, ..record.stages[0].rounds[0].clone() };
        record.stages[0].rounds.push(beside);
        assert!(!is_interleaved(&record));
    }

    #[test]
    fn each_side_has_its_own_rounds_alone() {
        let record = interleaved();
        assert!(is_interleaved(&record) && !is_interleaved(&crate::testing::record()));
        let [first, second] = sides(&record);
        assert_eq!((first.stages.len(), second.stages.len()), (6, 6));
        let told = compare(&[&first, &second]);
        assert!(!told.rows.is_empty() && told.alone.is_empty(), "{:?}", told.alone);
        assert_ne!(told.runs[0].id, told.runs[1].id);
    }
}
