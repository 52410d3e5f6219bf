//! Targets in turns, and where it is asked for all of them at once: a turn of a workload is a round on each and one on all, and the next turn has them backwards
//! (A B B A), so that what changes steadily meanwhile meets all alike. The schedule is that of the plan, for which a turn is one round; it goes on until the ratio of
//! the second target to the first, or of all at once to the sum of each alone, is precise.

use super::load::{Lengths, Tasks};
use ioproof_core::plan::{Plan, Scheduler};
use ioproof_core::record::{Part, Purpose, RoundOutcome, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec, Task};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct TurnTarget<'a> {
    /// The maker of its tasks, which know its span.
    pub tasks: Tasks<'a>,
    pub name: String,
}

pub struct Interleave<'a> {
    sides: Vec<TurnTarget<'a>>,
    /// True where a turn has a round of all of them.
    at_once: bool,
    scheduler: Scheduler,
    workloads: Vec<Workload>,
    lengths: Lengths,
    turn: Option<TurnUnderWay>,
}

/// Steps of a turn: each side alone, by its position, and behind them all at once.
type TurnStep = usize;

struct TurnUnderWay {
    workload: usize,
    /// Steps that are still to come, the next one last.
    to_come: Vec<TurnStep>,
    /// The figure of each step, where its rounds count.
    values: Vec<Option<f64>>,
    last: Option<TurnStep>,
}

impl<'a> Interleave<'a> {
    /// By this plan, whose jobs the record has for the first target and then for each further one, in its order.
    pub fn new(sides: Vec<TurnTarget<'a>>, at_once: bool, plan: &Plan, seed: u64) -> Self {
        let steps = steps(sides.len(), at_once) as u64;
        let of_turns = Plan { ramp_ns: plan.ramp_ns * steps, measure_ns: plan.measure_ns * steps, ..plan.clone() };
        Self {
            sides,
            at_once,
            scheduler: Scheduler::new(of_turns, seed),
            workloads: plan.all().map(|planned| planned.workload.clone()).collect(),
            lengths: Lengths::from_plan(plan),
            turn: None,
        }
    }

    /// The tasks of all workloads on all targets, so that what the engine would refuse is refused before anything is written.
    pub fn preview(&self) -> Vec<Task> {
        let of = |side: usize| (0..self.workloads.len()).map(move |workload| self.task(side, workload, 0));
        (0..self.sides.len()).flat_map(of).collect()
    }

    fn task(&self, side: usize, workload: usize, number: u32) -> Task {
        let job = side * self.workloads.len() + workload;
        let task = self.sides[side].tasks.measured(job as u32, &self.workloads[workload], number, self.lengths);
        Task { handles: vec![side], ..task }
    }

    /// Takes what the last stage showed, and ends the turn behind its last round.
    fn learn(&mut self, record: &RunRecord) {
        let Some(turn) = &mut self.turn else { return };
        if let (Some(step), Some(stage)) = (turn.last.take(), record.stages.last()) {
            let parts = || stage.parts(&record.jobs);
            // Of two in turns by what the workload is about; latencies add up to nothing.
            let value = |part: Part| if self.at_once { part.rate() } else { part.main_value() };
            turn.values[step] = parts().all(|part| part.counts()).then(|| parts().map(value).sum());
            if parts().any(|part| part.outcome == RoundOutcome::Failed) {
                self.scheduler.give_up(turn.workload);
                self.turn = None;
                return;
            }
        }
        if turn.to_come.is_empty() {
            self.scheduler.record(turn.workload, ratio(&turn.values, self.at_once));
            self.turn = None;
        }
    }

    fn begin(&mut self, elapsed_ns: u64) -> Option<()> {
        let workload = self.scheduler.next(elapsed_ns)?;
        let steps = steps(self.sides.len(), self.at_once);
        let forwards = self.scheduler.attempts(workload).is_multiple_of(2);
        let to_come = if forwards { (0..steps).rev().collect() } else { (0..steps).collect() };
        self.turn = Some(TurnUnderWay { workload, to_come, values: vec![None; steps], last: None });
        Some(())
    }

    /// A stage of a step. All visit the same blocks in the same order.
    fn stage(&self, step: TurnStep, workload: usize, left: Duration) -> StageSpec {
        let repetition = self.scheduler.attempts(workload);
        let number = repetition * self.workloads.len() as u32 + workload as u32;
        let of = &self.workloads[workload];
        let alone = self.sides.get(step);
        let place = alone.map_or_else(|| format!("all {} at once", self.sides.len()), |side| side.name.clone());
        let title = format!("{} (queue depth {}) on {place}, run {}", of.title(), of.concurrency(), repetition + 1);
        if alone.is_some() {
            return StageSpec::of(self.task(step, workload, number), Purpose::Measure, repetition, title, Some(left));
        }
        let tasks = (0..self.sides.len()).map(|side| Task { id: side, ..self.task(side, workload, number) }).collect();
        StageSpec { purpose: Purpose::Together, repetition, title, left: Some(left), tasks, is_job_file: false }
    }
}

