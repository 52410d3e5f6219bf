//! The engine's one entry: a job on open targets, checked before it starts. What goes wrong with the I/O itself is part of the outcome.

use crate::backend::{BackendChoice, explain, probe};
use crate::clock::ClockChoice;
use crate::crew::Crew;
use crate::fit;
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use ioproof_core::faults::Faults;
use ioproof_core::job::JobSpec;
use ioproof_target::Handle;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why a job could not be run. A failed I/O is not among these; it is part of the outcome.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The job writes and the permit does not cover it.
    #[error("the job writes, but the target is open for reading only")]
    NotPermitted,
    /// The job does not fit the target.
    #[error("the job does not fit the target: {0}")]
    BadJob(String),
    /// The backend that was asked for cannot be used here.
    #[error("{} cannot be used: {cause}", choice.name())]
    NoBackend {
        /// Which.
        choice: BackendChoice,
        /// What the kernel said.
        #[source]
        cause: io::Error,
    },
    /// A worker could not get its memory or its queue.
    #[error("cannot set up a worker's buffers and {} queue: {cause}", choice.name())]
    NotArmed {
        /// With which backend.
        choice: BackendChoice,
        /// What the kernel said.
        #[source]
        cause: io::Error,
    },
    /// Memory, threads or descriptors ran out, or the kernel refused a call that is not an I/O.
    #[error("cannot {what}: {cause}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        #[source]
        cause: io::Error,
    },
}

impl EngineError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoBackend { choice, cause } | Self::NotArmed { choice, cause } => explain(*choice, cause),
            _ => None,
        }
    }
}

/// How to generate the load.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Which backend.
    pub backend: BackendChoice,
    /// Which clock.
    pub clock: ClockChoice,
    /// Faults to inject; io_uring and psync can.
    pub faults: Option<Faults>,
    /// Whether completions are polled for (io_uring's IOPOLL, pvsync2's RWF_HIPRI).
    pub polled: bool,
    /// Whether a thread of the kernel submits (io_uring's SQPOLL).
    pub kernel_submits: bool,
    /// What was last written where: writes bear headers and note themselves here, reads are compared with it.
    pub ledger: Option<&'a Arc<Ledger>>,
}

impl Options<'_> {
    /// A backend and a clock, and nothing special.
    #[must_use]
    pub fn new(backend: BackendChoice, clock: ClockChoice) -> Self {
        Self { backend, clock, faults: None, polled: false, kernel_submits: false, ledger: None }
    }
}

/// How the caller follows and ends a job.
pub struct Control<'a> {
    /// Set by the caller to end the job early.
    pub stop: &'a AtomicBool,
    /// Called about ten times a second.
    pub observe: &'a mut dyn FnMut(Snapshot),
}

/// A job under way.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot {
    /// Since it began, ramp included. Nanoseconds.
    pub elapsed_ns: u64,
    /// Bytes read since it began.
    pub read_bytes: u64,
    /// Bytes written since it began.
    pub written_bytes: u64,
}

/// Runs a job on permitted handles; several targets take turns.
///
/// # Errors
/// When the job cannot be started; what goes wrong with the I/O itself is told in the [`Outcome`].
pub fn run(spec: &JobSpec, targets: &[&Handle], options: &Options, control: Control) -> Result<Outcome, EngineError> {
    fit::check(spec, targets, options)?;
    let (choice, fallback) = resolve(spec, options)?;
    let crew = Crew::start(spec, targets, options, choice)?;
    let mut outcome = crew.watch(control);
    outcome.engine.fallbacks.extend(fallback);
    if options.polled {
        explain_polling(choice, &mut outcome);
    }
    Ok(outcome)
}

/// A ring that polls is granted on any target, and refused with the first I/O.
fn explain_polling(choice: BackendChoice, outcome: &mut Outcome) {
    if let Some(first) = &mut outcome.errors.first
        && let Some(hint) = explain(choice, &io::Error::from_raw_os_error(first.errno))
    {
        first.message = format!("{}: {hint}", first.message);
    }
}

/// The backend to use, and why it is not the first choice.
fn resolve(spec: &JobSpec, options: &Options) -> Result<(BackendChoice, Option<String>), EngineError> {
    let refuse = |choice, cause| Err(EngineError::NoBackend { choice, cause });
    match options.backend {
        BackendChoice::Auto if spec.workload.trims() => {
            Ok((BackendChoice::Psync, Some("trim has no asynchronous call; psync, one thread for each outstanding I/O".into())))
        }
        BackendChoice::Auto => match probe(BackendChoice::IoUring) {
            Ok(()) => Ok((BackendChoice::IoUring, None)),
            Err(e) => Ok((BackendChoice::Psync, Some(format!("io_uring: {e}; psync instead, one thread for each outstanding I/O")))),
        },
        choice => probe(choice).map_or_else(|cause| refuse(choice, cause), |()| Ok((choice, None))),
    }
}
