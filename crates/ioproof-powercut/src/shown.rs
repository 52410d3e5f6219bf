//! A demonstration of what a power cut takes: steps that write the same to files that differ in what is synced, and one file that bears the last step that was done. No witness is needed, since that file
//! is durable where the drive is honest; so it proves nothing of the drive, and `check` and `names` do.
//!
//! The file that bears the step is written over in place with fdatasync(2): nothing of a journal is written for that, which would bring what others left unsynced to the drive too.

use crate::block::{SECTOR, SectorContent, WriteStamp, read};
use crate::write::write_all;
use ioproof_target::ProofFolder;
use rustix::fs::{fdatasync, fsync};
use rustix::io::ReadWriteFlags;
use serde::Serialize;
use std::io;
use std::os::fd::OwnedFd;

/// Appended to, and never synced.
const BUFFERED: &str = "buffered";
/// Appended to, each time with fsync.
const FSYNCED: &str = "fsynced";
/// A synced file that takes the name of the one before; the folder is never synced.
const RENAMED: &str = "renamed";
/// Written over with the number of the last step that was done.
const DONE: &str = "done";
/// Marks blocks as those of such files.
const MARK: [u8; 16] = *b"ioproof-showloss";
/// Steps at most, so that a file can be read whole.
pub const STEPS_MAX: u64 = 1 << 20;

/// The files, open to be written to.
pub struct ShownFiles<'a> {
    folder: &'a ProofFolder,
    buffered: OwnedFd,
    fsynced: OwnedFd,
    done: OwnedFd,
}

/// Steps that are there of each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// Steps that were done before the cut, by the file that bears them.
    pub done: u64,
    /// Those that are there of what was written without a sync.
    pub buffered: u64,
    /// The same of what was written with fsync.
    pub fsynced: u64,
    /// The last step whose file has its name.
    pub renamed: u64,
}

fn put(file: &OwnedFd, block: &[u8], at: u64) -> io::Result<()> {
    write_all(file, at, block, ReadWriteFlags::empty())
}

impl<'a> ShownFiles<'a> {
    /// Makes the files, durably, with nothing in them but the first step's room.
    ///
    /// # Errors
    /// When one cannot be made, as where one is there.
    pub fn make(folder: &'a ProofFolder) -> io::Result<Self> {
        let [buffered, fsynced, done] = [folder.begin(BUFFERED)?, folder.begin(FSYNCED)?, folder.begin(DONE)?];
        put(&done, &[0; SECTOR], 0)?;
        fsync(&done)?;
        folder.sync()?;
        Ok(Self { folder, buffered, fsynced, done })
    }

    /// Carries out a step, numbered from 1.
    ///
    /// # Errors
    /// The first of its operations.
    pub fn step(&self, number: u64) -> io::Result<()> {
        let (block, at) = (block(number), (number - 1) * SECTOR as u64);
        put(&self.buffered, &block, at)?;
        put(&self.fsynced, &block, at)?;
        fsync(&self.fsynced)?;
        self.folder.create("next", &block)?;
        self.folder.rename("next", RENAMED)?;
        put(&self.done, &block, 0)?;
        Ok(fdatasync(&self.done)?)
    }
}

impl Steps {
    /// Looks at what is there.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn of(folder: &ProofFolder) -> io::Result<Self> {
        let all = |name: &str| folder.read(name, STEPS_MAX * SECTOR as u64).map(Option::unwrap_or_default);
        let [buffered, fsynced] = [all(BUFFERED)?, all(FSYNCED)?].map(|content| whole(&content));
        Ok(Self { done: last(&all(DONE)?), buffered, fsynced, renamed: last(&all(RENAMED)?) })
    }

    /// Steps that were done, at least: the synced file has one only after the one before had been put down durably.
    #[must_use]
    pub fn done_at_least(&self) -> u64 {
        self.done.max(self.fsynced.saturating_sub(1))
    }

    /// Steps that were put down durably as done, and of which that is gone.
    #[must_use]
    pub fn undone(&self) -> u64 {
        self.done_at_least() - self.done
    }
}

fn block(number: u64) -> [u8; SECTOR] {
    let mut block = [0; SECTOR];
    WriteStamp { campaign: MARK, session: 1, stream: 1, place: number, sequence: number }.fill(&mut block);
    block
}

/// Steps from the first on that are there without a gap.
fn whole(content: &[u8]) -> u64 {
    content.chunks(SECTOR).zip(1..).take_while(|(piece, number)| **piece == block(*number)).count() as u64
}

/// Number of the step that a block bears; 0 where it bears none.
fn last(content: &[u8]) -> u64 {
    match read(content, 0, &MARK) {
        SectorContent::Ours(stamp) => stamp.sequence,
        SectorContent::Damaged | SectorContent::Blank | SectorContent::Foreign => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::pwrite;

    #[test]
    fn each_step_is_found_and_what_is_gone_is_missed() {
        let parent = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let folder = ProofFolder::make(parent.path(), "own").unwrap();
        let shown = ShownFiles::make(&folder).unwrap();
        assert_eq!(Steps::of(&folder).unwrap(), Steps { done: 0, buffered: 0, fsynced: 0, renamed: 0 });
        (1..=5).for_each(|number| shown.step(number).unwrap());
        assert_eq!(Steps::of(&folder).unwrap(), Steps { done: 5, buffered: 5, fsynced: 5, renamed: 5 });
        rustix::fs::ftruncate(&shown.buffered, 700).unwrap();
        pwrite(&shown.fsynced, &[0; 9], 3 * SECTOR as u64).unwrap();
        folder.create("next", &block(4)).unwrap();
        folder.rename("next", RENAMED).unwrap();
        assert_eq!(Steps::of(&folder).unwrap(), Steps { done: 5, buffered: 1, fsynced: 3, renamed: 4 });
        assert_eq!((Steps::of(&folder).unwrap().done_at_least(), Steps::of(&folder).unwrap().undone()), (5, 0));
        pwrite(&shown.fsynced, &block(4), 3 * SECTOR as u64).unwrap();
        pwrite(&shown.done, &block(2), 0).unwrap();
        assert_eq!((Steps::of(&folder).unwrap().done_at_least(), Steps::of(&folder).unwrap().undone()), (4, 2), "five were seen to begin");
        folder.remove(RENAMED).unwrap();
        assert_eq!(Steps::of(&folder).unwrap().renamed, 0);
    }
}
