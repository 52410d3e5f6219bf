//! The stages of a job file, each looked at before it begins: a file that a job may write because ioproof made it is written only while nobody else has
//! changed it, however long the jobs before it took.

use super::subjob::Subjob;
use crate::sources::fixed::Fixed;
use ioproof_core::record::RunRecord;
use ioproof_runner::{Failure, Source, StageSpec, Task, TaskEnd};
use ioproof_target::JobFiles;

/// A fixed list of stages with the files of its clones.
pub struct Untouched<'a> {
    stages: Fixed,
    permit: &'a JobFiles<'a>,
    clones: &'a [Subjob],
}

impl<'a> Untouched<'a> {
    /// Of these clones; the tasks bear their numbers.
    pub fn new(stages: Fixed, permit: &'a JobFiles<'a>, clones: &'a [Subjob]) -> Self {
        Self { stages, permit, clones }
    }

    /// The stages with what came of them.
    pub fn into_stages(self) -> Fixed {
        self.stages
    }

    /// The reason for which a task must not write.
    fn refusal(&self, task: &Task) -> Option<Failure> {
        let workload = &task.spec.workload;
        let files = &self.clones.get(task.id)?.files;
        let writes = workload.writes() || workload.trims();
        let changed = files.iter().find(|file| writes && self.permit.was_changed(&file.handle))?;
        let path = changed.path.display();
        let text = format!("{path} was changed by somebody after ioproof had made or last written it, and is not written");
        Some(Failure::hinted(text, format!("--overwrite={path} if that may be lost")))
    }
}

impl Source for Untouched<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let mut stage = self.stages.next(record, elapsed_ns)?;
        for task in stage.iter_mut().flat_map(|stage| &mut stage.tasks) {
            task.refused = task.refused.take().or_else(|| self.refusal(task));
        }
        Ok(stage)
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        self.stages.take(ends);
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.stages.close(record);
    }
}
