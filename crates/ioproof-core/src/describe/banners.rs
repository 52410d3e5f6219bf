//! Lines above all numbers: the end of the run, lost data, injected faults, notes.

use super::checks;
use crate::method::PACE_BEYOND_RUN;
use crate::record::{RunRecord, RunStatus};
use crate::text::visible;
use std::collections::BTreeSet;

/// Beginning of the note of a run without a datasheet. The verdict says it, so it is no banner.
pub const NO_DATASHEET: &str = "no datasheet: ";

/// End of the note on a virtual disk. The line of the drive says it, so it is no banner.
pub const VIRTUAL_DISK: &str = "is a virtual machine's disk: the real drive and its caches are out of sight";

/// One line above all numbers.
#[derive(Debug, Clone)]
pub struct Banner {
    /// True where it takes weight from the numbers; else it is a note.
    pub grave: bool,
    pub text: String,
}

pub fn status(status: &RunStatus) -> &'static str {
    if *status == RunStatus::Running { "not ended" } else { status.title() }
}

/// All of them, the grave ones first.
pub fn banners(record: &RunRecord) -> Vec<Banner> {
    let grave = [
        status_text(&record.status).map(|text| text + &not_reached(record)),
        checks::loss(record),
        checks::unread(record),
        faults(record),
        no_drive(record),
        no_data(record),
        no_rounds(record),
    ];
    let of_targets = record.targets.iter().flat_map(|target| &target.facts.notes).filter(|note| !record.notes.contains(note));
    let is_said = |note: &str| note.is_empty() || note.starts_with(NO_DATASHEET) || note.ends_with(VIRTUAL_DISK);
    let notes = record.notes.iter().chain(of_targets).filter(|note| !is_said(note));
    let grave = grave.into_iter().flatten().map(|text| Banner { grave: true, text });
    grave.chain(notes.map(|note| Banner { grave: false, text: visible(note) })).collect()
}

fn status_text(status: &RunStatus) -> Option<String> {
    match status {
        RunStatus::Complete => None,
        RunStatus::Running => Some("The run has not ended: it is under way or was killed.".into()),
        RunStatus::Interrupted => Some("The run was interrupted: the figures rest on the rounds that were completed.".into()),
        RunStatus::Hung { reason } => Some(format!("The run hung, an I/O never came back: {}", visible(reason))),
        RunStatus::Failed { reason } => Some(format!("The run failed: {}", visible(reason))),
    }
}

/// ` Not reached: random read 4 KiB, queue depth 1.`, where a run ended before it came to some of its jobs.
fn not_reached(record: &RunRecord) -> String {
    const MOST: usize = 4;
    // The tests of a standard are preconditioned by a job that is measured nowhere.
    let is_of_standard = record.plan.as_ref().is_some_and(|plan| plan.standard.is_some());
    let prepares = |job: usize| is_of_standard && record.parts().any(|part| part.round.job as usize == job);
    let missed: Vec<usize> = (0..record.jobs.len()).filter(|job| record.parts_of(*job).next().is_none() && !prepares(*job)).collect();
    if record.status == RunStatus::Running || missed.is_empty() || missed.len() == record.jobs.len() {
        return String::new();
    }
    let named: Vec<String> = missed.iter().take(MOST).map(|job| visible(&record.jobs[*job].title_with_depth())).collect();
    let more = Some(missed.len() - named.len()).filter(|more| *more > 0).map(|more| format!(" and {more} more"));
    format!(" Not reached: {}{}.", named.join("; "), more.unwrap_or_default())
}

fn faults(record: &RunRecord) -> Option<String> {
    let faults = record.config.faults.as_ref()?;
    Some(format!("Faults were injected ({}): this shows nothing about the drive.", visible(faults)))
}

fn no_drive(record: &RunRecord) -> Option<String> {
    (record.config.backend == "null")
        .then(|| "No I/O was done (--backend null): the figures are the generator's own, not the drive's.".into())
}

/// Of job files whose engine moves no data.
fn no_data(record: &RunRecord) -> Option<String> {
    let calls: BTreeSet<&str> = record.parts().filter_map(|part| part.engine.calls()).collect();
    let named = calls.into_iter().collect::<Vec<_>>().join(" and ");
    (!named.is_empty()).then(|| format!("No data was moved: the I/Os are {named}, and their bytes are only counted, as by fio."))
}

fn no_rounds(record: &RunRecord) -> Option<String> {
    // A pace that is slower than the runs are long explains it.
    let pace = record.warnings.iter().find(|finding| finding.rule == PACE_BEYOND_RUN);
    let why = pace.map(|finding| format!(" Most likely because {}: {}.", visible(&finding.title), visible(&finding.remedy)));
    let text = || format!("No round was completed: nothing was measured.{}", why.unwrap_or_default());
    (!record.parts().any(|part| part.counts())).then(text)
}
