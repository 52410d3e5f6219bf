//! One clone from its start to its end: its delay, the engine's run, and what it wrote read back.

use super::prepare::Clone;
use crate::stages::clock;
use ioproof_core::fio::jobs::Job;
use ioproof_core::fio::settings::EngineName;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::noted::NotedIo;
use ioproof_core::record::{Round, RoundOutcome, StateBefore};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, EngineError, Ledger, Options, Outcome, Snapshot};
use ioproof_target::Handle;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What came of one clone.
#[derive(Debug, Default)]
pub struct End {
    /// What it measured; none where it never ran.
    pub round: Option<Round>,
    /// I/Os one by one, for the logs.
    pub noted: Vec<NotedIo>,
    /// When it began. Milliseconds since 1970.
    pub started_ms: u64,
    /// Since the start of the whole run.
    pub elapsed: Duration,
    /// Why it failed, and the errno that fio would report.
    pub failed: Option<(String, i32)>,
}

/// I/Os outstanding while what was written is read back.
const READ_BACK_DEPTH: u32 = 32;

/// How often a delay looks whether the run is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a clone. `stop` ends it; `observe` is called about ten times a second.
pub fn run(clone: &Clone, job: &Job, clock: ClockChoice, stop: &AtomicBool, observe: &mut dyn FnMut(Snapshot)) -> End {
    if !wait(delay(job, clone), stop) {
        return End::default();
    }
    let (started_at, started_ms) = (clock::now(), now_ms());
    match measured(clone, job, clock, stop, observe) {
        Ok((outcome, read_back)) => end(clone, outcome, read_back, started_at, started_ms),
        Err(error) => End { started_ms, failed: Some((said(&error), 22)), ..End::default() },
    }
}

/// Milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

