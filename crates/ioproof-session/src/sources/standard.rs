//! The tests of a standard as a source. The next step follows from the stages of the record (`ioproof_core::course`): before each test the passes
//! of preconditioning, then rounds of its cells until they are steady. So an interrupted run goes on where its record ends.

use super::load::{Lengths, Tasks};
use super::precondition::sequential_pass;
use ioproof_core::course::{Course, Step, TestCourse};
use ioproof_core::plan::Plan;
use ioproof_core::record::{DatasheetUse, Purpose, RunRecord};
use ioproof_core::standard::{MEASUREMENT_WINDOW, MOST_ROUNDS, PASSES};
use ioproof_core::units::{decimal_size, percent};
use ioproof_runner::{Failure, Source, StageSpec, Task};
use std::time::Duration;

/// Rounds that a test is taken to need, for the time that is left.
const EXPECTED_ROUNDS: usize = 8;
/// Rate of the first pass, by and large. Bytes per second.
const PASS_BYTES_PER_S: f64 = 1e9;

pub struct StandardSource<'a> {
    /// On the active range.
    tasks: Tasks<'a>,
    /// On all of the span, which is preconditioned.
    whole: Tasks<'a>,
}

impl<'a> StandardSource<'a> {
    /// Over the record's plan; `tasks` are on all of its span.
    pub fn new(tasks: Tasks<'a>, plan: &Plan) -> Self {
        let active_range = plan.standard.as_ref().map_or(plan.span, |standard| standard.active_range);
        Self { tasks: tasks.within(active_range), whole: tasks }
    }

    fn pass(&self, record: &mut RunRecord, course: &Course, test: usize, number: u32) -> StageSpec {
        let name = course.tests[test].test.title();
        let title = format!("{name}: sequential pass {} of {PASSES}{}", number + 1, written(record));
        let left = left(record, course);
        let seed = u32::MAX - test as u32 * PASSES - number;
        StageSpec { left, ..sequential_pass(&self.whole, record, (number, seed), title) }
    }

    fn cell(&self, record: &mut RunRecord, course: &Course, (test, round, cell): (usize, usize, usize)) -> Option<StageSpec> {
        let TestCourse { test, cells, .. } = &course.tests[test];
        let (workload, count) = (&cells[cell], cells.len());
        let lengths = Lengths::from_plan(record.plan.as_ref()?);
        let (rest_ns, measure_ns) = test.times_of(cell, lengths.measure_ns);
        let most = if test.is_preconditioned() { format!(" of {MEASUREMENT_WINDOW} to {MOST_ROUNDS}") } else { String::new() };
        let title =
            format!("{} round {}{most}, cell {} of {count}: {}{}", test.title(), round + 1, cell + 1, workload.title(), written(record));
        let left = left(record, course);
        let job = self.tasks.job(record, workload);
        let task = self.tasks.measured(job, workload, record.stages.len() as u32, Lengths { measure_ns, ..lengths });
        let task = Task { delay: Duration::from_nanos(rest_ns), ..task };
        Some(StageSpec::of(task, Purpose::Measure, round as u32, title, left))
    }
}

impl Source for StandardSource<'_> {
    fn next(&mut self, record: &mut RunRecord, _elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let Some(course) = Course::of(record) else { return Ok(None) };
        Ok(match course.next() {
            None => None,
            Some(Step::Pass { test, number }) => Some(self.pass(record, &course, test, number)),
            Some(Step::Cell { test, round, cell }) => self.cell(record, &course, (test, round, cell)),
        })
    }
}

/// `; 12 GB written, 0.3 % of the rated endurance`.
fn written(record: &RunRecord) -> String {
    let bytes: u64 = record.stages.iter().flat_map(|stage| &stage.rounds).map(|round| round.total_bytes.1).sum();
    let rated = record.target().and_then(|target| target.datasheet.as_ref()).and_then(DatasheetUse::rated_endurance_bytes);
    let share = rated.map_or_else(String::new, |rated| format!(", {} of the rated endurance", percent(bytes as f64 / rated.max(1) as f64)));
    if bytes == 0 { String::new() } else { format!("; {} written{share}", decimal_size(bytes)) }
}

