//! A folder for several files of output, which stays the one that was looked at: files go into it wherever it is called by the time that they are written.

use super::{OutputError, OutputFile};
use crate::owned::held_folder::HeldFolder;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A folder that is held.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    held: HeldFolder,
}

impl OutputFolder {
    /// Holds a folder that is there; links to it are followed.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let held = HeldFolder::open(path).map_err(|error| OutputError::io(path, "write to", error))?;
        Ok(Self { path: path.to_path_buf(), held })
    }

    /// The place of a file in it.
    ///
    /// # Errors
    /// When no more files can be open.
    pub fn file(&self, name: &str) -> Result<OutputFile, OutputError> {
        let path = self.path.join(name);
        let folder = self.held.again().map_err(|error| OutputError::io(&path, "write", error))?;
        Ok(OutputFile::in_folder(path, folder, name.into()))
    }
}

impl OutputFile {
    /// Makes a folder at the name, which nothing may bear.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when something does; the system's answer otherwise.
    pub fn make_folder(&self) -> Result<OutputFolder, OutputError> {
        let made = self.folder.make_folder(&self.name).and_then(|()| self.folder.folder_at(&self.name));
        let held = made.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => OutputError::Changed(self.path.clone()),
            _ => self.fail("make", error),
        })?;
        Ok(OutputFolder { path: self.path.clone(), held })
    }

    /// The path by which the file is found, where the folder that was looked at is no longer the one of its path: it was moved, or is gone.
    #[must_use]
    pub fn moved_to(&self) -> Option<PathBuf> {
        let is_there = HeldFolder::of(&self.path).is_ok_and(|(folder, _)| folder.is(&self.folder));
        (!is_there).then(|| self.folder.path().join(OsStr::new(&self.name)))
    }
}
