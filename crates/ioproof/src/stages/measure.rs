//! Run: round after round as the schedule says. `rounds` runs one, `search` finds rates first where they are asked for, `check` reads back what was written.

use crate::cli::Verify;
use crate::progress::Progress;
use crate::stages::check::Written;
use crate::stages::clock::Stopwatch;
use crate::stages::rounds::Rounds;
use crate::stages::search;
use crate::store::Writer;
use anyhow::Result;
use ioproof_core::job::{JobSpec, Placement, Recording, Until};
use ioproof_core::plan::Scheduler;
use ioproof_core::record::{RoundOutcome, RunRecord};
use ioproof_core::workload::Workload;
use ioproof_engine::{BackendChoice, ClockChoice, Control, Ledger, Options, Outcome, Snapshot};
use ioproof_target::{Handle, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
    /// CPUs that workers take in turn.
    pub cpus: Vec<Vec<u32>>,
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

    /// How I/O is made as the command line says; with what was last written where, if it is checked.
    pub fn options<'l>(&self, ledger: Option<&'l Arc<Ledger>>) -> Options<'l> {
        let load = &self.args.load;
        let plain = Options::new(backend(&load.backend), clock_choice(self.system));
        Options { faults: self.args.faults, polled: load.polled, kernel_submits: load.kernel_submits, ledger, ..plain }
    }

    /// The same for I/O that only prepares or reads back: by whatever moves data between drive and memory, and without what is under test.
    pub fn plain_options<'l>(&self, ledger: Option<&'l Arc<Ledger>>) -> Options<'l> {
        let asked = self.options(ledger);
        let backend = match asked.backend {
            BackendChoice::Mmap | BackendChoice::Null => BackendChoice::Auto,
            other => other,
        };
        Options { backend, polled: false, kernel_submits: false, ..asked }
    }

    /// Runs one job.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn run(&mut self, spec: &JobSpec, options: &Options, observe: &mut dyn FnMut(&mut Progress, Snapshot)) -> Result<Outcome> {
        let progress = &mut *self.progress;
        let control = Control { stop: self.stop, observe: &mut |now| observe(progress, now) };
        Ok(ioproof_engine::run(spec, &[self.handle], options, control)?)
    }

    /// Refuses what the engine would refuse, before the target is filled for it.
    ///
    /// # Errors
    /// When a planned workload cannot be run as asked.
    pub fn check(&self, record: &RunRecord) -> Result<()> {
        for planned in record.plan.all() {
            let ledger = Written::default().ledger(&planned.workload, record)?;
            let spec = self.job(record, planned.workload.clone());
            ioproof_engine::check(&spec, &[self.handle], &self.options(ledger.as_ref()))?;
        }
        Ok(())
    }

    /// A job over the whole span with nothing special; `index` sets its seed apart.
    pub fn plain_job(&self, record: &RunRecord, workload: Workload, index: u32) -> JobSpec {
        let plan = &record.plan;
        JobSpec {
            workload,
            span: plan.span,
            ramp_ns: plan.ramp_ns,
            until: Until::ElapsedNs(plan.measure_ns),
            seed: record.config.seed.wrapping_add(u64::from(index) << 16),
            io_timeout_ns: self.args.io_timeout.as_nanos() as u64,
            error_limit: ERROR_LIMIT,
            placement: Placement::default(),
            recording: Recording::default(),
            end_fsync: false,
        }
    }

    /// The job of the next round.
    pub fn job(&self, record: &RunRecord, workload: Workload) -> JobSpec {
        let load = &self.args.load;
        let plain = self.plain_job(record, workload, record.rounds.len() as u32);
        let counted = load.until();
        JobSpec {
            placement: load.placement(&self.cpus, plain.span, plain.workload.workers),
            recording: load.recording(),
            end_fsync: load.end_fsync && plain.workload.writes(),
            // What is counted out is counted from the first I/O on.
            ramp_ns: if counted.is_some() { 0 } else { plain.ramp_ns },
            until: counted.unwrap_or(plain.until),
            ..plain
        }
    }
}

/// Runs the plan's rounds until the schedule is done, the user stops it, or the target fails.
///
/// # Errors
/// When a round cannot be started or stored.
pub fn measure(bench: &mut Bench, record: &mut RunRecord, writer: &Writer) -> Result<()> {
    let mut rounds = Rounds::new(bench, record, writer);
    search::search(&mut rounds, record)?;
    let plan = record.plan.clone();
    let mut scheduler = Scheduler::new(&plan, record.config.seed);
    let mut written = Written::default();
    while rounds.go_on(record) {
        let elapsed_ns = rounds.bench.started.elapsed_ns();
        let next = scheduler.next(elapsed_ns).and_then(|number| Some((number, plan.all().nth(number)?.workload.clone())));
        written.read_back_unless(next.as_ref().map(|(_, workload)| workload), &mut rounds, record)?;
        let Some((number, workload)) = next.filter(|_| rounds.go_on(record)) else { break };
        let left = Duration::from_nanos(scheduler.remaining_ns(elapsed_ns));
        let repetition = scheduler.attempts(number);
        let text = format!("{} (queue depth {}), run {}", workload.title(), workload.concurrency(), repetition + 1);
        rounds.bench.progress.step(&text, left);
        let ledger = written.ledger(&workload, record)?;
        let spec = rounds.bench.job(record, workload);
        let options = rounds.bench.options(ledger.as_ref());
        let round = rounds.run(record, &spec, &options, repetition)?;
        scheduler.record(number, round.counts().then(|| round.main_value()));
        if round.outcome == RoundOutcome::Failed {
            scheduler.give_up(number);
        }
    }
    written.close(record);
    Ok(())
}

/// The backend of this name; the command line knows no others.
fn backend(name: &str) -> BackendChoice {
    use BackendChoice::{Auto, IoUring, Libaio, Mmap, Null, PosixAio, Psync, Pvsync2};
    [IoUring, Libaio, PosixAio, Psync, Pvsync2, Mmap, Null].into_iter().find(|choice| choice.name() == name).unwrap_or(Auto)
}

/// The counter is trusted only where the kernel itself goes by it.
pub fn clock_choice(system: &System) -> ClockChoice {
    match system.sys_text("devices/system/clocksource/clocksource0/current_clocksource").as_deref() {
        Some("tsc") => ClockChoice::CounterIfInvariant,
        _ => ClockChoice::System,
    }
}
