//! Files of the program's own state folder, where every regular file is ours whatever it holds; but a link there leads to somebody else's.

use super::{NewFile, OutputError};
use crate::owned::held_folder::HeldFolder;
use crate::system::pin::Pin;
use rustix::fs::{FileType, Mode, OFlags};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of the program's own state, held by a descriptor: what is written into it goes nowhere else, wherever its path leads by then.
#[derive(Debug)]
pub struct OwnFolder {
    held: HeldFolder,
    path: PathBuf,
}

impl OwnFolder {
    /// The folder at a path that is our own.
    ///
    /// # Errors
    /// When there is none, or the system refuses.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let held = HeldFolder::open(path).map_err(|error| OutputError::io(path, "open", error))?;
        Ok(Self { held, path: path.to_path_buf() })
    }

    /// A folder in it, which is not a link.
    ///
    /// # Errors
    /// As [`OwnFolder::open`].
    pub fn folder_at(&self, name: &str) -> Result<Self, OutputError> {
        let path = self.path.join(name);
        let held = self.held.folder_at(name.as_ref()).map_err(|error| OutputError::io(&path, "open", error))?;
        Ok(Self { held, path })
    }

    /// Its path when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if `other` is the same folder.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.held.is(&other.held)
    }

    /// Writes a file in it, as [`store`] does.
    ///
    /// # Errors
    /// As [`store`].
    pub fn store(&self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        let path = self.path.join(name);
        store_in(&self.held, name.as_ref(), &path, bytes)
    }
}

/// Writes a file of the state folder whole: a kill leaves the old one or the new one, and of several that write it at the same time the last one counts.
///
/// # Errors
/// When something else than a regular file stands there, or the system refuses.
pub fn store(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let (folder, name) = HeldFolder::of(path).map_err(|error| OutputError::io(path, "write", error))?;
    store_in(&folder, &name, path, bytes)
}

fn store_in(folder: &HeldFolder, name: &OsStr, path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    check(path, folder.pin(name).ok())?;
    let put = || {
        let mut new = NewFile::begin(folder)?;
        new.write_all(bytes)?;
        new.flush()?;
        new.name_over(name)
    };
    put().map(drop).map_err(|error| OutputError::io(path, "write", error))
}

/// Opens a file of the state folder to be locked, and makes it if it is not there; its content stays.
///
/// # Errors
/// As [`store`].
pub fn open_lock(path: &Path) -> Result<File, OutputError> {
    let fail = |error: std::io::Error| OutputError::io(path, "open", error);
    let (folder, name) = HeldFolder::of(path).map_err(fail)?;
    check(path, folder.pin(&name).ok())?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&folder, &name, flags, Mode::from_raw_mode(0o644)).map_err(|error| fail(error.into()))?;
    check(path, Some(Pin::of(&fd).map_err(fail)?))?;
    Ok(fd.into())
}

fn check(path: &Path, pin: Option<Pin>) -> Result<(), OutputError> {
    match pin {
        Some(pin) if FileType::from_raw_mode(pin.stat.st_mode) != FileType::RegularFile => {
            Err(OutputError::NoFile { path: path.to_path_buf(), kind: "no regular file" })
        }
        _ => Ok(()),
    }
}
