//! Writes of this run to its own files, so that what somebody else changes between them is told from what the run changed.
//!
//! A file is noted as it is when it is opened, laid out, and whenever its last writer of this run has ended; before a writer begins it must still be so. A
//! writer is whoever has sent a write or a trim on its way ([`Reached`]): a job that never came to a file leaves it as it was noted. While one of ours writes
//! nobody can tell, but for the length: a file that is longer than jobs can have made it was appended to ([`Bound`]). Nor can anybody tell while somebody
//! else has it mapped to be written, since his stores need not show in the times; such a file is not ours when its job ends, nor when one begins.

use super::bound::Bound;
use super::changed::Changed;
use super::device::Device;
use super::entry::{Id, Left};
use super::fresh::fresh;
use super::{mapped, quiet};
use crate::block::loops::backings;
use crate::handle::Handle;
use crate::system::System;
use rustix::fs::Stat;
use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files of a job that it has sent a write or a trim to, by their positions.
#[derive(Debug, Default)]
pub struct Reached(Box<[AtomicBool]>);

impl Reached {
    fn none_of(files: usize) -> Self {
        Self((0..files).map(|_| AtomicBool::new(false)).collect())
    }

    /// Notes that a write or a trim of a file is about to be sent. Without a permit that wants to know, nothing is noted.
    #[inline]
    pub fn note(&self, file: u32) {
        // Looked at first: a store would take the cache line away from all other workers.
        if let Some(reached) = self.0.get(file as usize)
            && !reached.load(Ordering::Relaxed)
        {
            reached.store(true, Ordering::Release);
        }
    }

    fn has(&self, file: usize) -> bool {
        self.0.get(file).is_some_and(|reached| reached.load(Ordering::Acquire))
    }
}

/// A job at work on a file.
#[derive(Debug)]
struct Writer {
    reached: Arc<Reached>,
    /// Position of the file among those of the job.
    file: usize,
}

impl Writer {
    fn has_written(&self) -> bool {
        self.reached.has(self.file)
    }
}

/// A file as this run left it.
#[derive(Debug, Default)]
struct LastWrite {
    /// Times and length; none before it was noted.
    left: Option<(Left, i64)>,
    /// Jobs of this run that are at work on it.
    writers: Vec<Writer>,
    /// A job of this run wrote it.
    is_written: bool,
    /// The length that jobs of this run can have given it.
    bound: Bound,
    /// It got another length than jobs can have given it, while one wrote: so somebody else wrote too.
    is_appended_to: bool,
    /// Somebody else had it mapped to be written when its last writer ended.
    is_mapped: bool,
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

    /// True if somebody else made a file longer while a job of this run wrote it.
    pub(super) fn is_appended_to(&self, stat: &Stat) -> bool {
        self.locked().get(&(stat.st_dev, stat.st_ino)).is_some_and(|noted| noted.is_appended_to)
    }

    /// True if a job of this run wrote a file.
    pub(super) fn is_written(&self, stat: &Stat) -> bool {
        self.locked().get(&(stat.st_dev, stat.st_ino)).is_some_and(|noted| noted.is_written || noted.is_being_written())
    }
}

impl LastWrite {
    /// True unless somebody else changed the file. `stat` was taken before: what a writer changed until then it had noted by then.
    fn is(&self, stat: &Stat) -> bool {
        self.is_being_written()
            || !self.is_appended_to && !self.is_mapped && self.left.is_none_or(|left| left == (Left::of(stat), stat.st_size))
    }

    /// Notes that a job begins that may write it.
    fn begin(&mut self, stat: &Stat, writer: Writer, handle: &Handle) {
        // While one of ours writes, what is there may be of somebody else.
        let length_bytes = if self.is_being_written() { None } else { Some(length(stat)) };
        self.bound.widen(length_bytes, handle);
        self.writers.push(writer);
    }

    fn is_being_written(&self) -> bool {
        self.writers.iter().any(Writer::has_written)
    }

    /// Notes that a job has ended, and the file as it left it; true if it did. What is still being written by another is noted when that ends.
    fn end(&mut self, reached: &Arc<Reached>, file: usize, fd: BorrowedFd<'_>) -> bool {
        let at = self.writers.iter().position(|writer| writer.file == file && Arc::ptr_eq(&writer.reached, reached));
        let Some(at) = at else { return false };
        let has_written = self.writers.swap_remove(at).has_written();
        self.is_written |= has_written;
        if !has_written || self.is_being_written() {
            return false;
        }
        let Some(stat) = quiet::stamped(fd) else { return false };
        self.left = Some((Left::of(&stat), stat.st_size));
        self.is_appended_to |= !self.bound.allows(length(&stat));
        true
    }
}

