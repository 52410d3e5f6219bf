//! The files of a job: whatever a job file names is opened here, made where it is not there, and given as a handle under the write rule.
//!
//! A job may name one file many times and by many names, and a device that is open to be written cannot be opened so twice; so the first open decides, and
//! everybody gets a handle of the same permit. What is made is marked and noted ([`OwnFiles`]), so that the next run may write it again.

mod abandon;
mod folders;
mod foresee;
mod make;
mod mount_cache;
mod named;
mod origin;
mod space;
#[cfg(test)]
mod tests;
mod too_small;
mod unfinished;

pub use self::foresee::Foreseen;
pub use self::space::Space;

use self::folders::MadeFolder;
use self::mount_cache::MountCache;
use self::origin::Origin;
use self::space::set_aside;
use self::too_small::{to_grow, too_small};
use crate::bound::is_drive_name;
use crate::error::{CONSENT, Refusal, TargetError};
use crate::guard::Consent;
use crate::open::{open_to_read, open_to_write_or_again};
use crate::owned::handle::Handle;
use crate::owned::held_folder::{Act, HeldFolder};
use crate::owned::ownership::{Device, OwnFiles, OwnWrites};
use crate::resolve::target::Target;
use crate::system::System;
use crate::system::kernel::has_writers;
use crate::system::patience::lasting;
use crate::system::pin::Pin;
use crate::system::pin::fresh;
use ioproof_core::facts::{TargetFacts, TargetKind};
use rustix::fs::Stat;
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The requirements of a job on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRequest {
    /// The job writes.
    pub write: bool,
    /// The job writes for no other reason than that the file is too small.
    pub only_grows: bool,
    /// The page cache is to be passed by.
    pub direct: bool,
    /// The least size of a regular file. Bytes.
    pub size_bytes: u64,
    /// The way in which its space is set aside when it is made or grows.
    pub space: Space,
    /// It has its whole length from the beginning; else it grows as it is written.
    pub whole: bool,
    /// A file that is not there is made.
    pub make: bool,
}

/// A file of a job.
#[derive(Debug)]
pub struct Opened {
    /// A description of it, for the record.
    pub facts: TargetFacts,
    /// To work on it.
    pub handle: Handle,
    /// The length of a regular file's content; the rest was made just now and reads as zeros. Bytes.
    pub content_bytes: u64,
}

/// The files of all jobs of a run.
pub struct JobFiles<'a> {
    system: &'a System,
    consents: Vec<Consent>,
    own: OwnFiles,
    mount_cache: MountCache,
    open: Vec<Open>,
    /// Places in `open`.
    places: HashMap<(u64, u64), usize>,
    folders: Vec<MadeFolder>,
    /// The error because of which files that were made could not be noted.
    unnoted: Option<io::Error>,
}

struct Open {
    id: (u64, u64),
    facts: TargetFacts,
    handle: Handle,
    content_bytes: u64,
    /// Its length by now, where it grows as it is written. Bytes.
    length_bytes: u64,
    origin: Origin,
    /// This run gives it content.
    is_begun: bool,
    /// A device that may be written, as it was.
    device: Option<Arc<Device>>,
    /// It was longer at the end than jobs make it.
    is_appended_to: bool,
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
    pub fn new(system: &'a System, consent: &Consent, serials: &[String], own: OwnFiles) -> Self {
        let one = |serial: Option<&String>| Consent { destroy: serial.cloned(), ..consent.clone() };
        let consents = if serials.is_empty() { vec![one(None)] } else { serials.iter().map(|s| one(Some(s))).collect() };
        let (mount_cache, open, places) = (MountCache::default(), Vec::new(), HashMap::new());
        Self { system, consents, own, mount_cache, open, places, folders: Vec::new(), unnoted: None }
    }

