//! Jobs of a job file whose time was over before an I/O of theirs began, behind a pause or a rate that is too slow for it: zeros are no figures, and no success.

use crate::end::TaskEnd;
use crate::failure::Failure;
use crate::task::Task;
use ioproof_core::job::Until;
use ioproof_core::record::{Round, RoundOutcome};
use ioproof_core::units::duration;
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::time::Duration;

/// Has the tasks of a job fail where none of them did any I/O in all of its time, and gives notes on jobs that never began
/// or some of whose tasks did none. One that another ended had less.
pub(crate) fn look(tasks: &[Task], ends: &mut [TaskEnd]) -> Vec<String> {
    let idle: Vec<bool> = tasks.iter().zip(ends.iter()).map(|(task, end)| did_nothing(task, end)).collect();
    let count = |job: u32| {
        let of_job: Vec<bool> = tasks.iter().zip(&idle).filter(|(task, _)| task.job == job).map(|(_, idle)| *idle).collect();
        (of_job.iter().filter(|idle| **idle).count(), of_job.len())
    };
    let (mut notes, mut jobs) = (never_began(tasks, ends), BTreeSet::new());
    for (task, end) in tasks.iter().zip(ends.iter_mut()) {
        match count(task.job) {
            (0, _) => {}
            (idle, all) if idle == all => end.failed = time_ns(task).map(|ns| failure(ns, task.spec.ramp_ns)),
            (idle, all) if jobs.insert(task.job) => {
                notes.push(format!("{}: {idle} of its {all} clones did no I/O in their time: their zeros measure nothing", task.name));
            }
            _ => {}
        }
    }
    notes
}

/// Notes on jobs that never began, since the end of another ended them.
fn never_began(tasks: &[Task], ends: &[TaskEnd]) -> Vec<String> {
    let is_one = |(task, end): &(&Task, &TaskEnd)| !task.idle && end.round.is_none() && end.database.is_none() && end.failed.is_none();
    let names: BTreeSet<&str> = tasks.iter().zip(ends).filter(is_one).map(|(task, _)| task.name.as_str()).collect();
    names.into_iter().map(|name| format!("{name}: it never began, as another job had ended it")).collect()
}

fn did_nothing(task: &Task, end: &TaskEnd) -> bool {
    let Some((round, ns)) = end.round.as_ref().zip(time_ns(task)) else { return false };
    let is_empty = |round: &Round| round.outcome == RoundOutcome::Complete && round.ios() == 0 && round.sync.ios == 0;
    end.failed.is_none() && !end.is_full && !task.check.only_plans && is_empty(round) && round.elapsed_ns >= ns
}

/// The time that its measurement may take, where it has one. Nanoseconds.
fn time_ns(task: &Task) -> Option<u64> {
    if let Until::ElapsedNs(ns) = task.spec.until { Some(ns) } else { task.spec.at_most_ns }
}

fn failure(ns: u64, ramp_ns: u64) -> Failure {
    let ramp = if ramp_ns > 0 { format!(" after a ramp of {}", duration(Duration::from_nanos(ramp_ns))) } else { String::new() };
    let text = format!("no I/O came in its {}{ramp}: nothing was measured", duration(Duration::from_nanos(ns)));
    Failure { errno: Errno::NODATA.raw_os_error(), ..Failure::hinted(text, "give it longer, or a faster pace") }
}
