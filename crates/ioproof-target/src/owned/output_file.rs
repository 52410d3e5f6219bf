//! Files that the program writes beside its targets: reports (`-o`), fio's `--output` and logs, results so far, the state of a run.
//!
//! One way for all of them: [`OutputFile::open_folder`] holds the folder; [`OutputFile::look`] tells what stands at the name, and opens nothing but a regular
//! file, and that only to read it; the new content goes to a [`NewFile`] beside it, gets our mark, and is renamed to the name by [`OutputFile::put`], which
//! looks again; what follows goes below it with [`OutputFile::append_own`].
//!
//! A file is replaced only if it is empty, if it bears our mark (`mark.rs`) and nobody wrote to it since, or if the user's consent names it. A file that
//! somebody puts there or writes to meanwhile stays ([`OutputError::Changed`]). Where a filesystem keeps no extended attributes, nothing is known for ours.
//! Links at the name are never followed, a file with a second name is refused, and a pipe never makes anybody wait.
//!
//! [`store`] writes a file of the program's own state folder, where all regular files are ours and which no output replaces; [`open_lock`] opens one to be
//! locked. Deliberately absent: formats, and standard output (`stdout.rs`).

mod error;
mod folder;
mod kind;
mod mark;
mod new_file;
mod state;
#[cfg(test)]
mod tests;

pub use crate::system::folder::make_folders;
pub use error::OutputError;
pub use folder::OutputFolder;
pub use new_file::NewFile;
pub(crate) use new_file::{is_temporary, leftover};
pub use state::{OwnFolder, open_lock, store};

use crate::owned::held_folder::HeldFolder;
use crate::system::kernel;
use crate::system::pin::Pin;
use crate::system::pin::fresh;
use kind::Kind;
use rustix::fs::{OFlags, Stat};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The place of a file that is to be written: a name in a folder that is held.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    folder: HeldFolder,
    name: OsString,
}

/// A standing of the name in which it may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Nothing,
    /// A pipe, a terminal or `/dev/null`, which keeps nothing.
    Stream,
    /// A file that may be replaced: an empty one, one of our own, or one that the user's consent names.
    Replaceable(Seen),
}

/// A regular file as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    id: (u64, u64),
    size_bytes: u64,
    modified: (i64, i128),
}

impl Seen {
    fn of(stat: &Stat) -> Self {
        Self {
            id: (stat.st_dev, stat.st_ino),
            size_bytes: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime, i128::from(stat.st_mtime_nsec)),
        }
    }

    fn now(file: impl AsFd) -> std::io::Result<Self> {
        Ok(Self::of(&fresh(file)?))
    }
}

/// True of a file without a byte. Filesystems that make content as it is read (FUSE, procfs) may give no size for a file that has some.
fn reads_nothing(file: &File) -> std::io::Result<bool> {
    Ok(file.take(1).read_to_end(&mut Vec::new())? == 0)
}

/// A file that this program has written, held open so that more can follow.
#[derive(Debug)]
pub struct Written {
    file: File,
    seen: Seen,
}

impl OutputFile {
    /// Holds the folder of a file, and takes away what killed runs left there.
    ///
    /// # Errors
    /// When the path is that of a directory (`.`, `x/`), or the folder is not there.
    pub fn open_folder(path: &Path) -> Result<Self, OutputError> {
        if path.file_name().is_none() {
            return Err(OutputError::NoFile { path: path.to_path_buf(), kind: "a directory" });
        }
        // std takes `x/` and `x/.` for `x`; the system does not.
        if [&b"/"[..], b"/."].iter().any(|end| path.as_os_str().as_bytes().ends_with(end)) {
            return Err(OutputError::FolderName(path.to_path_buf()));
        }
        let (folder, name) = HeldFolder::of(path).map_err(|error| OutputError::no_folder(path, error))?;
        Ok(Self::in_folder(path.to_path_buf(), folder, name))
    }

    /// Another file of the same folder, which is held whatever leads to it by now.
    ///
    /// # Errors
    /// When no more descriptors are to be had.
    pub fn beside(&self, path: &Path) -> Result<Self, OutputError> {
        let (folder, name) = (self.folder.again(), path.file_name().unwrap_or_default().to_owned());
        let folder = folder.map_err(|error| OutputError::no_folder(path, error))?;
        Ok(Self { path: path.to_path_buf(), folder, name })
    }

    fn in_folder(path: PathBuf, folder: HeldFolder, name: OsString) -> Self {
        new_file::sweep(&folder);
        Self { path, folder, name }
    }

