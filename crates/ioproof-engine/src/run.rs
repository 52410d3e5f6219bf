//! The engine's one entry: a job on open targets, checked before it starts. What goes wrong with the I/O itself is part of the outcome.

use crate::api::{Control, EngineError, Options};
use crate::backend::{BackendChoice, explain, probe};
use crate::crew::Crew;
use crate::fit;
use crate::fit::memory::{there_bytes, without_map};
use crate::outcome::Outcome;
use ioproof_core::job::JobSpec;
use ioproof_target::Handle;
use std::io;

/// Runs a job on permitted handles; several targets take turns.
///
/// # Errors
/// When the job cannot be started; what goes wrong with the I/O itself is told in the [`Outcome`].
pub fn run(spec: &JobSpec, targets: &[&Handle], options: &Options, control: Control) -> Result<Outcome, EngineError> {
    let without_map = without_map(spec, there_bytes());
    let (spec, repeats) = without_map.as_ref().map_or((spec, None), |(spec, why)| (spec, Some(why.clone())));
    fit::check(spec, targets, options)?;
    let (choice, fallback) = resolve(spec, options)?;
    let crew = Crew::start(spec, targets, options, choice)?;
    let mut outcome = crew.watch(control);
    outcome.engine.fallbacks.extend(fallback.into_iter().chain(repeats));
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
