//! A folder held by a descriptor: a name is looked at and acted upon in one folder, wherever the path to it leads meanwhile.
//!
//! The one place of this crate that removes, replaces and names files. Links at the name are never followed, and nothing is opened to find out what it is
//! (`O_PATH`), so neither a pipe nor a tape notices. Between a look at a name and the act on it somebody may put another file there, and no system call
//! removes a file only if it is a certain one; so the name is moved aside first, what came with it is looked at again, and
//! it is put back if it is not what was expected. A kill in between leaves a file under another name, never no file.
//!
//! Beside it: `target.rs` has the pin of one inode, `output_file.rs` uses this for reports and results, `job_files` for files of jobs.

use crate::system::folder::folder_of;
use crate::system::pin::Pin;
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The beginning of every name that this program gives to a file for a moment.
pub(crate) const TEMPORARY: &str = ".ioproof-";

/// A folder, open so that names in it can be looked at (`O_PATH`).
#[derive(Debug)]
pub(crate) struct HeldFolder {
    fd: OwnedFd,
}

/// The end of an attempt to remove a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// It was the expected one, and is removed.
    Done,
    /// It is another one, or was changed; everything is as it was.
    LeftAlone,
}

impl HeldFolder {
    /// The folder at a path; links on the way to it are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { fd })
    }

    /// The same folder, held once more.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self { fd: self.fd.try_clone()? })
    }

    /// Its path as it is called now, for people.
    pub(crate) fn path(&self) -> PathBuf {
        std::fs::read_link(format!("/proc/self/fd/{}", self.fd.as_raw_fd())).unwrap_or_default()
    }

    /// The folder of a file, and the file's name in it.
    pub(crate) fn of(file: &Path) -> io::Result<(Self, OsString)> {
        let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((Self::open(folder_of(file))?, name.to_owned()))
    }

    /// A folder in this one; a link in its place is not followed.
    pub(crate) fn folder_at(&self, name: &OsStr) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { fd: rustix::fs::openat(&self.fd, name, flags, Mode::empty())? })
    }

    /// A folder in this one that nothing is mounted on, of this or another filesystem. ENOTDIR and ELOOP where the name is no folder's, EXDEV of a mount, ENOSYS before
    /// Linux 5.6.
    pub(crate) fn unmounted_folder_at(&self, name: &OsStr) -> rustix::io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let how = ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS;
        Ok(Self { fd: rustix::fs::openat2(&self.fd, name, flags, Mode::empty(), how)? })
    }

    /// A folder of ours in this one, on which nobody has mounted anything, as far as the kernel can tell.
    ///
    /// # Errors
    /// As [`Self::unmounted_folder_at`], which before Linux 5.6 is not asked.
    pub(crate) fn own_folder_at(&self, name: &OsStr) -> io::Result<Self> {
        match self.unmounted_folder_at(name) {
            Err(Errno::NOSYS) => Ok(self.folder_at(name)?),
            Err(Errno::XDEV) => Err(io::Error::new(io::ErrorKind::CrossesDevices, "something else is mounted in its place")),
            other => Ok(other?),
        }
    }

    /// The names in it, in their order.
    pub(crate) fn names(&self) -> io::Result<Vec<OsString>> {
        self.names_beginning(b"")
    }

    /// Those that begin so, in their order.
    pub(crate) fn names_beginning(&self, beginning: &[u8]) -> io::Result<Vec<OsString>> {
        let entries = rustix::fs::openat(&self.fd, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(entries)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name.starts_with(beginning) {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.retain(|name| name != "." && name != "..");
        names.sort();
        Ok(names)
    }

    /// Makes a folder at a name that is free.
    pub(crate) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o755))?)
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// True if it is the same folder, whatever it was called.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let id = |folder: &Self| Pin::of(folder.as_fd()).map(|pin| pin.id()).ok();
        id(self).is_some_and(|own| id(other) == Some(own))
    }

    /// Holds what stands at a name, which may be a link itself, without opening it.
    pub(crate) fn pin(&self, name: &OsStr) -> io::Result<Pin> {
        Pin::at(self.fd.as_fd(), name)
    }

    /// Makes a file that has no name yet (`O_TMPFILE`); EOPNOTSUPP, EISDIR, ENOENT or EINVAL where it cannot be done.
    pub(crate) fn without_name(&self, rights: Mode) -> io::Result<OwnedFd> {
        Ok(rustix::fs::openat(&self.fd, ".", OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC, rights)?)
    }

    /// Makes a file at a name that is free; no link is followed.
    pub(crate) fn make(&self, name: &OsStr, rights: Mode) -> io::Result<OwnedFd> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.fd, name, flags, rights)?)
    }

    /// Gives a file without a name this one, as open(2) describes it for `O_TMPFILE`. EEXIST where something bears it.
    pub(crate) fn give_name(&self, file: impl AsFd, name: &OsStr) -> io::Result<()> {
        let unnamed = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
        Ok(rustix::fs::linkat(CWD, unnamed, &self.fd, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Renames within the folder; EEXIST where the new name is taken. A filesystem that cannot ask that (NFS) gets a look and a plain rename.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        match rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match self.pin(to) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?),
            },
            other => Ok(other?),
        }
    }

    /// Takes a name away, whatever stands there. Only for temporary names of ours.
    pub(crate) fn unlink(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes the file at a name if it is the expected one, both before and after it was moved aside: `is_it` is asked twice.
    ///
    /// # Errors
    /// When nothing is there, or the system refuses; also when a file that was moved aside could not be put back, and then with its place.
    pub(crate) fn remove(&self, name: &OsStr, is_it: impl Fn(&Pin) -> bool) -> io::Result<Act> {
        if !is_it(&self.pin(name)?) {
            return Ok(Act::LeftAlone);
        }
        race::moment();
        let aside = temporary_name();
        match self.rename_new(name, &aside) {
            Ok(()) => {}
            // There is no room for another name. Removing makes some, and the look before is all that there is.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT)) => {
                return if is_it(&self.pin(name)?) { self.unlink(name).map(|()| Act::Done) } else { Ok(Act::LeftAlone) };
            }
            Err(error) => return Err(error),
        }
        if self.pin(&aside).is_ok_and(|pin| is_it(&pin)) {
            self.unlink(&aside)?;
            return Ok(Act::Done);
        }
        self.rename_new(&aside, name).map_err(|error| lies_at(&aside, error))?;
        Ok(Act::LeftAlone)
    }

    /// Puts the file `new` at `name` in the place of the expected one, and removes that; `is_it` is asked before and after the two were exchanged. `new` keeps
    /// its name where nothing is replaced.
    ///
    /// # Errors
    /// As [`Self::remove`].
    pub(crate) fn replace(&self, new: &OsStr, name: &OsStr, is_it: impl Fn(&Pin) -> bool) -> io::Result<Act> {
        if !is_it(&self.pin(name)?) {
            return Ok(Act::LeftAlone);
        }
        let ours = self.pin(new)?.id();
        race::moment();
        let exchange = || rustix::fs::renameat_with(&self.fd, new, &self.fd, name, RenameFlags::EXCHANGE);
        match exchange() {
            Ok(()) => {}
            // NFS, FAT and some FUSE filesystems cannot exchange two names; there the look before is all that there is.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if is_it(&self.pin(name)?) => {
                return self.rename_over(new, name).map(|()| Act::Done);
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return Ok(Act::LeftAlone),
            Err(error) => return Err(error.into()),
        }
        if self.pin(new).is_ok_and(|pin| is_it(&pin)) {
            return self.unlink(new).map(|()| Act::Done);
        }
        exchange().map_err(|error| lies_at(new, error.into()))?;
        match self.pin(new) {
            Ok(pin) if pin.id() != ours => Err(lies_at(new, io::Error::other("the names were exchanged once more"))),
            _ => Ok(Act::LeftAlone),
        }
    }

    /// Renames within the folder, over the file that stands there.
    pub(crate) fn rename_over(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }
}

