//! Makes a file of a job, and removes again what a run made.
//!
//! If the filesystem can do it, a file gets its line in the ledger, its attribute and its space before it gets its name: a kill at any moment then
//! leaves nothing, or a file that is known. Elsewhere the name comes first, and a kill right after it leaves an empty file that takes consent.

use super::folders::{self, refuse_dev};
use super::origin::Origin;
use super::space::set_aside;
use super::unfinished;
use super::{JobFiles, Open, OpenRequest};
use crate::error::TargetError;
use crate::folder::folder_of;
use crate::handle::Handle;
use ioproof_core::facts::TargetFacts;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Rights of a new file, less what the user's mask takes away.
const RIGHTS: Mode = Mode::from_raw_mode(0o644);

impl JobFiles<'_> {
    /// Makes a file that nobody has, marks and notes it. Where that cannot be done nothing is left of it.
    pub(super) fn make(&mut self, path: &Path, request: OpenRequest) -> Result<usize, TargetError> {
        folders::make(path, &mut self.folders)?;
        refuse_dev(path)?;
        let made = without_name(path).map_or_else(|| with_name(path), Ok).map_err(|error| TargetError::io(path, "make it", error))?;
        let open = self.made_ready(path, made, request)?;
        Ok(self.keep(open))
    }

    fn made_ready(&mut self, path: &Path, made: New, request: OpenRequest) -> Result<Open, TargetError> {
        let id = rustix::fs::fstat(&made.fd).map(|stat| (stat.st_dev, stat.st_ino)).map_err(|e| TargetError::io(path, "look at it", e))?;
        self.noted_and_named(path, made, id, request).inspect_err(|_| drop(remove_made(path, id)))
    }

    fn noted_and_named(&mut self, path: &Path, made: New, id: (u64, u64), request: OpenRequest) -> Result<Open, TargetError> {
        let fail = |doing| move |error: io::Error| TargetError::io(path, doing, error);
        // Nobody else has it yet.
        let is_begun = unfinished::begin(&made.fd);
        if let Err(error) = self.own.note(&made.fd, path) {
            self.unnoted.get_or_insert(error);
        }
        let length_bytes = set_aside(&made.fd, request.size_bytes, request.space, request.whole).map_err(fail("reserve its space"))?;
        match if made.has_name { Ok(()) } else { give_name(&made.fd, path) } {
            Ok(()) => self.described(path, made.fd, id, request, length_bytes).map(|open| Open { is_begun, ..open }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(fail("make it")(error)),
            // Without /proc, or on a filesystem that names no such file, it is made anew by its name.
            Err(_) => self.made_ready(path, with_name(path).map_err(fail("make it"))?, request),
        }
    }

    fn described(
        &mut self,
        path: &Path,
        fd: OwnedFd,
        id: (u64, u64),
        request: OpenRequest,
        length_bytes: u64,
    ) -> Result<Open, TargetError> {
        let facts = self.mount_cache.resolve(self.system, path)?.facts;
        let handle = Handle::new(fd, true, true, false, request.size_bytes, facts.alignment_bytes);
        let facts = TargetFacts { size_bytes: request.size_bytes, ..facts };
        let origin = Origin::Made(path.to_path_buf());
        Ok(Open { id, facts, handle, content_bytes: 0, length_bytes, origin, is_begun: false })
    }
}

/// A file that was just made.
struct New {
    fd: OwnedFd,
    has_name: bool,
}

/// `None` where it cannot be done so, for whatever reason: making it by its name then says which.
fn without_name(path: &Path) -> Option<New> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = rustix::fs::open(folder_of(path), flags, RIGHTS).ok()?;
    Some(New { fd, has_name: false })
}

fn with_name(path: &Path) -> io::Result<New> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    Ok(New { fd: rustix::fs::open(path, flags, RIGHTS)?, has_name: true })
}

/// As open(2) describes it for `O_TMPFILE`. What has the name already keeps it.
fn give_name(fd: impl AsFd, path: &Path) -> io::Result<()> {
    let unnamed = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
    Ok(rustix::fs::linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Removes a file that this run made, and not what somebody may have put in its place.
pub(super) fn remove_made(path: &Path, id: (u64, u64)) -> io::Result<()> {
    let meta = path.symlink_metadata()?;
    if (meta.dev(), meta.ino()) == id { std::fs::remove_file(path) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    #[test]
    fn a_file_without_a_name_gets_it_once_and_takes_nobodys() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("new");
        let made = without_name(&path).unwrap();
        assert!(!made.has_name && !path.exists());
        give_name(&made.fd, &path).unwrap();
        assert_eq!(rustix::fs::fstat(&made.fd).unwrap().st_ino, path.metadata().unwrap().ino());
        let other = without_name(&path).unwrap();
        assert_eq!(give_name(&other.fd, &path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        drop(other);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        assert!(give_name(&made.fd, &link).is_err() && !folder.path().join("nowhere").exists());
    }

    #[test]
    fn by_its_name_it_must_be_new_and_no_link_is_followed() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("new");
        assert!(with_name(&path).unwrap().has_name && path.exists());
        assert!(with_name(&path).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
        assert!(with_name(&link).is_err() && !folder.path().join("nowhere").exists());
    }
}
