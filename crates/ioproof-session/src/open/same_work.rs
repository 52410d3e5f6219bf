//! Several targets of one run must be different ones, and run the same.

use super::found::FoundTarget;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_process::complaint::complaint;

/// Refuses targets of which two are one, and those that would not run the same as the first.
pub fn check(found: &[FoundTarget]) -> Result<()> {
    let Some((first, others)) = found.split_first() else { return Ok(()) };
    for (at, second) in found.iter().enumerate() {
        found[..at].iter().try_for_each(|first| not_the_same(first, second))?;
    }
    others.iter().try_for_each(|other| as_much(first, other))
}

/// Refuses two names of one target.
fn not_the_same(first: &FoundTarget, second: &FoundTarget) -> Result<()> {
    let (one, other) = (first.chosen.facts(), second.chosen.facts());
    // A scratch file's identity is that of its filesystem.
    let is_same =
        one.identity.as_ref().zip(other.identity.as_ref()).is_some_and(|(one, other)| !first.chosen.is_scratch() && one.is_proven(other));
    if is_same || one.resolved == other.resolved {
        return Err(complaint(format!("{} is held against itself", visible(&one.resolved)), "name different targets"));
    }
    Ok(())
}

/// Refuses a target on which something else would be run than on the first.
fn as_much(first: &FoundTarget, second: &FoundTarget) -> Result<()> {
    let (one, other) = (first.chosen.facts(), second.chosen.facts());
    let is_written = |found: &FoundTarget| found.chosen.is_written();
    if !first.chosen.is_scratch() && !second.chosen.is_scratch() && is_written(first) != is_written(second) {
        let (written, read) = if is_written(first) { (one, other) } else { (other, one) };
        return Err(complaint(
            format!("{} would be written, and {} only read", visible(&written.given), visible(&read.given)),
            "give consent to write for all or for none",
        ));
    }
    let workloads = |found: &FoundTarget| found.plan.all().map(|planned| planned.workload.clone()).collect::<Vec<_>>();
    if workloads(first) == workloads(second) {
        return Ok(());
    }
    let more = if workloads(first).len() > workloads(second).len() { (one, other) } else { (other, one) };
    let (more, less) = (visible(&more.0.given), visible(&more.1.given));
    Err(complaint(
        format!("more can be run on {more} than on {less}, and targets of one run run the same"),
        "give consent to write for all or for none, or name workloads that all can run (--rw, --bs)",
    ))
}