impl AsFd for HeldFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The error of a file that has another name now, which the user must know.
fn lies_at(name: &OsStr, error: io::Error) -> io::Error {
    let text =
        format!("another file was put there meanwhile; it lies beside it as {} and could not be put back: {error}", name.to_string_lossy());
    io::Error::other(text)
}

/// A name that nobody else chooses.
pub(crate) fn temporary_name() -> OsString {
    let drawn = std::hash::RandomState::new().build_hasher().finish();
    format!("{TEMPORARY}{}-{drawn:016x}", std::process::id()).into()
}

/// The moment between a look and the act that follows, in which a test does what somebody else might do.
pub(crate) mod race {
    #[cfg(test)]
    thread_local! {
        static NEXT: std::cell::RefCell<Option<Box<dyn FnOnce()>>> = const { std::cell::RefCell::new(None) };
    }

    #[cfg(not(test))]
    pub(crate) fn moment() {}

    #[cfg(test)]
    pub(crate) fn moment() {
        if let Some(act) = NEXT.with(|next| next.borrow_mut().take()) {
            act();
        }
    }

    /// Has this done in the next such moment of this thread.
    #[cfg(test)]
    pub(crate) fn then(act: impl FnOnce() + 'static) {
        NEXT.with(|next| *next.borrow_mut() = Some(Box::new(act)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use std::os::unix::fs::symlink;

    fn held() -> (tempfile::TempDir, HeldFolder) {
        let folder = folder_on_a_drive();
        let held = HeldFolder::open(folder.path()).unwrap();
        (folder, held)
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_removed_only_while_it_is_the_expected_one() {
        let (folder, held) = held();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("own"), "own").unwrap();
        std::fs::write(at("other"), "of somebody else").unwrap();
        let id = held.pin(OsStr::new("own")).unwrap().id();
        assert_eq!(held.remove(OsStr::new("other"), |pin| pin.id() == id).unwrap(), Act::LeftAlone);
        let (from, to) = (at("other"), at("own"));
        race::then(move || std::fs::rename(from, to).unwrap());
        assert_eq!(held.remove(OsStr::new("own"), |pin| pin.id() == id).unwrap(), Act::LeftAlone);
        assert_eq!((names(folder.path()), std::fs::read(at("own")).unwrap()), (vec!["own".to_owned()], b"of somebody else".to_vec()));
        let id = held.pin(OsStr::new("own")).unwrap().id();
        assert_eq!(held.remove(OsStr::new("own"), |pin| pin.id() == id).unwrap(), Act::Done);
        assert!(names(folder.path()).is_empty() && held.remove(OsStr::new("own"), |_| true).is_err());
    }

    #[test]
    fn links_and_pipes_are_looked_at_as_what_they_are() {
        let (folder, held) = held();
        symlink("/etc/passwd", folder.path().join("link")).unwrap();
        rustix::fs::mknodat(CWD, folder.path().join("pipe"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        let kind = |name: &str| rustix::fs::FileType::from_raw_mode(held.pin(OsStr::new(name)).unwrap().stat.st_mode);
        assert_eq!((kind("link"), kind("pipe")), (rustix::fs::FileType::Symlink, rustix::fs::FileType::Fifo));
        assert!(held.make(OsStr::new("link"), Mode::RUSR).is_err());
    }

    #[test]
    fn the_folder_stays_the_one_that_was_opened() {
        let folder = folder_on_a_drive();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("own")).unwrap();
        std::fs::create_dir(at("other")).unwrap();
        std::fs::write(at("own/file"), "own").unwrap();
        std::fs::write(at("other/file"), "of somebody else").unwrap();
        let (held, name) = HeldFolder::of(&at("own/file")).unwrap();
        std::fs::rename(at("own"), at("moved")).unwrap();
        symlink("other", at("own")).unwrap();
        assert_eq!(held.remove(&name, |_| true).unwrap(), Act::Done);
        assert!(at("other/file").exists() && !at("moved/file").exists());
    }
}
