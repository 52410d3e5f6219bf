//! A folder in which another program keeps files for as long as a run goes on: made where nothing bears its name, and removed with all that the program keeps in it. Unlike a
//! scratch file it has a name, so a kill leaves it until the next run there.

use crate::error::TargetError;
use crate::owned::held_folder::{Act, HeldFolder, TEMPORARY, temporary_name};
use crate::owned::left_behind;
use crate::owned::leftovers::{claim, remove_leftovers};
use crate::owned::own_tree::OwnTree;
use crate::resolve::resolve;
use crate::space::scratch;
use crate::system::System;
use rustix::fs::{AtFlags, Mode, chmodat};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Names of what is kept in it, with `#` for a number: the cluster of PostgreSQL with its log, copies of scripts and logs of pgbench (of its threads too), the file of
/// pg_test_fsync; the file of SQLite with its journals (sqlite.org/tempfiles.html). What bears another name is of somebody else.
pub(crate) const FILES: [&str; 10] = [
    "data",
    "server.log",
    "script-#.sql",
    "bench-#.#",
    "bench-#.#.#",
    "pg_test_fsync.out",
    "bank.sqlite",
    "bank.sqlite-journal",
    "bank.sqlite-wal",
    "bank.sqlite-shm",
];

/// Looks for files that somebody still makes in it while it is removed.
const ATTEMPTS: usize = 3;

/// The folder; dropped, it is gone.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    tree: OwnTree,
    /// Says to other runs that it is in use.
    _claim: Option<OwnedFd>,
}

impl WorkFolder {
    /// Makes one in a directory on a drive, which must have room for so many bytes and keep some. What killed runs left there is removed first.
    ///
    /// # Errors
    /// When it is no directory, is not on a drive, may not be written, or has not enough room.
    pub fn make(system: &System, directory: &Path, needs_bytes: u64) -> Result<Self, TargetError> {
        let target = resolve(system, directory)?;
        if !target.is_directory() {
            return Err(TargetError::unsuitable(directory, "is no directory"));
        }
        remove_leftovers(&target.path, TEMPORARY, &FILES);
        scratch::check_room_of(&target.path, needs_bytes)?;
        let failed = |error| TargetError::io(directory, "make a folder in it", error);
        Self::made(&target.path).map_err(failed)
    }

    fn made(parent: &Path) -> io::Result<Self> {
        let (above, name) = (HeldFolder::open(parent)?, temporary_name());
        above.make_folder(&name)?;
        chmodat(&above, &name, Mode::RWXU, AtFlags::empty())?;
        let path = parent.join(&name);
        Ok(Self { _claim: claim(&path), path, tree: OwnTree::within(above, name)? })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let mut last = Ok(());
        for _ in 0..ATTEMPTS {
            last = self.tree.remove_with(&FILES);
            if last.is_ok() {
                break;
            }
        }
        let (above, name) = self.tree.place();
        left_behind::note(above, name, last.map(|()| Act::Done));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn it_goes_with_all_that_is_in_it_and_nothing_of_others() {
        let directory = folder_on_a_drive();
        std::fs::write(directory.path().join("of-somebody"), "x").unwrap();
        let folder = WorkFolder::make(&System::host(), directory.path(), 1 << 20).unwrap();
        let path = folder.path();
        std::fs::create_dir_all(path.join("data/1")).unwrap();
        // More files than a process may have open.
        (0..2000).for_each(|n| std::fs::write(path.join(format!("data/1/{n}")), "x").unwrap());
        std::os::unix::fs::symlink(directory.path().join("of-somebody"), path.join("data/link")).unwrap();
        drop(folder);
        assert!(!path.exists());
        assert_eq!(std::fs::read(directory.path().join("of-somebody")).unwrap(), b"x");
    }

    #[test]
    fn what_somebody_laid_in_it_stays_whoever_removes_it() {
        let directory = folder_on_a_drive();
        let made = || WorkFolder::make(&System::host(), directory.path(), 1 << 20).unwrap();
        let ended = made();
        let paths = [directory.path().join(".ioproof-killed"), ended.path()];
        std::fs::create_dir(&paths[0]).unwrap();
        for file in paths.iter().flat_map(|path| ["bank.sqlite", "notes"].map(|name| path.join(name))) {
            std::fs::write(file, "x").unwrap();
        }
        let is_marked = claim(&paths[0]).is_some();
        drop(ended);
        drop(made());
        assert!(paths.iter().all(|path| path.join("notes").is_file()), "{paths:?}");
        assert!(!paths[1].join("bank.sqlite").exists() && paths[0].join("bank.sqlite").exists() != is_marked);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let directory = folder_on_a_drive();
        let error = WorkFolder::make(&System::host(), directory.path(), 1 << 60).unwrap_err();
        assert!(matches!(error, TargetError::NoSpace { .. }), "{error}");
        assert!(matches!(WorkFolder::make(&System::host(), Path::new("/dev/shm"), 1), Err(TargetError::NoDrive { .. })));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
