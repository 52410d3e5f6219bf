//! A fixed list of stages, as a job file is. It keeps the end of each task, because fio's outputs show clones one by one.

use ioproof_core::record::RunRecord;
use ioproof_runner::{Failure, Source, StageSpec, TaskEnd};
use ioproof_store::config_hash::rehash;
use std::collections::VecDeque;

/// Stages that are known beforehand.
#[derive(Debug, Default)]
pub struct Fixed {
    stages: VecDeque<StageSpec>,
    /// Numbers of the tasks of the stage under way.
    running: Vec<usize>,
    pub ends: Vec<(usize, TaskEnd)>,
}

impl Fixed {
    pub fn new(stages: Vec<StageSpec>) -> Self {
        Self { stages: stages.into(), ..Self::default() }
    }
}

impl Source for Fixed {
    fn next(&mut self, _record: &mut RunRecord, _elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let stage = self.stages.pop_front();
        self.running = stage.iter().flat_map(|stage| &stage.tasks).map(|task| task.id).collect();
        Ok(stage)
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        self.ends.extend(self.running.drain(..).zip(ends));
    }

    fn is_over(&self) -> bool {
        self.stages.is_empty()
    }

    /// A job whose depth was searched for is one of the depth that was found.
    fn close(&mut self, record: &mut RunRecord) {
        let found = record.stages.iter().flat_map(|stage| &stage.rounds).filter_map(|round| Some((round.job, round.depth_found.as_ref()?)));
        for (job, found) in found {
            if let Some(job) = record.jobs.get_mut(job as usize) {
                job.workload.depth = found.deepest();
            }
        }
        rehash(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::record::{DepthFound, Round, Stage};

    #[test]
    fn a_job_is_of_the_depth_that_was_found() {
        let mut record = testing::record(&testing::load("--rw randread --workers 1 --depth 32"));
        let before = record.config_sha256.clone();
        let found = DepthFound { depths: vec![4], is_settled: true, ..DepthFound::default() };
        record.stages.push(Stage { rounds: vec![Round { depth_found: Some(found), ..Round::default() }], ..Stage::default() });
        Fixed::default().close(&mut record);
        assert_eq!(record.jobs[0].workload.concurrency(), "4");
        assert_ne!(record.config_sha256, before, "the hash is of what is judged");
    }
}
