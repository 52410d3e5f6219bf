//! A scratch file that has a name, because syncs cost something else without one.

use crate::owned::held_folder::{HeldFolder, temporary_name};
use crate::owned::left_behind;
use crate::owned::leftovers::claim_opened;
use rustix::fs::Mode;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// The name of a scratch file that has one; it is taken away at the end, if the file bears it still.
#[derive(Debug)]
pub(crate) struct ScratchName {
    folder: HeldFolder,
    pub name: OsString,
    id: (u64, u64),
}

impl ScratchName {
    pub(crate) fn make(folder: &Path) -> io::Result<(OwnedFd, Self)> {
        let (folder, name) = (HeldFolder::open(folder)?, temporary_name());
        let fd = folder.make(&name, Mode::RUSR | Mode::WUSR)?;
        // Where it cannot be marked, a kill leaves it for good.
        let _ = claim_opened(&fd, &name);
        let id = folder.pin(&name)?.id();
        Ok((fd, Self { folder, name, id }))
    }
}

impl Drop for ScratchName {
    fn drop(&mut self) {
        // Whoever moved it has it.
        left_behind::note(&self.folder, &self.name, self.folder.remove(&self.name, |pin| pin.id() == self.id));
    }
}
