//! Preconditioning: two passes of sequential writes over the span, then the heaviest write workload in rounds until it is steady, by the rule of SNIA SSS PTS
//! 2.0.2: over five rounds a range of at most 20 % and a trend of at most 10 % of the mean, within 25 rounds.

use super::load::{Lengths, Tasks};
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::plan::Plan;
use ioproof_core::record::{Purpose, RoundOutcome, RunRecord};
use ioproof_core::standard::{MOST_ROUNDS, PASS_BLOCK_BYTES, PASSES};
use ioproof_core::stats::{PRECONDITION_WINDOW, Steadiness};
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_runner::{Failure, Source, StageSpec, Task};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct PreconditionPreview {
    sequential_passes: u32,
    workload: Option<Workload>,
    least_rounds: usize,
    most_rounds: usize,
    /// Bytes that it writes at most.
    pub bytes_to_write: u64,
}

/// Preconditioning for this plan on a drive that writes at this rate (bytes per second).
pub fn preview(plan: &Plan, bytes_per_s: f64) -> PreconditionPreview {
    let workload = heaviest(plan);
    let written = workload.as_ref().map_or(0.0, |workload| f64::from(workload.write_percent()) / 100.0);
    let of_rounds = written * bytes_per_s * plan.round_ns() as f64 / 1e9 * MOST_ROUNDS as f64;
    let of_passes = plan.span.length_bytes.saturating_mul(PASSES.into());
    PreconditionPreview {
        sequential_passes: PASSES,
        workload,
        least_rounds: PRECONDITION_WINDOW,
        most_rounds: MOST_ROUNDS,
        bytes_to_write: of_passes.saturating_add(of_rounds as u64),
    }
}

impl PreconditionPreview {
    /// `preconditioning: 2 sequential passes over 32 MiB`, and then the rounds.
    pub fn describe(&self, span_bytes: u64) -> String {
        let passes = format!("preconditioning: {} sequential passes over {}", self.sequential_passes, binary_size(span_bytes));
        let rounds = |w: &Workload| {
            let (title, depth, least, most) = (w.title(), w.concurrency(), self.least_rounds, self.most_rounds);
            format!(", then {title}, queue depth {depth}, until steady, {least} to {most} rounds")
        };
        passes + &self.workload.as_ref().map(rounds).unwrap_or_default()
    }
}

/// The last random workload that writes, which is the heaviest; else the last one.
fn heaviest(plan: &Plan) -> Option<Workload> {
    let random = plan.writes.iter().map(|planned| &planned.workload).rfind(|workload| workload.pattern == Pattern::Random);
    random.or(plan.writes.last().map(|planned| &planned.workload)).cloned()
}

pub struct Precondition<'a> {
    tasks: Tasks<'a>,
    passes: u32,
    /// The figure of each round so far.
    values: Vec<f64>,
    /// True while a round is waited for.
    waits: bool,
    done: bool,
}

impl<'a> Precondition<'a> {
    /// Nothing is done yet.
    pub fn new(tasks: Tasks<'a>) -> Self {
        Self { tasks, passes: 0, values: Vec::new(), waits: false, done: false }
    }

    fn pass(&mut self, record: &mut RunRecord) -> StageSpec {
        self.passes += 1;
        let title = format!("preconditioning: sequential pass {} of {PASSES}", self.passes);
        sequential_pass(&self.tasks, record, (self.passes - 1, u32::MAX - self.passes), title)
    }

    fn round(&mut self, record: &mut RunRecord) -> Option<StageSpec> {
        let plan = record.plan.clone()?;
        let workload = heaviest(&plan)?;
        let job = self.tasks.job(record, &workload);
        let lengths = Lengths { ramp_ns: plan.ramp_ns, measure_ns: plan.measure_ns };
        let number = self.values.len() as u32;
        let task = self.tasks.measured(job, &workload, record.stages.len() as u32, lengths);
        let title = format!("preconditioning: {}, round {} of at most {MOST_ROUNDS}", workload.title(), number + 1);
        self.waits = true;
        Some(StageSpec::of(task, Purpose::Precondition, number, title, None))
    }

    /// Takes the figure of the last round.
    fn learn(&mut self, record: &RunRecord) {
        if !std::mem::take(&mut self.waits) {
            return;
        }
        let last = record.stages.last().and_then(|stage| stage.parts(&record.jobs).next());
        match last {
            Some(part) if part.counts() => self.values.push(part.main_value()),
            Some(part) if part.outcome == RoundOutcome::Complete => self.values.push(0.0),
            _ => self.done = true,
        }
    }

