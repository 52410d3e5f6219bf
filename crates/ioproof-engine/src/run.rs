//! The engine's one entry: a job on open targets, checked before it starts. What goes wrong with the I/O itself is part of the outcome.

use crate::api::{Control, EngineError, Options};
use crate::backend::BackendChoice;
use crate::outcome::Outcome;
use crate::validate;
use crate::validate::memory::{there_bytes, without_map};
use crate::worker::pool::WorkerPool;
use ioproof_core::job::JobSpec;
use ioproof_target::Handle;
use std::io;

/// Runs a job on permitted handles; several targets take turns.
///
/// # Errors
/// When the job cannot be started; what goes wrong with the I/O itself is told in the [`Outcome`].
pub fn run(spec: &JobSpec, targets: &[&Handle], options: &Options, control: Control) -> Result<Outcome, EngineError> {
    let backend = options.backend.on(targets.iter().map(|target| target.is_character_device()));
    let backend = backend.on_bound(targets.iter().map(|target| target.drive().is_some()));
    let options = &Options { backend, ..*options };
    let without_map = without_map(spec, there_bytes());
    let (spec, map_left_out_bytes) = without_map.as_ref().map_or((spec, None), |(spec, bytes)| (spec, Some(*bytes)));
    validate::check(spec, targets, options)?;
    let (choice, fallback) = resolve(spec, targets, options)?;
    let pool = WorkerPool::start(spec, targets, options, choice)?;
    let mut outcome = pool.watch(control);
    outcome.engine.fallbacks.extend(fallback);
    outcome.engine.map_left_out_bytes = map_left_out_bytes;
    if options.polled {
        explain_polling(choice, &mut outcome);
    }
    Ok(outcome)
}

/// A ring that polls is granted on any target, and refused with the first I/O.
fn explain_polling(choice: BackendChoice, outcome: &mut Outcome) {
    if let Some(first) = &mut outcome.errors.first
        && let Some(hint) = choice.explain(&io::Error::from_raw_os_error(first.errno))
    {
        first.message = format!("{}: {hint}", first.message);
    }
}

/// The backend to use, and the reason where it is not the first choice.
fn resolve(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Result<(BackendChoice, Option<String>), EngineError> {
    let choice = options.backend;
    if choice != BackendChoice::AUTO {
        return choice.probe().map(|()| (choice, None)).map_err(|cause| EngineError::NoBackend { choice, cause });
    }
    let (first, second) = (BackendChoice::IO_URING, BackendChoice::PSYNC);
    if spec.workload.trims() && !first.can_trim() {
        return Ok((second, Some("trim has no asynchronous call; psync, one thread for each outstanding I/O".into())));
    }
    let Err(refused) = first.probe() else { return Ok((first, None)) };
    // libaio is asynchronous with O_DIRECT alone, and bears none of the options that are of a ring.
    let is_plain = !options.polled && !options.kernel_submits && options.faults.is_none();
    let libaio = BackendChoice::LIBAIO;
    if is_plain && targets.iter().all(|target| target.direct()) && libaio.probe().is_ok() {
        return Ok((libaio, Some(format!("io_uring: {refused}; libaio instead"))));
    }
    Ok((second, Some(format!("io_uring: {refused}; psync instead, one thread for each outstanding I/O"))))
}
