//! Files that the program writes beside its targets: reports (`-o`), fio's `--output` and logs, results so far, the state of a run.
//!
//! The way through it: [`OutputFile::open_folder`] holds the folder; [`OutputFile::look`] tells what stands at the name without opening anything but a regular
//! file, and that only to read it; the new content is written to a [`NewFile`] that has no name (`O_TMPFILE`), so that a kill leaves nothing;
//! [`OutputFile::create_new`] or [`OutputFile::replace_own`] gives it the name ([`OutputFile::put`] does whichever the look asks for); what follows goes
//! below it with [`OutputFile::append_own`]. Each act looks again, so a file that somebody put there or wrote to meanwhile stays, and the act is an error
//! ([`OutputError::Changed`]). Links at the name are never followed, a file with a second name is refused, and a pipe never makes anybody wait.
//!
//! A file may be replaced only if it is empty or our own. Ours is what bears the mark (`mark.rs`): an attribute with a digest of the content as it was
//! written, so one more word by somebody else makes it his. Where there is no such attribute, because the filesystem has none or a copy lost it, the caller's
//! [`IsOwn`] decides, by a stamp in the format's own way. A mark that does not fit the content is somebody's change, whatever the caller's check says.
//!
//! With the user's consent a file of somebody else is replaced too ([`OutputFile::look_with_consent`]). [`store`] writes a file of the program's own state
//! folder, where all regular files are ours and which no output replaces; [`open_lock`] opens one to be locked.
//!
//! Deliberately absent: formats and their stamps, and standard output (`stdout.rs`).

mod error;
mod folder;
mod kind;
mod mark;
mod new_file;
mod older;
mod state;
mod sweep;
#[cfg(test)]
mod tests;

pub use error::OutputError;
pub use folder::OutputFolder;
pub use new_file::NewFile;
pub use state::{OwnFolder, make_folders, open_lock, store};
pub(crate) use sweep::{is_leftover, is_temporary};

use crate::held_folder::{Act, HeldFolder};
use crate::kernel;
use crate::ownership::fresh;
use crate::target::Pin;
use crate::unwritten_hold::UnwrittenHold;
use kind::Kind;
use mark::Mark;
use rustix::fs::{OFlags, Stat};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A check of a file that bears no mark: true if its content proves by itself that the program wrote it. The file is open to be read, at its beginning.
pub type IsOwn<'a> = &'a dyn Fn(&File) -> bool;

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
    /// An empty file, or one of our own.
    Replaceable(Seen),
}

/// A regular file as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    id: (u64, u64),
    size_bytes: u64,
    modified: (i64, i128),
    changed: (i64, i128),
    links: u64,
    mode: u32,
    owner: (u32, u32),
}

impl Seen {
    fn of(stat: &Stat) -> Self {
        #[expect(clippy::useless_conversion, reason = "widths and signs differ between architectures and C libraries")]
        Self {
            id: (stat.st_dev, stat.st_ino),
            size_bytes: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime, i128::from(stat.st_mtime_nsec)),
            changed: (stat.st_ctime, i128::from(stat.st_ctime_nsec)),
            links: u64::from(stat.st_nlink),
            mode: stat.st_mode,
            owner: (stat.st_uid, stat.st_gid),
        }
    }

    /// True if nobody wrote to it. Names and rights may have changed: moving a file aside changes the time of its inode too.
    fn is_unwritten(&self, now: &Stat) -> bool {
        let now = Self::of(now);
        (self.id, self.size_bytes, self.modified) == (now.id, now.size_bytes, now.modified)
    }
}

/// True of a file without a byte. Filesystems that make content as it is read (FUSE, procfs) may give no size for a file that has some.
fn reads_nothing(pin: &Pin) -> std::io::Result<bool> {
    let file = File::from(pin.open(OFlags::RDONLY)?);
    Ok((&file).take(1).read_to_end(&mut Vec::new())? == 0)
}

/// A file that this program has written, held open so that more can follow.
#[derive(Debug)]
pub struct Written {
    file: File,
    mark: Mark,
    id: (u64, u64),
}

impl Written {
    /// Adds to the end, and takes in whatever of it was written before an error.
    fn add(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            match self.file.write(bytes) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.mark.add(&bytes[..count]);
                    bytes = &bytes[count..];
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
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
        sweep::sweep(&folder);
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

    /// Tells what stands at the name.
    ///
    /// # Errors
    /// When it is nothing that may be written: a link, a directory, a device, a file with a second name, or one that is neither empty nor ours.
    pub fn look(&self, is_own: IsOwn<'_>) -> Result<Standing, OutputError> {
        let pin = match self.folder.pin(&self.name) {
            Ok(pin) => pin,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Standing::Nothing),
            Err(error) => return Err(self.fail("look at", error)),
        };
        match Kind::of(&pin.stat) {
            Kind::Regular => self.look_at_file(&pin, is_own).map(Standing::Replaceable),
            Kind::Stream => Ok(Standing::Stream),
            Kind::Other(kind) => Err(OutputError::NoFile { path: self.path.clone(), kind }),
        }
    }

