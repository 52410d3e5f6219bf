//! Writes of this run to its own files, so that what somebody else changes between its jobs is told from what the jobs changed.
//!
//! A file is noted as it is when it is opened, laid out, and whenever its last writer of this run has ended; before a writer begins it must still be so. While
//! a job of ours has it open to write nobody can tell, as with any program that writes.

use super::changed::Changed;
use super::device::Device;
use super::entry::{Id, Left};
use crate::block::loops::backings;
use crate::owned::handle::Handle;
use crate::system::System;
use crate::system::pin::fresh;
use rustix::fs::Stat;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file as this run left it.
#[derive(Debug, Default)]
struct LastWrite {
    /// Times and length; none before it was noted.
    left: Option<(Left, i64)>,
    /// Number of jobs of this run that are at work on it.
    writers: u32,
    /// A job of this run wrote it.
    is_written: bool,
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
        self.locked().entry(id(stat)).or_default().left = Some((Left::of(stat), stat.st_size));
    }

    /// True unless somebody else changed a file since it was noted.
    pub(super) fn is_unchanged(&self, stat: &Stat) -> bool {
        self.locked().get(&id(stat)).is_none_or(|noted| noted.is(stat))
    }

    /// True if a job of this run wrote a file.
    pub(super) fn is_written(&self, stat: &Stat) -> bool {
        self.locked().get(&id(stat)).is_some_and(|noted| noted.is_written || noted.writers > 0)
    }
}

impl LastWrite {
    /// True unless somebody else changed the file.
    fn is(&self, stat: &Stat) -> bool {
        self.writers > 0 || self.left.is_none_or(|left| left == (Left::of(stat), stat.st_size))
    }

    /// Notes that a job has ended, and the file as the last of them left it.
    fn end(&mut self, file: &Handle) {
        self.writers -= 1;
        self.is_written = true;
        if let (0, Ok(stat)) = (self.writers, fresh(file)) {
            self.left = Some((Left::of(&stat), stat.st_size));
        }
    }
}

fn id(stat: &Stat) -> Id {
    (stat.st_dev, stat.st_ino)
}

/// The permit of jobs to write the files of their run, each time they begin.
#[derive(Debug, Clone)]
pub struct OwnWrites {
    last: LastWrites,
    /// Files that may be written for no other reason than that ioproof made them, and how they are called.
    ours: Arc<HashMap<Id, PathBuf>>,
    /// Devices, as they were when they were opened.
    devices: Arc<HashMap<Id, Arc<Device>>>,
}

impl OwnWrites {
    pub(super) fn new(last: LastWrites, ours: HashMap<Id, PathBuf>, devices: HashMap<Id, Arc<Device>>) -> Self {
        Self { last, ours: Arc::new(ours), devices: Arc::new(devices) }
    }

    /// Begins to write these files; ends when the answer is dropped.
    ///
    /// # Errors
    /// The first file of ours that somebody changed since it was noted, or the first device that no job has written yet and that holds something else by now.
    pub fn begin<'f>(&self, files: &[&'f Handle]) -> Result<Writing<'f>, Changed> {
        let files: Vec<(Stat, &Handle)> = files.iter().filter_map(|file| Some((fresh(*file).ok()?, *file))).collect();
        let looked_at_bytes = self.check_devices(&files)?;
        self.check_loops(&files)?;
        let mut notes = self.last.locked();
        let is_changed = |stat: &Stat| notes.get(&id(stat)).is_some_and(|noted| !noted.is(stat));
        if let Some(path) = files.iter().filter(|(stat, _)| is_changed(stat)).find_map(|(stat, _)| self.ours.get(&id(stat))) {
            return Err(Changed::File(path.clone()));
        }
        let files: Vec<(Id, &Handle)> = files.iter().map(|(stat, file)| (id(stat), *file)).collect();
        for (id, _) in &files {
            notes.entry(*id).or_default().writers += 1;
        }
        Ok(Writing { last: self.last.clone(), files, looked_at_bytes })
    }

    /// Looks for files of ours on which a loop device lies by now.
    fn check_loops(&self, files: &[(Stat, &Handle)]) -> Result<(), Changed> {
        let ours: Vec<Id> = files.iter().map(|(stat, _)| id(stat)).filter(|id| self.ours.contains_key(id)).collect();
        if ours.is_empty() {
            return Ok(());
        }
        let told = backings(&System::host()).into_iter().filter_map(|(name, backing)| Some((name, backing.ok()?.id)));
        let mut on_ours = told.filter_map(|(name, id)| Some((name, self.ours.get(&id).filter(|_| ours.contains(&id))?)));
        on_ours.next().map_or(Ok(()), |(name, path)| Err(Changed::InUse { path: path.clone(), reason: format!("{name} lies on it") }))
    }

    /// Looks at the users of devices that no job writes at the moment, and at the content of those that none has written yet. Gives the bytes that were read.
    fn check_devices(&self, files: &[(Stat, &Handle)]) -> Result<u64, Changed> {
        let is_at_rest = |stat: &Stat| self.last.locked().get(&id(stat)).is_none_or(|noted| noted.writers == 0);
        let at_rest = files.iter().filter(|(stat, _)| is_at_rest(stat));
        let looked_at = |(stat, device): (&Stat, &Arc<Device>)| {
            device.check_users()?;
            if self.last.is_written(stat) { Ok(0) } else { device.check_content() }
        };
        at_rest.filter_map(|(stat, _)| Some((stat, self.devices.get(&id(stat))?))).map(looked_at).sum()
    }
}

