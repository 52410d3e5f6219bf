//! A folder of our own in which names are made, exchanged and taken away, to find out after a power cut what of that lasted. It is made where nothing bears its
//! name, and nothing outside of it is touched.

use crate::owned::held_folder::HeldFolder;
use crate::system::filesystem;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The folder, held by a descriptor.
#[derive(Debug)]
pub struct ProofFolder {
    folder: HeldFolder,
    /// Device and inode of each file that was made here, by its name: nothing else is replaced or removed.
    made: Mutex<HashMap<String, (u64, u64)>>,
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
        Ok(Self { folder: parent.folder_at(OsStr::new(name))?, made: Mutex::default() })
    }

    /// Opens one that was made before.
    ///
    /// # Errors
    /// When it is not there, or a link stands in its place.
    pub fn open(parent: &Path, name: &str) -> io::Result<Self> {
        Ok(Self { folder: HeldFolder::open(parent)?.folder_at(OsStr::new(name))?, made: Mutex::default() })
    }

    /// Makes a file with this content, and syncs the file alone.
    ///
    /// # Errors
    /// EEXIST where the name is taken.
    pub fn create(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut file = std::fs::File::from(self.begin(name)?);
        file.write_all(content)?;
        file.sync_all()
    }

    /// Makes an empty file that is written further.
    ///
    /// # Errors
    /// EEXIST where the name is taken.
    pub fn begin(&self, name: &str) -> io::Result<OwnedFd> {
        self.look_for_room()?;
        let file = self.folder.make(OsStr::new(name), Mode::RUSR | Mode::WUSR)?;
        let stat = rustix::fs::fstat(&file)?;
        self.made().insert(name.to_owned(), (stat.st_dev, stat.st_ino));
        Ok(file)
    }

    /// Gives a file another name, which may be that of another one that was made here: that is gone then.
    ///
    /// # Errors
    /// When either name is of a file that was not made here; an error of the kernel, passed on.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.look_whose(from)?;
        self.look_whose(to)?;
        rustix::fs::renameat(&self.folder, from, &self.folder, to)?;
        let mut made = self.made();
        if let Some(id) = made.remove(from) {
            made.insert(to.to_owned(), id);
        }
        Ok(())
    }

    /// Takes the name of a file away that was made here.
    ///
    /// # Errors
    /// When it is of a file that was not; an error of the kernel, passed on.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        self.look_whose(name)?;
        self.folder.unlink(OsStr::new(name))?;
        self.made().remove(name);
        Ok(())
    }

    /// Refuses to go on where the filesystem has no more than what is left to others, of bytes or of files.
    ///
    /// # Errors
    /// When it has not, or does not answer.
    pub fn look_for_room(&self) -> io::Result<()> {
        let room = filesystem::room(&self.folder)?;
        let is_short_of_bytes = room.total_bytes > 0 && !room.has(1);
        if is_short_of_bytes || !room.has_files(1) {
            return Err(io::Error::other("the filesystem has no more room than what is left to others"));
        }
        Ok(())
    }

    fn made(&self) -> std::sync::MutexGuard<'_, HashMap<String, (u64, u64)>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a name that now is of something else than what was made here. `HeldFolder::replace` and `remove` would prove it in the act, but by an exchange and a move, which
    /// are other operations than those on trial.
    fn look_whose(&self, name: &str) -> io::Result<()> {
        let there = match rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            stat => stat?,
        };
        if self.made().get(name) == Some(&(there.st_dev, there.st_ino)) {
            return Ok(());
        }
        Err(io::Error::other(format!("{name} is not what was made there: somebody else uses the folder")))
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
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn what_somebody_else_lays_there_is_not_replaced() {
        let parent = folder_on_a_drive();
        let folder = ProofFolder::make(parent.path(), "own").unwrap();
        let current = parent.path().join("own/current");
        for _ in 0..2 {
            folder.create("next", b"ours").unwrap();
            folder.rename("next", "current").unwrap();
        }
        std::fs::write(parent.path().join("mine"), b"mine").unwrap();
        std::fs::rename(parent.path().join("mine"), &current).unwrap();
        folder.create("next", b"ours").unwrap();
        assert!(folder.rename("next", "current").unwrap_err().to_string().contains("somebody else"));
        assert!(folder.remove("current").is_err());
        assert_eq!(std::fs::read(&current).unwrap(), b"mine");
    }

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
        assert!(again.remove("a").is_err(), "it was made by another session");
        folder.remove("a").unwrap();
        assert_eq!(again.read("a", 100).unwrap(), None);
        std::os::unix::fs::symlink("/etc/passwd", parent.path().join("own/link")).unwrap();
        assert!(again.read("link", 100).is_err());
        std::os::unix::fs::symlink("own", parent.path().join("other")).unwrap();
        assert!(ProofFolder::open(parent.path(), "other").is_err());
    }
}
