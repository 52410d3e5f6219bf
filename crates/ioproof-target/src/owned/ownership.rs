//! Tells ioproof's own files from those of others: by an extended attribute on the file and a line in a ledger, which must agree.
//!
//! Such a file may be written again without consent, so the proof is strict. The attribute alone travels with `cp -a`; the ledger alone goes by device and
//! inode, which are given again. A file that was changed since its job ended holds somebody's data by now and is no longer ours; that is told by the time
//! that the kernel gives to each change of an inode, since the time of the content can be set by whoever writes. So a file is no longer ours either once
//! somebody gave it another name or other rights, or since the machine was started anew: a power cut may take the time of a change and leave
//! the change. Where the filesystem has no extended attributes, no file is ours.
//!
//! A file whose run was killed takes consent, whatever is in it. The times at which a job left its file, which make it ours, are written only by
//! [`OwnFiles::settle`], when everything has ended, or when a file was laid out and its job has not begun. Before that there is the file, then its line,
//! then its attribute, then its name where the filesystem lets it have that last; each step alone proves nothing.

mod changed;
mod device;
mod entry;
mod ledger;
mod quiet;
#[cfg(test)]
mod tests;
mod writes;

pub use changed::Changed;
pub(crate) use device::Device;
pub use writes::{OwnWrites, Writing};

use crate::guard::Claim;
use crate::system::pin::fresh;
use entry::{Entry, Id, Left};
use ledger::Ledger;
use rustix::fs::{Stat, XattrFlags};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the attribute.
const ATTRIBUTE: &str = "user.ioproof.made";

/// The ledger of files that ioproof made.
#[derive(Debug)]
pub struct OwnFiles {
    /// None where there is no folder for it.
    ledger: Option<RefCell<Ledger>>,
    tokens: RefCell<Tokens>,
    /// The lines that this run added.
    noted: RefCell<Vec<Entry>>,
    /// Files that this run settled, in the state in which they were, for what concerns this run alone; also where there is no ledger.
    settled: RefCell<HashMap<Id, Left>>,
    /// Files as this run's own last write left them: what changed afterwards is somebody else's, though the run goes on.
    last_writes: writes::LastWrites,
}

/// Tokens that nobody else draws: a number drawn once, and a count.
#[derive(Debug, Default)]
struct Tokens {
    drawn: String,
    count: u64,
}

impl OwnFiles {
    /// The ledger in this file, which need not be there yet.
    #[must_use]
    pub fn new(ledger: PathBuf) -> Self {
        Self { ledger: Some(RefCell::new(Ledger::new(ledger))), ..Self::nowhere() }
    }

    /// A ledger that has no folder: no file is ours, and none can be noted.
    #[must_use]
    pub fn nowhere() -> Self {
        let (tokens, noted, settled, last_writes) = Default::default();
        Self { ledger: None, tokens, noted, settled, last_writes }
    }

    /// The owner of a file that is open to be read.
    pub(crate) fn claim(&self, file: impl AsFd) -> Claim {
        let (Ok(stat), Some(token)) = (fresh(&file), token(&file)) else { return Claim::Foreign };
        match self.left(&stat, &token) {
            None => Claim::Unknown,
            Some(left) if left == Some(Left::of(&stat)) && shows_every_change(&file) => Claim::Ours,
            Some(_) => Claim::Changed,
        }
    }

    /// The state in which the job of a file left it; `None` unless ledger and attribute agree.
    fn left(&self, stat: &Stat, token: &str) -> Option<Option<Left>> {
        let mut ledger = self.ledger.as_ref()?.borrow_mut();
        ledger.entry((stat.st_dev, stat.st_ino)).filter(|entry| entry.token == token).map(|entry| entry.left)
    }

    /// True if a file of ours is as its job left it; `None` for a file of somebody else.
    pub(crate) fn is_settled(&self, file: impl AsFd) -> Option<bool> {
        let (stat, token) = (fresh(&file).ok()?, token(&file)?);
        self.left(&stat, &token).map(|left| left == Some(Left::of(&stat)))
    }

    /// True for a file of ours that a run was laying out and has not left since.
    pub(crate) fn is_unfinished(&self, file: impl AsFd) -> bool {
        let (Ok(stat), Some(token)) = (fresh(&file), token(&file)) else { return false };
        self.left(&stat, &token) == Some(None)
    }

    /// True if a file is as its job left it: this run's, or an earlier one's by the ledger. Says nothing of who made it.
    pub(crate) fn is_as_left(&self, file: impl AsFd) -> bool {
        let Ok(stat) = fresh(&file) else { return false };
        let left = Left::of(&stat);
        self.settled.borrow().get(&(stat.st_dev, stat.st_ino)) == Some(&left) || self.claim(&file) == Claim::Ours
    }

    /// True if ioproof made the file, in whatever state it is.
    pub(crate) fn has_noted(&self, file: impl AsFd) -> bool {
        self.is_settled(file).is_some()
    }