    /// Opens a file or a device as far as the write rule allows; makes a file that is not there where the request says so.
    ///
    /// A file that is to be written by one job and read by others must be asked for to be written first.
    ///
    /// # Errors
    /// A refusal of the write rule, or what the system says; a file that is too small and may not be made larger.
    pub fn open(&mut self, path: &Path, request: OpenRequest) -> Result<Opened, TargetError> {
        let new = request.make && !is_drive_name(path) && path.symlink_metadata().is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
        let at = match self.known(path, request)? {
            Some(at) => at,
            None if new => match self.make(path, request) {
                // Another run was faster.
                Err(TargetError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                    self.open_existing(path, request)?
                }
                made => made?,
            },
            None => self.open_existing(path, request)?,
        };
        // What somebody changed since an earlier job opened it stays known for his, also where it is made larger here.
        let is_as_left = fresh(&self.open[at].handle).is_ok_and(|stat| self.own.is_as_written(&stat));
        self.grow(at, path, request)?;
        if is_as_left && self.open[at].handle.may_write() {
            self.own.leave([&self.open[at].handle]);
        }
        let Open { facts, handle, content_bytes, .. } = &self.open[at];
        let handle = again(path, facts, handle, request)?;
        Ok(Opened { facts: TargetFacts { direct: handle.direct(), ..facts.clone() }, handle, content_bytes: *content_bytes })
    }

    /// The place of a file that is open already.
    fn known(&mut self, path: &Path, request: OpenRequest) -> Result<Option<usize>, TargetError> {
        let place = match Pin::new(path) {
            Ok(pin) if !is_character(&pin) => self.places.get(&identity(&pin)).copied(),
            Err(_) if !is_drive_name(path) => None,
            // A drive by its name, or a namespace by its character device: the block device may be open.
            _ => {
                let resolved = self.mount_cache.resolve(self.system, path)?.facts.resolved;
                self.open.iter().position(|open| open.facts.resolved == resolved)
            }
        };
        match place {
            Some(at) if request.write && !self.open[at].handle.may_write() => {
                Err(TargetError::unsuitable(path, "is open for reading only and cannot be written by another job of the run"))
            }
            at => Ok(at),
        }
    }

    fn open_existing(&mut self, path: &Path, request: OpenRequest) -> Result<usize, TargetError> {
        let target = self.mount_cache.resolve(self.system, path)?;
        let unfinished = self.is_unfinished(path, &target, request)?;
        let write = |consent: &Consent| open_to_write_or_again(self.system, &target, consent, Some(&self.own));
        let mut given = &Consent::default();
        let handle = match request.write || unfinished {
            true => {
                let (handle, consent) = self.with_each_consent(&target, write).map_err(|error| told(path, request, error))?;
                given = consent;
                handle
            }
            false => open_to_read(&target)?,
        };
        if unfinished && !unfinished::begin(&handle) {
            return Err(unfinished::being_made(path));
        }
        // Of what was opened, whatever the path leads to by now.
        let id = identity(&Pin::of(&handle).map_err(|error| TargetError::io(path, "look at it", error))?);
        let length_bytes = handle.size_bytes();
        let content_bytes = if unfinished { 0 } else { length_bytes };
        let origin = match () {
            () if unfinished => Origin::Unfinished,
            () if request.write && self.own.is_settled(&handle) == Some(true) => Origin::Settled(length_bytes),
            () => Origin::Other,
        };
        let device = device(path, &target, given, &handle)?;
        Ok(self.keep(Open {
            id,
            facts: target.facts,
            handle,
            content_bytes,
            length_bytes,
            origin,
            is_begun: unfinished,
            device,
            is_appended_to: false,
        }))
    }

