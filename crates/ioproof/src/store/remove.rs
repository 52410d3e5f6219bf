//! Runs that go: only what the store itself wrote is removed of one, and nothing of one that is still going on.
//!
//! Whoever removes a run holds its lock, which the run would hold. Deliberately absent: which runs go (`verbs::runs::prune`).

use super::labels::LABELS;
use super::locks::{lock_of, lock_store};
use super::{JUDGEMENT, LOCK, ROUNDS, STAGES, SUMMARY, runs_folder};
use crate::complaint::complaint;
use anyhow::{Context, Result};
use ioproof_core::export::FileName;
use ioproof_target::state_folder::{StateFolder, unfinished_folders};
use std::path::{Path, PathBuf};

/// A run that was removed.
#[derive(Debug)]
pub struct Removed {
    /// Room that it took. Bytes.
    pub freed_bytes: u64,
    /// Files in its folder that ioproof did not write, which stay there.
    pub left: Vec<PathBuf>,
}

/// Removes a run by its id in full.
///
/// # Errors
/// When it is still going on, or cannot be removed.
pub fn remove(id: &str) -> Result<Removed> {
    let path = runs_folder()?.join(id);
    let is_gone = || path.symlink_metadata().is_err();
    removed(id, &path)
        .map_err(|error| if is_gone() { complaint(format!("run {id} is not there any more"), "another process removed it") } else { error })
}

fn removed(id: &str, path: &Path) -> Result<Removed> {
    let cannot = || format!("cannot remove {}", path.display());
    let folder = StateFolder::open(path).with_context(cannot)?;
    let Some(_lock) = lock_of(path)? else {
        return Err(complaint(format!("run {id} is still going on"), "wait until it has ended, or end it with Ctrl-C"));
    };
    let freed_bytes = folder.used_bytes(&is_known).with_context(cannot)?;
    Ok(Removed { freed_bytes, left: folder.remove(&is_known).with_context(cannot)? })
}

/// Room that a run takes. Bytes.
///
/// # Errors
/// When its folder cannot be read.
pub fn used_bytes(id: &str) -> Result<u64> {
    Ok(StateFolder::open(&runs_folder()?.join(id))?.used_bytes(&is_known)?)
}

/// Takes away what was left by processes that were killed while they imported or removed a run.
pub fn sweep() {
    // Else it would meet a folder between its making and its lock.
    if let Ok(_lock) = lock_store() {
        sweep_locked();
    }
}

/// The same by whoever holds the lock of the store.
pub(super) fn sweep_locked() {
    for path in runs_folder().map(|runs| unfinished_folders(&runs)).unwrap_or_default() {
        if let (Ok(folder), Ok(Some(_lock))) = (StateFolder::open(&path), lock_of(&path)) {
            let _ = folder.remove(&is_known);
        }
    }
}

/// True for what the store writes into the folder of a run.
pub(super) fn is_known(path: &Path) -> bool {
    let is_file = |path: &str| FileName::of(path).is_some() || [JUDGEMENT, SUMMARY, LABELS, LOCK].contains(&path);
    path.to_str().is_some_and(|path| is_file(path) || [STAGES, ROUNDS].contains(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_store_are_known() {
        for known in ["run.json", "stages", "rounds/0001.json", "stages/0000.json", "labels.json", "lock"] {
            assert!(is_known(Path::new(known)), "{known}");
        }
        for other in ["notes", "stages/0.json", "stages/x", "stages/stages", "../run.json", "", "/run.json", "run.json~"] {
            assert!(!is_known(Path::new(other)), "{other}");
        }
    }
}
