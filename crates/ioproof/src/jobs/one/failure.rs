//! Why a clone failed, and what to do about it.

use super::verify;
use ioproof_fio::settings::{ErrorKind, Settings};
use ioproof_core::record::{IoError, Round, RoundOutcome};
use ioproof_engine::{BackendChoice, EngineError};
use rustix::io::Errno;

/// Why a clone failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub text: String,
    /// The errno that fio would report.
    pub errno: i32,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<(String, i32)> for Failure {
    fn from((text, errno): (String, i32)) -> Self {
        Self { text, errno, hint: None }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self { text: error.to_string(), errno: Errno::INVAL.raw_os_error(), hint: error.hint().map(str::to_owned) }
    }
}

/// Why a clone failed that did its I/O; none where it did not fail.
pub(super) fn of_round(round: &Round, settings: &Settings) -> Option<Failure> {
    if let Some(different) = verify::failure(&round.workload, round.check.as_ref()) {
        return Some(different.into());
    }
    match (&round.errors.first, round.outcome) {
        (_, RoundOutcome::Hung) => Some(("an I/O never came back".to_owned(), Errno::TIMEDOUT.raw_os_error()).into()),
        (Some(e), RoundOutcome::Failed) if !is_ignored(settings, e) => Some(told(e, settings)),
        (Some(e), _) if !survives(settings, e) => Some(told(e, settings)),
        _ => None,
    }
}

/// The first failed I/O. Where the engine explains it, what it says is the hint.
fn told(error: &IoError, settings: &Settings) -> Failure {
    let backend = if error.operation == "trim" { Ok(BackendChoice::PSYNC) } else { BackendChoice::for_fio(settings.engine.name.word()) };
    let hint = backend.ok().and_then(|backend| ioproof_engine::hint_of_io(backend, error.errno));
    let message = hint.and_then(|hint| error.message.strip_suffix(hint)).unwrap_or(&error.message).trim_end_matches(": ");
    let text = format!("{} at byte {}: {message}", error.operation, error.offset_bytes);
    Failure { text, errno: error.errno, hint: hint.map(str::to_owned) }
}

/// `ignore_error` names it.
fn is_ignored(settings: &Settings, error: &IoError) -> bool {
    let list = if error.operation == "read" { &settings.errors.ignored[0] } else { &settings.errors.ignored[1] };
    list.contains(&error.errno)
}

/// `continue_on_error` or `ignore_error` lets the job go on after it.
fn survives(settings: &Settings, error: &IoError) -> bool {
    let kind = if error.operation == "read" { ErrorKind::Read } else { ErrorKind::Write };
    is_ignored(settings, error) || settings.errors.survived.contains(&kind)
}