    /// With each serial number that the user gave, and which of them it was; where none opens it, what is said about the last tells most.
    fn with_each_consent<T>(
        &self,
        target: &Target,
        attempt: impl Fn(&Consent) -> Result<T, TargetError>,
    ) -> Result<(T, &Consent), TargetError> {
        // That another serial number does not name this target says nothing where one does.
        let is_named = |reasons: &[Refusal]| reasons.iter().all(|reason| reason.clause != CONSENT);
        let reasons = |error: &TargetError| match error {
            TargetError::Refused(reasons) => (!is_named(reasons), reasons.len()),
            _ => (false, usize::MAX),
        };
        let mut best: Option<TargetError> = None;
        for consent in &self.consents {
            match attempt(consent) {
                Ok(done) => return Ok((done, consent)),
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
    fn grow(&mut self, at: usize, path: &Path, request: OpenRequest) -> Result<(), TargetError> {
        let Open { facts, handle, length_bytes, is_begun, origin, .. } = &mut self.open[at];
        let (larger, longer) = (handle.size_bytes() < request.size_bytes, request.whole && *length_bytes < request.size_bytes);
        if facts.kind != TargetKind::File || !(larger || longer) {
            return Ok(());
        }
        if !handle.may_write() {
            return Err(too_small(path, handle.size_bytes(), request.size_bytes));
        }
        *is_begun |= larger && unfinished::begin(&*handle);
        if *origin != Origin::Other {
            self.own.begin(&*handle);
        }
        let fail = |error| TargetError::io(path, "make it larger", error);
        *length_bytes = set_aside(handle.as_fd(), request.size_bytes, request.space, request.whole).map_err(fail)?;
        handle.set_size(handle.size_bytes().max(request.size_bytes));
        facts.size_bytes = handle.size_bytes();
        Ok(())
    }

    /// Notes that a file was filled with content to its end.
    pub fn filled(&mut self, path: &Path) {
        let place = Pin::new(path).ok().and_then(|pin| self.places.get(&identity(&pin)));
        if let Some(open) = place.and_then(|at| self.open.get_mut(*at)) {
            open.content_bytes = open.handle.size_bytes();
            // A longer one was appended to meanwhile, and stays as it was noted before.
            if self::space::length(&open.handle).is_ok_and(|length_bytes| length_bytes <= open.content_bytes) {
                self.own.leave([&open.handle]);
            }
        }
    }

    /// The permit of jobs to write these files each time they begin: what somebody changes meanwhile is not written, unless he agreed to lose it, and he can
    /// have agreed to nothing that came onto a device after it was opened.
    #[must_use]
    pub fn writes(&self) -> OwnWrites {
        let is_ours = |open: &&Open| open.facts.kind == TargetKind::File && open.origin != Origin::Other && !self.is_consented(open);
        let ours = self.open.iter().filter(is_ours).map(|open| (open.id, PathBuf::from(&open.facts.given)));
        let id = |open: &Open| rustix::fs::fstat(&open.handle).ok().map(|stat| (stat.st_dev, stat.st_ino));
        let devices = self.open.iter().filter_map(|open| Some((id(open)?, Arc::clone(open.device.as_ref()?))));
        self.own.writes(ours.collect(), devices.collect())
    }

    fn is_consented(&self, open: &Open) -> bool {
        Pin::of(&open.handle).is_ok_and(|pin| self.consents.iter().any(|consent| consent.covers(&pin)))
    }

    /// Notes that all jobs have ended, which write no more with these handles: what was made and is changed from here on is no longer ours. A file that somebody else has open for writing stays as it was noted, for a mapping of his need not show in its times, nor anywhere where his process cannot
    /// be seen.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn settle<'h>(&mut self, handles: impl IntoIterator<Item = &'h mut Handle>) -> io::Result<()> {
        handles.into_iter().for_each(Handle::rest);
        // What somebody changed before the run is his until a job has written it with his consent.
        self.open.iter_mut().for_each(|open| open.is_appended_to |= open.is_too_long());
        let is_written = |open: &Open| open.handle.may_write() && !open.is_appended_to;
        let is_ours = |open: &Open| is_written(open) && (open.origin != Origin::Other || self.own.is_written(&open.handle));
        let ours: Vec<bool> = self.open.iter().map(is_ours).collect();
        self.open.iter_mut().for_each(|open| open.handle.rest());
        let mut written: Vec<_> = self.open.iter().zip(ours).filter(|(_, is_ours)| *is_ours).map(|(open, _)| open.handle.as_fd()).collect();
        let in_use = self::in_use(&written);
        written.retain(|file| !in_use.contains(&file.as_raw_fd()));
        self.own.settle(&written)
    }

    /// The files that were longer at the end than jobs make them, so that somebody else appended to them meanwhile. To be called after [`Self::settle`].
    pub fn appended_to(&self) -> impl Iterator<Item = &Path> {
        self.open.iter().filter(|open| open.is_appended_to).map(|open| Path::new(&open.facts.given))
    }

    /// A warning where files that this run made could not be noted, so that writing them again takes consent.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let text = "that the files of this run are ioproof's cannot be noted in the state folder, so the next run that writes them takes --overwrite";
        self.unnoted.as_ref().map(|error| format!("{text}: {error}"))
    }

    /// Removes a file of this run that is ioproof's own, as its job left it; others stay, and so does one that somebody changed or has open for writing. To be
    /// called after [`Self::settle`]: before that nothing tells what a job wrote from what others did.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, path: &Path) -> io::Result<bool> {
        let Ok((folder, name)) = HeldFolder::of(path) else { return Ok(false) };
        let Ok(pin) = folder.pin(&name) else { return Ok(false) };
        let Some(open) = self.places.get(&identity(&pin)).and_then(|at| self.open.get(*at)) else { return Ok(false) };
        let is_made = || open.made_at().is_some() || self.own.has_noted(&open.handle);
        if open.facts.kind != TargetKind::File || !is_made() || !self.own.is_as_left(&open.handle) {
            return Ok(false);
        }
        if !in_use(&[open.handle.as_fd()]).is_empty() {
            return Ok(false);
        }
        let before = fresh(&open.handle)?;
        let is_it = |pin: &Pin| pin.id() == open.id && is_unwritten(&before, &pin.stat);
        folder.remove(&name, is_it).map(|act| act == Act::Done)
    }
}

