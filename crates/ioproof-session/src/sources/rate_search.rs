//! `--latency-target` as a source: before the schedule, the highest rate is searched for at which the latency of each workload is kept; the schedule is then
//! run at that rate.

use super::load::{Lengths, Tasks};
use crate::request::LatencyTarget;
use ioproof_core::histogram::Histogram;
use ioproof_core::plan::{Plan, Planned};
use ioproof_core::record::{Part, Purpose, RunRecord};
use ioproof_core::search::{Answer, Ending, Goal, GoalSearch, Probe, Step};
use ioproof_core::shape::Pace;
use ioproof_core::units::latency;
use ioproof_core::workload::Workload;
use ioproof_runner::{Failure, Source, StageSpec};
use ioproof_store::config_hash::rehash;
use std::time::Duration;

/// Share of the time that searching may take; the rest proves the rates that were found.
const TIME_SHARE: f64 = 0.5;
/// Steps that a search takes as a rule, by which its time is divided.
const USUAL_STEPS: u64 = 14;
const MOST_STEPS: u32 = 30;
/// Shortest and longest step. Nanoseconds.
const STEP_NS: (u64, u64) = (200_000_000, 60_000_000_000);
/// A rate is found when the one that fails is so little above it.
const PRECISION: f64 = 0.05;
/// Samples that must lie beyond the percentile, and how many more I/Os are waited for than give them on average.
const SAMPLES_BEYOND: u64 = 10;
const MARGIN: f64 = 1.3;
/// Share of a step whose results are dropped.
const RAMP_SHARE: f64 = 0.2;

/// The goal of all searches of a run, and the length of their steps.
#[derive(Debug, Clone, Copy)]
struct Quest {
    target: LatencyTarget,
    /// Length of a step with its ramp. Nanoseconds.
    step_ns: u64,
    /// Length that a step may have where I/Os come so slowly that more time is needed for enough of them. Nanoseconds.
    longest_ns: u64,
}

impl Quest {
    fn new(target: LatencyTarget, plan: &Plan) -> Self {
        let share_ns = (plan.time_ns as f64 * TIME_SHARE) as u64 / plan.all().count().max(1) as u64;
        let step_ns = (share_ns / USUAL_STEPS).clamp(STEP_NS.0, STEP_NS.1);
        Self { target, step_ns, longest_ns: (share_ns / 4).clamp(step_ns, STEP_NS.1) }
    }

    /// The length of a step at a rate: so long that enough I/Os lie beyond the percentile, if it may be. Nanoseconds.
    fn step_ns(&self, ios_per_s: u64) -> u64 {
        let needed = SAMPLES_BEYOND as f64 / (1.0 - self.target.quantile()) * MARGIN;
        let needed_ns = needed / ios_per_s.max(1) as f64 * 1e9 / (1.0 - RAMP_SHARE);
        (needed_ns as u64).clamp(self.step_ns, self.longest_ns)
    }
}

/// The least time that searches for all workloads of a plan usually take, however little it was given.
pub fn least(plan: &Plan) -> Duration {
    Duration::from_nanos(plan.all().count() as u64 * USUAL_STEPS * STEP_NS.0)
}

/// Searches for every workload of the plan and puts the rates found into the plan.
pub struct RateSearch<'a> {
    tasks: Tasks<'a>,
    quest: Option<Quest>,
    target: LatencyTarget,
    /// Workloads of the plan that are still to be searched for, reads before writes, and those that were.
    open: Vec<Planned>,
    found: Vec<Planned>,
    current: Option<Current>,
}

struct Current {
    planned: Planned,
    /// None while the first step shows what a closed loop reaches.
    search: Option<GoalSearch>,
    rate: Option<u64>,
}

impl<'a> RateSearch<'a> {
    pub fn new(tasks: Tasks<'a>, target: LatencyTarget) -> Self {
        Self { tasks, quest: None, target, open: Vec::new(), found: Vec::new(), current: None }
    }

    /// Takes what the last step showed.
    fn learn(&mut self, record: &RunRecord) {
        let (Some(quest), Some(current)) = (&self.quest, &mut self.current) else { return };
        let Some(part) = record.stages.last().and_then(|stage| stage.parts(&record.jobs).next()) else { return };
        match (&mut current.search, current.rate.take()) {
            (Some(search), Some(rate)) => search.tell(rate, probe(&part, &quest.target)),
            (search, _) => *search = Some(GoalSearch::new(goal(quest, part.iops()))),
        }
    }

