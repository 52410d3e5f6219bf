//! The schedule of a plan as a source: round after round of its workloads, and reading back between them where data is checked.

use super::load::{Lengths, Tasks};
use super::written::CheckedWrites;
use ioproof_core::plan::Scheduler;
use ioproof_core::record::{IoErrors, Purpose, Round, RoundOutcome, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec, Task, was_refused};
use std::time::Duration;

/// The refusal of a target that cannot be polled, and the way out.
pub const NOT_POLLED: (&str, &str) = (
    "--polled: this target cannot be polled",
    "only drives with queues for polling can, as NVMe with poll_queues, and not through every filesystem; leave it out",
);

pub struct PlanSource<'a> {
    tasks: Tasks<'a>,
    scheduler: Option<Scheduler>,
    workloads: Vec<Workload>,
    written: CheckedWrites,
    last: LastStage,
    /// A round that was decided on and waits for reading back.
    pending: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LastStage {
    Nothing,
    Round(usize),
    ReadBack(String),
}

impl<'a> PlanSource<'a> {
    /// The record's plan, as it is when the first stage is asked for.
    pub fn new(tasks: Tasks<'a>) -> Self {
        Self { tasks, scheduler: None, workloads: Vec::new(), written: CheckedWrites::default(), last: LastStage::Nothing, pending: None }
    }

    /// Takes what the last stage showed.
    fn learn(&mut self, record: &mut RunRecord) -> Result<(), Failure> {
        let last = std::mem::replace(&mut self.last, LastStage::Nothing);
        let Some(stage) = record.stages.last() else { return Ok(()) };
        let part = stage.parts(&record.jobs).next();
        match (last, part) {
            (LastStage::Round(number), Some(part)) => {
                if self.tasks.load.generate.polled && was_refused(&part) {
                    return Err(Failure::hinted(NOT_POLLED.0, NOT_POLLED.1));
                }
                if let Some(scheduler) = &mut self.scheduler {
                    scheduler.record(number, part.counts().then(|| part.main_value()));
                    if part.outcome == RoundOutcome::Failed || is_hopeless(part.round) {
                        scheduler.give_up(number);
                    }
                }
            }
            (LastStage::ReadBack(title), part) if part.is_none_or(|part| part.outcome != RoundOutcome::Complete) => {
                record.notes.push(format!("{title}: what was written was read back only in part"));
            }
            _ => {}
        }
        Ok(())
    }

    /// The scheduler and its plan, made when the first stage is asked for: a search before it may have changed the plan.
    fn begin(&mut self, record: &RunRecord) {
        if let (None, Some(plan)) = (&self.scheduler, &record.plan) {
            self.workloads = plan.all().map(|planned| planned.workload.clone()).collect();
            self.scheduler = Some(Scheduler::new(plan.clone(), record.config.seed));
        }
    }

    fn round(&mut self, record: &mut RunRecord, number: usize, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let Some(scheduler) = &self.scheduler else { return Ok(None) };
        let workload = self.workloads[number].clone();
        let repetition = scheduler.attempts(number);
        let left = Duration::from_nanos(scheduler.remaining_ns(elapsed_ns));
        let title = format!("{} (queue depth {}), run {}", workload.title(), workload.concurrency(), repetition + 1);
        let ledger = self.written.ledger(&workload, record)?;
        let job = self.tasks.job(record, &workload);
        let mut task = self.tasks.measured(job, &workload, record.stages.len() as u32, lengths(record));
        task.check.ledger = ledger;
        self.last = LastStage::Round(number);
        Ok(Some(StageSpec::of(task, Purpose::Measure, repetition, title, Some(left))))
    }

    fn read_back(&mut self, record: &mut RunRecord, next: Option<&Workload>) -> Option<StageSpec> {
        let (workload, ledger) = self.written.done_with(next)?;
        let job = self.tasks.job(record, &workload);
        let plain = self.tasks.plain(job, &workload, record.stages.len() as u32, lengths(record));
        self.last = LastStage::ReadBack(workload.title());
        Some(super::written::read_back(plain, &workload, ledger))
    }

    /// The tasks of all planned workloads, so that what the engine would refuse is refused before the target is filled for them.
    ///
    /// # Errors
    /// When the span is too large to remember what was written where.
    pub fn preview(tasks: &Tasks<'_>, record: &mut RunRecord) -> Result<Vec<Task>, Failure> {
        let Some(plan) = record.plan.clone() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for planned in plan.all() {
            let job = tasks.job(record, &planned.workload);
            let mut task = tasks.measured(job, &planned.workload, 0, lengths(record));
            task.check.ledger = CheckedWrites::default().ledger(&planned.workload, record)?;
            all.push(task);
        }
        Ok(all)
    }
}

