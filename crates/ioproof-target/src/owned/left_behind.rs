//! Files of ours with a temporary name that the system would not let go: they are in the user's folder, so he must be told, and whatever removed them is over
//! when it fails, as the end of a scratch file is.

use crate::owned::held_folder::{Act, HeldFolder};
use rustix::fs::AtFlags;
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A file that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftBehind {
    /// Its path.
    pub path: PathBuf,
    /// The answer of the system.
    pub why: String,
    /// True for a folder or a file in which something of somebody else lies.
    pub has_others: bool,
}

static ALL: Mutex<Vec<LeftBehind>> = Mutex::new(Vec::new());

/// Takes note of an attempt to remove a temporary name. One that nothing bears any more is removed; what else was not found, as `/proc` in a chroot,
/// leaves it there.
pub(crate) fn note(folder: &HeldFolder, name: &OsStr, removed: io::Result<Act>) {
    if let Err(error) = removed
        && !is_gone(folder, name, &error)
    {
        // A mount in it is busy.
        let has_others = matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::ResourceBusy);
        add(LeftBehind { path: folder.path().join(name), why: error.to_string(), has_others });
    }
}

/// True where an error says that the name itself is not there.
fn is_gone(folder: &HeldFolder, name: &OsStr, error: &io::Error) -> bool {
    let there = || rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    error.kind() == io::ErrorKind::NotFound && there().is_err_and(|error| error == Errno::NOENT)
}

/// Takes note of a file of a run that was killed in which something of somebody else lies by now.
pub(crate) fn note_of_others(folder: &HeldFolder, name: &OsStr) {
    let why = "a run that was killed made it, and it holds something else by now".to_owned();
    add(LeftBehind { path: folder.path().join(name), why, has_others: true });
}

/// Once for each file, however often it is met.
fn add(left: LeftBehind) {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if !all.contains(&left) {
        all.push(left);
    }
}

/// The files of ours that were left behind since this was asked last.
#[must_use]
pub fn left_behind() -> Vec<LeftBehind> {
    std::mem::take(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_still_there_is_told_whatever_was_not_found() {
        let directory = tempfile::tempdir().unwrap();
        let folder = HeldFolder::open(directory.path()).unwrap();
        std::fs::write(directory.path().join("stays"), "").unwrap();
        let is_gone = |name: &str| is_gone(&folder, name.as_ref(), &io::ErrorKind::NotFound.into());
        assert!(is_gone("gone") && !is_gone("stays"));
    }
}
