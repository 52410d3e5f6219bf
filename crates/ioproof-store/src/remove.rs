//! Runs that go: only what the store itself wrote is removed of one, and nothing of one that is still going on.
//!
//! Whoever removes a run holds its lock, which the run would hold. Deliberately absent: which runs go (`verbs::runs::prune`).

use crate::digests::DIGESTS;
use crate::labels::{LABELS, RunLabels};
use crate::layout::{JUDGEMENT, LOCK, STAGES, SUMMARY, is_measured, runs_folder};
use crate::locks::{lock_of, lock_store};
use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_target::state_folder::{StateFolder, unfinished_folders};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Removed {
    /// Room that it took. Bytes.
    pub freed_bytes: u64,
    /// Files in its folder that ioproof did not write, which stay there.
    pub left: Vec<PathBuf>,
}

/// Removes a run by its id in full; gives nothing where another process has removed it. One that has a name goes only where that is meant (`even_named`).
///
/// # Errors
/// When it is still going on, has a name, or cannot be removed. It is whole then, or the error says where the rest of it is.
pub fn remove(id: &str, even_named: bool) -> Result<Option<Removed>> {
    let path = runs_folder()?.join(id);
    let cannot = || format!("cannot remove {}", path.display());
    let Some(mut folder) = there(opened(&path), &path).with_context(cannot)? else { return Ok(None) };
    let Some(lock) = there(lock_of(&path), &path)? else { return Ok(None) };
    let Some(_lock) = lock else {
        return Err(complaint(format!("run {id} is still going on"), "wait until it has ended, or end it with Ctrl-C"));
    };
    // Names are given under this lock: nobody is told that a run has one which goes in the same moment.
    let _store = if even_named { None } else { Some(lock_store()?) };
    if !even_named && RunLabels::read(&path)?.name.is_some() {
        return Err(complaint(format!("run {id} was given a name meanwhile"), "it stays; ioproof runs rm removes it all the same"));
    }
    let freed_bytes = folder.used_bytes(&is_known).with_context(cannot)?;
    match folder.remove(&is_known) {
        Ok(left) => Ok(Some(Removed { freed_bytes, left })),
        Err(error) if folder.path() != path => Err(half_removed(id, &folder.path(), &error)),
        Err(error) => there(Err(error.into()), &path).with_context(cannot),
    }
}

/// Nothing in the place of an error where a run is not there any more.
fn there<T>(done: Result<T>, path: &Path) -> Result<Option<T>> {
    match done {
        Err(_) if path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) => Ok(None),
        done => done.map(Some),
    }
}

fn opened(path: &Path) -> Result<StateFolder> {
    if path.is_symlink() {
        let hint = format!("rm {} removes the link and nothing else", path.display());
        return Err(complaint("it is a link, which is not followed", hint));
    }
    Ok(StateFolder::open(path)?)
}

/// The error of a run of which something is left that nobody can use.
fn half_removed(id: &str, left: &Path, error: &std::io::Error) -> anyhow::Error {
    let hint = format!("see to it that it can be removed; the next `ioproof runs prune` removes {}", left.display());
    complaint(format!("run {id} is removed in part only; what is left of it is in {}: {error}", left.display()), hint)
}

/// Room that a run takes, in bytes; nothing where another process has removed it.
///
/// # Errors
/// When its folder cannot be read.
pub fn used_bytes(id: &str) -> Result<Option<u64>> {
    let path = runs_folder()?.join(id);
    let used = || format!("cannot tell what {} takes", path.display());
    there(opened(&path).and_then(|folder| Ok(folder.used_bytes(&is_known)?)), &path).with_context(used)
}

/// Takes away what was left by processes that were killed while they imported or removed a run, or could not remove all of it; gives what cannot be removed now
/// either, and why.
pub fn sweep() -> Vec<(PathBuf, std::io::Error)> {
    // Else it would meet a folder between its making and its lock.
    lock_store().map_or_else(|_| Vec::new(), |_lock| sweep_locked())
}

/// The same by whoever holds the lock of the store.
pub(crate) fn sweep_locked() -> Vec<(PathBuf, std::io::Error)> {
    let swept = |path: PathBuf| {
        let mut folder = StateFolder::open(&path).ok()?;
        let _lock = lock_of(&path).ok().flatten()?;
        folder.remove(&is_known).err().map(|error| (path, error))
    };
    runs_folder().map(|runs| unfinished_folders(&runs)).unwrap_or_default().into_iter().filter_map(swept).collect()
}

/// True for what the store writes into the folder of a run.
pub(crate) fn is_known(path: &Path) -> bool {
    let is_file = |path: &str| is_measured(path) || [JUDGEMENT, SUMMARY, LABELS, DIGESTS, LOCK].contains(&path);
    path.to_str().is_some_and(|path| is_file(path) || path == STAGES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_store_are_known() {
        for known in ["run.json", "stages", "stages/12345.json", "stages/0000.json", "labels.json", "digests.json", "lock"] {
            assert!(is_known(Path::new(known)), "{known}");
        }
        for other in [
            "notes",
            "stages/0.json",
            "stages/+001.json",
            "stages/../run.json",
            "rounds/0001.json",
            "stages/x",
            "stages/stages",
            "../run.json",
            "",
            "/run.json",
            "run.json~",
        ] {
            assert!(!is_known(Path::new(other)), "{other}");
        }
    }
}
