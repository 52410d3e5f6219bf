//! Layers in turns: the loads of each filesystem and the databases on it, forwards in one turn and backwards in the next, so that what changes steadily meanwhile meets
//! all alike. The number of turns is fixed, so that each layer has as many as every other.

use super::load::{Lengths, Tasks};
use ioproof_core::database::DatabaseLoad;
use ioproof_core::record::{JobRecord, Purpose, RoundOutcome, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec, Task};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayerStep {
    /// The reads of a filesystem on the blocks of its file, past it. Their place is known once the file is written, and stands in the record then.
    Blocks {
        /// Position of the filesystem's target.
        side: usize,
        /// Position of the device among handles.
        handle: usize,
    },
    Load {
        job: u32,
        /// Position of its target among targets and handles.
        side: usize,
        workload: Box<Workload>,
    },
    Database(u32),
}

pub struct LayersSource<'a> {
    sides: Vec<Tasks<'a>>,
    steps: Vec<LayerStep>,
    turns: u32,
    lengths: Lengths,
    asked: usize,
    /// The step of the stage that was asked for last.
    last: Option<usize>,
    /// Steps that failed and are not tried again.
    closed: Vec<usize>,
}

impl<'a> LayersSource<'a> {
    /// These steps on targets whose tasks these make.
    pub fn new(sides: Vec<Tasks<'a>>, steps: Vec<LayerStep>, turns: u32, lengths: Lengths) -> Self {
        Self { sides, steps, turns, lengths, asked: 0, last: None, closed: Vec::new() }
    }

    /// The tasks of all loads, so that what the engine would refuse is refused before anything is written.
    pub fn preview(&self) -> Vec<Task> {
        let loads = self.steps.iter().filter(|step| matches!(step, LayerStep::Load { .. }));
        loads.filter_map(|step| self.task(step, 0, String::new(), None)).collect()
    }

    /// The step that comes at this place, in the order of time; none behind the last.
    fn at(&self, place: usize) -> Option<(u32, usize)> {
        let count = self.steps.len().max(1);
        let (turn, within) = ((place / count) as u32, place % count);
        let step = if turn.is_multiple_of(2) { within } else { count - 1 - within };
        (turn < self.turns && step < self.steps.len()).then_some((turn, step))
    }

    fn learn(&mut self, record: &RunRecord) {
        let (Some(step), Some(stage)) = (self.last.take(), record.stages.last()) else { return };
        let outcomes = stage.rounds.iter().map(|round| round.outcome).chain(stage.databases.iter().map(|round| round.outcome));
        if outcomes.into_iter().any(|outcome| outcome == RoundOutcome::Failed) {
            self.closed.push(step);
        }
    }

    /// The task of a step, on the part that the record has for it; none where the record has no such job.
    fn task(&self, step: &LayerStep, number: u32, title: String, record: Option<&RunRecord>) -> Option<Task> {
        Some(match step {
            LayerStep::Blocks { side, handle } => {
                let record = record?;
                let job = record.jobs.iter().position(|job| below(record, job) == Some(*side))?;
                let JobRecord { workload, span, .. } = &record.jobs[job];
                let tasks = self.sides[*side].within(*span);
                Task { handles: vec![*handle], ..tasks.measured(job as u32, workload, number, self.lengths) }
            }
            LayerStep::Load { job, side, workload } => {
                let tasks = self.sides[*side];
                let span = record.and_then(|record| record.jobs.get(*job as usize)).map_or(tasks.span, |job| job.span);
                Task { handles: vec![*side], ..tasks.within(span).measured(*job, workload, number, self.lengths) }
            }
            LayerStep::Database(database) => {
                let clients = record?.databases.get(*database as usize)?.clients;
                let Lengths { ramp_ns, measure_ns } = self.lengths;
                let seed = self.sides.first().map_or(0, |tasks| tasks.seed).wrapping_add(u64::from(number) << 16);
                let (warm_up, measure) = (Duration::from_nanos(ramp_ns), Duration::from_nanos(measure_ns));
                Task::of_database(DatabaseLoad { database: *database, clients, warm_up, measure, seed }, title)
            }
        })
    }

