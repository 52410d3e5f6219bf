//! The files of a job: whatever a job file names is opened here, made where it is not there, and given as a handle under the write rule.
//!
//! A job may name one file many times and by many names, and a device that is open to be written cannot be opened so twice; so the first open decides, and
//! everybody gets a handle of the same permit. What is made is marked and noted ([`Made`]), so that the next run may write it again.

mod alike;
mod foresee;
mod make;
mod space;
#[cfg(test)]
mod tests;

pub use self::foresee::Foreseen;
pub use self::space::Space;

use self::alike::Alike;
use self::make::{refuse_dev, remove_made};
use self::space::set_aside;
use crate::error::TargetError;
use crate::guard::Consent;
use crate::handle::Handle;
use crate::made::Made;
use crate::open::{open_to_read, open_to_write_or_again};
use crate::system::System;
use crate::target::{Pin, Target};
use ioproof_core::facts::{TargetFacts, TargetKind};
use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// What a job wants of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    /// Whether it writes.
    pub write: bool,
    /// Whether the page cache is to be passed by.
    pub direct: bool,
    /// How large a regular file must be. Bytes.
    pub size_bytes: u64,
    /// How its space is set aside when it is made or grows.
    pub space: Space,
    /// Whether it has its whole length from the beginning; else it grows as it is written.
    pub whole: bool,
    /// Whether a file that is not there is made.
    pub make: bool,
}

/// A file of a job.
#[derive(Debug)]
pub struct Opened {
    /// What it is.
    pub facts: TargetFacts,
    /// To work on it.
    pub handle: Handle,
    /// How much of a regular file has content; what lies beyond was made just now and reads as zeros. Bytes.
    pub content_bytes: u64,
}

/// The files of all jobs of a run.
pub struct JobFiles<'a> {
    system: &'a System,
    consents: Vec<Consent>,
    made: Made,
    alike: Alike,
    open: Vec<Open>,
    /// Places in `open`.
    places: HashMap<(u64, u64), usize>,
}

struct Open {
    id: (u64, u64),
    facts: TargetFacts,
    handle: Handle,
    content_bytes: u64,
    /// Its length by now, where it grows as it is written. Bytes.
    length_bytes: u64,
    /// The path by which this run made it.
    made_at: Option<PathBuf>,
}

/// Memory of this size, for jobs that do no I/O and yet need something to do it on.
///
/// # Errors
/// When the system refuses.
pub fn nothing(size_bytes: u64) -> io::Result<Handle> {
    let fd = rustix::fs::memfd_create("ioproof", rustix::fs::MemfdFlags::CLOEXEC)?;
    Ok(Handle::new(fd, true, true, false, size_bytes, 1))
}

impl<'a> JobFiles<'a> {
    /// With what the user has agreed to; `serials` are the drives that may be destroyed.
    #[must_use]
    pub fn new(system: &'a System, consent: &Consent, serials: &[String], made: Made) -> Self {
        let one = |serial: Option<&String>| Consent { destroy: serial.cloned(), ..consent.clone() };
        let consents = if serials.is_empty() { vec![one(None)] } else { serials.iter().map(|s| one(Some(s))).collect() };
        Self { system, consents, made, alike: Alike::default(), open: Vec::new(), places: HashMap::new() }
    }

    /// Opens a file or a device as far as the write rule allows; makes a file that is not there where the wish says so.
    ///
    /// A file that is to be written by one job and read by others must be asked for to be written first.
    ///
    /// # Errors
    /// A refusal of the write rule, or what the system says; a file that is too small and may not be made larger.
    pub fn open(&mut self, path: &Path, wish: Wish) -> Result<Opened, TargetError> {
        let new = wish.make && path.symlink_metadata().is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
        let at = match self.known(path, wish)? {
            Some(at) => at,
            None if new => self.make(path, wish)?,
            None => self.open_existing(path, wish)?,
        };
        self.grow(at, path, wish)?;
        let Open { facts, handle, content_bytes, .. } = &self.open[at];
        let handle = again(path, facts, handle, wish)?;
        Ok(Opened { facts: TargetFacts { direct: handle.direct(), ..facts.clone() }, handle, content_bytes: *content_bytes })
    }

    /// The place of a file that is open already.
    fn known(&self, path: &Path, wish: Wish) -> Result<Option<usize>, TargetError> {
        let Ok(pin) = Pin::new(path) else { return Ok(None) };
        let id = identity(&pin);
        match self.places.get(&id).copied() {
            Some(at) if wish.write && !self.open[at].handle.may_write() => {
                Err(TargetError::unsuitable(path, "is open for reading only and cannot be written by another job of the run"))
            }
            at => Ok(at),
        }
    }

    fn open_existing(&mut self, path: &Path, wish: Wish) -> Result<usize, TargetError> {
        let target = self.alike.resolve(self.system, path)?;
        let id = identity(&Pin::new(path)?);
        let write = |consent: &Consent| open_to_write_or_again(self.system, &target, consent, Some(&self.made));
        let handle = if wish.write { self.with_each_consent(&target, write)? } else { open_to_read(&target)? };
        let (content_bytes, length_bytes) = (handle.size_bytes(), handle.size_bytes());
        Ok(self.keep(Open { id, facts: target.facts, handle, content_bytes, length_bytes, made_at: None }))
    }