fn said(error: &EngineError) -> String {
    error.hint().map_or_else(|| error.to_string(), |hint| format!("{error} ({hint})"))
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

fn measured(
    clone: &Clone,
    job: &Job,
    clock: ClockChoice,
    stop: &AtomicBool,
    observe: &mut dyn FnMut(Snapshot),
) -> Result<(Outcome, Option<Outcome>), EngineError> {
    let nothing = nothing(clone)?;
    let handles: Vec<&Handle> = clone.files.iter().map(|file| &file.handle).chain(&nothing).collect();
    if job.settings.files.invalidate {
        // A device or filesystem that cannot do it keeps its pages, as with fio.
        handles.iter().for_each(|handle| drop(handle.drop_cache()));
    }
    let ledger = ledger(clone)?;
    let compiled = &clone.compiled;
    let options = Options {
        polled: compiled.polled,
        kernel_submits: compiled.kernel_submits,
        ledger: ledger.as_ref(),
        ..Options::new(backend(compiled.engine), clock)
    };
    let outcome = ioproof_engine::run(&compiled.spec, &handles, &options, Control { stop, observe })?;
    let read_back = match &ledger {
        Some(ledger) if compiled.reads_back && outcome.outcome != RoundOutcome::Hung => Some(read_back(clone, &handles, clock, ledger)?),
        _ => None,
    };
    Ok((outcome, read_back))
}

/// Something to do no I/O on.
fn nothing(clone: &Clone) -> Result<Option<Handle>, EngineError> {
    let size = clone.compiled.needs_bytes.first().copied().unwrap_or(0);
    let made = clone.files.is_empty().then(|| ioproof_target::nothing(size)).transpose();
    made.map_err(|cause: io::Error| EngineError::System { what: "take memory for a job without files", cause })
}

fn ledger(clone: &Clone) -> Result<Option<Arc<Ledger>>, EngineError> {
    let spec = &clone.compiled.spec;
    if !spec.workload.shape.data.checked {
        return Ok(None);
    }
    let span = spec.placement.target_spans.first().copied().unwrap_or(spec.span);
    let made = Ledger::new(span, spec.workload.smallest_block_bytes(), spec.seed ^ now_ms());
    made.map(|ledger| Some(Arc::new(ledger))).map_err(|error| EngineError::BadJob(format!("verify: {error}")))
}

/// One ascending pass over what was written. It is not ended early: what a killed pass says is worth nothing.
fn read_back(clone: &Clone, handles: &[&Handle], clock: ClockChoice, ledger: &Arc<Ledger>) -> Result<Outcome, EngineError> {
    let spec = &clone.compiled.spec;
    let mut workload = Workload::plain(Pattern::Sequential, 100, spec.workload.smallest_block_bytes(), 1, READ_BACK_DEPTH);
    workload.shape.data.checked = true;
    let pass = JobSpec { workload, ramp_ns: 0, until: Until::SpanCovered, at_most_ns: None, error_limit: u64::MAX, end_fsync: false, ..spec.clone() };
    let options = Options { ledger: Some(ledger), ..Options::new(BackendChoice::Auto, clock) };
    let never = AtomicBool::new(false);
    ioproof_engine::run(&pass, handles, &options, Control { stop: &never, observe: &mut |_| {} })
}

fn backend(engine: EngineName) -> BackendChoice {
    match engine {
        EngineName::Psync | EngineName::Sync | EngineName::Vsync | EngineName::Pvsync => BackendChoice::Psync,
        EngineName::Pvsync2 => BackendChoice::Pvsync2,
        EngineName::Libaio => BackendChoice::Libaio,
        EngineName::IoUring => BackendChoice::IoUring,
        EngineName::Posixaio => BackendChoice::PosixAio,
        EngineName::Mmap => BackendChoice::Mmap,
        EngineName::Null => BackendChoice::Null,
    }
}

fn end(clone: &Clone, mut outcome: Outcome, read_back: Option<Outcome>, started_at: String, started_ms: u64) -> End {
    let noted = std::mem::take(&mut outcome.noted);
    let mut round = round(clone, outcome, started_at);
    if let Some(back) = read_back {
        // fio counts the reads that verify with the job's own.
        round.read.merge(&back.read);
        round.errors.merge(&back.errors);
        round.check = back.check;
    }
    let failed = failure(&round);
    End { round: Some(round), noted, started_ms, elapsed: Duration::ZERO, failed }
}

/// Why a job failed, and the errno that tells it.
fn failure(round: &Round) -> Option<(String, i32)> {
    const EILSEQ: i32 = 84;
    const ETIMEDOUT: i32 = 110;
    if let Some(check) = round.check.as_ref().filter(|check| check.bad() > 0) {
        let first = check.first.clone().unwrap_or_default();
        return Some((format!("verify: {} pieces of 512 bytes are not what was written, the first: {first}", check.bad()), EILSEQ));
    }
    match (&round.errors.first, round.outcome) {
        (_, RoundOutcome::Hung) => Some(("an I/O never came back".into(), ETIMEDOUT)),
        (Some(e), RoundOutcome::Failed) => Some((format!("{} at {}: {}", e.operation, e.offset_bytes, e.message), e.errno)),
        _ => None,
    }
}

fn round(clone: &Clone, outcome: Outcome, started_at: String) -> Round {
    let spec = &clone.compiled.spec;
    Round {
        index: clone.instance.number.saturating_sub(1),
        workload: spec.workload.clone(),
        span: spec.placement.target_spans.first().copied().unwrap_or(spec.span),
        repetition: 0,
        started_at,
        state_before: StateBefore::default(),
        outcome: outcome.outcome,
        elapsed_ns: outcome.elapsed_ns,
        read: outcome.read,
        write: outcome.write,
        sync: outcome.sync,
        durable: outcome.durable,
        edge_ns: outcome.edge_ns,
        trim: outcome.trim,
        queue: outcome.queue,
        check: outcome.check,
        errors: outcome.errors,
        workers: outcome.workers,
        devices: Vec::new(),
        total_bytes: outcome.total_bytes,
        engine: outcome.engine,
        host: Default::default(),
        intervals: outcome.intervals,
    }
}
