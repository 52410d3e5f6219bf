//! Files of jobs that are made, looked up or removed by their names: they come under the write rule as any other, and are closed before the job begins, since a
//! file that is open is not gone when its name is.

use super::folders::{self, refuse_dev};
use super::{JobFiles, Open, identity, nothing};
use crate::error::TargetError;
use crate::owned::handle::Handle;
use crate::owned::held_folder::Act;
use crate::owned::named_files::{NameCall, Named, NamedFiles};
use crate::resolve::resolve_any;
use crate::system::folder::folder_of;
use crate::system::pin::Pin;
use ioproof_core::facts::{TargetFacts, TargetKind};
use rustix::fs::{FileType, OFlags};
use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Files that are noted as ours at once, each of which takes a descriptor.
const AT_ONCE: usize = 256;

impl JobFiles<'_> {
    /// Makes the folder of a file where it is missing, and describes it, which stands for the names in it; none where nothing can be told of it.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn folder(&mut self, path: &Path) -> Result<Option<TargetFacts>, TargetError> {
        self.folder_of_name(path)?;
        let facts = resolve_any(self.system, folder_of(path)).ok().map(|target| target.facts);
        Ok(facts.map(|facts| TargetFacts { kind: TargetKind::File, direct: false, alignment_bytes: 1, ..facts }))
    }

    /// Gives up files that were opened to be written ([`JobFiles::open`]), so that they can be removed by their names: those that are to be made are removed at
    /// once. `bytes` is what an operation counts as.
    ///
    /// # Errors
    /// Where another file has a name by now, or the system refuses.
    pub fn by_name(&mut self, paths: &[PathBuf], call: NameCall, bytes: u64) -> Result<Handle, TargetError> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            self.folder_of_name(path)?;
            let id = self.known_id(path).filter(|_| matches!(call, NameCall::Make | NameCall::Remove));
            files.push((path.clone(), id));
        }
        self.close(&files.iter().filter_map(|(_, id)| *id).collect());
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let fail = |error| TargetError::io(first, "hold its folder", error);
        if call == NameCall::Make {
            let old = files.iter().filter(|(_, id)| id.is_some()).cloned();
            remove_all(&NamedFiles::new(NameCall::Remove, old).map_err(fail)?)?;
            files.iter_mut().for_each(|(_, id)| *id = None);
        }
        let named = NamedFiles::new(call, files).map_err(fail)?;
        let size_bytes = bytes.saturating_mul(paths.len() as u64);
        Ok(nothing(size_bytes).map_err(fail)?.of_names(named))
    }

    fn folder_of_name(&mut self, path: &Path) -> Result<(), TargetError> {
        folders::make(path, &mut self.folders)?;
        refuse_dev(folder_of(path), path)
    }

    /// Device and inode of a file that is open to be written.
    fn known_id(&self, path: &Path) -> Option<(u64, u64)> {
        let id = identity(&Pin::new(path).ok()?);
        self.places.get(&id).and_then(|at| self.open.get(*at)).filter(|open| open.handle.may_write()).map(|open| open.id)
    }

    /// Closes files for good.
    fn close(&mut self, released: &HashSet<(u64, u64)>) {
        self.open.retain(|open: &Open| !released.contains(&open.id));
        self.places = self.open.iter().enumerate().map(|(at, open)| (open.id, at)).collect();
    }

    /// Notes that a job by names has ended: what it made, and what it left of the files that it was to remove, is ours, or is removed with `unlink`.
    ///
    /// # Errors
    /// When the ledger cannot be written, or a file cannot be removed.
    pub fn settle_named(&self, handle: &Handle, unlink: bool) -> io::Result<()> {
        let Some(named) = handle.named() else { return Ok(()) };
        let mut files: Vec<OwnedFd> = Vec::new();
        for (folder, file) in named.own() {
            let Ok(pin) = folder.pin(file.name().as_os_str()) else { continue };
            if !is_own(file, &pin) {
                continue;
            }
            if unlink {
                folder.remove(file.name().as_os_str(), |found| found.id() == pin.id() && is_own(file, found))?;
                continue;
            }
            let Ok(fd) = pin.open(OFlags::RDONLY) else { continue };
            if file.id().is_none() {
                self.own.note(&fd, &file.path)?;
            }
            self.own.leave([&fd]);
            files.push(fd);
            if files.len() == AT_ONCE {
                self.own.settle(&files)?;
                files.clear();
            }
        }
        if files.is_empty() { Ok(()) } else { self.own.settle(&files) }
    }
}

/// True for the file that a job was to remove, and for an empty one that it made.
fn is_own(file: &Named, found: &Pin) -> bool {
    let is_empty = FileType::from_raw_mode(found.stat.st_mode) == FileType::RegularFile && found.stat.st_size == 0;
    file.id().map_or(is_empty && found.stat.st_nlink == 1, |id| found.id() == id)
}

/// Removes files whose names are to be made anew.
fn remove_all(named: &NamedFiles) -> Result<(), TargetError> {
    for (folder, file) in named.own() {
        let fail = |error| TargetError::io(&file.path, "remove it, so that it can be made", error);
        match folder.remove(file.name().as_os_str(), |pin| file.id() == Some(pin.id())).map_err(fail)? {
            Act::Done => {}
            Act::LeftAlone => return Err(TargetError::unsuitable(&file.path, "was replaced by another file meanwhile")),
        }
    }
    Ok(())
}
