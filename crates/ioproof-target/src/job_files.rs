//! The files of a job: whatever a job file names is opened here, made where it is not there, and given as a handle under the write rule.
//!
//! A job may name one file many times and by many names, and a device that is open to be written cannot be opened so twice; so the first open decides, and
//! everybody gets a handle of the same permit. What is made is marked and noted ([`Made`]), so that the next run may write it again.

use crate::error::TargetError;
use crate::guard::Consent;
use crate::handle::Handle;
use crate::made::Made;
use crate::open::{open_to_read, open_to_write_or_again};
use crate::resolve::resolve_any;
use crate::system::System;
use crate::target::{Pin, Target};
use ioproof_core::facts::{TargetFacts, TargetKind};
use rustix::fs::{FallocateFlags, Mode, OFlags};
use rustix::io::Errno;
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
    /// Whether its space is reserved when it is made or grows.
    pub reserve: bool,
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
    open: Vec<Open>,
}

struct Open {
    id: (u64, u64),
    facts: TargetFacts,
    handle: Handle,
    content_bytes: u64,
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
        Self { system, consents, made, open: Vec::new() }
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
        match self.open.iter().position(|open| open.id == id) {
            Some(at) if wish.write && !self.open[at].handle.may_write() => {
                Err(TargetError::unsuitable(path, "is open for reading only and cannot be written by another job of the run"))
            }
            at => Ok(at),
        }
    }

    fn open_existing(&mut self, path: &Path, wish: Wish) -> Result<usize, TargetError> {
        let target = resolve_any(self.system, path)?;
        let id = identity(&Pin::new(path)?);
        let handle = if wish.write { self.open_to_write(&target)? } else { open_to_read(&target)? };
        let content_bytes = handle.size_bytes();
        Ok(self.keep(Open { id, facts: target.facts, handle, content_bytes, made_at: None }))
    }

    /// With each serial number that the user gave; where none opens it, what is said about the last tells most.
    fn open_to_write(&self, target: &Target) -> Result<Handle, TargetError> {
        let reasons = |error: &TargetError| if let TargetError::Refused(reasons) = error { reasons.len() } else { usize::MAX };
        let mut best: Option<TargetError> = None;
        for consent in &self.consents {
            match open_to_write_or_again(self.system, target, consent, Some(&self.made)) {
                Ok(handle) => return Ok(handle),
                Err(error) if best.as_ref().is_none_or(|b| reasons(&error) < reasons(b)) => best = Some(error),
                Err(_) => {}
            }
        }
        Err(best.unwrap_or_else(|| TargetError::unsuitable(&target.path, "cannot be written")))
    }

    /// Makes a file that nobody has, marks and notes it.
    fn make(&mut self, path: &Path, wish: Wish) -> Result<usize, TargetError> {
        let fail = |doing| move |error: io::Error| TargetError::io(path, doing, error);
        refuse_dev(path)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        let made = rustix::fs::open(path, flags, Mode::from_raw_mode(0o644)).map_err(|e| fail("make it")(e.into()))?;
        self.made.note(&made, path).map_err(|error| {
            // Nothing was written yet, and a file that nobody knows of would be in the way of the next run.
            let _ = std::fs::remove_file(path);
            let what = format!("cannot be made: that it is ours cannot be noted in the state folder: {error}");
            TargetError::unsuitable_hint(path, what, "set XDG_STATE_HOME to a folder that can be written")
        })?;
        if let Err(error) = reserve(&made, wish) {
            let _ = std::fs::remove_file(path);
            return Err(fail("reserve its space")(error));
        }
        let target = resolve_any(self.system, path)?;
        let handle = Handle::new(made, true, true, false, wish.size_bytes, target.facts.alignment_bytes);
        let id = identity(&Pin::new(path)?);
        Ok(self.keep(Open {
            id,
            facts: TargetFacts { size_bytes: wish.size_bytes, ..target.facts },
            handle,
            content_bytes: 0,
            made_at: Some(path.to_path_buf()),
        }))
    }

    fn keep(&mut self, open: Open) -> usize {
        self.open.push(open);
        self.open.len() - 1
    }

    /// Makes a regular file larger that is too small for the job, where it may be written.
    fn grow(&mut self, at: usize, path: &Path, wish: Wish) -> Result<(), TargetError> {
        let Open { facts, handle, .. } = &mut self.open[at];
        if facts.kind != TargetKind::File || handle.size_bytes() >= wish.size_bytes {
            return Ok(());
        }
        if !handle.may_write() {
            let (has, needs) = (handle.size_bytes(), wish.size_bytes);
            let what = format!("has {has} bytes and the job needs {needs}; it is only read, so it cannot be made larger");
            return Err(TargetError::unsuitable_hint(path, what, "make size= smaller, or name it with --overwrite"));
        }
        reserve(handle.as_fd(), wish).map_err(|error| TargetError::io(path, "make it larger", error))?;
        handle.set_size(wish.size_bytes);
        facts.size_bytes = wish.size_bytes;
        Ok(())
    }

    /// Notes that a file was filled with content to its end.
    pub fn filled(&mut self, path: &Path) {
        let Ok(id) = Pin::new(path).map(|pin| identity(&pin)) else { return };
        for open in self.open.iter_mut().filter(|open| open.id == id) {
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
        for path in self.open.iter().filter_map(|open| open.made_at.as_ref()) {
            // What cannot be removed stays, as any file does.
            let _ = std::fs::remove_file(path);
        }
    }

    /// Removes a file of this run that ioproof made, in this run or an earlier one; others stay.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn remove(&self, path: &Path) -> io::Result<bool> {
        let Ok(pin) = Pin::new(path) else { return Ok(false) };
        let id = identity(&pin);
        let ours = self.open.iter().any(|open| open.id == id && open.facts.kind == TargetKind::File && self.made.has_noted(&open.handle));
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

/// A block device by its number, all else by device and inode.
fn identity(pin: &Pin) -> (u64, u64) {
    match rustix::fs::FileType::from_raw_mode(pin.stat.st_mode) {
        rustix::fs::FileType::BlockDevice | rustix::fs::FileType::CharacterDevice => (u64::MAX, pin.stat.st_rdev),
        _ => pin.id(),
    }
}

/// A name under /dev that is not there is a mistyped device, never a new file.
fn refuse_dev(path: &Path) -> Result<(), TargetError> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let folder = parent.canonicalize().map_err(|error| TargetError::io(parent, "follow it", error))?;
    let in_dev = folder == Path::new("/dev") || folder.starts_with("/dev") && !folder.starts_with("/dev/shm");
    if in_dev { Err(TargetError::Missing(PathBuf::from(path))) } else { Ok(()) }
}

