//! All stored runs, by their summaries. A run that has none, or one that is out of date, is read itself, one at a time, and its summary is kept.

use super::digests::DIGESTS;
use super::labels::Labels;
use super::{RECORD, STAGES, SUMMARY, find, is_locked, load, runs_folder};
use crate::Summary;
use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_process::complaint::complaint;
use ioproof_target::output_file::{OutputFile, store};
use ioproof_target::read_own;
use std::path::Path;

/// No summary is larger; a larger one is made anew. Bytes.
const MOST_BYTES: u64 = 1 << 24;

#[derive(Debug)]
pub struct Listed {
    pub id: String,
    /// Its summary, or why it cannot be read.
    pub summary: Result<Summary>,
    /// Its name and tags; none where they cannot be read.
    pub labels: Labels,
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
pub fn newest_first(ids: &[String]) -> Result<impl Iterator<Item = Listed>> {
    let folder = runs_folder()?;
    Ok(ids.iter().rev().filter_map(move |id| listed(&folder.join(id), id)))
}

/// One run; none where there is nothing (any more).
pub fn listed(folder: &Path, id: &str) -> Option<Listed> {
    let has_record = folder.join(RECORD).symlink_metadata().is_ok();
    if !has_record && (is_locked(folder) || folder.symlink_metadata().is_err()) {
        return None;
    }
    let summary = if has_record { summary(folder) } else { Err(complaint("it has no run.json: it was killed as it began", "")) };
    if summary.is_err() && folder.symlink_metadata().is_err() {
        return None;
    }
    let (labels, unlabelled) = match Labels::read(folder) {
        Ok(labels) => (labels, None),
        Err(error) => (Labels::default(), Some(error)),
    };
    Some(Listed { id: id.to_owned(), summary, labels, unlabelled })
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
pub(crate) fn kept_of(folder: &Path) -> Option<Summary> {
    let record_bytes = folder.join(RECORD).symlink_metadata().ok()?.len();
    kept(folder).filter(|kept| kept.is_of(record_bytes))
}

fn kept(folder: &Path) -> Option<Summary> {
    serde_json::from_slice(&read_own(&folder.join(SUMMARY), MOST_BYTES).ok()?).ok()
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
