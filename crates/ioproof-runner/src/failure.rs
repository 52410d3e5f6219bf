//! The reason for which a task or a run failed. It is about us or the target, and never a verdict.

use crate::read_back;
use crate::task::{Survives, Task};
use ioproof_core::record::{IoError, Round, RoundOutcome};
use ioproof_engine::EngineError;
use ioproof_target::Changed;
use rustix::io::Errno;

/// A failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Failure {
    /// The failure in words.
    pub text: String,
    /// The errno that tells its kind.
    pub errno: i32,
    /// The way to mend it.
    pub hint: Option<String>,
}

impl Failure {
    /// One with a hint.
    pub fn hinted(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), errno: Errno::INVAL.raw_os_error(), hint: Some(hint.into()) }
    }
}

impl From<(String, i32)> for Failure {
    fn from((text, errno): (String, i32)) -> Self {
        Self { text, errno, hint: None }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let errno = match &error {
            EngineError::System { cause, .. } => cause.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error()),
            _ => Errno::INVAL.raw_os_error(),
        };
        Self { text: error.to_string(), errno, hint: error.hint().map(str::to_owned) }
    }
}

/// The failure of a task that would write what somebody else put into a file of ours, or onto a device after consent was given.
pub(crate) fn of_somebody_else(changed: Changed) -> Failure {
    match changed {
        Changed::File(path) => {
            let path = path.display();
            let text = format!("{path} was changed by somebody after ioproof had made or last written it, and is not written");
            Failure::hinted(text, format!("--overwrite={path} if that may be lost"))
        }
        Changed::InUse { path, reason } => {
            let text = format!("{} is used by somebody else since this run began ({reason}), and is not written", path.display());
            Failure::hinted(text, "wait until that has ended, and start the run again")
        }
        Changed::Device { path, found } => {
            let found = found.map_or_else(String::new, |found| format!(" ({found})"));
            let text = format!("{} holds something else than when this run began{found}, and is not written", path.display());
            Failure::hinted(text, "if that may be lost, start the run again: then it is asked for what is there now")
        }
    }
}

/// The failure of a task whose files tell when they are closed that something was not written.
pub(crate) fn of_closing(error: &std::io::Error) -> Failure {
    Failure::from((format!("{LOST}: {error}"), error.raw_os_error().unwrap_or(0)))
}

/// Beginning of what is said then.
const LOST: &str = "what was written may be lost, as closing a file of it told";

/// True for the failure of a task that ends the whole run: the next one would meet the same.
pub(crate) fn ends_the_run(reason: &Failure) -> bool {
    ["the target is gone", LOST].iter().any(|beginning| reason.text.starts_with(beginning))
}

/// The failure of a task that did its I/O; none where it did not fail.
pub(crate) fn of_round(task: &Task, round: &Round) -> Option<Failure> {
    if let Some(different) = read_back::failure(&task.spec.workload, round.check.as_ref()) {
        return Some(different.into());
    }
    match (&round.errors.first, round.outcome) {
        (_, RoundOutcome::Hung) => Some(("an I/O never came back".to_owned(), Errno::TIMEDOUT.raw_os_error()).into()),
        (Some(e), RoundOutcome::Failed) if !is_ignored(&task.survives, e) => Some(described(e, task)),
        (Some(e), _) if !is_survived(&task.survives, e) || all_failed(round) => Some(described(e, task)),
        _ => None,
    }
}

/// A task goes on after errors, but where no I/O of it succeeded it has nothing to tell.
fn all_failed(round: &Round) -> bool {
    round.ios() == 0 && round.sync.ios == 0 && round.errors.failed > 0
}

/// The first failed I/O. Where the engine explains it, its explanation is the hint.
fn described(error: &IoError, task: &Task) -> Failure {
    let hint = ioproof_engine::hint_of_io(task.generate.backend, error.errno);
    let message = hint.and_then(|hint| error.message.strip_suffix(hint)).unwrap_or(&error.message).trim_end_matches(": ");
    let text = IoError { message: message.to_owned(), ..error.clone() }.sentence();
    Failure { text, errno: error.errno, hint: hint.map(str::to_owned) }
}

fn side(error: &IoError) -> usize {
    usize::from(error.operation != "read")
}

fn is_ignored(survives: &Survives, error: &IoError) -> bool {
    !error.is_of_handing_over() && survives.errnos[side(error)].contains(&error.errno)
}

/// As in fio, whose `continue_on_error` goes on after errors of the medium (EIO, EILSEQ): a full target is none, and `ignore_error` or `fill_device` is for it.
fn is_survived(survives: &Survives, error: &IoError) -> bool {
    is_ignored(survives, error) || survives.any[side(error)] && error.errno != Errno::NOSPC.raw_os_error()
}
