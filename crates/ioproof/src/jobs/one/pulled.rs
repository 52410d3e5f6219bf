//! A drive that was pulled while a clone worked on it: the job failed because of that, whatever the kernel answered to its last I/O.

use super::Task;
use crate::stages::{presence, rounds};
use ioproof_core::record::{Round, RoundOutcome, RunStatus};

const ENODEV: i32 = 19;

/// Says that the drive is gone, and the errno that tells it. What cannot be read of it any more is then not counted as lost.
pub fn gone(task: &Task<'_>, round: &mut Round) -> Option<(String, i32)> {
    let errno = round.errors.first.as_ref()?.errno;
    let failed = round.outcome == RoundOutcome::Failed;
    // The first file gives the kernel the time to notice; then it has noticed for all.
    let mut files = task.clone.files.iter().enumerate();
    let reason = files.find_map(|(at, file)| presence::gone(task.system, file.facts.stack.as_ref(), &round.errors, failed && at == 0))?;
    let status = RunStatus::Failed { reason: reason.clone() };
    let unread = rounds::spare_the_pulled(round.check.as_mut(), &status);
    let text = unread.map_or(reason.clone(), |unread| format!("{reason}; {unread}"));
    Some((text, if errno == 0 { ENODEV } else { errno }))
}
