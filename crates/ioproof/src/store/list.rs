//! All stored runs, by their summaries. A run that has none, or one that is out of date, is read itself, one at a time, and its summary is kept.

use super::{MOST_BYTES, RECORD, SUMMARY, ids, load, runs_folder};
use crate::store::Summary;
use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_target::output_file::{OutputFile, store};
use ioproof_target::read_own;
use std::path::Path;

/// The newest `most` stored runs in the order of their ids, hence of when they began: the id, and the run or why it cannot be read.
///
/// # Errors
/// When there is no state folder to look in.
pub fn list(most: usize) -> Result<Vec<(String, Result<Summary>)>> {
    let folder = runs_folder()?;
    let ids = ids(&folder);
    let older = ids.len().saturating_sub(most);
    Ok(ids.into_iter().skip(older).map(|id| (id.clone(), summary(&folder.join(id)))).collect())
}

fn summary(folder: &Path) -> Result<Summary> {
    let record_bytes = folder.join(RECORD).symlink_metadata().map_or(0, |record| record.len());
    // One that says that it runs may have been killed since.
    match kept_of(folder).filter(|kept| kept.status != RunStatus::Running) {
        Some(kept) => Ok(kept),
        None => made(folder, record_bytes),
    }
}

/// The summary that is kept of a run, where it is of the record that stands there.
pub(super) fn kept_of(folder: &Path) -> Option<Summary> {
    let record_bytes = folder.join(RECORD).symlink_metadata().ok()?.len();
    kept(folder).filter(|kept| kept.is_of(record_bytes))
}

fn kept(folder: &Path) -> Option<Summary> {
    serde_json::from_slice(&read_own(&folder.join(SUMMARY), MOST_BYTES).ok()?).ok()
}

fn made(folder: &Path, record_bytes: u64) -> Result<Summary> {
    let stored = load(folder)?;
    let summary = Summary::of(&stored.record, stored.judgement.as_ref(), record_bytes);
    if summary.status != RunStatus::Running {
        // A store that cannot be written is listed all the same.
        if let Ok(bytes) = serde_json::to_vec(&summary) {
            let _ = store(&folder.join(SUMMARY), &bytes);
        }
        // Looking at a folder takes away what a killed run left in it.
        [folder.join(RECORD), folder.join("stages/any")].iter().for_each(|file| drop(OutputFile::open_folder(file)));
    }
    Ok(summary)
}