/// Time until all is done, if each test takes as many rounds as is usual, and one more where it has had these.
fn left(record: &RunRecord, course: &Course) -> Option<Duration> {
    let plan = record.plan.as_ref()?;
    let last_pass = record.stages.iter().rfind(|stage| stage.purpose == Purpose::Precondition).and_then(|stage| stage.rounds.first());
    let bytes_per_s = last_pass.map_or(PASS_BYTES_PER_S, |round| round.bytes_per_s()).max(1.0);
    let cell_s = plan.round_ns() as f64 / 1e9;
    let of_test = |test: &TestCourse| {
        if !test.test.segments().is_empty() {
            let times = (test.figures().len()..test.cells.len()).map(|at| test.test.times_of(at, plan.measure_ns));
            return times.map(|(rest, cell)| (rest + cell) as f64 / 1e9).sum();
        }
        let passes = if test.test.is_preconditioned() { PASSES.saturating_sub(test.passes) } else { 0 };
        let cells = test.cells_until((EXPECTED_ROUNDS * test.test.looks_every()).max(test.rounds.len() + 1));
        f64::from(passes) * plan.span.length_bytes as f64 / bytes_per_s + cells as f64 * cell_s
    };
    let seconds: f64 = course.tests.iter().filter(|test| !test.is_over()).map(of_test).sum();
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{PurgeWish, StandardRequest};
    use crate::sources::purge_first::PurgeFirst;
    use crate::sources::testing;
    use ioproof_core::judge::judge;
    use ioproof_core::plan::Planned;
    use ioproof_core::record::RunStatus;
    use ioproof_core::standard::{Class, Test};
    use ioproof_runner::Script;

    /// A run of the throughput and latency tests that has begun nothing.
    fn begun() -> RunRecord {
        let load = testing::load("");
        let mut record = testing::record(&load);
        let (class, tests) = (Class::Client, vec![Test::Throughput128, Test::Latency]);
        let (cell, purge) = (Duration::from_secs(1), PurgeWish::Usual);
        let request = StandardRequest { class, tests, workers: 2, depth: 16, cell, endurance: 0.01, purge, taken_up: None };
        let planned = |workload| Planned { workload, claims: Vec::new() };
        let (writes, reads) = request.workloads().into_iter().map(planned).partition(|of: &Planned| of.workload.writes());
        let plan = record.plan.take().unwrap();
        record.plan = Some(Plan { reads, writes, ramp_ns: 0, measure_ns: 1_000_000_000, standard: Some(request.on(plan.span)), ..plan });
        record.jobs.clear();
        record
    }

    /// Plays it through on a drive that is fresh for so many rounds' worth of stages; gives the number of purges.
    fn play(record: &mut RunRecord) -> usize {
        let load = testing::load("");
        let script = Script::new(|task, number| Ok(Script::outcome(task, if number < 4 { 9000 } else { 1000 }, 10_000, 1_000_000_000)));
        let (plan, mut purges) = (record.plan.clone().unwrap(), 0);
        let mut purge = || {
            purges += 1;
            Ok("discard")
        };
        let mut source = StandardSource::new(testing::tasks(&load), &plan);
        testing::play(record, &script, &mut PurgeFirst { source: &mut source, purge: &mut purge }).unwrap();
        purges
    }

    #[test]
    fn each_test_is_purged_preconditioned_and_measured_until_it_is_steady() {
        let mut record = begun();
        assert_eq!((play(&mut record), record.status.clone()), (2, RunStatus::Complete));
        let judged = judge(&record).standard.unwrap();
        let rounds: Vec<(usize, bool)> = judged.tests.iter().map(|of| (of.rounds.len(), of.is_steady())).collect();
        assert_eq!(rounds, [(6, true), (5, true)], "two passes and one round of two cells are fresh");
        assert!(judged.conditions[0].contains("purged by discard"), "{:?}", judged.conditions);
        let pass = record.stages.iter().find(|stage| stage.purpose == Purpose::Precondition).unwrap();
        let spans = [pass, &record.stages[3]].map(|stage| record.jobs[stage.rounds[0].job as usize].span.length_bytes);
        assert_eq!(spans, [16 << 20, 12 << 20], "all is preconditioned, and three quarters are tested");
    }

    #[test]
    fn it_goes_on_where_the_record_ends() {
        let mut whole = begun();
        play(&mut whole);
        let mut part = whole.clone();
        part.stages.truncate(9);
        part.status = RunStatus::Running;
        assert_eq!(play(&mut part), 1, "the test in whose middle it was interrupted is not purged again");
        assert!(part.stages.len() > 9 && judge(&part).standard.unwrap().tests.iter().all(|of| of.is_steady()));
    }
}