    /// With each serial number that the user gave; where none opens it, what is said about the last tells most.
    fn with_each_consent<T>(&self, target: &Target, attempt: impl Fn(&Consent) -> Result<T, TargetError>) -> Result<T, TargetError> {
        let reasons = |error: &TargetError| if let TargetError::Refused(reasons) = error { reasons.len() } else { usize::MAX };
        let mut best: Option<TargetError> = None;
        for consent in &self.consents {
            match attempt(consent) {
                Ok(done) => return Ok(done),
                Err(error) if best.as_ref().is_none_or(|b| reasons(&error) < reasons(b)) => best = Some(error),
                Err(_) => {}
            }
        }
        Err(best.unwrap_or_else(|| TargetError::unsuitable(&target.path, "cannot be written")))
    }

    fn keep(&mut self, open: Open) -> usize {
        self.places.insert(open.id, self.open.len());
        self.open.push(open);
        self.open.len() - 1
    }

    /// Makes a regular file larger that is too small for the job, where it may be written.
    fn grow(&mut self, at: usize, path: &Path, wish: Wish) -> Result<(), TargetError> {
        let Open { facts, handle, length_bytes, .. } = &mut self.open[at];
        let (larger, longer) = (handle.size_bytes() < wish.size_bytes, wish.whole && *length_bytes < wish.size_bytes);
        if facts.kind != TargetKind::File || !(larger || longer) {
            return Ok(());
        }
        if !handle.may_write() {
            return Err(too_small(path, handle.size_bytes(), wish.size_bytes));
        }
        let fail = |error| TargetError::io(path, "make it larger", error);
        *length_bytes = set_aside(handle.as_fd(), wish.size_bytes, wish.space, wish.whole).map_err(fail)?;
        handle.set_size(handle.size_bytes().max(wish.size_bytes));
        facts.size_bytes = handle.size_bytes();
        Ok(())
    }

    /// Notes that a file was filled with content to its end.
    pub fn filled(&mut self, path: &Path) {
        let place = Pin::new(path).ok().and_then(|pin| self.places.get(&identity(&pin)));
        if let Some(open) = place.and_then(|at| self.open.get_mut(*at)) {
            open.content_bytes = open.handle.size_bytes();
        }
    }

    /// Notes that all jobs have ended: what was made and is changed from here on is no longer ours.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle(&self) -> io::Result<()> {
        let written: Vec<_> = self.open.iter().filter(|open| open.handle.may_write()).map(|open| open.handle.as_fd()).collect();
        self.made.settle(&written)
    }

    /// Removes the files that this run made, where it cannot go on and they have no content that is worth anything.
    pub fn abandon(&self) {
        for (path, open) in self.open.iter().filter_map(|open| open.made_at.as_ref().map(|path| (path, open))) {
            // What cannot be removed stays, as any file does.
            let _ = remove_made(path, open.id);
        }
    }

    /// Removes a file of this run that ioproof made, in this run or an earlier one; others stay.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, path: &Path) -> io::Result<bool> {
        let Ok(pin) = Pin::new(path) else { return Ok(false) };
        let open = self.places.get(&identity(&pin)).and_then(|at| self.open.get(*at));
        let is_ours = |open: &Open| open.made_at.is_some() || self.made.has_noted(&open.handle);
        let ours = open.is_some_and(|open| open.facts.kind == TargetKind::File && is_ours(open));
        if ours {
            std::fs::remove_file(path)?;
        }
        Ok(ours)
    }
}

/// A handle of its own, past the page cache where the job wants that and the filesystem can.
fn again(path: &Path, facts: &TargetFacts, handle: &Handle, wish: Wish) -> Result<Handle, TargetError> {
    let fail = |error| TargetError::io(path, "open it again", error);
    let generator = facts.kind == TargetKind::Generator;
    match handle.again(wish.direct && !generator) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) && wish.direct => Err(TargetError::unsuitable_hint(
            path,
            "lies on a filesystem that refuses O_DIRECT",
            "leave out direct=1, or choose another directory",
        )),
        other => other.map_err(fail),
    }
}

fn too_small(path: &Path, has_bytes: u64, needs_bytes: u64) -> TargetError {
    let what = format!("has {has_bytes} bytes and the job needs {needs_bytes}; it is only read, so it cannot be made larger");
    TargetError::unsuitable_hint(path, what, "make size= smaller, or name it with --overwrite")
}

/// A block device by its number, all else by device and inode.
fn identity(pin: &Pin) -> (u64, u64) {
    match rustix::fs::FileType::from_raw_mode(pin.stat.st_mode) {
        rustix::fs::FileType::BlockDevice | rustix::fs::FileType::CharacterDevice => (u64::MAX, pin.stat.st_rdev),
        _ => pin.id(),
    }
}