    fn look_at_file(&self, pin: &Pin, is_own: IsOwn<'_>) -> Result<Seen, OutputError> {
        let seen = Seen::of(&pin.stat);
        if UnwrittenHold::of(pin).is_none() {
            return Err(OutputError::InUse(self.path.clone()));
        }
        match seen {
            Seen { links: 1, size_bytes: 0, .. } => {
                let is_empty = !mark::has_of_others(pin) && reads_nothing(pin).map_err(|error| self.fail("read", error))?;
                return if is_empty { Ok(seen) } else { Err(OutputError::Foreign(self.path.clone())) };
            }
            Seen { links: 1, .. } => {}
            _ => return Err(OutputError::SeveralNames(self.path.clone())),
        }
        let file = pin.open(OFlags::RDONLY).map(File::from).map_err(|error| self.fail("read", error))?;
        let is_ours = match mark::read(&file) {
            Some(mark) => mark::fits(&mark, &file, seen.size_bytes),
            None => is_own(&file),
        };
        let is_ours = is_ours && !mark::has_of_others(&file);
        let now = fresh(&file).map_err(|error| self.fail("look at", error))?;
        match is_ours && Seen::of(&now) == seen {
            true => Ok(seen),
            false => Err(OutputError::Foreign(self.path.clone())),
        }
    }

    /// Begins the new content, in a file that has no name yet.
    ///
    /// # Errors
    /// When no file can be made in the folder.
    pub fn begin(&self) -> Result<NewFile<'_>, OutputError> {
        NewFile::begin(&self.folder).map_err(|error| self.fail("write", error))
    }

    /// Gives the new file the name, which nothing may bear.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when something does; the system's answer otherwise.
    pub fn create_new(&self, new: NewFile<'_>) -> Result<Written, OutputError> {
        let written = new.finish().and_then(|new| new.name(&self.name));
        written.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => OutputError::Changed(self.path.clone()),
            _ => self.fail("write", error),
        })
    }

    /// Puts the new file, with the rights of the old, in the place of the file that was seen there.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when another file stands there by now, or it was written to since; the system's answer otherwise.
    pub fn replace_own(&self, new: NewFile<'_>, seen: &Seen) -> Result<Written, OutputError> {
        let now = self.folder.pin(&self.name).ok().filter(|pin| Seen::of(&pin.stat) == *seen);
        let now = now.ok_or_else(|| OutputError::Changed(self.path.clone()))?;
        // What somebody writes into a file that was replaced would go to one without a name.
        let hold = UnwrittenHold::of(&now).ok_or_else(|| OutputError::InUse(self.path.clone()))?;
        self.replace_if(new, seen, |pin| seen.is_unwritten(&pin.stat) && hold.is_kept())
    }

    /// The same while `is_it` says so of the file that stands there.
    fn replace_if(&self, new: NewFile<'_>, seen: &Seen, is_it: impl Fn(&Pin) -> bool) -> Result<Written, OutputError> {
        let done = new.of_owner(seen.owner).with_mode(seen.mode).and_then(NewFile::finish).and_then(|new| new.replace(&self.name, is_it));
        match done {
            Ok((written, Act::Done)) => Ok(written),
            Ok((_, Act::LeftAlone)) => Err(OutputError::Changed(self.path.clone())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(OutputError::Changed(self.path.clone())),
            Err(error) => Err(self.fail("write", error)),
        }
    }

    /// Gives the new file the name as the look allowed it.
    ///
    /// # Errors
    /// Those of [`Self::create_new`] and [`Self::replace_own`]; a stream takes no file.
    pub fn put(&self, new: NewFile<'_>, standing: &Standing) -> Result<Written, OutputError> {
        match standing {
            Standing::Nothing => self.create_new(new),
            Standing::Replaceable(seen) => self.replace_own(new, seen),
            Standing::Stream => Err(OutputError::NoFile { path: self.path.clone(), kind: "a pipe or a device" }),
        }
    }

    /// Adds to a file that this program has written, while it still stands there and nobody else wrote to it.
    ///
    /// # Errors
    /// [`OutputError::Changed`] when it does not; then nothing was added, or, if it happened in that very moment, what was added went to the file that was moved.
    pub fn append_own(&self, written: &mut Written, bytes: &[u8]) -> Result<(), OutputError> {
        self.check_written(written)?;
        crate::held_folder::race::moment();
        let done = written.add(bytes);
        self.check_written(written)?;
        mark::write(&written.file, &written.mark);
        done.and_then(|()| kernel::flush(&written.file)).map_err(|error| self.fail("write", error))
    }

    fn check_written(&self, written: &Written) -> Result<(), OutputError> {
        let is_it = |pin: Pin| {
            pin.id() == written.id && Seen::of(&pin.stat).links == 1 && Seen::of(&pin.stat).size_bytes == written.mark.size_bytes()
        };
        match self.folder.pin(&self.name).is_ok_and(is_it) {
            true => Ok(()),
            false => Err(OutputError::Changed(self.path.clone())),
        }
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
