//! Folders of the program's own state: each appears whole under its name, and is removed by the names of files that its owner knows.
//!
//! A new one is made under a temporary name and gets its own in the end. One that goes is first moved to a temporary name, so that nobody sees half of it.
//! No link is followed, nothing on another filesystem is entered, and what its owner does not know stays and is told. Beside it: `output_file` writes the
//! files in them.

use crate::owned::held_folder::{Act, HeldFolder, temporary_name};
use crate::owned::output_file::{is_temporary, leftover};
use crate::system::pin::Pin;
use rustix::fs::{Access, AtFlags, FileType, StatxAttributes, StatxFlags, accessat, statx};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// True for the path of a file or folder, below the folder itself, that its owner made.
pub type IsKnown<'a> = &'a dyn Fn(&Path) -> bool;

/// Looks at a folder that others may still write to, until it stays empty.
const PASSES: usize = 3;

/// A folder, held under whatever name it has.
#[derive(Debug)]
pub struct StateFolder {
    parent: PathBuf,
    above: HeldFolder,
    held: HeldFolder,
    name: OsString,
}

/// Something found in a folder.
struct Found {
    path: PathBuf,
    pin: Pin,
    is_known: bool,
}

impl StateFolder {
    /// Holds a folder that is there.
    ///
    /// # Errors
    /// When it is a link or no folder, or the system refuses.
    pub fn open(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let parent = crate::system::folder::folder_of(path).to_owned();
        let above = HeldFolder::open(&parent)?;
        let held = above.own_folder_at(&name)?;
        Ok(Self { parent, above, held, name })
    }

    /// Makes one under a temporary name.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn make(parent: &Path) -> io::Result<Self> {
        let (above, name) = (HeldFolder::open(parent)?, temporary_name());
        above.make_folder(&name)?;
        let held = above.folder_at(&name)?;
        Ok(Self { parent: parent.to_owned(), above, held, name })
    }

    /// Its path under the name that it has now.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// Gives it a name that is free.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something bears it.
    pub fn rename(&mut self, name: &OsStr) -> io::Result<()> {
        self.above.rename_new(&self.name, name)?;
        name.clone_into(&mut self.name);
        Ok(())
    }

    /// Room that the known files take on the drive, as the filesystem counts it. Bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn used_bytes(&self, is_known: IsKnown<'_>) -> io::Result<u64> {
        let blocks = |found: &Found| u64::try_from(found.pin.stat.st_blocks).unwrap_or(0);
        // stat(2) counts in units of 512 bytes, whatever the filesystem's are.
        Ok(self.look(is_known)?.iter().filter(|found| found.is_known).map(blocks).sum::<u64>().saturating_mul(512))
    }

    /// Removes it with all that is known. Paths that are not known stay, and so does the folder then, under its name; they are given back.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] where it bears another name by now; else when the system refuses. Nothing is removed where that can be told beforehand; else
    /// what is left is under [`Self::path`], and can be removed again.
    pub fn remove(&mut self, is_known: IsKnown<'_>) -> io::Result<Vec<PathBuf>> {
        // Whoever had it may have ended, and given it its name, while its lock was waited for.
        if self.above.pin(&self.name)?.id() != Pin::of(&self.held)?.id() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let all = self.look(is_known)?;
        all.iter().filter(|found| found.is_known).try_for_each(|found| self.check(found))?;
        let unknown: Vec<PathBuf> = all.into_iter().filter(|found| !found.is_known).map(|found| found.path).collect();
        if unknown.is_empty() && !is_temporary(self.name.as_bytes()) {
            // Where there is no room for another name, removing makes some.
            let _ = self.rename(&temporary_name());
        }
        let mut last = Ok(());
        for _ in 0..PASSES {
            self.remove_known(is_known)?;
            if !unknown.is_empty() {
                return Ok(unknown);
            }
            last = gone(self.above.remove_folder(&self.name));
            if last.is_ok() {
                break;
            }
        }
        last.map(|()| unknown)
    }

    /// Looks whether something can be removed, as far as its flags and the rights of its folder tell.
    fn check(&self, found: &Found) -> io::Result<()> {
        let refused = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", found.path.display()));
        let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
        // A filesystem that tells no flags has none that it keeps.
        if statx(&found.pin, "", AtFlags::EMPTY_PATH, StatxFlags::TYPE).is_ok_and(|now| now.stx_attributes.intersects(fixed)) {
            return Err(refused(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it may not be changed nor removed (lsattr, chattr -i -a)",
            )));
        }
        match found.is_folder() {
            true => accessat(&self.held, &found.path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
                .map_err(|error| refused(error.into())),
            false => Ok(()),
        }
    }

    fn remove_known(&self, is_known: IsKnown<'_>) -> io::Result<()> {
        // Deepest first, so that a folder is empty when it is its turn.
        for found in self.look(is_known)?.iter().rev().filter(|found| found.is_known) {
            let refused = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", found.path.display()));
            let Some((folder, name)) = gone(self.folder_of(&found.path).map(Some)).map_err(refused)? else { continue };
            let folder = folder.as_ref().unwrap_or(&self.held);
            if found.is_folder() {
                // What is not known keeps it.
                let _ = folder.remove_folder(&name);
                continue;
            }
            let is_left = folder.remove(&name, |now| now.id() == found.pin.id()).map(|act| act == Act::LeftAlone);
            if gone(is_left).map_err(refused)? {
                return Err(io::Error::other(format!("{} was replaced by somebody else meanwhile", found.path.display())));
            }
        }
        Ok(())
    }

    /// The folder of a path below this one, where it is not this one itself, and the name in it.
    fn folder_of(&self, path: &Path) -> io::Result<(Option<HeldFolder>, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let above = path.parent().filter(|above| !above.as_os_str().is_empty());
        Ok((above.map(|above| self.held.unmounted_folder_at(above.as_os_str())).transpose()?, name))
    }

    /// All that is in it, a folder before what it holds; folders that are not known are not entered.
    fn look(&self, is_known: IsKnown<'_>) -> io::Result<Vec<Found>> {
        let device = Pin::of(&self.held)?.id().0;
        let mut all = Vec::new();
        for found in look_at(&self.held, Path::new(""), is_known)? {
            let enters = found.is_known && found.is_folder();
            let (path, is_here) = (found.path.clone(), found.pin.id().0 == device);
            all.push(Found { is_known: found.is_known && is_here, ..found });
            if enters && is_here {
                let held = gone(self.held.unmounted_folder_at(path.as_os_str()).map(Some).map_err(io::Error::from))?;
                all.extend(held.map(|held| look_at(&held, &path, is_known)).transpose()?.into_iter().flatten());
            }
        }
        Ok(all)
    }
}

