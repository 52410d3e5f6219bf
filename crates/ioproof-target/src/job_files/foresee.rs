//! Foretells the opening of a job's file, with nothing made and nothing opened for writing.

use super::folders::{missing, not_made, refuse_dev};
use super::too_small::too_small;
use super::{JobFiles, OpenRequest, told};
use crate::bound::is_drive_name;
use crate::error::TargetError;
use crate::guard::Consent;
use crate::open::{may_be_written, open_to_read};
use crate::resolve::resolve_any;
use ioproof_core::facts::TargetKind;
use rustix::fs::Access;
use std::io;
use std::path::Path;

/// The fate of a file that would be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreseen {
    /// It is not there and would be made.
    Made,
    /// It is not there, nor is its folder, and both would be made.
    MadeWithFolder,
    /// It is there and may be written.
    Written,
    /// It would only be read.
    Read,
}

impl JobFiles<'_> {
    /// Foretells [`JobFiles::open`]. A device is opened exclusively for a moment, to be read, because only that shows some of its users.
    ///
    /// # Errors
    /// Those of [`JobFiles::open`].
    pub fn foresee(&self, path: &Path, request: OpenRequest) -> Result<Foreseen, TargetError> {
        if request.make && !is_drive_name(path) && path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            let (folder, missing) = missing(path)?;
            refuse_dev(&folder, path)?;
            return match missing.first() {
                None => access(&folder, "make a file in it").map(|()| Foreseen::Made),
                Some(first) => {
                    rustix::fs::access(&folder, Access::WRITE_OK).map(|()| Foreseen::MadeWithFolder).map_err(|error| not_made(first, error))
                }
            };
        }
        let target = resolve_any(self.system, path)?;
        if self.is_unfinished(path, &target, request)? || request.write {
            let look = |consent: &Consent| may_be_written(self.system, &target, consent, Some(&self.own));
            self.with_each_consent(&target, look).map_err(|error| told(path, request, error))?;
            let is_allowed = if is_drive_name(path) { Ok(()) } else { access(path, "open it for writing") };
            return is_allowed.map(|()| Foreseen::Written);
        }
        let has_bytes = open_to_read(&target)?.size_bytes();
        let fits = target.facts.kind != TargetKind::File || has_bytes >= request.size_bytes;
        if fits { Ok(Foreseen::Read) } else { Err(too_small(path, has_bytes, request.size_bytes)) }
    }
}

/// Asks the system if this user may write.
fn access(path: &Path, doing: &'static str) -> Result<(), TargetError> {
    rustix::fs::access(path, Access::WRITE_OK).map_err(|error| TargetError::io(path, doing, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use crate::job_files::Space;
    use crate::owned::ownership::OwnFiles;
    use crate::system::System;

    #[test]
    fn what_opening_would_say_is_said_and_nothing_is_done() {
        let folder = folder_on_a_drive();
        let (system, at) = (System::host(), |name: &str| folder.path().join(name));
        std::fs::write(at("data"), vec![7u8; 4096]).unwrap();
        let request = OpenRequest {
            write: true,
            only_grows: false,
            direct: false,
            size_bytes: 8192,
            space: Space::Reserved,
            whole: true,
            make: true,
        };
        let read = OpenRequest { write: false, size_bytes: 4096, ..request };
        let with = |consent: Consent| JobFiles::new(&system, &consent, &[], OwnFiles::new(at("state/made")));
        let mut files = with(Consent::default());
        assert_eq!(files.foresee(&at("new"), request).unwrap(), Foreseen::Made);
        assert_eq!(files.foresee(&at("no/folder"), request).unwrap(), Foreseen::MadeWithFolder);
        assert_eq!(files.foresee(&at("data"), read).unwrap(), Foreseen::Read);
        let consent = Consent { overwrite: vec![at("data")], ..Consent::default() };
        assert_eq!(with(consent).foresee(&at("data"), request).unwrap(), Foreseen::Written);
        for (name, request) in [
            ("data", request),
            ("data", OpenRequest { only_grows: true, ..request }),
            ("data", OpenRequest { size_bytes: 8192, ..read }),
            ("none", OpenRequest { make: false, ..request }),
            ("", request),
        ] {
            let foreseen = files.foresee(&at(name), request).unwrap_err().to_string();
            assert_eq!(foreseen, files.open(&at(name), request).unwrap_err().to_string(), "{name}");
        }
        assert_eq!((std::fs::read(at("data")).unwrap(), std::fs::read_dir(folder.path()).unwrap().count()), (vec![7u8; 4096], 1));
    }
}