fn ids(files: &[&Handle]) -> impl Iterator<Item = Id> {
    files.iter().filter_map(|file| rustix::fs::fstat(*file).ok().map(|stat| (stat.st_dev, stat.st_ino)))
}

fn length(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
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
    /// The first file of ours that somebody changed since it was noted or has mapped to be written, or the first device that no job has written yet and that
    /// holds something else by now.
    pub fn begin<'f>(&self, files: &[&'f Handle]) -> Result<Writing<'f>, Changed> {
        let looked_at_bytes = self.check_devices(files)?;
        self.check_mappings(files)?;
        self.check_loops(files)?;
        let mut notes = self.last.locked();
        let reached = Arc::new(Reached::none_of(files.len()));
        let stat = |(position, file): (usize, &&'f Handle)| {
            let file: &'f Handle = file;
            Some((fresh(file).ok()?, Begun { position, file }))
        };
        let stats: Vec<(Stat, Begun<'f>)> = files.iter().enumerate().filter_map(stat).collect();
        let id = |stat: &Stat| (stat.st_dev, stat.st_ino);
        let is_changed = |stat: &Stat| notes.get(&id(stat)).is_some_and(|noted| !noted.is(stat));
        let changed = |stat: &Stat| Some((self.ours.get(&id(stat))?.clone(), notes.get(&id(stat))?.is_mapped));
        if let Some((path, is_mapped)) = stats.iter().filter(|(stat, _)| is_changed(stat)).find_map(|(stat, _)| changed(stat)) {
            return Err(if is_mapped { Changed::Mapped(path) } else { Changed::File(path) });
        }
        for (stat, Begun { position, file }) in &stats {
            let writer = Writer { reached: Arc::clone(&reached), file: *position };
            notes.entry(id(stat)).or_default().begin(stat, writer, file);
        }
        let files = stats.iter().map(|(stat, begun)| (id(stat), *begun)).collect();
        Ok(Writing { last: self.last.clone(), reached, files, looked_at_bytes })
    }

    /// Looks for files of ours that somebody else has mapped, but for those that a job writes: that one looks when it ends.
    fn check_mappings(&self, files: &[&Handle]) -> Result<(), Changed> {
        let is_at_rest = |id: &Id| self.last.locked().get(id).is_none_or(|noted| !noted.is_being_written());
        let ours: Vec<Id> = ids(files).filter(|id| self.ours.contains_key(id) && is_at_rest(id)).collect();
        let mapped = mapped::among(&System::host(), &ours).first().and_then(|id| self.ours.get(id).cloned());
        mapped.map_or(Ok(()), |path| Err(Changed::Mapped(path)))
    }

    /// Looks for files of ours on which a loop device lies by now.
    fn check_loops(&self, files: &[&Handle]) -> Result<(), Changed> {
        let ours: Vec<Id> = ids(files).filter(|id| self.ours.contains_key(id)).collect();
        if ours.is_empty() {
            return Ok(());
        }
        let told = backings(&System::host()).into_iter().filter_map(|(name, backing)| Some((name, backing.ok()?.id)));
        let mut on_ours = told.filter_map(|(name, id)| Some((name, self.ours.get(&id).filter(|_| ours.contains(&id))?)));
        on_ours.next().map_or(Ok(()), |(name, path)| Err(Changed::InUse { path: path.clone(), reason: format!("{name} lies on it") }))
    }

    /// Looks at devices before the notes are locked, since it takes its time. A job that has begun on one was asked, and writes. Gives the bytes that were
    /// read.
    fn check_devices(&self, files: &[&Handle]) -> Result<u64, Changed> {
        let begun = |id: &Id| self.last.locked().get(id).is_some_and(|noted| noted.is_written || !noted.writers.is_empty());
        let devices = ids(files).filter(|id| !begun(id)).filter_map(|id| self.devices.get(&id));
        devices.map(|device| device.check()).sum()
    }
}

/// A file that a job has begun to write.
#[derive(Debug, Clone, Copy)]
struct Begun<'f> {
    position: usize,
    file: &'f Handle,
}

/// Files that a job of this run writes until it is dropped.
#[derive(Debug)]
pub struct Writing<'f> {
    last: LastWrites,
    reached: Arc<Reached>,
    files: Vec<(Id, Begun<'f>)>,
    /// Bytes that were read of devices to see that they are as they were.
    pub looked_at_bytes: u64,
}

