//! Notes when each job that writes has written its files for the last time, so that what somebody else puts into them while other jobs go on is known as his.

use crate::job_files::subjob::Subjob;
use ioproof_runner::{Event, Observer};
use ioproof_target::JobFiles;

/// The clones of a run with their files.
pub struct Leaving<'a> {
    permit: &'a JobFiles<'a>,
    clones: &'a [Subjob],
    /// Of each clone, true once its end was noted.
    has_ended: Vec<bool>,
}

impl<'a> Leaving<'a> {
    /// Of a run that has not begun.
    pub fn new(permit: &'a JobFiles<'a>, clones: &'a [Subjob]) -> Self {
        Self { permit, clones, has_ended: vec![false; clones.len()] }
    }

    fn ended(&mut self, clone: usize) {
        let (Some(has_ended), Some(subjob)) = (self.has_ended.get_mut(clone), self.clones.get(clone)) else { return };
        let workload = &subjob.compiled.spec.workload;
        if !std::mem::replace(has_ended, true) && (workload.writes() || workload.trims()) {
            self.permit.leave(subjob.files.iter().map(|file| &file.handle));
        }
    }
}

impl Observer for Leaving<'_> {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Tick(tick) => {
                let ended = tick.spec.tasks.iter().zip(tick.live).filter(|(_, live)| live.has_ended());
                ended.for_each(|(task, _)| self.ended(task.id));
            }
            Event::StageEnded { spec, .. } => spec.tasks.iter().for_each(|task| self.ended(task.id)),
            _ => {}
        }
    }
}
