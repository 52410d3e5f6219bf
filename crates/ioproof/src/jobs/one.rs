//! One clone from its start to its end: its delay, the engine's run, and what it wrote read back.

mod failure;
mod goal;
mod limits;
pub mod place;
mod pulled;
pub mod verify;
mod warm;

pub use self::failure::Failure;

use self::limits::Limits;
use super::clone::Clone;
use crate::stages::{clock, rounds};
use ioproof_fio::compile::Compiled;
use ioproof_fio::jobs::Job;
use ioproof_fio::results::SteadyState;
use ioproof_core::job::JobSpec;
use ioproof_core::noted::NotedIo;
use ioproof_core::record::{EngineFacts, IoErrors, QueueUse, Round, RoundOutcome};
use ioproof_engine::{BackendChoice, Batching, ClockChoice, Control, EngineError, Options, Outcome, Snapshot, UnknownBackend};
use ioproof_target::{Handle, System};
use rustix::io::Errno;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What came of one clone.
#[derive(Debug, Default)]
pub struct End {
    /// What it measured; none where it never ran.
    pub round: Option<Round>,
    /// I/Os one by one, for the logs.
    pub noted: Vec<NotedIo>,
    /// Time that reading back took, after the round. Nanoseconds.
    pub read_back_ns: u64,
    /// When it began. Milliseconds since 1970.
    pub started_ms: u64,
    /// Since the start of the whole run.
    pub elapsed: Duration,
    /// Why it failed.
    pub failed: Option<Failure>,
    /// The depth that `latency_target` led to, where it was sought.
    pub depth: Option<u32>,
    /// What steady-state detection found, where it was asked for.
    pub steady: Option<SteadyState>,
}

impl End {
    /// It failed before it measured anything.
    pub fn failed(why: impl Into<Failure>) -> Self {
        Self { failed: Some(why.into()), ..Self::default() }
    }

    /// The same without I/Os one by one.
    pub fn summary(&self) -> Self {
        let Self { round, started_ms, elapsed, failed, depth, steady, .. } = self;
        let (round, failed, steady) = (round.clone(), failed.clone(), steady.clone());
        Self {
            round,
            noted: Vec::new(),
            read_back_ns: self.read_back_ns,
            started_ms: *started_ms,
            elapsed: *elapsed,
            failed,
            depth: *depth,
            steady,
        }
    }
}

/// How often a delay looks whether the run is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a clone. `observe` is called about ten times a second.
pub fn run(task: &Task<'_>, observe: &mut dyn FnMut(Snapshot)) -> End {
    let Task { system, clone, job, .. } = *task;
    if job.settings.files.create_only || !wait(delay(job, clone), task.stop) {
        return End::default();
    }
    let spec = match place::taken(system, &clone.compiled.spec, &job.settings.host) {
        Ok(spec) => spec,
        Err(why) => return End::failed(why),
    };
    let (started_at, started_ms) = (clock::now(), now_ms());
    let mut limits = Limits::new(&job.settings, &spec.workload);
    let measured = measured(task, &spec, &mut |now| {
        if limits.look(&now) {
            task.stop.store(true, Relaxed);
        }
        observe(now);
    });
    match measured {
        Ok((run, read_back)) => {
            limits.at_end([&run.outcome.read, &run.outcome.write, &run.outcome.trim]);
            let failed = run.failed.or(limits.broken).map(Failure::from);
            let end = end(task, run.outcome, read_back, started_at, started_ms);
            End { depth: run.depth, failed: failed.or(end.failed), ..end }
        }
        Err(error) => End { started_ms, ..End::failed(error) },
    }
}

/// What is to be said of a clone before it runs.
pub fn note(system: &System, job: &Job, clone: &Clone) -> Option<String> {
    let text = place::note(system, &clone.compiled.spec, &job.settings.host)?;
    Some(format!("{}: {text}", clone.instance.name))
}

/// What a clone needs to run.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The machine.
    pub system: &'a System,
    /// The clone.
    pub clone: &'a Clone,
    /// Its job.
    pub job: &'a Job,
    /// Which clock times it.
    pub clock: ClockChoice,
    /// Ends it.
    pub stop: &'a AtomicBool,
}

/// What the engine measured, and what was found beside it.
pub struct Run {
    outcome: Outcome,
    depth: Option<u32>,
    failed: Option<(String, i32)>,
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// `startdelay`: fixed, or drawn between two.
fn delay(job: &Job, clone: &Clone) -> Duration {
    let (least, most) = job.settings.time.start_delay_ns;
    let range = most.saturating_sub(least).saturating_add(1);
    Duration::from_nanos(least + clone.compiled.spec.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) % range)
}

/// Waits; false where the run is to end.
fn wait(delay: Duration, stop: &AtomicBool) -> bool {
    let end = Instant::now() + delay;
    while Instant::now() < end && !stop.load(Relaxed) {
        std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
    }
    !stop.load(Relaxed)
}

