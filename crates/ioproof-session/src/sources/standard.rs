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
        let is_looked_at = test.looks_every() == 1 && test.segments().is_empty();
        let most = if is_looked_at { format!(" of {MEASUREMENT_WINDOW} to {MOST_ROUNDS}") } else { String::new() };
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
    use ioproof_core::splitmix::next;
    use ioproof_core::standard::{Class, Test};
    use ioproof_core::standard_results::SteadyState;
    use ioproof_runner::Script;

    /// A run of the throughput and latency tests that has begun nothing.
    fn begun() -> RunRecord {
        begun_with(vec![Test::Throughput128, Test::Latency])
    }

    fn begun_with(tests: Vec<Test>) -> RunRecord {
        let load = testing::load("");
        let mut record = testing::record(&load);
        let class = Class::Client;
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
        let judged = judge(&record).results.standard.unwrap();
        let rounds: Vec<(usize, bool)> = judged.tests.iter().map(|of| (of.rounds.len(), of.is_steady())).collect();
        assert_eq!(rounds, [(6, true), (5, true)], "two passes and one round of two cells are fresh");
        assert!(judged.conditions[0].contains("purged by discard"), "{:?}", judged.conditions);
        let pass = record.stages.iter().find(|stage| stage.purpose == Purpose::Precondition).unwrap();
        let spans = [pass, &record.stages[3]].map(|stage| record.jobs[stage.rounds[0].job as usize].span.length_bytes);
        assert_eq!(spans, [16 << 20, 12 << 20], "all is preconditioned, and three quarters are tested");
    }

    /// Rounds of the throughput test, its end, and the rate of its writes (I/Os a second), on a drive that writes so many in each round.
    fn tested(rate: impl Fn(usize) -> f64 + Sync) -> (usize, SteadyState, f64) {
        let (mut record, load) = (begun_with(vec![Test::Throughput128]), testing::load(""));
        // Two passes, then a read and a write in each round.
        let script = Script::new(|task, number| {
            let ios = rate((number as usize).saturating_sub(2) / 2) as u64;
            Ok(Script::outcome(task, ios, 10_000, 1_000_000_000))
        });
        let plan = record.plan.clone().unwrap();
        testing::play(&mut record, &script, &mut StandardSource::new(testing::tasks(&load), &plan)).unwrap();
        let judged = judge(&record).results.standard.unwrap().tests.remove(0);
        let writes = judged.cells.iter().find(|cell| cell.read_percent == 0).unwrap();
        (judged.rounds.len(), judged.state, writes.average / f64::from(writes.block_bytes))
    }

    /// Between 1 - `share` and 1 + `share`, by a round and a seed.
    fn noise(share: f64, seed: u64, round: usize) -> f64 {
        let mut state = seed << 32 | round as u64;
        1.0 + share * (2.0 * (next(&mut state) >> 11) as f64 / (1u64 << 53) as f64 - 1.0)
    }

    #[test]
    fn a_drive_of_known_rates_is_called_steady_in_its_round_with_its_figure() {
        for seed in 0..20 {
            // Fresh, a round of garbage collection, and then its steady rate, which drifts by up to 1 % a round either way.
            let (cliff, drift) = (seed as usize % 5, (seed as f64 - 9.5) / 950.0);
            let truth = |round: usize| match round.checked_sub(cliff) {
                None => 4000.0,
                Some(0) => 1700.0,
                Some(after) => 1000.0 * (1.0 + drift * (after as f64 - 3.0)),
            };
            let (rounds, state, rate) = tested(|round| truth(round) * noise(0.02, seed, round));
            assert_eq!((rounds, state), (cliff + 6, SteadyState::Steady), "seed {seed}");
            assert!((rate / 1000.0 - 1.0).abs() < 0.03, "seed {seed}: {rate}");
        }
    }

    #[test]
    fn a_drive_that_still_drifts_is_never_called_steady() {
        for seed in 0..10 {
            let change = if seed % 2 == 0 { 1.0 - 0.04 - seed as f64 / 200.0 } else { 1.04 + seed as f64 / 200.0 };
            let (rounds, state, _) = tested(|round| 2000.0 * f64::powi(change, round as i32) * noise(0.01, seed, round));
            assert_eq!((rounds, state), (25, SteadyState::NotSteady), "{change} a round");
        }
    }

    #[test]
    fn it_goes_on_where_the_record_ends() {
        let mut whole = begun();
        play(&mut whole);
        let mut part = whole.clone();
        part.stages.truncate(9);
        part.status = RunStatus::Running;
        assert_eq!(play(&mut part), 1, "the test in whose middle it was interrupted is not purged again");
        assert!(part.stages.len() > 9 && judge(&part).results.standard.unwrap().tests.iter().all(|of| of.is_steady()));
    }
}
