//! The descriptor that pins an inode: from the look to the open, everything goes through one.

use crate::error::TargetError;
use rustix::fs::{AtFlags, Mode, OFlags, Stat, StatxFlags, fstat, statx};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// An inode held by a descriptor that can neither read nor write (`O_PATH`), so that looking at it touches nothing.
#[derive(Debug)]
pub(crate) struct Pin {
    fd: OwnedFd,
    pub stat: Stat,
}

impl Pin {
    /// Follows links.
    pub(crate) fn new(path: &Path) -> Result<Self, TargetError> {
        Self::following(path).map_err(|error| TargetError::io(path, "look at it", error))
    }

    /// The same with the system's own error.
    pub(crate) fn following(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let stat = fresh(&fd)?;
        Ok(Self { fd, stat })
    }

    /// The inode at a name in a folder; a link is held itself and not followed.
    pub(crate) fn at(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Self> {
        let fd = rustix::fs::openat(folder, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let stat = fresh(&fd)?;
        Ok(Self { fd, stat })
    }

    /// The inode behind an open descriptor.
    pub(crate) fn of(fd: impl AsFd) -> io::Result<Self> {
        let fd = rustix::fs::open(format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd()), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        let stat = fresh(&fd)?;
        Ok(Self { fd, stat })
    }

    /// Opens the very inode that is pinned; the path is not walked again. Does not wait for somebody's lease to be broken.
    pub(crate) fn open(&self, flags: OFlags) -> io::Result<OwnedFd> {
        let path = format!("/proc/self/fd/{}", self.fd.as_raw_fd());
        let fd = rustix::fs::open(path, flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty())?;
        // Left on, it would make asynchronous I/O fail with EAGAIN instead of waiting.
        let now = rustix::fs::fcntl_getfl(&fd)?;
        rustix::fs::fcntl_setfl(&fd, now - OFlags::NONBLOCK)?;
        Ok(fd)
    }

    /// Device and inode.
    pub(crate) fn id(&self) -> (u64, u64) {
        (self.stat.st_dev, self.stat.st_ino)
    }
}

impl AsFd for Pin {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The numbers and times of a file as whoever serves it knows them now (`AT_STATX_FORCE_SYNC`, statx(2)): on FUSE and network filesystems fstat(2) may tell what
/// the kernel was told a while ago, and a change of the last second would not show.
pub(crate) fn fresh(file: impl AsFd) -> rustix::io::Result<Stat> {
    // The answer is in fstat's from then on. A filesystem that cannot be asked knows by itself.
    let _ = statx(&file, "", AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC, StatxFlags::BASIC_STATS);
    fstat(file)
}
