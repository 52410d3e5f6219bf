//! Files that a run is laying out, or was when it was killed.
//!
//! A run that makes a file holds the kernel's lock on it (flock(2)), which ends with the process: exclusively while the file gets its content, and together
//! with others from then on. So a later run can tell a file that is being made from one that nobody will finish, which it lays out anew with consent.

use super::origin::Origin;
use super::{JobFiles, Open, OpenRequest};
use crate::error::TargetError;
use crate::resolve::target::Target;
use crate::system::pin::Pin;
use ioproof_core::facts::TargetKind;
use rustix::fs::{FileType, FlockOperation, OFlags};
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::path::Path;

/// Takes the lock of whoever gives a file its content. Where the filesystem has no locks nobody else has it either.
pub(super) fn begin(fd: impl AsFd) -> bool {
    !matches!(rustix::fs::flock(fd, FlockOperation::NonBlockingLockExclusive), Err(Errno::WOULDBLOCK))
}

/// Keeps the lock beside others.
fn end(fd: impl AsFd) {
    // Without locks there is nothing to give back.
    let _ = rustix::fs::flock(fd, FlockOperation::NonBlockingLockShared);
}

impl JobFiles<'_> {
    /// True if a file is ours and lacks the content that a killed run was to give it.
    ///
    /// # Errors
    /// When another run is giving it its content at this moment.
    pub(super) fn is_unfinished(&self, path: &Path, target: &Target, request: OpenRequest) -> Result<bool, TargetError> {
        if !request.make || target.facts.kind != TargetKind::File {
            return Ok(false);
        }
        let Ok(pin) = Pin::new(path) else { return Ok(false) };
        let is_file = FileType::from_raw_mode(pin.stat.st_mode) == FileType::RegularFile;
        let Some(fd) = is_file.then(|| pin.open(OFlags::RDONLY).ok()).flatten() else { return Ok(false) };
        if self.own.is_settled(&fd) != Some(false) {
            return Ok(false);
        }
        if begin(&fd) {
            return Ok(self.own.is_unfinished(&fd));
        }
        match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => Err(being_made(path)),
            // A job of another run is at work on it.
            _ => Ok(false),
        }
    }

    /// Notes that all files have the content that the jobs want: a run that is killed before a job writes leaves them whole.
    pub fn laid_out(&self) {
        let begun = self.open.iter().filter(|open| open.is_begun);
        // What somebody else changed is his until a job has written it with his consent.
        let is_whole = |open: &&Open| open.origin != Origin::Other && open.content_bytes == open.handle.size_bytes();
        let filled: Vec<_> = begun.clone().filter(is_whole).map(|open| open.handle.as_fd()).collect();
        if !filled.is_empty() {
            // Where it cannot be noted, it is said when the jobs have ended.
            let _ = self.own.settle(&filled);
        }
        begun.for_each(|open: &Open| end(&open.handle));
    }
}

pub(super) fn being_made(path: &Path) -> TargetError {
    TargetError::unsuitable_hint(
        path,
        "another run of ioproof is making this file",
        "start this one when that has begun to measure, or has ended",
    )
}