impl Open {
    fn is_too_long(&self) -> bool {
        let is_longer = || self::space::length(&self.handle).is_ok_and(|length_bytes| length_bytes > self.handle.size_bytes());
        self.facts.kind == TargetKind::File && self.handle.may_write() && is_longer()
    }
}

/// True if nobody wrote to a file or changed its length between two looks. The time of the inode says nothing here: it changes with the name too.
fn is_unwritten(before: &Stat, now: &Stat) -> bool {
    (before.st_size, before.st_mtime, before.st_mtime_nsec) == (now.st_size, now.st_mtime, now.st_mtime_nsec)
}

/// Those of the files that another process has open for writing, and not for a moment only.
fn in_use(files: &[BorrowedFd<'_>]) -> Vec<RawFd> {
    let found = || files.iter().filter(|file| has_writers(file)).map(AsRawFd::as_raw_fd).collect::<Vec<_>>();
    lasting(|| Some(found()).filter(|found| !found.is_empty())).unwrap_or_default()
}

/// A handle of its own, past the page cache where the job wants that and the filesystem can.
fn again(path: &Path, facts: &TargetFacts, handle: &Handle, request: OpenRequest) -> Result<Handle, TargetError> {
    let fail = |error| TargetError::io(path, "open it again", error);
    let generator = facts.kind == TargetKind::Generator;
    match handle.again(request.direct && !generator) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) && request.direct => Err(TargetError::unsuitable_hint(
            path,
            "lies on a filesystem that refuses O_DIRECT",
            "leave out direct=1, or choose another directory",
        )),
        other => other.map_err(fail),
    }
}

/// A block device that was opened to be written, as it is now.
fn device(path: &Path, target: &Target, consent: &Consent, handle: &Handle) -> Result<Option<Arc<Device>>, TargetError> {
    let Some(name) = target.device_name().filter(|_| handle.may_write()) else { return Ok(None) };
    Device::new(path, name, consent, handle)
        .map(|device| Some(Arc::new(device)))
        .map_err(|error| TargetError::io(path, "look at what it holds", error))
}

/// A refusal, as it is to be told to whoever wanted this.
fn told(path: &Path, request: OpenRequest, error: TargetError) -> TargetError {
    if request.only_grows { to_grow(path, request.size_bytes, error) } else { error }
}

/// A block device by its number, all else by device and inode.
fn identity(pin: &Pin) -> (u64, u64) {
    match rustix::fs::FileType::from_raw_mode(pin.stat.st_mode) {
        rustix::fs::FileType::BlockDevice | rustix::fs::FileType::CharacterDevice => (u64::MAX, pin.stat.st_rdev),
        _ => pin.id(),
    }
}

fn is_character(pin: &Pin) -> bool {
    rustix::fs::FileType::from_raw_mode(pin.stat.st_mode) == rustix::fs::FileType::CharacterDevice
}
