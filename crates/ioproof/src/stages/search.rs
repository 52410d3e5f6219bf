//! `--latency-target`: before the rounds, the highest rate is searched for at which the latency of each workload is kept; the rounds are then run at that rate.

use crate::load::LatencyTarget;
use crate::stages::record;
use crate::stages::rounds::Rounds;
use anyhow::Result;
use ioproof_core::histogram::Histogram;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::plan::Planned;
use ioproof_core::record::{Round, RunRecord};
use ioproof_core::search::{Answer, Ending, Goal, Probe, Search};
use ioproof_core::shape::Pace;
use ioproof_core::units::latency;
use ioproof_core::workload::Workload;
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

/// One search: what for, and how long its steps are.
#[derive(Debug, Clone, Copy)]
struct Quest {
    target: LatencyTarget,
    /// Length of a step with its ramp. Nanoseconds.
    step_ns: u64,
    /// Length that a step may have where I/Os come so slowly that more time is needed for enough of them. Nanoseconds.
    longest_ns: u64,
}

impl Quest {
    fn new(target: LatencyTarget, record: &RunRecord) -> Self {
        let share_ns = (record.plan.time_ns as f64 * TIME_SHARE) as u64 / record.plan.all().count().max(1) as u64;
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

/// Searches for every workload of the plan and puts the rates found into the plan.
///
/// # Errors
/// When a round cannot be started or stored.
pub fn search(rounds: &mut Rounds, record: &mut RunRecord) -> Result<()> {
    let Some(target) = rounds.bench.args.load.latency_target else { return Ok(()) };
    let quest = Quest::new(target, record);
    let (reads, writes) = (record.plan.reads.clone(), record.plan.writes.clone());
    record.plan.reads = found(rounds, record, &quest, reads)?;
    record.plan.writes = found(rounds, record, &quest, writes)?;
    record::rehash(record);
    Ok(())
}

/// These workloads at the rates that were found; one for which there is none is left out.
fn found(rounds: &mut Rounds, record: &mut RunRecord, quest: &Quest, planned: Vec<Planned>) -> Result<Vec<Planned>> {
    let mut kept = Vec::new();
    for planned in planned {
        let Some(search) = search_one(rounds, record, quest, &planned.workload)? else { continue };
        record.notes.push(words(&planned.workload, &quest.target, &search));
        record.searches.extend(search.stored(planned.workload.clone()));
        let at = |rate| Planned { workload: at_rate(&planned.workload, rate), ..planned.clone() };
        kept.extend(search.result().map(|found| at(found.rate)));
    }
    Ok(kept)
}

/// `None` where the run has ended meanwhile.
fn search_one(rounds: &mut Rounds, record: &mut RunRecord, quest: &Quest, workload: &Workload) -> Result<Option<Search>> {
    if !rounds.go_on(record) {
        return Ok(None);
    }
    // What a closed loop reaches tells where to look: an open loop can hardly do more.
    let most = step(rounds, record, quest.step_ns, workload.clone(), 0)?.iops();
    let goal = Goal {
        target_ns: quest.target.limit_ns,
        quantile: quest.target.quantile(),
        first_ios_per_s: (most / 4.0) as u64,
        ceiling_ios_per_s: (most * 2.0) as u64,
        precision: PRECISION,
        most_steps: MOST_STEPS,
    };
    let mut search = Search::new(goal);
    while let Some(rate) = search.next_rate().filter(|_| rounds.go_on(record)) {
        let number = search.steps().len() as u32;
        let round = step(rounds, record, quest.step_ns(rate), at_rate(workload, rate), number)?;
        search.tell(rate, probe(round, &quest.target));
    }
    Ok(search.ending().is_some().then_some(search))
}

fn step<'r>(rounds: &mut Rounds, record: &'r mut RunRecord, step_ns: u64, workload: Workload, number: u32) -> Result<&'r Round> {
    let left = Duration::from_nanos(step_ns * USUAL_STEPS.saturating_sub(number.into()));
    rounds.bench.progress.step(&format!("{} (queue depth {}), searching", workload.title(), workload.concurrency()), left);
    let spec = rounds.bench.job(record, workload);
    let ramp_ns = (step_ns as f64 * RAMP_SHARE) as u64;
    let options = rounds.bench.options(None);
    rounds.run(record, &JobSpec { ramp_ns, until: Until::ElapsedNs(step_ns - ramp_ns), ..spec }, &options, number)
}