/// Sets the size of a file that is smaller, and reserves the space where that is wanted and the filesystem can.
fn reserve(fd: impl AsFd, wish: Wish) -> io::Result<()> {
    rustix::fs::ftruncate(&fd, wish.size_bytes)?;
    if !wish.reserve || wish.size_bytes == 0 {
        return Ok(());
    }
    loop {
        match rustix::fs::fallocate(&fd, FallocateFlags::empty(), 0, wish.size_bytes) {
            Err(Errno::INTR) => {}
            Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;
    use std::io::Write;

    const WRITE: Wish = Wish { write: true, direct: false, size_bytes: 65536, reserve: true, make: true };
    const READ: Wish = Wish { write: false, make: false, size_bytes: 0, ..WRITE };

    fn files<'a>(system: &'a System, folder: &Path, consent: &Consent) -> JobFiles<'a> {
        JobFiles::new(system, consent, &[], Made::new(folder.join("state/made")))
    }

    #[test]
    fn a_file_that_is_not_there_is_made_and_may_be_written_again() {
        let folder = folder_on_a_drive();
        let (system, path) = (System::host(), folder.path().join("job.0.0"));
        for _ in 0..2 {
            let mut files = files(&system, folder.path(), &Consent::default());
            let opened = files.open(&path, WRITE).unwrap();
            assert!(opened.handle.may_write() && opened.handle.size_bytes() == 65536 && !opened.handle.direct());
            rustix::io::pwrite(&opened.handle, b"something", 100).unwrap();
            files.settle().unwrap();
        }
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 65536);
        // Somebody writes into it: from here on it is his.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"mine").unwrap();
        let error = files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap_err();
        assert!(error.to_string().contains("exists, so it is only read"), "{error}");
    }

    #[test]
    fn a_file_of_somebody_else_takes_consent() {
        let folder = folder_on_a_drive();
        let (system, path) = (System::host(), folder.path().join("data"));
        std::fs::write(&path, vec![7u8; 65536]).unwrap();
        let refused = |consent: Consent| files(&system, folder.path(), &consent).open(&path, WRITE).is_err();
        assert!(refused(Consent::default()));
        assert!(refused(Consent { overwrite: vec![folder.path().join("other")], ..Consent::default() }));
        assert!(!refused(Consent { overwrite: vec![path.clone()], ..Consent::default() }));
        assert!(!refused(Consent { overwrite_all_in: vec![folder.path().to_path_buf()], ..Consent::default() }));
        let read = files(&system, folder.path(), &Consent::default()).open(&path, READ).unwrap();
        assert!(!read.handle.may_write() && read.content_bytes == 65536);
        assert_eq!(std::fs::read(&path).unwrap(), vec![7u8; 65536]);
    }

    #[test]
    fn a_killed_run_leaves_a_file_that_takes_consent() {
        let folder = folder_on_a_drive();
        let (system, path) = (System::host(), folder.path().join("job.0.0"));
        files(&system, folder.path(), &Consent::default()).open(&path, WRITE).unwrap();
        assert!(files(&system, folder.path(), &Consent::default()).open(&path, WRITE).is_err());
    }

    #[test]
    fn jobs_share_a_file_and_each_has_its_own_way_through_the_cache() {
        let folder = folder_on_a_drive();
        let (system, path) = (System::host(), folder.path().join("shared"));
        let mut files = files(&system, folder.path(), &Consent::default());
        let cached = files.open(&path, WRITE).unwrap();
        let direct = files.open(&folder.path().join("./shared"), Wish { direct: true, ..WRITE }).unwrap();
        assert!(!cached.handle.direct() && direct.handle.direct() && direct.facts.direct);
        assert_eq!((cached.handle.alignment_bytes(), direct.handle.alignment_bytes() >= 512), (1, true));
        let larger = files.open(&path, Wish { size_bytes: 1 << 20, ..WRITE }).unwrap();
        assert_eq!((larger.handle.size_bytes(), larger.content_bytes), (1 << 20, 0));
        assert!(files.remove(&path).unwrap() && !path.exists());
        let other = folder.path().join("other");
        files.open(&other, WRITE).unwrap();
        files.abandon();
        assert!(!other.exists());
    }

    #[test]
    fn what_is_too_small_or_not_there_is_said() {
        let folder = folder_on_a_drive();
        let (system, path) = (System::host(), folder.path().join("small"));
        std::fs::write(&path, b"12345").unwrap();
        let mut files = files(&system, folder.path(), &Consent::default());
        let error = files.open(&path, Wish { size_bytes: 4096, ..READ }).unwrap_err().to_string();
        assert!(error.contains("has 5 bytes and the job needs 4096"), "{error}");
        assert!(matches!(files.open(&folder.path().join("none"), READ), Err(TargetError::Missing(_))));
        assert!(matches!(files.open(Path::new("/dev/no-such-disk"), WRITE), Err(TargetError::Missing(_))));
        assert!(files.open(&folder.path().join("no/folder/f"), WRITE).is_err());
        assert!(!files.remove(&path).unwrap() && path.exists());
    }

    #[test]
    fn generators_are_opened_as_they_are() {
        let folder = folder_on_a_drive();
        let system = System::host();
        let mut files = files(&system, folder.path(), &Consent::default());
        let zero = files.open(Path::new("/dev/zero"), Wish { direct: true, ..READ }).unwrap();
        assert!(zero.handle.may_read() && !zero.handle.direct());
        assert!(files.open(Path::new("/dev/null"), Wish { direct: true, ..WRITE }).unwrap().handle.may_write());
    }
}