    fn title(&self, step: &LayerStep, turn: u32, record: &RunRecord) -> String {
        let (what, target) = match step {
            LayerStep::Blocks { side, .. } => ("reads of the same blocks past the filesystem".into(), *side),
            LayerStep::Load { side, workload, .. } => (workload.title(), *side),
            LayerStep::Database(database) => {
                let of = record.databases.get(*database as usize);
                of.map_or_else(Default::default, |of| (format!("{}, {}", of.title, of.clients_in_words()), of.target as usize))
            }
        };
        let several = record.targets.get(target).filter(|_| self.sides.len() > 1);
        let place = several.map_or_else(String::new, |target| format!(" on {}", target.facts.given));
        format!("{what}{place}, turn {} of {}", turn + 1, self.turns)
    }

    fn left(&self) -> Duration {
        let all = self.steps.len() as u64 * u64::from(self.turns);
        let round_ns = self.lengths.ramp_ns + self.lengths.measure_ns;
        Duration::from_nanos(all.saturating_sub(self.asked as u64) * round_ns)
    }
}

/// The filesystem's target whose file lies on the blocks of a job.
fn below(record: &RunRecord, job: &JobRecord) -> Option<usize> {
    let [target] = job.targets[..] else { return None };
    record.targets.get(target as usize).filter(|target| !target.is_raw)?.below.map(|side| side as usize)
}

impl Source for LayersSource<'_> {
    fn next(&mut self, record: &mut RunRecord, _elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record);
        while let Some((turn, number)) = self.at(self.asked) {
            let left = self.left();
            self.asked += 1;
            if self.closed.contains(&number) {
                continue;
            }
            let step = &self.steps[number];
            let title = self.title(step, turn, record);
            // Each in an order of its own: what a cache below has of one must not be what the next asks for.
            let Some(task) = self.task(step, record.stages.len() as u32, title.clone(), Some(record)) else { continue };
            self.last = Some(number);
            return Ok(Some(StageSpec::of(task, Purpose::Measure, turn, title, Some(left))));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_core::record::{DatabaseRecord, DatabaseRound};
    use ioproof_runner::Script;

    fn layered() -> (crate::request::LoadRequest, RunRecord, Vec<LayerStep>) {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 1");
        let mut record = testing::record(&load);
        record.databases.push(DatabaseRecord { title: "SQLite".into(), clients: 1, ..DatabaseRecord::default() });
        let jobs = (0..).zip(&record.jobs);
        let loads = jobs.map(|(job, of)| LayerStep::Load { job, side: 0, workload: Box::new(of.workload.clone()) });
        let steps = loads.chain([LayerStep::Database(0)]).collect();
        (load, record, steps)
    }

    /// Names of what was played: jobs by their number, the database by `d`.
    fn played(record: &RunRecord) -> String {
        let name = |stage: &ioproof_core::record::Stage| stage.rounds.first().map_or("d".into(), |round| round.job.to_string());
        record.stages.iter().map(name).collect()
    }

    #[test]
    fn turns_go_forwards_and_backwards_and_know_their_number() {
        let (load, mut record, steps) = layered();
        let lengths = Lengths { ramp_ns: 1, measure_ns: 1_000_000_000 };
        let mut source = LayersSource::new(vec![testing::tasks(&load)], steps, 3, lengths);
        assert_eq!(source.preview().len(), 2);
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000))).with_databases(|load| {
            Ok(DatabaseRound { elapsed_ns: load.measure.as_nanos() as u64, transactions: 1, ..DatabaseRound::default() })
        });
        testing::play(&mut record, &script, &mut source).unwrap();
        assert_eq!(played(&record), "01dd1001d");
        assert_eq!(record.stages.iter().map(|stage| stage.repetition).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn a_layer_that_fails_is_not_tried_again_and_the_others_go_on() {
        let (load, mut record, steps) = layered();
        let lengths = Lengths { ramp_ns: 1, measure_ns: 1 };
        let script = Script::new(|task, _| Ok(Script::outcome(task, 1000, 10_000, 100_000_000)))
            .with_databases(|load| Ok(DatabaseRound::failed(load.database, "disk full")));
        testing::play(&mut record, &script, &mut LayersSource::new(vec![testing::tasks(&load)], steps, 3, lengths)).unwrap();
        assert_eq!(played(&record), "01d1001");
    }
}