fn at_rate(workload: &Workload, ios_per_s: u64) -> Workload {
    let mut workload = workload.clone();
    workload.shape.pace = Pace::Fixed { ios_per_s };
    workload
}

/// What a step shows. One that was cut short by errors delivered nothing.
fn probe(round: &Round, target: &LatencyTarget) -> Probe {
    let responses = responses(round);
    let enough = responses.samples_beyond(target.quantile()) >= SAMPLES_BEYOND;
    Probe {
        quantile_ns: responses.quantile_ns(target.quantile()).filter(|_| enough),
        delivered_ios_per_s: if round.counts() { round.iops() } else { 0.0 },
    }
}

/// Response times of all directions together.
fn responses(round: &Round) -> Histogram {
    let mut all = Histogram::default();
    [&round.read, &round.write, &round.trim].into_iter().filter_map(|d| d.response.as_ref()).for_each(|h| all.merge(h));
    all
}

/// The result with its bracket, in a sentence.
fn words(workload: &Workload, target: &LatencyTarget, search: &Search) -> String {
    let about = format!("{}, queue depth {}, {}", workload.title(), workload.concurrency(), target.words());
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
        return format!("{about}: {why} ({steps} steps)");
    };
    let (low, high) = found.bracket;
    let bracket = match search.ending() {
        Some(Ending::AtCeiling) => "the highest rate that was tried".to_owned(),
        _ if high > low => format!("at {high} it fails"),
        _ => "what lies above could not be told".to_owned(),
    };
    format!(
        "{about}: {} IOPS is the highest rate that holds it, with {}; {bracket} ({steps} steps)",
        found.rate,
        latency(found.latency_ns as f64)
    )
}

/// Whether some rate was told to be too high.
fn failed(search: &Search) -> bool {
    search.steps().iter().any(|step| matches!(step.answer, Answer::TooSlow | Answer::NotDelivered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::workload::Pattern;

    fn search(holds_to: u64) -> Search {
        let goal =
            Goal { target_ns: 1_000_000, quantile: 0.99, first_ios_per_s: 1000, ceiling_ios_per_s: 8000, precision: 0.05, most_steps: 50 };
        let mut search = Search::new(goal);
        while let Some(rate) = search.next_rate() {
            let quantile_ns = Some(if rate <= holds_to { 500_000 } else { 2_000_000 });
            search.tell(rate, Probe { quantile_ns, delivered_ios_per_s: rate as f64 });
        }
        search
    }

    #[test]
    fn result_and_bracket_are_said() {
        let workload = Workload::plain(Pattern::Random, 100, 4096, 1, 8);
        let target = crate::load::target("p99:1ms").unwrap();
        let said = words(&workload, &target, &search(3000));
        assert!(said.starts_with("random read 4 KiB, queue depth 8, p99 up to 1 ms: "), "{said}");
        let found = search(3000).result().unwrap();
        assert!(
            said.contains(&format!("{} IOPS is the highest rate that holds it, with 500 µs; at {} it fails", found.rate, found.bracket.1)),
            "{said}"
        );
        assert!(found.rate <= 3000 && found.bracket.1 > 3000);
        assert!(words(&workload, &target, &search(0)).contains("no rate holds it"));
        assert!(
            words(&workload, &target, &search(9000))
                .contains("8000 IOPS is the highest rate that holds it, with 500 µs; the highest rate that was tried")
        );
    }

    #[test]
    fn slow_rates_get_longer_steps() {
        let quest = Quest { target: crate::load::target("p99:1ms").unwrap(), step_ns: 1_000_000_000, longest_ns: 5_000_000_000 };
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
}