/// Files that a job of this run writes until it is dropped.
#[derive(Debug)]
pub struct Writing<'f> {
    last: LastWrites,
    files: Vec<(Id, &'f Handle)>,
    /// Bytes that were read of devices to see that they are as they were.
    pub looked_at_bytes: u64,
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        let mut notes = self.last.locked();
        for (id, file) in &self.files {
            notes.entry(*id).and_modify(|noted| noted.end(file));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Write;
    use std::path::Path;

    fn append(path: &Path, text: &str) {
        File::options().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// A file of which jobs use the first 100 bytes.
    fn opened(path: &Path, alignment_bytes: u32) -> Handle {
        Handle::new(File::open(path).unwrap().into(), true, true, alignment_bytes > 1, 100, alignment_bytes)
    }

    /// Files that were noted; the permit to write them because they are ours, and that of somebody who agreed to lose them.
    struct Noted {
        _folder: tempfile::TempDir,
        paths: [PathBuf; 2],
        handles: [Handle; 2],
        own: OwnWrites,
        others: OwnWrites,
    }

    fn noted() -> Noted {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a", "b"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| append(path, "one"));
        let handles = paths.each_ref().map(|path| opened(path, 1));
        let stats = handles.each_ref().map(|file| rustix::fs::fstat(file).unwrap());
        let notes = LastWrites::default();
        stats.iter().for_each(|stat| notes.leave(stat));
        let ours = stats.iter().zip(&paths).map(|(stat, path)| ((stat.st_dev, stat.st_ino), path.clone())).collect();
        let permit = |ours| OwnWrites::new(notes.clone(), ours, HashMap::new());
        let (own, others) = (permit(ours), permit(HashMap::new()));
        Noted { _folder: folder, paths, handles, own, others }
    }

    #[test]
    fn changes_between_writers_are_seen_and_those_of_writers_are_not() {
        let Noted { paths: [path, _], handles: [handle, _], own, others, _folder, .. } = noted();
        assert!(own.begin(&[&opened(&path, 1)]).is_ok(), "nobody changed it");
        let writing = own.begin(&[&handle]).unwrap();
        append(&path, " two");
        assert!(own.begin(&[&handle]).is_ok(), "a writer of ours is at work");
        drop(writing);
        assert!(own.begin(&[&handle]).is_ok());
        append(&path, " dear diary");
        assert_eq!(own.begin(&[&handle]).unwrap_err(), Changed::File(path));
        assert!(others.begin(&[&handle]).is_ok(), "it may be lost");
    }

    #[test]
    fn a_writer_that_ends_leaves_it_to_the_one_that_still_writes() {
        let Noted { paths: [path, _], handles: [a, _], own, _folder, .. } = noted();
        let [first, second] = [(); 2].map(|()| own.begin(&[&a]).unwrap());
        drop(first);
        append(&path, " by the second");
        assert!(own.begin(&[&a]).is_ok());
        drop(second);
        assert!(own.begin(&[&a]).is_ok());
    }
}
