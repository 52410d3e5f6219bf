//! A folder of our own in which names are made, exchanged and taken away, to find out after a power cut what of that lasted. It is made where nothing bears its
//! name, and nothing outside of it is touched.

use crate::held_folder::HeldFolder;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The folder, held by a descriptor.
#[derive(Debug)]
pub struct ProofFolder {
    folder: HeldFolder,
}

impl ProofFolder {
    /// Makes it in a folder that is there; its own name is durable afterwards.
    ///
    /// # Errors
    /// EEXIST where something bears its name.
    pub fn make(parent: &Path, name: &str) -> io::Result<Self> {
        let parent = HeldFolder::open(parent)?;
        parent.make_folder(OsStr::new(name))?;
        sync(&parent)?;
        Ok(Self { folder: parent.folder_at(OsStr::new(name))? })
    }

    /// Opens one that was made before.
    ///
    /// # Errors
    /// When it is not there, or a link stands in its place.
    pub fn open(parent: &Path, name: &str) -> io::Result<Self> {
        Ok(Self { folder: HeldFolder::open(parent)?.folder_at(OsStr::new(name))? })
    }

    /// Makes a file with this content, and syncs the file alone.
    ///
    /// # Errors
    /// EEXIST where the name is taken.
    pub fn create(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = std::fs::File::from(self.folder.make(OsStr::new(name), Mode::RUSR | Mode::WUSR)?);
        file.write_all(content)?;
        file.sync_all()
    }

    /// Makes an empty file that is written further.
    ///
    /// # Errors
    /// EEXIST where the name is taken.
    pub fn begin(&self, name: &str) -> io::Result<OwnedFd> {
        self.folder.make(OsStr::new(name), Mode::RUSR | Mode::WUSR)
    }

    /// Gives a file another name, which may be taken: what bore it is gone.
    ///
    /// # Errors
    /// An error of the kernel, passed on.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.folder, from, &self.folder, to)?)
    }

    /// Takes a name away.
    ///
    /// # Errors
    /// An error of the kernel, passed on.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.folder.unlink(OsStr::new(name))
    }

    /// Makes the names durable (fsync(2) of the folder).
    ///
    /// # Errors
    /// An error of the kernel, passed on.
    pub fn sync(&self) -> io::Result<()> {
        sync(&self.folder)?;
        self.look_for_life()
    }

    /// Looks for a name that nobody has asked for, which a filesystem that was shut down answers with an error. XFS says of a folder that it is synced when
    /// nothing of it waits any more, also where that is so because its log could not be written (fs/xfs/xfs_file.c, xfs_dir_fsync).
    fn look_for_life(&self) -> io::Result<()> {
        static LOOKS: AtomicU64 = AtomicU64::new(0);
        let name = format!("look-{}-{}", std::process::id(), LOOKS.fetch_add(1, Relaxed));
        match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Content of a file, up to `most_bytes`; `None` where nothing bears the name.
    ///
    /// # Errors
    /// When it cannot be read, or is no regular file.
    pub fn read(&self, name: &str, most_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            opened => std::fs::File::from(opened?),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::other(format!("{name} is no regular file")));
        }
        let mut content = Vec::new();
        file.take(most_bytes).read_to_end(&mut content)?;
        Ok(Some(content))
    }
}

fn sync(folder: &HeldFolder) -> io::Result<()> {
    let opened = rustix::fs::openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(rustix::fs::fsync(opened)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::folder_on_a_drive;

    #[test]
    fn names_are_made_exchanged_and_taken_away_in_a_folder_of_its_own() {
        let parent = folder_on_a_drive();
        let folder = ProofFolder::make(parent.path(), "own").unwrap();
        assert!(ProofFolder::make(parent.path(), "own").is_err(), "what bears the name stays");
        folder.create("a", b"first").unwrap();
        assert!(folder.create("a", b"second").is_err());
        folder.create("b", b"second").unwrap();
        folder.rename("b", "a").unwrap();
        folder.sync().unwrap();
        let again = ProofFolder::open(parent.path(), "own").unwrap();
        assert_eq!((again.read("a", 100).unwrap().unwrap(), again.read("b", 100).unwrap()), (b"second".to_vec(), None));
        assert_eq!(again.read("a", 3).unwrap().unwrap(), b"sec");
        again.remove("a").unwrap();
        assert_eq!(again.read("a", 100).unwrap(), None);
        std::os::unix::fs::symlink("/etc/passwd", parent.path().join("own/link")).unwrap();
        assert!(again.read("link", 100).is_err());
        std::os::unix::fs::symlink("own", parent.path().join("other")).unwrap();
        assert!(ProofFolder::open(parent.path(), "other").is_err());
    }
}