    /// Marks a file that was just made. It is ours for good once [`Self::settle`] was called.
    ///
    /// # Errors
    /// When the ledger cannot be written. A filesystem without extended attributes is no error: the file then is everybody's.
    pub(crate) fn note(&self, file: impl AsFd, path: &Path) -> io::Result<()> {
        let Some(ledger) = &self.ledger else { return Err(io::Error::other("there is no folder for it")) };
        let token = self.tokens.borrow_mut().next()?;
        let stat = fresh(&file)?;
        // Another run may be started in another folder.
        let path = std::path::absolute(path)?;
        let entry = Entry { token, id: (stat.st_dev, stat.st_ino), left: None, path: path.as_os_str().as_bytes().to_vec() };
        let token = entry.token.clone();
        ledger.borrow_mut().append(&entry)?;
        self.noted.borrow_mut().push(entry);
        let _ = rustix::fs::fsetxattr(&file, ATTRIBUTE, token.as_bytes(), XattrFlags::empty());
        Ok(())
    }

    /// Notes that this run itself has just written these files for the last time so far: what changes before it writes them again is somebody else's.
    pub(crate) fn leave<F: AsFd>(&self, files: impl IntoIterator<Item = F>) {
        files.into_iter().filter_map(|file| fresh(file).ok()).for_each(|stat| self.last_writes.leave(&stat));
    }

    /// True unless somebody else changed a file after this run's own last write.
    pub(crate) fn is_as_written(&self, stat: &Stat) -> bool {
        self.last_writes.is_unchanged(stat)
    }

    /// True if a job of this run wrote a file.
    pub(crate) fn is_written(&self, file: impl AsFd) -> bool {
        fresh(file).is_ok_and(|stat| self.last_writes.is_written(&stat))
    }

    /// Notes that this run begins to lay out a file of ours, so that a kill leaves it unfinished ([`Self::is_unfinished`]).
    pub(crate) fn begin(&self, file: impl AsFd) {
        let (Some(ledger), Ok(stat), Some(token)) = (&self.ledger, fresh(&file), token(&file)) else { return };
        let mut ledger = ledger.borrow_mut();
        let entry = ledger.entry((stat.st_dev, stat.st_ino)).filter(|entry| entry.token == token && entry.left.is_some()).cloned();
        let _ = entry.map(|entry| ledger.append(&Entry { left: None, ..entry }));
    }

    /// The permit of jobs to write their targets each time they begin; `ours` may be written only because ioproof made them, `devices` only with what they
    /// held.
    pub(crate) fn writes(&self, ours: HashMap<Id, PathBuf>, devices: HashMap<Id, Arc<Device>>) -> OwnWrites {
        OwnWrites::new(self.last_writes.clone(), ours, devices)
    }

    /// Notes that the job of these files has ended: from here on any change is somebody else's, as is one after [`Self::leave`]. Files that are not in the
    /// ledger stay out of it, and one that somebody goes on writing stays as it was noted.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle<F: AsFd>(&self, files: &[F]) -> io::Result<()> {
        let mut stats = quiet::stats(files);
        stats.retain(|stat| self.is_as_written(stat));
        let changed: Vec<Stat> = files.iter().filter_map(|file| fresh(file).ok()).filter(|stat| !self.is_as_written(stat)).collect();
        self.settled.borrow_mut().extend(stats.iter().map(|stat| ((stat.st_dev, stat.st_ino), Left::of(stat))));
        let noted = self.noted.borrow();
        let Some(ledger) = &self.ledger else { return Ok(()) };
        // Whoever has nothing to note needs no folder that can be written.
        let nothing = noted.is_empty() && !files.iter().any(|file| self.has_noted(file));
        let done = ledger.borrow_mut().replace(|entries| {
            // Another run that settled between a file's line and its name took it for gone.
            for entry in noted.iter() {
                entries.entry(entry.id).or_insert_with(|| entry.clone());
            }
            for stat in &stats {
                if let Some(entry) = entries.get_mut(&(stat.st_dev, stat.st_ino)) {
                    entry.left = Some(Left::of(stat));
                }
            }
            for stat in &changed {
                if let Some(entry) = entries.get_mut(&(stat.st_dev, stat.st_ino)) {
                    entry.left = Some(Left::NEVER);
                }
            }
        });
        if nothing { Ok(()) } else { done }
    }
}

impl Tokens {
    fn next(&mut self) -> io::Result<String> {
        if self.drawn.is_empty() {
            self.drawn = std::fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned();
        }
        self.count += 1;
        Ok(format!("{}.{}", self.drawn, self.count))
    }
}

/// False for files in memory: there a page that was mapped and read is written afterwards without any sign in the times.
fn shows_every_change(file: impl AsFd) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|filesystem| filesystem.f_type != TMPFS_MAGIC)
}

/// `linux/magic.h`.
const TMPFS_MAGIC: rustix::fs::FsWord = 0x0102_1994;

/// The attribute of a file.
fn token(file: impl AsFd) -> Option<String> {
    let mut token = [0u8; 64];
    let length = rustix::fs::fgetxattr(&file, ATTRIBUTE, &mut token[..]).ok()?;
    Some(String::from_utf8_lossy(&token[..length]).into_owned())
}
