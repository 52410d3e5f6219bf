//! Files by their names: what is measured is a call that takes a name, which makes a file, looks it up, or removes it.
//!
//! The names of a job are known before it begins, and their folders are held. Only a name that is free is made, and only the very file that the write rule let
//! go is removed.

use super::held_folder::HeldFolder;
use crate::system::folder::folder_of;
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Rights of a new file, as fio gives them.
const RIGHTS: Mode = Mode::from_raw_mode(0o600);

/// The call that each name gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameCall {
    /// open(2) with `O_CREAT`: the file is made.
    Make,
    /// stat(2).
    Stat,
    /// lstat(2).
    LinkStat,
    /// statx(2).
    Statx,
    /// unlink(2): the file is removed.
    Remove,
}

/// Names in held folders.
#[derive(Debug)]
pub struct NamedFiles {
    call: NameCall,
    folders: Vec<HeldFolder>,
    names: Vec<Named>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) path: PathBuf,
    folder: usize,
    name: CString,
    /// Device and inode of the file that may be removed.
    id: Option<(u64, u64)>,
    /// The job made it.
    made: AtomicBool,
}

impl NamedFiles {
    /// Holds the folders of these files; those that are to be removed come with device and inode.
    pub(crate) fn new(call: NameCall, files: impl IntoIterator<Item = (PathBuf, Option<(u64, u64)>)>) -> io::Result<Self> {
        let (mut folders, mut paths, mut names) = (Vec::new(), Vec::<PathBuf>::new(), Vec::new());
        for (path, id) in files {
            let folder = folder_of(&path);
            let at = match paths.iter().rposition(|known| known == folder) {
                Some(at) => at,
                None => {
                    folders.push(HeldFolder::open(folder)?);
                    paths.push(folder.to_path_buf());
                    paths.len() - 1
                }
            };
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let name = CString::new(name.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput)?;
            names.push(Named { path, folder: at, name, id, made: AtomicBool::new(false) });
        }
        Ok(Self { call, folders, names })
    }

    /// The call that each name gets.
    #[must_use]
    pub fn call(&self) -> NameCall {
        self.call
    }

    /// Makes file `at`. The first time its name must be free; a later time opens what the first one made. Closing it is left to the caller.
    ///
    /// # Errors
    /// EEXIST where the name is taken; EINVAL where there is no such name.
    pub fn make(&self, at: usize) -> Result<OwnedFd, Errno> {
        let (folder, named) = self.at(at)?;
        let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let is_first = !named.made.load(Relaxed);
        let file = rustix::fs::openat(folder, &named.name, if is_first { flags | OFlags::EXCL } else { flags }, RIGHTS)?;
        if is_first {
            named.made.store(true, Relaxed);
        }
        Ok(file)
    }

    /// Looks file `at` up.
    ///
    /// # Errors
    /// As the call says.
    pub fn look_up(&self, at: usize) -> Result<(), Errno> {
        let (folder, named) = self.at(at)?;
        match self.call {
            NameCall::Statx => rustix::fs::statx(folder, &named.name, AtFlags::empty(), StatxFlags::ALL).map(drop),
            NameCall::LinkStat => rustix::fs::statat(folder, &named.name, AtFlags::SYMLINK_NOFOLLOW).map(drop),
            _ => rustix::fs::statat(folder, &named.name, AtFlags::empty()).map(drop),
        }
    }

    /// True while the file that may be removed has its name.
    #[must_use]
    pub fn is_expected(&self, at: usize) -> bool {
        let Ok((folder, named)) = self.at(at) else { return false };
        let found = rustix::fs::statat(folder, &named.name, AtFlags::SYMLINK_NOFOLLOW);
        found.is_ok_and(|stat| named.id == Some((stat.st_dev, stat.st_ino)))
    }

    /// Removes file `at`, which the caller has just found to be the expected one.
    ///
    /// # Errors
    /// As unlink(2) says.
    pub fn remove(&self, at: usize) -> Result<(), Errno> {
        let (folder, named) = self.at(at)?;
        rustix::fs::unlinkat(folder, &named.name, AtFlags::empty())
    }

    fn at(&self, at: usize) -> Result<(&HeldFolder, &Named), Errno> {
        let named = self.names.get(at).ok_or(Errno::INVAL)?;
        Ok((&self.folders[named.folder], named))
    }

    /// Those that the job made, or was to remove, each with its folder.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&HeldFolder, &Named)> {
        let is_own = |named: &&Named| named.made.load(Relaxed) || named.id.is_some();
        self.names.iter().filter(is_own).map(|named| (&self.folders[named.folder], named))
    }
}

impl Named {
    /// Its name in its folder.
    pub(crate) fn name(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(self.name.as_bytes()))
    }

    /// Device and inode of the file that may be removed.
    pub(crate) fn id(&self) -> Option<(u64, u64)> {
        self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    fn of(call: NameCall, path: &Path, id: Option<(u64, u64)>) -> NamedFiles {
        NamedFiles::new(call, [(path.to_path_buf(), id)]).unwrap()
    }

    #[test]
    fn a_name_is_made_where_it_is_free_and_opened_again_by_whoever_made_it() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("new");
        let files = of(NameCall::Make, &path, None);
        files.make(0).unwrap();
        files.make(0).unwrap();
        assert_eq!((path.metadata().unwrap().len(), files.make(1).unwrap_err()), (0, Errno::INVAL));
        assert_eq!(of(NameCall::Make, &path, None).make(0).unwrap_err(), Errno::EXIST);
        std::os::unix::fs::symlink(folder.path().join("nowhere"), folder.path().join("link")).unwrap();
        assert_eq!(of(NameCall::Make, &folder.path().join("link"), None).make(0).unwrap_err(), Errno::EXIST);
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn every_call_looks_a_file_up_and_one_that_is_not_there_is_an_error() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        for call in [NameCall::Stat, NameCall::LinkStat, NameCall::Statx] {
            assert_eq!(of(call, &path, None).look_up(0), Ok(()));
            assert_eq!(of(call, &folder.path().join("none"), None).look_up(0), Err(Errno::NOENT));
        }
    }

    #[test]
    fn another_file_of_the_same_name_is_not_the_expected_one() {
        let folder = folder_on_a_drive();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        let stat = rustix::fs::stat(&path).unwrap();
        let files = of(NameCall::Remove, &path, Some((stat.st_dev, stat.st_ino)));
        assert!(files.is_expected(0));
        std::fs::write(folder.path().join("other"), "y").unwrap();
        std::fs::rename(folder.path().join("other"), &path).unwrap();
        assert!(!files.is_expected(0));
        assert!(!of(NameCall::Remove, &path, None).is_expected(0), "without an inode none is");
    }
}
