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
use crate::owned::handle::Handle;
use crate::owned::held_folder::HeldFolder;
use crate::system::folder::folder_of;
use ioproof_core::facts::TargetFacts;
use rustix::fs::Mode;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Rights of a new file, less what the user's mask takes away.
const RIGHTS: Mode = Mode::from_raw_mode(0o644);

impl JobFiles<'_> {
    /// Makes a file that nobody has, marks and notes it. Where that cannot be done nothing is left of it.
    pub(super) fn make(&mut self, path: &Path, request: OpenRequest) -> Result<usize, TargetError> {
        folders::make(path, &mut self.folders)?;
        refuse_dev(folder_of(path), path)?;
        let fail = |error| TargetError::io(path, "make it", error);
        let (folder, name) = HeldFolder::of(path).map_err(fail)?;
        let made = without_name(&folder).map_or_else(|| with_name(&folder, &name), Ok).map_err(fail)?;
        let open = self.made_ready(path, Place { folder: &folder, name: &name }, made, request)?;
        Ok(self.keep(open))
    }

    fn made_ready(&mut self, path: &Path, place: Place<'_>, made: New, request: OpenRequest) -> Result<Open, TargetError> {
        let id = rustix::fs::fstat(&made.fd).map(|stat| (stat.st_dev, stat.st_ino)).map_err(|e| TargetError::io(path, "look at it", e))?;
        self.noted_and_named(path, place, made, id, request).inspect_err(|_| drop(remove_made(path, id)))
    }

    fn noted_and_named(
        &mut self,
        path: &Path,
        place: Place<'_>,
        made: New,
        id: (u64, u64),
        request: OpenRequest,
    ) -> Result<Open, TargetError> {
        let fail = |doing| move |error: io::Error| TargetError::io(path, doing, error);
        // Nobody else has it yet.
        let is_begun = unfinished::begin(&made.fd);
        if let Err(error) = self.own.note(&made.fd, path) {
            self.unnoted.get_or_insert(error);
        }
        let length_bytes = set_aside(&made.fd, request.size_bytes, request.space, request.whole).map_err(fail("reserve its space"))?;
        match if made.has_name { Ok(()) } else { place.folder.give_name(&made.fd, place.name) } {
            Ok(()) => self.described(path, made.fd, id, request, length_bytes).map(|open| Open { is_begun, ..open }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(fail("make it")(error)),
            // Without /proc, or on a filesystem that names no such file, it is made anew by its name.
            Err(_) => self.made_ready(path, place, with_name(place.folder, place.name).map_err(fail("make it"))?, request),
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
        Ok(Open { id, facts, handle, content_bytes: 0, length_bytes, origin, is_begun: false, device: None, is_appended_to: false })
    }
}

/// A file that was just made.
struct New {
    fd: OwnedFd,
    has_name: bool,
}

/// The name that it is to get, in the folder that is held.
#[derive(Clone, Copy)]
struct Place<'a> {
    folder: &'a HeldFolder,
    name: &'a OsStr,
}

/// `None` where it cannot be done so, for whatever reason: making it by its name then says which.
fn without_name(folder: &HeldFolder) -> Option<New> {
    Some(New { fd: folder.without_name(RIGHTS).ok()?, has_name: false })
}

fn with_name(folder: &HeldFolder, name: &OsStr) -> io::Result<New> {
    Ok(New { fd: folder.make(name, RIGHTS)?, has_name: true })
}

/// Removes a file that this run made, and not what somebody may have put in its place.
pub(super) fn remove_made(path: &Path, id: (u64, u64)) -> io::Result<()> {
    let (folder, name) = HeldFolder::of(path)?;
    folder.remove(&name, |pin| pin.id() == id).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_without_a_name_gets_it_once_and_takes_nobodys() {
        let folder = folder_on_a_drive();
        let (held, name) = HeldFolder::of(&folder.path().join("new")).unwrap();
        let made = without_name(&held).unwrap();
        assert!(!made.has_name && !folder.path().join("new").exists());
        held.give_name(&made.fd, &name).unwrap();
        assert_eq!(rustix::fs::fstat(&made.fd).unwrap().st_ino, folder.path().join("new").metadata().unwrap().ino());
        let other = without_name(&held).unwrap();
        assert_eq!(held.give_name(&other.fd, &name).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        drop(other);
        std::os::unix::fs::symlink(folder.path().join("nowhere"), folder.path().join("link")).unwrap();
        assert!(held.give_name(&made.fd, OsStr::new("link")).is_err() && !folder.path().join("nowhere").exists());
    }

    #[test]
    fn by_its_name_it_must_be_new_and_no_link_is_followed() {
        let folder = folder_on_a_drive();
        let (held, name) = HeldFolder::of(&folder.path().join("new")).unwrap();
        assert!(with_name(&held, &name).unwrap().has_name && folder.path().join("new").exists());
        assert!(with_name(&held, &name).is_err());
        std::os::unix::fs::symlink(folder.path().join("nowhere"), folder.path().join("link")).unwrap();
        assert!(with_name(&held, OsStr::new("link")).is_err() && !folder.path().join("nowhere").exists());
    }
}
