//! The search for a depth within a task: window by window, each a run of the engine of its own.

use super::rate_debt;
use crate::execute::Ran;
use crate::failure::Failure;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::record::{DepthFound, RoundOutcome};
use ioproof_core::search::{DepthGoal, DepthSearch, Next};
use ioproof_engine::{Control, EngineError, JobSnapshot, Options, Outcome};
use ioproof_target::Handle;
use std::sync::atomic::Ordering::Relaxed;

const ETIMEDOUT: i32 = 110;

/// Runs windows until the depth is found, the job's time or work is over, or it is ended.
pub(crate) fn run(spec: &JobSpec, handles: &[&Handle], options: &Options, goal: &DepthGoal, control: Control) -> Result<Ran, EngineError> {
    let mut search = DepthSearch::new(goal, spec.workload.depth);
    let mut all = Windows::default();
    let mut failed = None;
    while let Some(window) = all.next(spec, search.depth(), goal.window_ns()) {
        let base = (all.passed_ns, all.bytes, all.ios);
        let observe = &mut |now: JobSnapshot<'_>| (control.observe)(shifted(now, base));
        let mut outcome = ioproof_engine::run(&window, handles, options, Control { stop: control.stop, observe })?;
        let kept = goal.is_kept([&outcome.read, &outcome.write, &outcome.trim]);
        let ended = outcome.outcome != RoundOutcome::Complete;
        if !ended {
            let left_ns = all.left_ns(spec, &outcome);
            rate_debt::pay(&window, &mut outcome, left_ns, control.stop);
        }
        all.add(&window, outcome);
        if ended || control.stop.load(Relaxed) {
            break;
        }
        match search.after(kept) {
            Next::Window => {}
            Next::Anew => all.drop_kept(),
            Next::Found => break,
            Next::Hopeless => {
                failed = Some((format!("not even one I/O at a time keeps latency_target ({} ns)", goal.target_ns), ETIMEDOUT));
                break;
            }
        }
    }
    match all.kept.or(all.last) {
        Some(sum) => {
            let depth = found(goal, spec.workload.depth, search.depth(), &sum);
            // The counters around the stage have every window.
            let outcome = Outcome { total_bytes: all.bytes, ..sum.outcome };
            Ok(Ran { depth: Some(depth), failed: failed.map(Failure::from), ..Ran::of(outcome) })
        }
        None => Err(EngineError::BadJob("there is neither time nor work left for a window of latency_target".into())),
    }
}

/// The depth that the search stands at, and whether the figures are of it alone.
fn found(goal: &DepthGoal, most: u32, depth: u32, sum: &Sum) -> DepthFound {
    let is_settled = sum.depth == Some(depth);
    let is_missed = !goal.is_kept([&sum.outcome.read, &sum.outcome.write, &sum.outcome.trim]);
    DepthFound { target_ns: goal.target_ns, percentile: goal.percentile, most, depths: vec![depth], is_settled, is_missed }
}

/// Windows put together.
struct Sum {
    outcome: Outcome,
    /// The depth of all of them, where it is the same.
    depth: Option<u32>,
}

/// The windows so far.
#[derive(Default)]
struct Windows {
    /// Sum of those that count.
    kept: Option<Sum>,
    /// Where none counts: the sum before that was decided.
    last: Option<Sum>,
    number: u64,
    passed_ns: u64,
    measured_ns: u64,
    bytes: (u64, u64),
    ios: u64,
    io_bytes: u64,
}

impl Windows {
    /// The next one; none where nothing is left to do.
    fn next(&self, spec: &JobSpec, depth: u32, window_ns: u64) -> Option<JobSpec> {
        let mut window = spec.clone();
        window.workload.depth = depth;
        window.seed = spec.seed.wrapping_add(self.number);
        window.end_fsync = false;
        if self.number > 0 {
            window.ramp_ns = 0;
        }
        let left = |all: u64, done: u64| Some(all.saturating_sub(done)).filter(|left| *left > 0);
        let time = |all: u64| left(all, self.measured_ns).map(|ns| ns.min(window_ns));
        match spec.until {
            Until::ElapsedNs(all) => window.until = Until::ElapsedNs(time(all)?),
            Until::Ios(all) => window.until = Until::Ios(left(all, self.ios)?),
            Until::Bytes(all) => window.until = Until::Bytes(left(all, self.io_bytes)?),
            Until::SpanCovered => window.until = Until::Bytes(left(spec.span.length_bytes, self.io_bytes)?),
        }
        if let Some(all) = spec.at_most_bytes {
            window.at_most_bytes = Some(left(all, self.io_bytes)?);
        }
        if !matches!(spec.until, Until::ElapsedNs(_)) {
            window.at_most_ns = Some(time(spec.at_most_ns.unwrap_or(u64::MAX))?);
        }
        Some(window)
    }