    /// The next step of the workload under way; `None` when its search is over.
    fn step(&mut self, record: &mut RunRecord) -> Option<StageSpec> {
        let quest = self.quest?;
        let current = self.current.as_mut()?;
        let (number, rate, step_ns) = match &current.search {
            None => (0, None, quest.step_ns),
            Some(search) => {
                let rate = search.next_rate()?;
                (search.steps().len() as u32 + 1, Some(rate), quest.step_ns(rate))
            }
        };
        current.rate = rate;
        let workload = rate.map_or_else(|| current.planned.workload.clone(), |rate| at_rate(&current.planned.workload, rate));
        let left = Duration::from_nanos(step_ns * USUAL_STEPS.saturating_sub(number.into()));
        let title = format!("{} (queue depth {}), searching", workload.title(), workload.concurrency());
        let ramp_ns = (step_ns as f64 * RAMP_SHARE) as u64;
        let job = self.tasks.job(record, &workload);
        let lengths = Lengths { ramp_ns, measure_ns: step_ns - ramp_ns };
        let task = self.tasks.measured(job, &workload, record.stages.len() as u32, lengths);
        Some(StageSpec::of(task, Purpose::Search, number, title, Some(left)))
    }

    /// Notes what the search for the workload under way has led to.
    fn conclude(&mut self, record: &mut RunRecord) {
        let Some(Current { planned, search: Some(search), .. }) = self.current.take() else { return };
        if search.ending().is_none() {
            return;
        }
        record.notes.push(describe(&planned.workload, &self.target, &search));
        record.searches.extend(search.stored(planned.workload.clone()));
        let at = |rate| Planned { workload: at_rate(&planned.workload, rate), ..planned.clone() };
        self.found.extend(search.result().map(|found| at(found.rate)));
    }

    /// The plan with the rates that were found; a workload for which there is none is left out.
    fn settle(&mut self, record: &mut RunRecord) {
        let found = std::mem::take(&mut self.found);
        let Some(plan) = &mut record.plan else { return };
        (plan.reads, plan.writes) = found.into_iter().partition(|planned| !planned.workload.writes());
        // The claims are answered at the rates that were found.
        record.jobs.iter_mut().for_each(|job| job.claims.clear());
        for planned in record.plan.iter().flat_map(Plan::all).cloned().collect::<Vec<_>>() {
            let job = self.tasks.job(record, &planned.workload);
            record.jobs[job as usize].claims = planned.claims;
        }
        rehash(record);
    }
}

impl Source for RateSearch<'_> {
    fn next(&mut self, record: &mut RunRecord, _elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        let Some(plan) = &record.plan else { return Ok(None) };
        if self.quest.is_none() {
            self.quest = Some(Quest::new(self.target, plan));
            self.open = plan.all().cloned().collect();
            self.open.reverse();
        } else {
            self.learn(record);
        }
        loop {
            if let Some(stage) = self.step(record) {
                return Ok(Some(stage));
            }
            self.conclude(record);
            let Some(planned) = self.open.pop() else { break };
            self.current = Some(Current { planned, search: None, rate: None });
        }
        Ok(None)
    }

    fn close(&mut self, record: &mut RunRecord) {
        if self.quest.is_some() {
            self.learn(record);
            self.conclude(record);
            self.settle(record);
        }
    }
}

/// A closed loop's rate tells where to look: an open loop can hardly do more.
fn goal(quest: &Quest, closed_ios_per_s: f64) -> Goal {
    Goal {
        target_ns: quest.target.limit_ns,
        quantile: quest.target.quantile(),
        first_ios_per_s: (closed_ios_per_s / 4.0) as u64,
        ceiling_ios_per_s: (closed_ios_per_s * 2.0) as u64,
        precision: PRECISION,
        most_steps: MOST_STEPS,
    }
}

fn at_rate(workload: &Workload, ios_per_s: u64) -> Workload {
    let mut workload = workload.clone();
    workload.shape.pace = Pace::Fixed { ios_per_s };
    workload
}

