//! Writes of this run to its own files, so that what somebody else changes between them is told from what the run changed.
//!
//! A file is noted as it is when it is opened, laid out, and whenever its last writer of this run has ended; before a writer begins it must still be so. While
//! one of ours writes nobody can tell.

use super::entry::{Id, Left};
use rustix::fs::Stat;
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file as this run left it.
#[derive(Debug, Default)]
struct LastWrite {
    /// Times and length; none before it was noted.
    left: Option<(Left, i64)>,
    /// Writers of this run that are at work on it.
    writers: u32,
}

/// All files of a run, each as this run left it.
#[derive(Debug, Default, Clone)]
pub(super) struct LastWrites(Arc<Mutex<HashMap<Id, LastWrite>>>);

impl LastWrites {
    fn locked(&self) -> MutexGuard<'_, HashMap<Id, LastWrite>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a file as it is now.
    pub(super) fn leave(&self, stat: &Stat) {
        self.locked().entry((stat.st_dev, stat.st_ino)).or_default().left = Some((Left::of(stat), stat.st_size));
    }

    /// True unless somebody else changed a file since it was noted.
    pub(super) fn is_unchanged(&self, stat: &Stat) -> bool {
        self.locked().get(&(stat.st_dev, stat.st_ino)).is_none_or(|noted| noted.is(stat))
    }
}

impl LastWrite {
    fn is(&self, stat: &Stat) -> bool {
        self.writers > 0 || self.left.is_none_or(|left| left == (Left::of(stat), stat.st_size))
    }
}

/// The permit of jobs to write the files of their run, each time they begin.
#[derive(Debug, Clone)]
pub struct OwnWrites {
    last: LastWrites,
    /// Files that may be written for no other reason than that ioproof made them, and how they are called.
    ours: Arc<HashMap<Id, PathBuf>>,
}

impl OwnWrites {
    pub(super) fn new(last: LastWrites, ours: HashMap<Id, PathBuf>) -> Self {
        Self { last, ours: Arc::new(ours) }
    }

    /// Begins to write these files; ends when the answer is dropped.
    ///
    /// # Errors
    /// The first file of ours that somebody changed since it was noted.
    pub fn begin<'f, F: AsFd>(&self, files: &[&'f F]) -> Result<Writing<'f>, PathBuf> {
        let mut notes = self.last.locked();
        let stat = |file: &&'f F| {
            let file: &'f F = file;
            Some((rustix::fs::fstat(file).ok()?, file.as_fd()))
        };
        let stats: Vec<(Stat, BorrowedFd<'f>)> = files.iter().filter_map(stat).collect();
        let id = |stat: &Stat| (stat.st_dev, stat.st_ino);
        let is_changed = |stat: &Stat| notes.get(&id(stat)).is_some_and(|noted| !noted.is(stat));
        if let Some(path) = stats.iter().filter(|(stat, _)| is_changed(stat)).find_map(|(stat, _)| self.ours.get(&id(stat))) {
            return Err(path.clone());
        }
        stats.iter().for_each(|(stat, _)| notes.entry(id(stat)).or_default().writers += 1);
        let files = stats.iter().map(|(stat, fd)| (id(stat), *fd)).collect();
        Ok(Writing { last: self.last.clone(), files })
    }
}

/// Files that a job of this run writes until it is dropped.
#[derive(Debug)]
pub struct Writing<'f> {
    last: LastWrites,
    files: Vec<(Id, BorrowedFd<'f>)>,
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        for (id, fd) in &self.files {
            let mut notes = self.last.locked();
            let Some(noted) = notes.get_mut(id) else { continue };
            noted.writers = noted.writers.saturating_sub(1);
            // What is still being written by another is noted when that ends.
            if let (0, Ok(stat)) = (noted.writers, rustix::fs::fstat(fd)) {
                noted.left = Some((Left::of(&stat), stat.st_size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;

    #[test]
    fn changes_between_writers_are_seen_and_those_of_writers_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        std::fs::write(&path, "one").unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        let stat = rustix::fs::fstat(&file).unwrap();
        let notes = LastWrites::default();
        notes.leave(&stat);
        let own = OwnWrites::new(notes.clone(), HashMap::from([((stat.st_dev, stat.st_ino), path.clone())]));
        let others = OwnWrites::new(notes.clone(), HashMap::new());
        let first = own.begin(&[&File::open(&path).unwrap()]).is_ok();
        assert!(first, "nobody changed it");
        let handle = File::open(&path).unwrap();
        let writing = own.begin(&[&handle]).unwrap();
        file.write_all(b" two").unwrap();
        assert!(own.begin(&[&handle]).is_ok(), "a writer of ours is at work");
        drop(writing);
        assert!(own.begin(&[&handle]).is_ok());
        file.write_all(b" dear diary").unwrap();
        assert_eq!(own.begin(&[&handle]).unwrap_err(), path);
        assert!(others.begin(&[&handle]).is_ok(), "it may be lost");
    }
}
