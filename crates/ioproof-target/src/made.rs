//! Which files ioproof made: an extended attribute on the file and a line in a ledger, which must agree.
//!
//! Such a file may be written again without consent, so the proof is strict. The attribute alone travels with `cp -a`; the ledger alone goes by device and
//! inode, which are given again. A file that was changed since its job ended holds somebody's data by now and is no longer ours. Where the filesystem has
//! no extended attributes, no file is ours.
//!
//! A file whose job never ended, because it was killed, is ours only where all that is in it is what laying out writes ([`laid_out`]) or zeros, to the last
//! byte: then nobody's data can be in it, whoever wrote it. What a job wrote itself cannot be told from what somebody wrote into it afterwards, for its
//! marks cover only the beginning of each block; such a file takes consent.
//!
//! A kill at any moment is safe because the word that makes a file ours without a look at its content, the time at which its job left it, is written only
//! by [`Made::settle`], when everything has ended. Before that there is the file, then its line, then its attribute, then its name where the filesystem lets
//! it have that last; each step alone proves nothing.

mod entry;
mod ledger;
#[cfg(test)]
mod tests;

use crate::laid_out;
use entry::{Entry, changed_ns};
use ledger::Ledger;
use rustix::fs::{FileType, Stat, XattrFlags};
use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Name of the attribute.
const ATTRIBUTE: &str = "user.ioproof.made";

/// A file of a killed run that is larger is not read to find out whether it is ours. Bytes.
const MOST_READ_BYTES: u64 = 1 << 30;

/// What the attribute of a file and the ledger say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// ioproof made it, and nobody changed it since.
    Ours,
    /// ioproof made it; it was changed since, or its job never ended, and what is in it proves nothing.
    Changed,
    /// It bears ioproof's attribute, and no line of the ledger agrees: a copy, or made with another state folder.
    Unknown,
    /// Of somebody else.
    Foreign,
}

/// The ledger of files that ioproof made.
#[derive(Debug)]
pub struct Made {
    ledger: RefCell<Ledger>,
    tokens: RefCell<Tokens>,
    /// What this run noted.
    noted: RefCell<Vec<Entry>>,
    stop: Arc<AtomicBool>,
}

/// Tokens that nobody else draws: a number drawn once, and a count.
#[derive(Debug, Default)]
struct Tokens {
    drawn: String,
    count: u64,
}

impl Made {
    /// The ledger in this file, which need not be there yet.
    #[must_use]
    pub fn new(ledger: PathBuf) -> Self {
        Self { ledger: RefCell::new(Ledger::new(ledger)), tokens: RefCell::default(), noted: RefCell::default(), stop: Arc::default() }
    }

    /// The same; when `stop` is set, reading files of killed runs ends.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// Whose a file is. One that is open to be read.
    pub(crate) fn claim(&self, file: impl AsFd) -> Claim {
        let (Ok(stat), Some(token)) = (rustix::fs::fstat(&file), token(&file)) else { return Claim::Foreign };
        match self.left_at(&stat, &token) {
            None => Claim::Unknown,
            Some(left_ns) if left_ns == Some(changed_ns(&stat)) => Claim::Ours,
            Some(_) if self.is_only_laid_out(&file, &stat) => Claim::Ours,
            Some(_) => Claim::Changed,
        }
    }

    /// When the job of a file left it, where ledger and attribute agree.
    fn left_at(&self, stat: &Stat, token: &str) -> Option<Option<i128>> {
        let mut ledger = self.ledger.borrow_mut();
        ledger.entry((stat.st_dev, stat.st_ino)).filter(|entry| entry.token == token).map(|entry| entry.left_ns)
    }

    /// Whether every byte is zero or what laying out writes there, and nobody changed the file while that was read.
    fn is_only_laid_out(&self, file: impl AsFd, before: &Stat) -> bool {
        let size_bytes = u64::try_from(before.st_size).unwrap_or(u64::MAX);
        let id = (before.st_dev, before.st_ino);
        let same = |now: Stat| {
            let key = |stat: &Stat| (stat.st_size, changed_ns(stat), stat.st_ctime, stat.st_ctime_nsec);
            key(&now) == key(before)
        };
        FileType::from_raw_mode(before.st_mode) == FileType::RegularFile
            && size_bytes <= MOST_READ_BYTES
            && laid_out::is_all(&file, id, size_bytes, &self.stop).unwrap_or(false)
            && rustix::fs::fstat(&file).is_ok_and(same)
    }

    /// Whether ioproof made the file, in whatever state it is.
    pub(crate) fn has_noted(&self, file: impl AsFd) -> bool {
        let (Ok(stat), Some(token)) = (rustix::fs::fstat(&file), token(&file)) else { return false };
        self.left_at(&stat, &token).is_some()
    }

    /// Marks a file that was just made. It is ours for good once [`Self::settle`] was called.
    ///
    /// # Errors
    /// When the ledger cannot be written. A filesystem without extended attributes is no error: the file then is everybody's.
    pub(crate) fn note(&self, file: impl AsFd, path: &Path) -> io::Result<()> {
        let token = self.tokens.borrow_mut().next()?;
        let stat = rustix::fs::fstat(&file)?;
        // Another run may be started in another folder.
        let path = std::path::absolute(path)?;
        let entry = Entry { token, id: (stat.st_dev, stat.st_ino), left_ns: None, path: path.as_os_str().as_bytes().to_vec() };
        let token = entry.token.clone();
        self.ledger.borrow_mut().append(&entry)?;
        self.noted.borrow_mut().push(entry);
        let _ = rustix::fs::fsetxattr(&file, ATTRIBUTE, token.as_bytes(), XattrFlags::empty());
        Ok(())
    }

    /// Notes that the job of these files has ended: from here on any change is somebody else's. Files that are not in the ledger stay out of it.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle<F: AsFd>(&self, files: &[F]) -> io::Result<()> {
        let stats: Vec<_> = files.iter().filter_map(|file| rustix::fs::fstat(file).ok()).collect();
        let noted = self.noted.borrow();
        self.ledger.borrow_mut().replace(|entries| {
            // Another run that settled between a file's line and its name took it for gone.
            for entry in noted.iter() {
                entries.entry(entry.id).or_insert_with(|| entry.clone());
            }
            for stat in &stats {
                if let Some(entry) = entries.get_mut(&(stat.st_dev, stat.st_ino)) {
                    entry.left_ns = Some(changed_ns(stat));
                }
            }
        })
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

/// The attribute of a file.
fn token(file: impl AsFd) -> Option<String> {
    let mut token = [0u8; 64];
    let length = rustix::fs::fgetxattr(&file, ATTRIBUTE, &mut token[..]).ok()?;
    Some(String::from_utf8_lossy(&token[..length]).into_owned())
}
