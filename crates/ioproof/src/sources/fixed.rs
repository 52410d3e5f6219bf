//! A fixed list of stages, as a job file is. It keeps the end of each task, because fio's outputs show clones one by one.

use ioproof_core::record::RunRecord;
use ioproof_runner::{Failure, Source, StageSpec, TaskEnd};
use std::collections::VecDeque;

/// Stages that are known beforehand.
#[derive(Debug, Default)]
pub struct Fixed {
    stages: VecDeque<StageSpec>,
    /// Numbers of the tasks of the stage under way.
    running: Vec<usize>,
    /// The ends of all tasks that ran, each with its number.
    pub ends: Vec<(usize, TaskEnd)>,
}

impl Fixed {
    /// These stages in this order.
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
}