fn measured(task: &Task<'_>, spec: &JobSpec, observe: &mut dyn FnMut(Snapshot)) -> Result<(Run, Option<Outcome>), EngineError> {
    let Task { clone, job, clock, stop, .. } = *task;
    let nothing = nothing(clone)?;
    let handles: Vec<&Handle> = clone.files.iter().map(|file| &file.handle).chain(&nothing).collect();
    if job.settings.files.invalidate {
        // A device or filesystem that cannot do it keeps its pages, as with fio.
        handles.iter().for_each(|handle| drop(handle.drop_cache()));
    }
    if job.settings.files.pre_read {
        warm::read(&handles, stop).map_err(|cause| EngineError::System { what: "read the files first", cause })?;
    }
    let ledger = verify::ledger(clone)?;
    let compiled = &clone.compiled;
    let options = Options { ledger: ledger.as_ref(), ..options(compiled, clock)? };
    let run = if compiled.only_verifies {
        Run { outcome: verify::plan(spec, &handles, &options, Control { stop, observe })?, depth: None, failed: None }
    } else if job.settings.latency_goal.target_ns > 0 {
        goal::run(spec, &handles, &options, &job.settings.latency_goal, Control { stop, observe })?
    } else {
        Run { outcome: ioproof_engine::run(spec, &handles, &options, Control { stop, observe })?, depth: None, failed: None }
    };
    let read_back = match &ledger {
        Some(ledger) if compiled.reads_back && run.outcome.outcome != RoundOutcome::Hung && !verify::is_over(clone, &run.outcome) => {
            Some(verify::read_back(clone, &handles, clock, ledger)?)
        }
        _ => None,
    };
    Ok((run, read_back))
}

/// Something to do no I/O on.
fn nothing(clone: &Clone) -> Result<Option<Handle>, EngineError> {
    let size = clone.compiled.needs_bytes.first().copied().unwrap_or(0);
    let made = clone.files.is_empty().then(|| ioproof_target::nothing(size)).transpose();
    made.map_err(|cause: io::Error| EngineError::System { what: "take memory for a job without files", cause })
}

/// How the load of a clone is generated.
///
/// # Errors
/// Where no backend stands in for its engine.
pub fn options(compiled: &Compiled, clock: ClockChoice) -> Result<Options<'static>, UnknownBackend> {
    Ok(Options {
        polled: compiled.polled,
        kernel_submits: compiled.kernel_submits,
        batching: compiled.batching.map(|(at_once, refill_at)| Batching { at_once, refill_at }),
        ..Options::new(backend_of(compiled)?, clock)
    })
}

/// The backend of a job. Trims have no asynchronous call.
fn backend_of(compiled: &Compiled) -> Result<BackendChoice, UnknownBackend> {
    let asked = BackendChoice::for_fio(compiled.engine.word())?;
    Ok(if asked.moves_data() && compiled.spec.workload.trims() { BackendChoice::PSYNC } else { asked })
}

fn end(task: &Task<'_>, mut outcome: Outcome, read_back: Option<Outcome>, started_at: String, started_ms: u64) -> End {
    let read_back_ns = read_back.as_ref().map_or(0, |back| back.elapsed_ns);
    let mut noted = std::mem::take(&mut outcome.noted);
    let mut round = round(task.clone, outcome, started_at);
    if let Some(back) = read_back {
        // fio counts the reads that verify with the job's own, and logs them after its writes.
        noted.extend(back.noted.iter().map(|io| NotedIo { end_ns: io.end_ns.saturating_add(round.elapsed_ns), ..*io }));
        round.read.merge(&back.read);
        round.errors.merge(&back.errors);
        if let Some(check) = &back.check {
            round.check.get_or_insert_default().merge(check);
        }
    }
    let gone = pulled::gone(task, &mut round);
    if gone.is_none()
        && task.job.settings.files.fill_device
        && round.errors.first.as_ref().is_some_and(|e| e.errno == Errno::NOSPC.raw_os_error())
    {
        (round.errors, round.outcome) = (IoErrors::default(), RoundOutcome::Complete);
    }
    let failed = gone.map(Failure::from).or_else(|| failure::of_round(&round, &task.job.settings));
    End { round: Some(round), noted, read_back_ns, started_ms, failed, ..End::default() }
}

/// What a clone that still runs has measured. How its queue was filled and what it used of the CPU is known only at its end.
pub fn so_far(clone: &Clone, now: &Snapshot<'_>, started_ms: u64) -> End {
    let [read, write, trim] = now.measured();
    let outcome = Outcome {
        outcome: RoundOutcome::Interrupted,
        elapsed_ns: now.elapsed_ns.saturating_sub(clone.compiled.spec.ramp_ns),
        read,
        write,
        trim,
        sync: Default::default(),
        durable: None,
        edge_ns: 0,
        noted: Vec::new(),
        queue: QueueUse::default(),
        check: None,
        errors: IoErrors::default(),
        workers: Vec::new(),
        total_bytes: (now.read_bytes, now.written_bytes),
        engine: EngineFacts::default(),
        intervals: now.intervals.to_vec(),
    };
    End { round: Some(round(clone, outcome, String::new())), started_ms, ..End::default() }
}

/// The round of one clone. The compiler gives the job the span of its first file.
fn round(clone: &Clone, outcome: Outcome, started_at: String) -> Round {
    let index = clone.instance.number.saturating_sub(1);
    Round { index, ..rounds::round(&clone.compiled.spec, outcome, started_at) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_fio::settings::EngineName;

    #[test]
    fn every_engine_that_the_grammar_reads_has_a_backend() {
        for (word, engine) in EngineName::ALL {
            let backend = BackendChoice::for_fio(word).unwrap();
            assert_eq!(backend.is_synchronous(), engine.is_synchronous(), "{word}");
        }
    }
}
