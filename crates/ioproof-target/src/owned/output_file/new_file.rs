//! New content on its way to its name: a file beside it, under a temporary name, until it is whole.
//!
//! While it is written the kernel's lock on it is held (flock(2)); one without a lock was left by a killed run, and the next output takes it away.

use super::{Seen, mark};
use crate::owned::held_folder::{Act, HeldFolder, TEMPORARY, temporary_name};
use crate::owned::left_behind;
use crate::system::kernel;
use crate::system::pin::Pin;
use rustix::fs::{FileType, FlockOperation, Gid, Mode, OFlags, Stat, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

/// Rights of a new file, less what the user's mask takes away.
const RIGHTS: Mode = Mode::from_raw_mode(0o644);

/// New content. Dropped before it has its name, it is gone.
#[derive(Debug)]
pub struct NewFile<'a> {
    folder: &'a HeldFolder,
    file: File,
    temporary: Option<OsString>,
}

impl<'a> NewFile<'a> {
    pub(super) fn begin(folder: &'a HeldFolder) -> io::Result<Self> {
        loop {
            let name = temporary_name();
            let file = File::from(folder.make(&name, RIGHTS)?);
            // Where there are no locks nobody sweeps either.
            let _ = rustix::fs::flock(&file, FlockOperation::LockExclusive);
            // Before it was locked, another process may have taken it for what a killed run left.
            if rustix::fs::fstat(&file)?.st_nlink > 0 {
                mark::begin(&file);
                return Ok(Self { folder, file, temporary: Some(name) });
            }
        }
    }

    /// Gives it the owner, where the system lets this user, and the rights of the file in whose place it comes.
    pub(super) fn take_over(&self, old: &Stat) -> io::Result<()> {
        let _ = rustix::fs::fchown(&self.file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
        Ok(rustix::fs::fchmod(&self.file, Mode::from_raw_mode(old.st_mode & 0o7777))?)
    }

    /// Gives it a name that is free, or that of this very file; EEXIST where another one stands there.
    pub(super) fn name(mut self, name: &OsStr, old: Option<&Seen>) -> io::Result<File> {
        let temporary = self.temporary.clone().unwrap_or_default();
        match old {
            None => self.folder.rename_new(&temporary, name)?,
            Some(old) => match self.folder.replace(&temporary, name, |pin| pin.stat.st_nlink == 1 && Seen::of(&pin.stat) == *old)? {
                Act::Done => {}
                _ => return Err(io::ErrorKind::AlreadyExists.into()),
            },
        }
        self.temporary = None;
        self.file.try_clone()
    }

    /// Gives it a name in a folder of our own, over whatever stands there.
    pub(super) fn name_over(mut self, name: &OsStr) -> io::Result<File> {
        self.folder.rename_over(&self.temporary.clone().unwrap_or_default(), name)?;
        self.temporary = None;
        self.file.try_clone()
    }

    /// Marks it as whole. What follows is added to its end, wherever that is by then.
    pub(super) fn finish(&mut self) -> io::Result<Seen> {
        self.flush()?;
        let flags = rustix::fs::fcntl_getfl(&self.file)?;
        rustix::fs::fcntl_setfl(&self.file, flags | OFlags::APPEND)?;
        let now = Seen::now(&self.file)?;
        mark::write(&self.file, &now);
        Ok(now)
    }
}

impl Write for NewFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    /// Where there is no room after all, this says so, and the file that stands at the name stays.
    fn flush(&mut self) -> io::Result<()> {
        kernel::flush(&self.file)
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        let Some(temporary) = self.temporary.take() else { return };
        let id = rustix::fs::fstat(&self.file).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        left_behind::note(self.folder, &temporary, self.folder.remove(&temporary, |pin| Some(pin.id()) == id));
    }
}

/// Removes what killed runs left in a folder. What cannot be removed, or told, stays.
pub(super) fn sweep(folder: &HeldFolder) {
    let names = folder.names_beginning(TEMPORARY.as_bytes()).unwrap_or_default();
    for name in names.into_iter().filter(|name| is_temporary(name.as_bytes())) {
        let Ok(pin) = folder.pin(&name) else { continue };
        if let Some(_locked) = leftover(&pin) {
            let _ = folder.remove(&name, |now| now.id() == pin.id());
        }
    }
}

/// The form that [`temporary_name`] gives.
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let parts = name.strip_prefix(TEMPORARY.as_bytes()).and_then(|rest| std::str::from_utf8(rest).ok()?.split_once('-'));
    parts.is_some_and(|(pid, drawn)| {
        !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit()) && drawn.len() == 16 && drawn.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// A regular file that bears the mark of this program, unfinished or whole, or is empty since its run was killed before it could mark it; and whose lock nobody
/// held. It is locked as long as this is kept.
pub(crate) fn leftover(pin: &Pin) -> Option<File> {
    if FileType::from_raw_mode(pin.stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let file = pin.open(OFlags::RDONLY).map(File::from).ok()?;
    let is_ours = pin.stat.st_size == 0 || mark::is_of_ours(&file, &Seen::of(&pin.stat));
    (is_ours && rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()).then_some(file)
}