    fn is_steady(&self) -> bool {
        let window = self.values.len().checked_sub(PRECONDITION_WINDOW).map(|from| &self.values[from..]);
        window.and_then(Steadiness::of).is_some_and(|window| window.is_preconditioned())
    }

    fn describe(&self) -> String {
        let rounds = self.values.len();
        match self.is_steady() {
            true => format!("preconditioned: {PASSES} sequential passes, then steady after {rounds} rounds (SNIA SSS PTS 2.0.2)"),
            false => format!("preconditioned: {PASSES} sequential passes and {rounds} rounds, and not steady (SNIA SSS PTS 2.0.2)"),
        }
    }
}

impl Source for Precondition<'_> {
    fn next(&mut self, record: &mut RunRecord, _elapsed_ns: u64) -> Result<Option<StageSpec>, Failure> {
        self.learn(record);
        if self.passes < PASSES {
            return Ok(Some(self.pass(record)));
        }
        if !self.done && !self.is_steady() && self.values.len() < MOST_ROUNDS {
            return Ok(self.round(record));
        }
        Ok(None)
    }

    fn close(&mut self, record: &mut RunRecord) {
        self.learn(record);
        record.notes.push(self.describe());
    }
}

/// A pass of sequential writes over the span, with its number and the number that sets its data apart.
pub(super) fn sequential_pass(tasks: &Tasks<'_>, record: &mut RunRecord, (number, seed): (u32, u32), title: String) -> StageSpec {
    let whole_mib = tasks.span.length_bytes.is_multiple_of(PASS_BLOCK_BYTES.into());
    let workload = Workload::plain(Pattern::Sequential, 0, if whole_mib { PASS_BLOCK_BYTES } else { 4096 }, 1, 32);
    let job = tasks.job(record, &workload);
    let plain = tasks.plain(job, &workload, seed, Lengths { ramp_ns: 0, measure_ns: 0 });
    let spec = JobSpec { until: Until::SpanCovered, ..plain.spec };
    StageSpec::of(Task { spec, ..plain }, Purpose::Precondition, number, title, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::testing;
    use ioproof_runner::Script;

    /// Rounds of random writes whose rate falls by a share each until this round.
    fn rounds(steady_from: usize) -> RunRecord {
        let load = testing::load("--rw randwrite --workers 1 --depth 4");
        let mut record = testing::record(&load);
        let script = Script::new(|task, number| {
            let round = (number as usize).saturating_sub(PASSES as usize);
            let ios = 100_000.0 * 0.8_f64.powi(round.min(steady_from) as i32);
            Ok(Script::outcome(task, ios as u64, 10_000, 1_000_000_000))
        });
        testing::play(&mut record, &script, &mut Precondition::new(testing::tasks(&load))).unwrap();
        record
    }

    #[test]
    fn it_ends_when_five_rounds_are_steady() {
        let record = rounds(4);
        assert_eq!(record.stages.len(), PASSES as usize + 4 + PRECONDITION_WINDOW);
        assert!(record.stages.iter().all(|stage| stage.purpose == Purpose::Precondition));
        assert!(record.notes[0].contains("then steady after 9 rounds"), "{:?}", record.notes);
        assert!((0..record.jobs.len()).all(|job| record.parts_of(job).count() == 0), "nothing of it is a result");
    }

    #[test]
    fn what_is_ahead_is_listed_with_its_bytes() {
        let load = testing::load("--rw randread,randwrite --workers 1 --depth 4");
        let plan = testing::record(&load).plan.unwrap();
        let ahead = preview(&plan, 1e9);
        let text = "preconditioning: 2 sequential passes over 16 MiB, then random write 4 KiB, queue depth 4, until steady, 5 to 25 rounds";
        assert_eq!(ahead.describe(plan.span.length_bytes), text);
        assert_eq!(ahead.bytes_to_write, (32 << 20) + plan.round_ns() * 25, "a byte a nanosecond");
    }

    #[test]
    fn it_gives_up_after_the_most_rounds_and_says_so() {
        let record = rounds(usize::MAX);
        assert_eq!(record.stages.len(), PASSES as usize + MOST_ROUNDS);
        assert!(record.notes[0].contains("not steady"), "{:?}", record.notes);
    }
}
