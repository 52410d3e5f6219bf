//! Earlier runs of the same targets, without what they measured: enough to hold their figures against new ones.
//!
//! A run of another machine is none of them, whatever its target is called: neither one that was imported nor one of a store that several machines share. One that
//! was imported counts where marks prove that it is of the same drive here (a run that was exported, removed and taken back).

use crate::kept_files::kept_files;
use crate::layout::{JUDGEMENT, RECORD, runs_folder};
use crate::list::{all_ids, newest_first};
use ioproof_core::history::{Judged, proven_same_targets, same_targets};
use ioproof_core::record::{RunRecord, RunStatus, SCHEMA_VERSION};
use std::path::Path;

/// Runs that are looked through, and that are taken; the newest.
const LOOKED_AT: usize = 200;
const TAKEN: usize = 10;

/// The newest complete runs of the targets of this one, which is not among them. What cannot be read, or is not as it was stored, is left out.
pub fn earlier(record: &RunRecord) -> Vec<Judged> {
    let (Ok(folder), Ok(ids)) = (runs_folder(), all_ids()) else { return Vec::new() };
    let given: Vec<&str> = record.targets.iter().map(|target| target.facts.given.as_str()).collect();
    let fits =
        |summary: &crate::summary::Summary| summary.status == RunStatus::Complete && summary.id != record.id && summary.targets == given;
    let runs = newest_first(&ids).into_iter().flatten().take(LOOKED_AT);
    let summaries = runs.filter_map(|run| {
        let is_from_here = run.unlabelled.is_none() && run.labels.imported_at.is_none();
        Some((run.summary.ok().filter(fits)?, is_from_here))
    });
    let judged = summaries.filter_map(|(summary, is_from_here)| Some((read(&folder.join(&summary.id))?, is_from_here)));
    let same = judged.filter(|((run, _), is_from_here)| match is_from_here {
        true => same_targets(record, run),
        false => proven_same_targets(record, run),
    });
    same.map(|(judged, _)| judged).take(TAKEN).collect()
}

fn read(folder: &Path) -> Option<Judged> {
    let (kept, _) = kept_files(folder);
    let record: RunRecord = kept.read_json(RECORD).ok()?;
    (record.schema_version == SCHEMA_VERSION).then_some(())?;
    Some((record, kept.read_json(JUDGEMENT).ok()?))
}
