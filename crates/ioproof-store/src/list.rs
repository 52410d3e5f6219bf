//! All stored runs, by their summaries. A run that has none, or one that is out of date, is read itself, one at a time, and its summary is kept.

use crate::digests::DIGESTS;
use crate::find;
use crate::labels::RunLabels;
use crate::layout::{RECORD, STAGES, SUMMARY, runs_folder};
use crate::load::load;
use crate::locks::is_locked;
use crate::summary::{Summary, kept_of};
use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_process::complaint::complaint;
use ioproof_target::output_file::{OutputFile, store};
use std::path::Path;

#[derive(Debug)]
pub struct ListedRun {
    pub id: String,
    /// Its summary, or why it cannot be read.
    pub summary: Result<Summary>,
    /// Its name and tags; none where they cannot be read.
    pub labels: RunLabels,
    /// The reason why its name and tags cannot be read.
    pub unlabelled: Option<anyhow::Error>,
}

/// The ids of all runs in their order, hence that of when they began.
///
/// # Errors
/// When there is no state folder to look in, or the folder of runs cannot be read.
pub fn all_ids() -> Result<Vec<String>> {
    find::ids(&runs_folder()?)
}

/// The same, and a sentence about what lies in the store and is no run; none where there is nothing of the kind.
pub fn all_ids_and_others() -> Result<(Vec<String>, Option<String>)> {
    let folder = runs_folder()?;
    let (ids, others) = find::ids_and_others(&folder)?;
    Ok((ids, described(&others, &folder)))
}

fn described(others: &[String], folder: &Path) -> Option<String> {
    const MOST: usize = 5;
    let named = others.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = others.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let subject = if others.len() == 1 { "1 entry is no run".to_owned() } else { format!("{} entries are no runs", others.len()) };
    (!others.is_empty()).then(|| format!("in {}, {subject} and left out: {named}{more}", folder.display()))
}

/// These runs, the newest first, each read when it is asked for. One that was removed meanwhile, or is just beginning, is left out.
///
/// # Errors
/// When there is no state folder to look in.
pub fn newest_first(ids: &[String]) -> Result<impl Iterator<Item = ListedRun>> {
    let folder = runs_folder()?;
    Ok(ids.iter().rev().filter_map(move |id| listed(&folder.join(id), id)))
}

/// One run; none where there is nothing (any more).
pub fn listed(folder: &Path, id: &str) -> Option<ListedRun> {
    let has_record = folder.join(RECORD).symlink_metadata().is_ok();
    if !has_record && (is_locked(folder) || folder.symlink_metadata().is_err()) {
        return None;
    }
    let summary = if has_record { summary(folder) } else { Err(complaint("it has no run.json: it was killed as it began", "")) };
    if summary.is_err() && folder.symlink_metadata().is_err() {
        return None;
    }
    let (labels, unlabelled) = match RunLabels::read(folder) {
        Ok(labels) => (labels, None),
        Err(error) => (RunLabels::default(), Some(error)),
    };
    Some(ListedRun { id: id.to_owned(), summary, labels, unlabelled })
}

fn summary(folder: &Path) -> Result<Summary> {
    let record_bytes = folder.join(RECORD).symlink_metadata().map_or(0, |record| record.len());
    // One that says that it runs may have been killed since.
    match kept_of(folder).filter(|kept| kept.status != RunStatus::Running) {
        Some(kept) => Ok(kept),
        None => made(folder, record_bytes),
    }
}

fn made(folder: &Path, record_bytes: u64) -> Result<Summary> {
    let stored = load(folder)?;
    let has_digests = folder.join(DIGESTS).exists();
    let summary = Summary::new(&stored.record, stored.judgement.as_ref(), record_bytes).with_digests(has_digests);
    if summary.status != RunStatus::Running {
        // A store that cannot be written is listed all the same. The process of a run that is about to end writes its own.
        if !is_locked(folder)
            && let Ok(bytes) = summary.to_file()
        {
            let _ = store(&folder.join(SUMMARY), &bytes);
        }
        // Looking at a folder takes away what a killed run left in it.
        [folder.join(RECORD), folder.join(STAGES).join("any")].iter().for_each(|file| drop(OutputFile::open_folder(file)));
    }
    Ok(summary)
}
