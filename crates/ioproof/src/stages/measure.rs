//! Run: round after round as the schedule says, each with the counters of the kernel before and after it, and each stored at once.

use crate::cli::Verify;
use crate::progress::Progress;
use crate::stages::clock::{self, Stopwatch};
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::claim::Metric;
use ioproof_core::job::{JobSpec, Until};
use ioproof_core::plan::Scheduler;
use ioproof_core::record::{Round, RoundOutcome, RunRecord, RunStatus, StateBefore};
use ioproof_core::units::{iops, throughput};
use ioproof_core::workload::Workload;
use ioproof_device::Snapshot as Counters;
use ioproof_engine::{BackendChoice, ClockChoice, Control, Options, Outcome, Snapshot};
use ioproof_target::{Handle, System};
use rustix::io::Errno;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Failed I/Os of one worker after which a round ends.
const ERROR_LIMIT: u64 = 100;

/// What every measurement of a run works with.
pub struct Bench<'a> {
    /// Where the kernel's files are.
    pub system: &'a System,
    /// The open target.
    pub handle: &'a Handle,
    /// The command line.
    pub args: &'a Verify,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
    /// Since when the run goes on.
    pub started: Stopwatch,
    /// Where progress is shown.
    pub progress: &'a mut Progress,
}

impl Bench<'_> {
    /// Whether the user wants to end the run.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs one job.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&mut self, spec: &JobSpec, observe: &mut dyn FnMut(&mut Progress, Snapshot)) -> Result<Outcome> {
        let options = Options { backend: backend(&self.args.backend), clock: clock_choice(self.system), faults: self.args.faults };
        let progress = &mut *self.progress;
        let control = Control { stop: self.stop, observe: &mut |now| observe(progress, now) };
        Ok(ioproof_engine::run(spec, self.handle, &options, control)?)
    }

    /// The job of round number `index`.
    pub fn job(&self, record: &RunRecord, workload: Workload, index: u32) -> JobSpec {
        let plan = &record.plan;
        JobSpec {
            workload,
            span: plan.span,
            ramp_ns: plan.ramp_ns,
            until: Until::ElapsedNs(plan.measure_ns),
            seed: record.config.seed.wrapping_add(u64::from(index) << 16),
            io_timeout_ns: self.args.io_timeout.as_nanos() as u64,
            error_limit: ERROR_LIMIT,
        }
    }
}

/// Runs the plan's rounds until the schedule is done, the user stops it, or the target fails.
///
/// # Errors
/// When a round cannot be started or stored.
pub fn measure(bench: &mut Bench, record: &mut RunRecord, writer: &Writer) -> Result<()> {
    let plan = record.plan.clone();
    let mut scheduler = Scheduler::new(&plan, record.config.seed);
    let mut history = History { written_bytes: record.content.filled_bytes, previous: None, ended: Instant::now() };
    while record.status == RunStatus::Running && !bench.is_stopped() {
        let Some(number) = scheduler.next(bench.started.elapsed_ns()) else { break };
        let left = Duration::from_nanos(scheduler.remaining_ns(bench.started.elapsed_ns()));
        let repetition = scheduler.attempts(number);
        let Some(workload) = plan.all().nth(number).map(|p| p.workload.clone()) else { break };
        bench.progress.step(&format!("{} (queue depth {}), run {}", workload.title(), workload.concurrency(), repetition + 1), left);
        let spec = bench.job(record, workload, record.rounds.len() as u32);
        let round = run_round(bench, record, &spec, repetition, &mut history)?;
        writer.save_round(&round)?;
        scheduler.record(number, round.counts().then(|| round.main_value()));
        if round.outcome == RoundOutcome::Failed {
            scheduler.give_up(number);
        }
        record.status = status_after(&round);
        record.rounds.push(round);
    }
    Ok(())
}

/// What happened to the target so far.
struct History {
    written_bytes: u64,
    previous: Option<String>,
    ended: Instant,
}

fn run_round(bench: &mut Bench, record: &RunRecord, spec: &JobSpec, repetition: u32, history: &mut History) -> Result<Round> {
    let drive = record.drive().map(|d| d.name.clone());
    let temperature = drive.as_deref().and_then(|name| ioproof_device::temperature_celsius(bench.system, name));
    let state_before = StateBefore {
        written_bytes: history.written_bytes,
        previous_workload: history.previous.take(),
        idle_ns: history.ended.elapsed().as_nanos() as u64,
        temperature_celsius: temperature,
    };
    let started_at = clock::now();
    let stack = record.target.stack.as_ref();
    let before = Counters::take(bench.system, stack);
    let outcome = bench.run(spec, &mut |progress, now| progress.now(&rate(spec, now)))?;
    let (devices, host) = Counters::take(bench.system, stack).since(&before);
    history.written_bytes += outcome.total_bytes.1;
    history.previous = Some(spec.workload.id());
    history.ended = Instant::now();
    Ok(Round {
        index: record.rounds.len() as u32,
        workload: spec.workload.clone(),
        span: spec.span,
        repetition,
        started_at,
        state_before,
        outcome: outcome.outcome,
        elapsed_ns: outcome.elapsed_ns,
        read: outcome.read,
        write: outcome.write,
        sync: outcome.sync,
        durable: outcome.durable,
        edge_ns: outcome.edge_ns,
        errors: outcome.errors,
        workers: outcome.workers,
        devices,
        total_bytes: outcome.total_bytes,
        engine: outcome.engine,
        host,
        intervals: outcome.intervals,
    })
}

/// A drive that is gone or that hangs ends the run; failed I/O ends only its workload.
fn status_after(round: &Round) -> RunStatus {
    const GONE: [Errno; 3] = [Errno::NODEV, Errno::NXIO, Errno::SHUTDOWN];
    match (round.outcome, &round.errors.first) {
        (RoundOutcome::Hung, _) => RunStatus::Hung { reason: format!("{}: an I/O never came back", round.workload.title()) },
        (RoundOutcome::Failed, Some(e)) if GONE.iter().any(|g| g.raw_os_error() == e.errno) => {
            RunStatus::Failed { reason: format!("the target is gone: {}", e.message) }
        }
        _ => RunStatus::Running,
    }
}

fn rate(spec: &JobSpec, now: Snapshot) -> String {
    let seconds = now.elapsed_ns.max(1) as f64 / 1e9;
    let bytes_per_s = (now.read_bytes + now.written_bytes) as f64 / seconds;
    match spec.workload.main_metric() {
        Metric::Throughput => throughput(bytes_per_s),
        _ => iops(bytes_per_s / f64::from(spec.workload.block_bytes)),
    }
}

fn backend(name: &str) -> BackendChoice {
    match name {
        "io_uring" => BackendChoice::IoUring,
        "psync" => BackendChoice::Psync,
        _ => BackendChoice::Auto,
    }
}

/// The counter is trusted only where the kernel itself goes by it.
fn clock_choice(system: &System) -> ClockChoice {
    match system.sys_text("devices/system/clocksource/clocksource0/current_clocksource").as_deref() {
        Some("tsc") => ClockChoice::CounterIfInvariant,
        _ => ClockChoice::System,
    }
}