/// The result of a step. One that was cut short by errors delivered nothing.
fn probe(round: &Part<'_>, target: &LatencyTarget) -> Probe {
    let responses = responses(round);
    let enough = responses.samples_beyond(target.quantile()) >= SAMPLES_BEYOND;
    Probe {
        quantile_ns: responses.quantile_ns(target.quantile()).filter(|_| enough),
        delivered_ios_per_s: if round.counts() { round.iops() } else { 0.0 },
    }
}

/// Response times of all directions together.
fn responses(round: &Part<'_>) -> Histogram {
    let mut all = Histogram::default();
    [&round.round.read, &round.round.write, &round.round.trim].into_iter().filter_map(|d| d.response.as_ref()).for_each(|h| all.merge(h));
    all
}

/// Each step with what it showed: `1200 IOPS 3.1 ms, 600 IOPS too few I/Os`.
fn tried(search: &GoalSearch) -> String {
    let step = |step: &Step| {
        let shown = match (step.answer, step.probe.quantile_ns) {
            (Answer::NotDelivered, _) => "not delivered".to_owned(),
            (_, Some(ns)) => latency(ns as f64),
            (_, None) => "too few I/Os".to_owned(),
        };
        format!("{} IOPS {shown}", step.ios_per_s)
    };
    search.steps().iter().map(step).collect::<Vec<_>>().join(", ")
}

/// The result with its bracket, in a sentence.
fn describe(workload: &Workload, target: &LatencyTarget, search: &GoalSearch) -> String {
    let about = format!("{}, queue depth {}, {}", workload.title(), workload.concurrency(), target.describe());
    let steps = search.steps().len();
    let Some(found) = search.result() else {
        let why = match search.ending() {
            Some(Ending::CannotTell) if failed(search) => {
                "it is exceeded at every rate that could be told, and below them a step has too few I/Os"
            }
            Some(Ending::CannotTell) => "too few I/Os in a step to tell; give it longer (--time)",
            Some(Ending::OutOfSteps) => "nothing was found before the steps were used up",
            _ => "no rate holds it",
        };
        return format!("{about}: {why} ({steps} steps: {})", tried(search));
    };
    let (low, high) = found.bracket;
    let bracket = match search.ending() {
        Some(Ending::AtCeiling) => "the highest rate that was tried".to_owned(),
        _ if high > low && is_exceeded_at(search, high) => format!("at {high} it is exceeded"),
        _ if high > low => format!("{high} were not delivered"),
        _ => "what lies above could not be told".to_owned(),
    };
    format!(
        "{about}: {} IOPS is the highest rate that holds it, with {}; {bracket} ({steps} steps)",
        found.rate,
        latency(found.latency_ns as f64)
    )
}

/// True where a step with this rate was too slow, and did not only fall short of its rate.
fn is_exceeded_at(search: &GoalSearch, rate: u64) -> bool {
    search.steps().iter().any(|step| step.ios_per_s == rate && step.answer == Answer::TooSlow)
}

