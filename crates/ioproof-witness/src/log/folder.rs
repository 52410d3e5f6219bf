//! A folder of the witness, held open: names in it are opened and made without following links, for its owner alone.
//!
//! `held_folder` of ioproof-target holds folders by `O_PATH`, which cannot be synced; here names are to be on the disk.

use ioproof_target::folder_of;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Rights of files and of folders.
const FILE_RIGHTS: Mode = Mode::from_raw_mode(0o600);
const FOLDER_RIGHTS: Mode = Mode::from_raw_mode(0o700);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub(super) struct Folder {
    fd: OwnedFd,
}

impl Folder {
    /// The folder at a path, which is made where there is none; links on the way to it are followed, one in its place is not.
    pub(super) fn open_or_make(path: &Path) -> io::Result<Self> {
        match rustix::fs::mkdir(path, FOLDER_RIGHTS) {
            Ok(()) => File::open(folder_of(path))?.sync_all()?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self { fd: rustix::fs::open(path, FOLDER, Mode::empty())? })
    }

    /// The same folder, held once more.
    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self { fd: self.fd.try_clone()? })
    }

    /// True while a path in it leads to this very file, and so many bytes are in it.
    pub(super) fn has(&self, path: &str, file: &File, bytes: u64) -> bool {
        let there = rustix::fs::statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW);
        let held = rustix::fs::fstat(file);
        there.ok().zip(held.ok()).is_some_and(|(there, held)| {
            (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino) && u64::try_from(held.st_size).is_ok_and(|size| size == bytes)
        })
    }

    /// A folder in this one, where there is one.
    pub(super) fn folder(&self, name: &str) -> io::Result<Option<Self>> {
        match rustix::fs::openat(&self.fd, name, FOLDER, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a folder in this one.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.fd, name, FOLDER_RIGHTS)?;
        self.folder(name)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens a regular file in it.
    pub(super) fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // Neither a pipe nor a terminal makes it wait.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.fd, name, flags, FILE_RIGHTS)?;
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode);
        if kind == FileType::RegularFile { Ok(file.into()) } else { Err(io::Error::other(format!("{name} is no regular file"))) }
    }

    pub(super) fn size_bytes(&self, name: &str) -> io::Result<u64> {
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(u64::try_from(stat.st_size).unwrap_or(0))
    }

    /// Names in it that are text.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let entries = rustix::fs::openat(&self.fd, ".", FOLDER, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(entries)? {
            names.extend(entry?.file_name().to_str().ok().map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Renames within it; `EEXIST` where the new name is taken.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(&self.fd, from, &self.fd, to, RenameFlags::NOREPLACE)?)
    }

    /// Takes the name of a file away.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Takes a folder away that holds nothing.
    pub(super) fn remove_empty(&self, name: &str) {
        // One that somebody put something into stays.
        let _ = rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR);
    }

    /// Has its names on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.fd)?)
    }
}