    /// The path as it was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if both are one file: one name in one folder, by whatever path, or two names of what stands there.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        let id = |file: &Self| file.folder.pin(&file.name).ok().map(|pin| pin.id());
        let is_one_name = self.name == other.name && self.folder.is(&other.folder);
        is_one_name || id(self).is_some_and(|own| id(other) == Some(own))
    }

    /// Tells what stands at the name; with the user's consent a file there may be replaced whosever it is.
    ///
    /// # Errors
    /// When it is nothing that may be written: a link, a directory, a device, a file with a second name, or, without consent, one that is neither empty nor ours.
    pub fn look(&self, has_consent: bool) -> Result<Standing, OutputError> {
        let pin = match self.folder.pin(&self.name) {
            Ok(pin) => pin,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Standing::Nothing),
            Err(error) => return Err(self.fail("look at", error)),
        };
        match Kind::of(&pin.stat) {
            Kind::Regular if pin.stat.st_nlink != 1 => Err(OutputError::SeveralNames(self.path.clone())),
            Kind::Regular if has_consent || self.is_ours(&pin)? => Ok(Standing::Replaceable(Seen::of(&pin.stat))),
            Kind::Regular => Err(OutputError::Foreign(self.path.clone())),
            Kind::Stream => Ok(Standing::Stream),
            Kind::Other(kind) => Err(OutputError::NoFile { path: self.path.clone(), kind }),
        }
    }

    fn is_ours(&self, pin: &Pin) -> Result<bool, OutputError> {
        let fail = |error| self.fail("read", error);
        let file = pin.open(OFlags::RDONLY).map(File::from).map_err(fail)?;
        let seen = Seen::now(&file).map_err(fail)?;
        let is_ours = mark::fits(&file, &seen) || seen.size_bytes == 0 && reads_nothing(&file).map_err(fail)?;
        Ok(is_ours && seen == Seen::of(&pin.stat) && !mark::has_of_others(&file))
    }

    /// Begins the new content, beside the name.
    ///
    /// # Errors
    /// When no file can be made in the folder.
    pub fn begin(&self) -> Result<NewFile<'_>, OutputError> {
        NewFile::begin(&self.folder).map_err(|error| self.fail("write", error))
    }

    /// Begins new content that continues what was seen at the name.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when another file stands there by now; the system's answer otherwise.
    pub fn begin_after(&self, seen: &Seen) -> Result<NewFile<'_>, OutputError> {
        let pin = self.unchanged(seen)?;
        let mut old = pin.open(OFlags::RDONLY).map(File::from).map_err(|error| self.fail("read", error))?;
        let mut new = self.begin()?;
        std::io::copy(&mut old, &mut new).map_err(|error| self.fail("write", error))?;
        Ok(new)
    }

    /// Gives the new file the name, as the look allowed it; in the place of another file with the rights of that.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when something else stands there by now, or was written to since; the system's answer otherwise. A stream takes no file.
    pub fn put(&self, mut new: NewFile<'_>, standing: &Standing) -> Result<Written, OutputError> {
        let fail = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => OutputError::Changed(self.path.clone()),
            _ => self.fail("write", error),
        };
        let old = match standing {
            Standing::Nothing => None,
            Standing::Replaceable(seen) => new.take_over(&self.unchanged(seen)?.stat).map(|()| Some(seen)).map_err(fail)?,
            Standing::Stream => return Err(OutputError::NoFile { path: self.path.clone(), kind: "a pipe or a device" }),
        };
        let seen = new.finish().map_err(fail)?;
        Ok(Written { file: new.name(&self.name, old).map_err(fail)?, seen })
    }

    /// The file at the name, while it is as it was seen.
    fn unchanged(&self, seen: &Seen) -> Result<Pin, OutputError> {
        let pin = self.folder.pin(&self.name).ok().filter(|pin| pin.stat.st_nlink == 1 && Seen::of(&pin.stat) == *seen);
        pin.ok_or_else(|| OutputError::Changed(self.path.clone()))
    }

    /// Adds to a file that this program has written, while it still stands there and nobody else wrote to it.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when it does not, and then nothing was added, or somebody wrote in that very moment, and then both is there; the system's answer
    /// otherwise.
    pub fn append_own(&self, written: &mut Written, bytes: &[u8]) -> Result<(), OutputError> {
        self.unchanged(&written.seen)?;
        crate::owned::held_folder::race::moment();
        let expected_bytes = written.seen.size_bytes + bytes.len() as u64;
        let done = written.file.write_all(bytes).and_then(|()| kernel::flush(&written.file));
        let now = Seen::now(&written.file).map_err(|error| self.fail("look at", error))?;
        if now.size_bytes > expected_bytes {
            return Err(OutputError::Changed(self.path.clone()));
        }
        written.seen = now;
        mark::write(&written.file, &now);
        done.map_err(|error| self.fail("write", error))
    }

    /// Opens a pipe, a terminal or `/dev/null` to be written, without waiting for anybody to read it. A pipe is held open for both, so that it does not end
    /// when its reader comes late or goes; writing to one that nobody empties waits.
    ///
    /// # Errors
    /// When something else stands there.
    pub fn open_stream(&self) -> Result<File, OutputError> {
        let pin = self.folder.pin(&self.name).map_err(|error| self.fail("look at", error))?;
        let flags = match Kind::of(&pin.stat) {
            Kind::Stream => kind::stream_flags(&pin.stat),
            Kind::Regular => return Err(OutputError::Changed(self.path.clone())),
            Kind::Other(kind) => return Err(OutputError::NoFile { path: self.path.clone(), kind }),
        };
        let fd: OwnedFd = pin.open(flags).map_err(|error| self.fail("open", error))?;
        Ok(File::from(fd))
    }

    fn fail(&self, doing: &'static str, error: impl Into<std::io::Error>) -> OutputError {
        OutputError::io(&self.path, doing, error)
    }
}
