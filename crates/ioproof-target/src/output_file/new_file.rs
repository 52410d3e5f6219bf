//! New content on its way to a name: a file without one (`O_TMPFILE`), or where the filesystem has no such files, one under a temporary name.
//!
//! While it is written the kernel's lock on it is held (flock(2)), by which `sweep.rs` tells it from one whose writer was killed.

use super::Written;
use super::mark::{self, Mark};
use crate::held_folder::{Act, HeldFolder, temporary_name};
use crate::target::Pin;
use crate::{kernel, left_behind};
use rustix::fs::{FlockOperation, Gid, Mode, OFlags, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};

/// Rights of a new file, less what the user's mask takes away.
const RIGHTS: Mode = Mode::from_raw_mode(0o644);

/// New content, which takes its name when it is whole. Dropped before that it is gone.
#[derive(Debug)]
pub struct NewFile<'a> {
    folder: &'a HeldFolder,
    file: File,
    mark: Mark,
    /// True if it bears a mark, so that it will be known for ours by that alone.
    is_marked: bool,
    is_state: bool,
    /// Its temporary name, where it has one.
    temporary: Option<OsString>,
}

impl<'a> NewFile<'a> {
    pub(super) fn begin(folder: &'a HeldFolder) -> io::Result<Self> {
        let (file, temporary) = match folder.without_name(RIGHTS) {
            Ok(file) => (file, None),
            Err(_) => {
                let name = temporary_name();
                (folder.make(&name, RIGHTS)?, Some(name))
            }
        };
        Ok(Self::locked(folder, file.into(), temporary))
    }

    fn locked(folder: &'a HeldFolder, file: File, temporary: Option<OsString>) -> Self {
        // Where there are no locks nobody sweeps either.
        let _ = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive);
        let is_marked = mark::begin(&file);
        Self { folder, file, mark: Mark::new(), is_marked, is_state: false, temporary }
    }

    /// True where the filesystem keeps the mark by which the file will be known for ours; elsewhere its content must show it.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// Makes it a file of the state folder, which no output may replace.
    pub(super) fn of_state(mut self) -> Self {
        self.is_state = true;
        self
    }

    /// Gives it to the owner of the file in whose place it comes, where the system lets this user.
    pub(super) fn of_owner(self, (user, group): (u32, u32)) -> Self {
        let _ = rustix::fs::fchown(&self.file, Some(Uid::from_raw(user)), Some(Gid::from_raw(group)));
        self
    }

    pub(super) fn with_mode(self, mode: u32) -> io::Result<Self> {
        rustix::fs::fchmod(&self.file, Mode::from_raw_mode(mode & 0o7777))?;
        Ok(self)
    }

    /// Marks it as whole. What follows is added to its end, wherever that is by then.
    pub(super) fn finish(self) -> io::Result<Self> {
        if self.is_state {
            mark::write_state(&self.file)
        } else {
            mark::write(&self.file, &self.mark)
        }
        let flags = rustix::fs::fcntl_getfl(&self.file)?;
        rustix::fs::fcntl_setfl(&self.file, flags | OFlags::APPEND)?;
        // Where there is no room after all, the file that stood there before stays.
        kernel::flush(&self.file)?;
        Ok(self)
    }

    /// Gives it a name that is free.
    pub(super) fn name(mut self, name: &OsStr) -> io::Result<Written> {
        match self.temporary.take() {
            None => match self.folder.give_name(&self.file, name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => self.under_a_temporary_name()?.name(name),
                Err(error) => Err(error),
                Ok(()) => self.written(),
            },
            Some(temporary) => {
                let done = self.folder.rename_new(&temporary, name);
                if done.is_err() {
                    self.temporary = Some(temporary);
                }
                done.and_then(|()| self.written())
            }
        }
    }

    /// Puts it in the place of the file that `is_it` knows; see [`HeldFolder::replace`].
    pub(super) fn replace(mut self, name: &OsStr, is_it: impl Fn(&Pin) -> bool) -> io::Result<(Written, Act)> {
        if self.temporary.is_none() {
            let temporary = temporary_name();
            match self.folder.give_name(&self.file, &temporary) {
                Ok(()) => self.temporary = Some(temporary),
                Err(_) => self = self.under_a_temporary_name()?,
            }
        }
        let temporary = self.temporary.clone().unwrap_or_default();
        let act = self.folder.replace(&temporary, name, is_it)?;
        if act == Act::Done {
            self.temporary = None;
        }
        Ok((self.written()?, act))
    }

    /// The same content in a file that has a temporary name: without /proc no name can be given afterwards.
    pub(super) fn under_a_temporary_name(&self) -> io::Result<Self> {
        let name = temporary_name();
        let mut copy = Self::locked(self.folder, self.folder.make(&name, RIGHTS)?.into(), Some(name));
        copy.is_state = self.is_state;
        let mode = rustix::fs::fstat(&self.file)?.st_mode;
        let mut copy = copy.with_mode(mode)?;
        let mut from = &self.file;
        io::Seek::seek(&mut from, io::SeekFrom::Start(0))?;
        io::copy(&mut from, &mut copy)?;
        copy.finish()
    }

    fn written(&self) -> io::Result<Written> {
        let stat = rustix::fs::fstat(&self.file)?;
        Ok(Written { file: self.file.try_clone()?, mark: self.mark.clone(), id: (stat.st_dev, stat.st_ino) })
    }
}

impl Write for NewFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.mark.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        let Some(temporary) = self.temporary.take() else { return };
        let id = rustix::fs::fstat(&self.file).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        // What stays is swept when the next result is written there.
        left_behind::note(self.folder, &temporary, self.folder.remove(&temporary, |pin| Some(pin.id()) == id));
    }
}
