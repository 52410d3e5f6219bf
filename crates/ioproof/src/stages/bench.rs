//! What every measurement of a run works with: the open target, the command line, and how a job is made of both.

use crate::cli::Verify;
use crate::progress::Progress;
use crate::stages::clock::Stopwatch;
use anyhow::Result;
use ioproof_core::job::{JobSpec, Placement, Recording, Until};
use ioproof_core::record::RunRecord;
use ioproof_core::workload::Workload;
use ioproof_engine::{BackendChoice, ClockChoice, Control, Ledger, Options, Outcome, Snapshot};
use ioproof_target::{Handle, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
        let plain = Options::new(load.backend, clock_choice(self.system));
        Options { faults: self.args.faults, polled: load.polled, kernel_submits: load.kernel_submits, ledger, ..plain }
    }

    /// The same for I/O that only prepares or reads back: by whatever moves data between drive and memory, and without what is under test.
    pub fn plain_options<'l>(&self, ledger: Option<&'l Arc<Ledger>>) -> Options<'l> {
        let asked = self.options(ledger);
        let reaches_drive = asked.backend.moves_data() && !asked.backend.is_cached();
        let backend = if reaches_drive { asked.backend } else { BackendChoice::AUTO };
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
            at_most_ns: None,
            at_most_bytes: None,
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

/// The counter is trusted only where the kernel itself goes by it.
pub fn clock_choice(system: &System) -> ClockChoice {
    match system.sys_text("devices/system/clocksource/clocksource0/current_clocksource").as_deref() {
        Some("tsc") => ClockChoice::CounterIfInvariant,
        _ => ClockChoice::System,
    }
}
