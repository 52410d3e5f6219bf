//! Two targets in turns: each round of a workload is a pair, first and second, and the next one second and first (A B B A), so that what changes steadily
//! meanwhile meets both alike. The schedule is that of the plan, for which a pair is one round; it goes on until the ratio of both is precise.

use super::load::{Lengths, Tasks};
use ioproof_core::plan::{Plan, Scheduler};
use ioproof_core::record::{Purpose, RoundOutcome, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec, Task};
use std::time::Duration;

/// One of both targets.
#[derive(Debug, Clone)]
pub struct Turn<'a> {
    /// The maker of its tasks, which know its span.
    pub tasks: Tasks<'a>,
    /// Its name for whoever watches.
    pub name: String,
}

/// The schedule under way.
pub struct Interleave<'a> {
    turns: [Turn<'a>; 2],
    scheduler: Scheduler,
    workloads: Vec<Workload>,
    lengths: Lengths,
    pair: Option<Pair>,
}

/// A pair of rounds under way.
struct Pair {
    workload: usize,
    /// Sides that are still to come, the next one last.
    to_come: Vec<usize>,
    /// The figure of each side, where its round counts.
    values: [Option<f64>; 2],
    /// Side of the round that was asked for last.
    last: Option<usize>,
}

impl<'a> Interleave<'a> {
    /// By this plan, whose jobs the record has for the first target and then for the second, in its order.
    pub fn new(turns: [Turn<'a>; 2], plan: &Plan, seed: u64) -> Self {
        let of_pairs = Plan { ramp_ns: plan.ramp_ns * 2, measure_ns: plan.measure_ns * 2, ..plan.clone() };
        Self {
            turns,
            scheduler: Scheduler::new(of_pairs, seed),
            workloads: plan.all().map(|planned| planned.workload.clone()).collect(),
            lengths: Lengths::of(plan),
            pair: None,
        }
    }

    /// The tasks of all workloads on both targets, so that what the engine would refuse is refused before anything is written.
    pub fn preview(&self) -> Vec<Task> {
        let of = |side: usize| (0..self.workloads.len()).map(move |workload| self.task(side, workload, 0));
        [0, 1].into_iter().flat_map(of).collect()
    }

    fn task(&self, side: usize, workload: usize, number: u32) -> Task {
        let job = side * self.workloads.len() + workload;
        let task = self.turns[side].tasks.measured(job as u32, &self.workloads[workload], number, self.lengths);
        Task { handles: vec![side], ..task }
    }

    /// Takes what the last stage showed, and ends the pair behind its second round.
    fn learn(&mut self, record: &RunRecord) {
        let Some(pair) = &mut self.pair else { return };
        let part = record.stages.last().and_then(|stage| stage.parts(&record.jobs).next());
        if let (Some(side), Some(part)) = (pair.last.take(), part) {
            pair.values[side] = part.counts().then(|| part.main_value());
            if part.outcome == RoundOutcome::Failed {
                self.scheduler.give_up(pair.workload);
                self.pair = None;
                return;
            }
        }
        if pair.to_come.is_empty() {
            let ratio = pair.values[0].zip(pair.values[1]).filter(|(first, _)| *first > 0.0).map(|(first, second)| second / first);
            self.scheduler.record(pair.workload, ratio);
            self.pair = None;
        }
    }

    fn begin(&mut self, elapsed_ns: u64) -> Option<()> {
        let workload = self.scheduler.next(elapsed_ns)?;
        let to_come = if self.scheduler.attempts(workload).is_multiple_of(2) { vec![1, 0] } else { vec![0, 1] };
        self.pair = Some(Pair { workload, to_come, values: [None; 2], last: None });
        Some(())
    }
}

impl Source for Interleave<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record);
        if self.pair.is_none() && self.begin(elapsed_ns).is_none() {
            return Ok(None);
        }
        let Some(pair) = &mut self.pair else { return Ok(None) };
        let Some(side) = pair.to_come.pop() else { return Ok(None) };
        pair.last = Some(side);
        let number = pair.workload;
        let (workload, repetition) = (&self.workloads[number], self.scheduler.attempts(number));
        let title =
            format!("{} (queue depth {}) on {}, run {}", workload.title(), workload.concurrency(), self.turns[side].name, repetition + 1);
        let left = Duration::from_nanos(self.scheduler.remaining_ns(elapsed_ns));
        // Both of a pair visit the same blocks in the same order.
        let task = self.task(side, number, repetition * self.workloads.len() as u32 + number as u32);
        Ok(Some(StageSpec::of(task, Purpose::Measure, repetition, title, Some(left))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::compare::{is_interleaved, sides};
    use ioproof_core::record::JobRecord;
    use ioproof_runner::Script;

    /// The record of this load on two targets.
    fn record(load: &crate::request::LoadRequest) -> RunRecord {
        let mut record = testing::record(load);
        record.targets.push(record.targets[0].clone());
        let second: Vec<JobRecord> = record.jobs.iter().map(|job| JobRecord { targets: vec![1], ..job.clone() }).collect();
        record.jobs.extend(second);
        record
    }

    fn source<'a>(load: &'a crate::request::LoadRequest, record: &RunRecord) -> Interleave<'a> {
        let turn = || Turn { tasks: testing::tasks(load), name: "x".into() };
        Interleave::new([turn(), turn()], record.plan.as_ref().unwrap(), 7)
    }

    #[test]
    fn targets_take_turns_in_the_order_a_b_b_a() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = record(&load);
        let mut source = source(&load, &record);
        assert_eq!(source.preview().iter().map(|task| (task.job, task.handles[0])).collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 1), (3, 1)]);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut record, &script, &mut source).unwrap();
        let jobs: Vec<u32> = record.stages.iter().map(|stage| stage.rounds[0].job).collect();
        assert_eq!(jobs, [[0, 2, 2, 0].repeat(3), [1, 3, 3, 1].repeat(3)].concat(), "six of each are enough for equal ones");
        assert!(is_interleaved(&record));
        assert!(sides(&record).iter().all(|side| side.stages.len() == 12));
    }

    #[test]
    fn a_side_that_fails_ends_the_workload_for_both() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = record(&load);
        let mut source = source(&load, &record);
        let script = Script::new(|task, _| {
            let good = Script::outcome(task, 1000, 10_000, 100_000_000);
            Ok(if task.job == 2 { ioproof_engine::Outcome { outcome: RoundOutcome::Failed, ..good } } else { good })
        });
        testing::play(&mut record, &script, &mut source).unwrap();
        let jobs: Vec<u32> = record.stages.iter().map(|stage| stage.rounds[0].job).collect();
        assert_eq!(jobs, [vec![0, 2], [1, 3, 3, 1].repeat(3)].concat());
    }
}