    /// Time that the job has left after a window. Nanoseconds.
    fn left_ns(&self, spec: &JobSpec, window: &Outcome) -> u64 {
        let all = if let Until::ElapsedNs(all) = spec.until { all } else { spec.at_most_ns.unwrap_or(u64::MAX) };
        all.saturating_sub(self.measured_ns).saturating_sub(window.elapsed_ns)
    }

    fn add(&mut self, window: &JobSpec, outcome: Outcome) {
        let sides = [&outcome.read, &outcome.write, &outcome.trim];
        self.number += 1;
        self.passed_ns += window.ramp_ns + outcome.elapsed_ns;
        self.measured_ns += outcome.elapsed_ns.max(1);
        self.bytes = (self.bytes.0 + outcome.total_bytes.0, self.bytes.1 + outcome.total_bytes.1);
        self.ios += sides.iter().map(|side| side.ios).sum::<u64>();
        self.io_bytes += sides.iter().map(|side| side.bytes).sum::<u64>();
        let depth = window.workload.depth;
        self.kept = Some(match self.kept.take() {
            Some(sum) => Sum { outcome: merged(sum.outcome, outcome), depth: sum.depth.filter(|same| *same == depth) },
            None => Sum { outcome, depth: Some(depth) },
        });
    }

    /// Drops all that was measured so far, unless nothing comes after it.
    fn drop_kept(&mut self) {
        self.last = self.kept.take().or(self.last.take());
    }
}

/// A look at a window as one at the whole job.
fn shifted<'a>(mut now: JobSnapshot<'a>, (passed_ns, bytes, ios): (u64, (u64, u64), u64)) -> JobSnapshot<'a> {
    now.elapsed_ns += passed_ns;
    now.read_bytes += bytes.0;
    now.written_bytes += bytes.1;
    now.ios += ios;
    now
}

/// Two windows as one.
fn merged(mut sum: Outcome, mut next: Outcome) -> Outcome {
    for (mine, theirs) in
        [(&mut sum.read, &next.read), (&mut sum.write, &next.write), (&mut sum.trim, &next.trim), (&mut sum.sync, &next.sync)]
    {
        mine.merge(theirs);
    }
    next.intervals.iter_mut().for_each(|slice| slice.end_ns += sum.elapsed_ns);
    next.noted.iter_mut().for_each(|io| io.end_ns += sum.elapsed_ns);
    next.recorded.iter_mut().for_each(|io| io.at_ns += sum.elapsed_ns);
    sum.intervals.append(&mut next.intervals);
    sum.noted.append(&mut next.noted);
    sum.recorded.append(&mut next.recorded);
    sum.by_priority.append(&mut next.by_priority);
    sum.queue.merge(&next.queue);
    sum.errors.merge(&next.errors);
    if let Some(theirs) = &next.check {
        sum.check.get_or_insert_default().merge(theirs);
    }
    for (mine, theirs) in [(&mut sum.durable, &next.durable), (&mut sum.durable_late, &next.durable_late)] {
        theirs.iter().for_each(|theirs| mine.get_or_insert_default().merge(theirs));
    }
    Outcome {
        outcome: next.outcome,
        elapsed_ns: sum.elapsed_ns + next.elapsed_ns,
        edge_ns: sum.edge_ns + next.edge_ns,
        workers: [sum.workers, next.workers].concat(),
        total_bytes: (sum.total_bytes.0 + next.total_bytes.0, sum.total_bytes.1 + next.total_bytes.1),
        ..sum
    }
}
