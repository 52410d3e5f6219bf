//! A path that was resolved, and the descriptor that pins it: from the look to the open, everything goes through one inode.

use crate::error::TargetError;
use crate::guard::Seen;
use crate::ownership::fresh;
use ioproof_core::facts::TargetFacts;
use rustix::fs::{Mode, OFlags, Stat};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A thing under test. Only this crate makes one.
#[derive(Debug, Clone)]
pub struct Target {
    /// A description of it, for the record. Nothing that is opened depends on it.
    pub facts: TargetFacts,
    pub(crate) path: PathBuf,
    pub(crate) what: What,
}

/// The identity that is asked for when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Device { name: String, seen: Seen },
    File { id: (u64, u64) },
    Directory,
    Scratch,
    Zero,
    Null,
}

impl Target {
    /// True for a directory, in which a scratch file can be made.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.what == What::Directory
    }

    /// Its path after links were followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Kernel name of the block device that it is.
    pub(crate) fn device_name(&self) -> Option<&str> {
        if let What::Device { name, .. } = &self.what { Some(name) } else { None }
    }
}

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