impl Source for PlanSource<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record)?;
        self.begin(record);
        let next = self.pending.take().or_else(|| self.scheduler.as_mut()?.next(elapsed_ns));
        let workload = next.and_then(|number| self.workloads.get(number).cloned());
        if let Some(stage) = self.read_back(record, workload.as_ref()) {
            self.pending = next;
            return Ok(Some(stage));
        }
        next.map_or(Ok(None), |number| self.round(record, number, elapsed_ns))
    }

    fn close(&mut self, record: &mut RunRecord) {
        let _ = self.learn(record);
        self.written.close(record);
    }
}

fn lengths(record: &RunRecord) -> Lengths {
    record.plan.as_ref().map_or(Lengths { ramp_ns: 0, measure_ns: 0 }, Lengths::from_plan)
}

/// True where nothing but failed I/O came of a round. A drive that takes long over each may stay below the limit of errors round after round.
fn is_hopeless(round: &Round) -> bool {
    let IoErrors { failed, short, .. } = round.errors;
    round.ios() == 0 && failed + short > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::record::{Direction, RunStatus};
    use ioproof_runner::Script;

    #[test]
    fn nothing_but_failures_is_hopeless() {
        let round = |ios, failed, short| Round {
            read: Direction { ios, ..Direction::default() },
            errors: IoErrors { failed, short, ..IoErrors::default() },
            ..Round::default()
        };
        assert!(is_hopeless(&round(0, 3, 0)) && is_hopeless(&round(0, 0, 1)));
        assert!(!is_hopeless(&round(1, 99, 0)), "some of it works");
        assert!(!is_hopeless(&round(0, 0, 0)), "a slow drive that answers nothing within a round may answer in the next");
    }

    fn purposes(record: &RunRecord) -> Vec<Purpose> {
        record.stages.iter().map(|stage| stage.purpose).collect()
    }

    #[test]
    fn rounds_follow_the_schedule_until_they_are_precise() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = testing::record(&load);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut record, &script, &mut PlanSource::new(testing::tasks(&load))).unwrap();
        assert_eq!(record.status, RunStatus::Complete);
        let jobs: Vec<u32> = record.stages.iter().map(|stage| stage.rounds[0].job).collect();
        assert_eq!(jobs, [[0; 6], [1; 6]].concat(), "six equal runs of each are enough");
        assert!(purposes(&record).iter().all(|purpose| *purpose == Purpose::Measure));
    }

    #[test]
    fn a_workload_whose_io_only_fails_is_given_up_and_the_others_go_on() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = testing::record(&load);
        let script = Script::new(|task, _| {
            let good = Script::outcome(task, 1000, 10_000, 100_000_000);
            let fails = !task.spec.workload.writes();
            Ok(if fails { ioproof_engine::Outcome { outcome: RoundOutcome::Failed, ..good } } else { good })
        });
        testing::play(&mut record, &script, &mut PlanSource::new(testing::tasks(&load))).unwrap();
        let jobs: Vec<u32> = record.stages.iter().map(|stage| stage.rounds[0].job).collect();
        assert_eq!(jobs, [[0].as_slice(), &[1; 6]].concat());
    }

    #[test]
    fn checked_data_is_read_back_before_the_next_workload_writes() {
        let load = testing::load("--rw randwrite --workers 1 --depth 1,4 --check");
        let mut record = testing::record(&load);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut record, &script, &mut PlanSource::new(testing::tasks(&load))).unwrap();
        let measured = [Purpose::Measure; 6];
        assert_eq!(purposes(&record), [&measured[..], &[Purpose::ReadBack], &measured, &[Purpose::ReadBack]].concat());
        assert_eq!(record.parts_of(0).count(), 6, "reading back is no round of the result");
    }

    #[test]
    fn what_the_engine_refuses_ends_the_run() {
        let load = testing::load("--rw randread --workers 1 --depth 4");
        let mut record = testing::record(&load);
        let script = Script::new(|_, _| Err(Failure::hinted("no", "yes")));
        assert!(testing::play(&mut record, &script, &mut PlanSource::new(testing::tasks(&load))).is_err());
        assert!(record.stages.iter().all(|stage| stage.rounds.is_empty()));
    }
}
