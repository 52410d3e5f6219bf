//! Places where repeated runs of sequential I/O begin, whatever source asks for them: each in another part of the target, so that short runs do not all read its
//! first part only, which need not be like the rest.
//!
//! A hard disk is left alone: it is fastest where its blocks begin, by a factor of two, and that is what makers' figures of it are of.

use ioproof_core::job::Until;
use ioproof_core::record::{Purpose, RunRecord};
use ioproof_core::shape::Growth;
use ioproof_core::workload::Pattern;
use ioproof_runner::{Failure, Source, StageSpec, Task, TaskEnd};

/// The golden section: multiples of it lie evenly in a part, however many there are.
const STEP_PPM: u64 = 618_034;

/// A source whose repeated runs begin in different places. The first begins at the start.
pub struct StaggeredStart<'a>(pub &'a mut dyn Source);

impl Source for StaggeredStart<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let stage = self.0.next(record, elapsed_ns)?;
        Ok(stage.map(|stage| if may_begin_anywhere(&stage, record) { placed(stage) } else { stage }))
    }

    fn take(&mut self, ends: Vec<TaskEnd>) {
        self.0.take(ends);
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.0.close(record);
    }
}

/// The steps of a search are held against one another, so they stay where they are, as a job file's do.
fn may_begin_anywhere(stage: &StageSpec, record: &RunRecord) -> bool {
    let repeats = matches!(stage.purpose, Purpose::Measure | Purpose::Tell | Purpose::Together) && !stage.is_job_file;
    repeats && !record.drives().iter().any(|drive| drive.turns() == Some(true))
}

fn placed(mut stage: StageSpec) -> StageSpec {
    let begin_ppm = (u64::from(stage.repetition) * STEP_PPM % 1_000_000) as u32;
    stage.tasks.iter_mut().filter(|task| goes_round(task)).for_each(|task| task.spec.placement.begin_ppm = begin_ppm);
    stage
}

/// True where the sequential I/O of a task comes to all of its part, sooner or later. What lays out a file or makes it longer begins at its start.
fn goes_round(task: &Task) -> bool {
    let is_plain = task.database.is_none() && task.before.growth == Growth::Overwrite;
    is_plain && task.spec.workload.pattern == Pattern::Sequential && task.spec.until != Until::SpanCovered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::plan::PlanSource;
    use crate::sources::testing;
    use ioproof_core::facts::DeviceFacts;
    use ioproof_runner::Script;
    use std::sync::Mutex;

    /// Where the first six runs of each job begin.
    fn places(load: &str, drives: Vec<DeviceFacts>) -> Vec<Vec<u32>> {
        let load = testing::load(load);
        let mut record = testing::record(&load);
        record.targets[0].drives = drives;
        let seen = Mutex::new(vec![Vec::new(); record.jobs.len()]);
        let script = Script::new(|task, _| {
            seen.lock().unwrap()[task.job as usize].push(task.spec.placement.begin_ppm);
            Ok(Script::outcome(task, 1000, 10_000, 100_000_000))
        });
        testing::play(&mut record, &script, &mut StaggeredStart(&mut PlanSource::new(testing::tasks(&load)))).unwrap();
        let seen = seen.lock().unwrap();
        seen.iter().map(|places| places.iter().copied().take(6).collect()).collect()
    }

    #[test]
    fn each_run_of_sequential_io_begins_elsewhere() {
        let even = vec![0, 618_034, 236_068, 854_102, 472_136, 90_170];
        assert_eq!(places("--rw read,write --bs 128KiB --workers 1 --depth 4", Vec::new()), [even.clone(), even]);
        assert_eq!(places("--rw randread --workers 1 --depth 4", Vec::new()), [vec![0; 6]]);
    }

    #[test]
    fn runs_on_a_drive_that_turns_begin_at_its_start() {
        let of = |kind: &str, turns: bool| {
            let fact = |value: serde_json::Value| serde_json::json!({ "value": value, "source": "x" });
            let drive =
                serde_json::json!({ "name": "sda", "kind": kind, "capacity_bytes": fact(512.into()), "rotational": fact(turns.into()) });
            serde_json::from_value(drive).unwrap()
        };
        let load = "--rw read --bs 128KiB --workers 1 --depth 4";
        assert_eq!(places(load, vec![of("sata", true)]), [vec![0; 6]]);
        assert_ne!(places(load, vec![of("sata", false)]), [vec![0; 6]]);
        assert_ne!(places(load, vec![of("virtio", true)]), [vec![0; 6]], "a virtual disk says that it turns whatever lies below");
    }
}