pub fn steps(sides: usize, at_once: bool) -> usize {
    sides + usize::from(at_once)
}

/// The figure of a turn: all at once to the sum of each alone, or the second to the first. None where a step of it does not count.
fn ratio(values: &[Option<f64>], at_once: bool) -> Option<f64> {
    let values = values.iter().copied().collect::<Option<Vec<f64>>>()?;
    let (last, first) = values.split_last()?;
    let base: f64 = if at_once { first.iter().sum() } else { first.first().copied()? };
    (base > 0.0).then(|| last / base)
}

impl Source for Interleave<'_> {
    fn next(&mut self, record: &mut RunRecord, elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record);
        if self.turn.is_none() && self.begin(elapsed_ns).is_none() {
            return Ok(None);
        }
        let Some(turn) = &mut self.turn else { return Ok(None) };
        let Some(step) = turn.to_come.pop() else { return Ok(None) };
        turn.last = Some(step);
        let (workload, left) = (turn.workload, Duration::from_nanos(self.scheduler.remaining_ns(elapsed_ns)));
        Ok(Some(self.stage(step, workload, left)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::compare::{is_interleaved, sides};
    use ioproof_core::record::JobRecord;
    use ioproof_runner::Script;

    fn record(load: &crate::request::LoadRequest) -> RunRecord {
        let mut record = testing::record(load);
        record.targets.push(record.targets[0].clone());
        let second: Vec<JobRecord> = record.jobs.iter().map(|job| JobRecord { targets: vec![1], ..job.clone() }).collect();
        record.jobs.extend(second);
        record
    }

    fn source<'a>(load: &'a crate::request::LoadRequest, record: &RunRecord, at_once: bool) -> Interleave<'a> {
        let side = || TurnTarget { tasks: testing::tasks(load), name: "x".into() };
        Interleave::new(vec![side(), side()], at_once, record.plan.as_ref().unwrap(), 7)
    }

    /// The jobs of each stage that was played, `+` between those at once.
    fn played(record: &RunRecord) -> Vec<String> {
        let name =
            |stage: &ioproof_core::record::Stage| stage.rounds.iter().map(|round| round.job.to_string()).collect::<Vec<_>>().join("+");
        record.stages.iter().map(name).collect()
    }

    #[test]
    fn all_at_once_are_a_stage_of_each_turn() {
        let load = testing::load("--rw randread --workers 1 --depth 4");
        let mut record = record(&load);
        let mut source = source(&load, &record, true);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)));
        testing::play(&mut record, &script, &mut source).unwrap();
        assert_eq!(played(&record), ["0", "1", "0+1", "0+1", "1", "0"].repeat(3));
        let together = || record.stages.iter().filter(|stage| stage.rounds.len() == 2);
        assert!(together().all(|stage| stage.purpose == Purpose::Together));
        assert_eq!(together().map(|stage| stage.repetition).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(!is_interleaved(&record), "it is no comparison of both");
        let told = ioproof_core::judge::judge(&record).results.together.unwrap();
        assert_eq!((told.rows.len(), told.rows[0].share.median), (1, 1.0));
    }

    #[test]
    fn one_that_fails_ends_the_workload_for_all() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = record(&load);
        let mut source = source(&load, &record, true);
        let script = Script::new(|task, _| {
            let good = Script::outcome(task, 1000, 10_000, 100_000_000);
            // Only tasks beside others have numbers.
            let fails = task.job == 2 && task.id == 1;
            Ok(if fails { ioproof_engine::Outcome { outcome: RoundOutcome::Failed, ..good } } else { good })
        });
        testing::play(&mut record, &script, &mut source).unwrap();
        let reads: Vec<String> = played(&record).into_iter().take_while(|jobs| jobs != "1").collect();
        assert_eq!(reads, ["0", "2", "0+2"]);
    }

    #[test]
    fn a_turn_is_told_by_its_ratio() {
        let all = [Some(10.0), Some(30.0), Some(20.0)];
        assert_eq!((ratio(&all, true), ratio(&all[..2], false)), (Some(0.5), Some(3.0)));
        assert_eq!(
            (ratio(&[Some(1.0), None, Some(1.0)], true), ratio(&[Some(0.0), Some(1.0)], false), ratio(&[], true)),
            (None, None, None)
        );
    }

    #[test]
    fn targets_take_turns_in_the_order_a_b_b_a() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let mut record = record(&load);
        let mut source = source(&load, &record, false);
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
        let mut source = source(&load, &record, false);
        let script = Script::new(|task, _| {
            let good = Script::outcome(task, 1000, 10_000, 100_000_000);
            Ok(if task.job == 2 { ioproof_engine::Outcome { outcome: RoundOutcome::Failed, ..good } } else { good })
        });
        testing::play(&mut record, &script, &mut source).unwrap();
        let jobs: Vec<u32> = record.stages.iter().map(|stage| stage.rounds[0].job).collect();
        assert_eq!(jobs, [vec![0, 2], [1, 3, 3, 1].repeat(3)].concat());
    }
}