impl Writing<'_> {
    /// Takes note of the files that are written, by their positions among those of [`OwnWrites::begin`].
    #[must_use]
    pub fn reached(&self) -> Arc<Reached> {
        Arc::clone(&self.reached)
    }
}

impl Drop for Writing<'_> {
    /// Takes the times before it looks for mappings: who maps a file later on changes its times with his first store.
    fn drop(&mut self) {
        let mut notes = self.last.locked();
        let mut has_left = |id: &Id, begun: &Begun<'_>| {
            notes.get_mut(id).is_some_and(|noted| noted.end(&self.reached, begun.position, begun.file.as_fd()))
        };
        let left: Vec<Id> = self.files.iter().filter(|(id, begun)| has_left(id, begun)).map(|(id, _)| *id).collect();
        drop(notes);
        let mapped = mapped::among(&System::host(), &left);
        let mut notes = self.last.locked();
        for id in left {
            notes.entry(id).and_modify(|noted| noted.is_mapped = mapped.contains(&id));
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
        notes: LastWrites,
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
        Noted { _folder: folder, paths, handles, notes, own, others }
    }

    #[test]
    fn changes_between_writers_are_seen_and_those_of_writers_are_not() {
        let Noted { paths: [path, _], handles: [handle, _], own, others, _folder, .. } = noted();
        assert!(own.begin(&[&opened(&path, 1)]).is_ok(), "nobody changed it");
        let writing = own.begin(&[&handle]).unwrap();
        writing.reached().note(0);
        append(&path, " two");
        assert!(own.begin(&[&handle]).is_ok(), "a writer of ours is at work");
        drop(writing);
        assert!(own.begin(&[&handle]).is_ok());
        append(&path, " dear diary");
        assert_eq!(own.begin(&[&handle]).unwrap_err(), Changed::File(path));
        assert!(others.begin(&[&handle]).is_ok(), "it may be lost");
    }

    #[test]
    fn a_file_that_no_write_reached_is_as_it_was_before() {
        let Noted { paths, handles: [a, b], notes, own, _folder, .. } = noted();
        let writing = own.begin(&[&a, &b]).unwrap();
        writing.reached().note(0);
        paths.iter().for_each(|path| append(path, " dear diary"));
        assert_eq!(own.begin(&[&b]).unwrap_err(), Changed::File(paths[1].clone()), "nobody of ours writes it");
        drop(writing);
        assert!(own.begin(&[&a]).is_ok());
        assert_eq!(own.begin(&[&a, &b]).unwrap_err(), Changed::File(paths[1].clone()));
        assert_eq!([&a, &b].map(|file| notes.is_written(&rustix::fs::fstat(file).unwrap())), [true, false]);
    }

    #[test]
    fn a_writer_that_ends_leaves_it_to_the_one_that_still_writes() {
        let Noted { paths: [path, _], handles: [a, _], own, _folder, .. } = noted();
        let [first, second] = [(); 2].map(|()| own.begin(&[&a]).unwrap());
        [&first, &second].iter().for_each(|writing| writing.reached().note(0));
        drop(first);
        append(&path, " by the second");
        assert!(own.begin(&[&a]).is_ok());
        drop(second);
        assert!(own.begin(&[&a]).is_ok());
    }

    #[test]
    fn a_file_that_is_longer_than_its_jobs_can_make_it_is_of_whoever_appended() {
        for (alignment_bytes, appended_bytes, is_his) in [(1, 97, false), (1, 98, true), (4, 97, false), (4, 101, true), (4, 96, true)] {
            let Noted { paths: [path, _], notes, own, _folder, .. } = noted();
            let file = opened(&path, alignment_bytes);
            let writing = own.begin(&[&file]).unwrap();
            writing.reached().note(0);
            append(&path, &"x".repeat(appended_bytes));
            drop(writing);
            let stat = rustix::fs::fstat(&file).unwrap();
            let case = format!("{alignment_bytes} {appended_bytes}");
            assert_eq!((notes.is_appended_to(&stat), notes.is_unchanged(&stat)), (is_his, !is_his), "{case}");
            assert_eq!(own.begin(&[&file]).is_err(), is_his, "{case}");
        }
    }

    #[test]
    fn what_is_appended_while_two_write_is_not_taken_for_theirs_when_a_third_begins() {
        let Noted { paths: [path, _], handles: [a, _], own, notes, _folder, .. } = noted();
        let first = own.begin(&[&a]).unwrap();
        first.reached().note(0);
        append(&path, &"x".repeat(200));
        let second = own.begin(&[&a]).unwrap();
        second.reached().note(0);
        drop((first, second));
        assert!(notes.is_appended_to(&rustix::fs::fstat(&a).unwrap()));
    }
}