impl Found {
    fn is_folder(&self) -> bool {
        is_kind(&self.pin, FileType::Directory)
    }
}

/// The default where there is nothing any more: it was removed, by whomever.
fn gone<T: Default>(removed: io::Result<T>) -> io::Result<T> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        other => other,
    }
}

/// Folders that were being made or removed when their process was killed, or still are.
#[must_use]
pub fn unfinished_folders(parent: &Path) -> Vec<PathBuf> {
    let names = HeldFolder::open(parent).and_then(|above| above.names()).unwrap_or_default();
    let ours = names.into_iter().filter(|name| is_temporary(name.as_bytes())).map(|name| parent.join(name));
    ours.filter(|path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir())).collect()
}

fn is_kind(pin: &Pin, kind: FileType) -> bool {
    FileType::from_raw_mode(pin.stat.st_mode) == kind
}

fn look_at(folder: &HeldFolder, below: &Path, is_known: IsKnown<'_>) -> io::Result<Vec<Found>> {
    let mut all = Vec::new();
    for name in folder.names()? {
        // It may have gone since.
        let Ok(pin) = folder.pin(&name) else { continue };
        let path = below.join(&name);
        // What a kill left under a temporary name is ours too.
        let is_ours = is_known(&path) || is_temporary(name.as_bytes()) && leftover(&pin).is_some();
        let is_known =
            is_ours && (is_kind(&pin, FileType::RegularFile) || is_kind(&pin, FileType::Directory) && below.as_os_str().is_empty());
        all.push(Found { path, pin, is_known });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;
    use std::os::unix::fs::symlink;

    fn is_known(path: &Path) -> bool {
        ["run", "stages", "stages/1", "other"].iter().any(|known| path == Path::new(known))
    }

    /// A folder `name` with two known files.
    fn made(parent: &Path, name: &str) -> StateFolder {
        let mut folder = StateFolder::make(parent).unwrap();
        std::fs::create_dir(folder.path().join("stages")).unwrap();
        std::fs::write(folder.path().join("run"), "r").unwrap();
        std::fs::write(folder.path().join("stages/1"), vec![1; 10_000]).unwrap();
        folder.rename(OsStr::new(name)).unwrap();
        folder
    }

    #[test]
    fn a_folder_goes_with_all_that_is_known() {
        let parent = folder_on_a_drive();
        let mut folder = made(parent.path(), "a");
        assert!(folder.used_bytes(&is_known).unwrap() >= 10_000);
        assert!(made(parent.path(), "b").rename(OsStr::new("a")).is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists));
        assert!(folder.remove(&is_known).unwrap().is_empty());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1, "b");
        assert!(unfinished_folders(parent.path()).is_empty());
    }

    #[test]
    fn a_folder_that_got_another_name_stays() {
        let parent = folder_on_a_drive();
        let mut folder = made(parent.path(), "a");
        let mut late = StateFolder::open(&folder.path()).unwrap();
        folder.rename(OsStr::new("b")).unwrap();
        assert!(late.remove(&is_known).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
        assert!(parent.path().join("b/run").exists());
        let mut late = StateFolder::open(&folder.path()).unwrap();
        folder.rename(OsStr::new("c")).unwrap();
        drop(made(parent.path(), "b"));
        assert!(late.remove(&is_known).is_err() && parent.path().join("b/run").exists() && parent.path().join("c/run").exists());
    }

    #[test]
    fn what_is_not_known_stays_and_no_link_is_followed() {
        let parent = folder_on_a_drive();
        let at = |name: &str| parent.path().join(name);
        std::fs::create_dir(at("precious")).unwrap();
        std::fs::write(at("precious/1"), "precious").unwrap();
        let mut folder = made(parent.path(), "a");
        std::fs::write(at("a/notes"), "mine").unwrap();
        std::fs::create_dir(at("a/deep")).unwrap();
        symlink(at("precious/1"), at("a/other")).unwrap();
        let mut left = folder.remove(&is_known).unwrap();
        left.sort();
        assert_eq!(left, ["deep", "notes", "other"].map(PathBuf::from));
        assert!(!at("a/run").exists() && !at("a/stages").exists() && at("a/notes").exists());
        let mut folder = made(parent.path(), "b");
        std::fs::remove_dir_all(at("b/stages")).unwrap();
        symlink(at("precious"), at("b/stages")).unwrap();
        assert_eq!(folder.remove(&is_known).unwrap(), [PathBuf::from("stages")]);
        assert_eq!(std::fs::read(at("precious/1")).unwrap(), b"precious");
        symlink(at("precious"), at("c")).unwrap();
        assert!(StateFolder::open(&at("c")).is_err(), "a link is no folder of ours");
    }
}