/// True where some rate was told to exceed the target. One that was not delivered tells nothing of it.
fn failed(search: &GoalSearch) -> bool {
    search.steps().iter().any(|step| step.answer == Answer::TooSlow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::plan::PlanSource;
    use crate::sources::testing;
    use ioproof_core::workload::Pattern;
    use ioproof_runner::{Script, Sequence};

    fn search(holds_to: u64) -> GoalSearch {
        search_of(|rate| Probe { quantile_ns: Some(if rate <= holds_to { 500_000 } else { 2_000_000 }), delivered_ios_per_s: rate as f64 })
    }

    fn search_of(probe: impl Fn(u64) -> Probe) -> GoalSearch {
        let goal =
            Goal { target_ns: 1_000_000, quantile: 0.99, first_ios_per_s: 1000, ceiling_ios_per_s: 8000, precision: 0.05, most_steps: 50 };
        let mut search = GoalSearch::new(goal);
        while let Some(rate) = search.next_rate() {
            search.tell(rate, probe(rate));
        }
        search
    }

    #[test]
    fn result_and_bracket_are_said() {
        let workload = Workload::plain(Pattern::Random, 100, 4096, 1, 8);
        let target = testing::LATENCY_TARGET;
        let said = describe(&workload, &target, &search(3000));
        assert!(said.starts_with("random read 4 KiB, queue depth 8, p99 up to 1 ms: "), "{said}");
        let found = search(3000).result().unwrap();
        assert!(
            said.contains(&format!(
                "{} IOPS is the highest rate that holds it, with 500 µs; at {} it is exceeded",
                found.rate, found.bracket.1
            )),
            "{said}"
        );
        assert!(found.rate <= 3000 && found.bracket.1 > 3000);
        let late = search_of(|rate| Probe { quantile_ns: Some(500_000), delivered_ios_per_s: rate.min(3000) as f64 });
        let said = describe(&workload, &target, &late);
        assert!(said.contains("were not delivered") && !said.contains("exceeded"), "{said}");
        assert!(describe(&workload, &target, &search(0)).contains("no rate holds it"));
        assert!(
            describe(&workload, &target, &search(9000))
                .contains("8000 IOPS is the highest rate that holds it, with 500 µs; the highest rate that was tried")
        );
    }

    #[test]
    fn slow_rates_get_longer_steps() {
        let quest = Quest { target: testing::LATENCY_TARGET, step_ns: 1_000_000_000, longest_ns: 5_000_000_000 };
        assert_eq!(quest.step_ns(1_000_000), 1_000_000_000);
        assert_eq!(quest.step_ns(1000).div_ceil(1000), 1_625_000, "1300 I/Os, and a ramp of a fifth");
        assert_eq!((quest.step_ns(1), quest.step_ns(0)), (5_000_000_000, 5_000_000_000));
    }

    #[test]
    fn a_rate_is_an_open_loop_and_nothing_else() {
        let workload = Workload::plain(Pattern::Random, 100, 4096, 1, 8);
        let at = at_rate(&workload, 500);
        assert_eq!(at.shape.pace.ios_per_s(), Some(500));
        assert_eq!(at_rate(&at, 700), at_rate(&workload, 700));
    }

    /// A drive that answers in 100 µs up to so many I/Os a second, and late beyond.
    fn drive(holds_to: u64) -> Script<'static> {
        Script::new(move |task, _| {
            let asked = task.spec.workload.shape.pace.ios_per_s();
            let latency_ns = if asked.is_some_and(|rate| rate > holds_to) { 5_000_000 } else { 100_000 };
            let ios = asked.unwrap_or(8000);
            Ok(Script::outcome(task, ios, latency_ns, 1_000_000_000))
        })
    }

    fn searched(holds_to: u64) -> RunRecord {
        let load = testing::load("--rw randread --workers 1 --depth 8 --latency-target p99:1ms");
        let mut record = testing::record(&load);
        let target = load.latency_target.unwrap();
        let search = RateSearch::new(testing::tasks(&load), target);
        let plan = PlanSource::new(testing::tasks(&load));
        let mut source = Sequence::new(vec![Box::new(search), Box::new(plan)]);
        testing::play(&mut record, &drive(holds_to), &mut source).unwrap();
        record
    }

    #[test]
    fn the_rate_that_holds_is_found_and_then_measured() {
        let record = searched(3000);
        let found = record.searches[0].found.unwrap();
        assert!(found.rate <= 3000 && found.bracket.1 > 3000 && found.bracket.1 <= 3200, "{found:?}");
        let planned: Vec<Option<u64>> = record.plan.iter().flat_map(|plan| plan.all()).map(|p| p.workload.shape.pace.ios_per_s()).collect();
        assert_eq!(planned, [Some(found.rate)]);
        let measured = record.stages.iter().filter(|stage| stage.purpose == Purpose::Measure);
        assert!(measured.clone().count() >= 6);
        let is_at_rate = |stage: &ioproof_core::record::Stage| record.jobs[stage.rounds[0].job as usize].workload.shape.pace.ios_per_s();
        assert!(measured.map(is_at_rate).all(|rate| rate == Some(found.rate)), "only the rate that was found is a result");
    }

    #[test]
    fn where_no_rate_holds_nothing_is_measured_and_the_steps_are_kept() {
        let record = searched(0);
        assert!(record.searches[0].found.is_none() && !record.searches[0].steps.is_empty());
        assert!(record.stages.iter().all(|stage| stage.purpose == Purpose::Search));
        assert!(record.notes.iter().any(|note| note.contains("it is exceeded at every rate that could be told")), "{:?}", record.notes);
    }
}
