//! A folder of ours that is removed with all that is in it: no link is followed, nothing is entered that is mounted within, of whatever filesystem, and a folder that took
//! its name meanwhile stays.

use crate::owned::held_folder::HeldFolder;
use crate::system::pin::Pin;
use rustix::io::Errno;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The form of every name.
pub const ANYTHING: &str = "*";
/// The folder, held beside the one that it stands in.
#[derive(Debug)]
pub struct OwnTree {
    above: HeldFolder,
    held: HeldFolder,
    name: OsString,
}

impl OwnTree {
    /// Holds a folder by its path; a link in its place is refused.
    ///
    /// # Errors
    /// When it is no folder, or not there.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (above, name) = HeldFolder::of(path)?;
        Self::within(above, name)
    }

    /// Holds the folder of this name.
    pub(crate) fn within(above: HeldFolder, name: OsString) -> io::Result<Self> {
        let held = above.own_folder_at(&name)?;
        Ok(Self { above, held, name })
    }

    /// Device and inode.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn id(&self) -> io::Result<(u64, u64)> {
        Ok(Pin::of(&self.held)?.id())
    }

    /// Removes it with all that is in it, unless another folder bears its name by now: whoever moved it has it.
    ///
    /// # Errors
    /// EXDEV where something is mounted within, and then with all that was not removed before; else the system's answer.
    pub fn remove(&self) -> io::Result<()> {
        self.remove_with(&[ANYTHING])
    }

    /// The same with what bears one of these names, in which `#` stands for a number. What somebody else laid there stays, and the folder with it.
    ///
    /// # Errors
    /// As [`Self::remove`], and ENOTEMPTY where something of somebody else is in it.
    pub fn remove_with(&self, names: &[&str]) -> io::Result<()> {
        if self.above.pin(&self.name)?.id() != self.id()? {
            return Ok(());
        }
        empty(&self.held, names)?;
        self.above.remove_folder(&self.name)
    }

    /// The folder that it stands in, and its name there.
    pub(crate) fn place(&self) -> (&HeldFolder, &OsString) {
        (&self.above, &self.name)
    }
}

/// True where a name is of a form, in which `#` stands for a number and `*` for all that follows.
fn is_of_form(name: &[u8], form: &[u8]) -> bool {
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match form.split_first() {
        None => name.is_empty(),
        Some((b'*', _)) => true,
        Some((b'#', rest)) => digits > 0 && is_of_form(&name[digits..], rest),
        Some((byte, rest)) => name.split_first().is_some_and(|(first, after)| first == byte && is_of_form(after, rest)),
    }
}

fn empty(folder: &HeldFolder, names: &[&str]) -> io::Result<()> {
    let goes = |name: &OsString| names.iter().any(|form| is_of_form(name.as_bytes(), form.as_bytes()));
    for name in folder.names()?.into_iter().filter(goes) {
        match folder.unmounted_folder_at(&name) {
            Ok(inner) => {
                empty(&inner, &[ANYTHING])?;
                folder.remove_folder(&name)?;
            }
            Err(Errno::NOTDIR | Errno::LOOP) => folder.unlink(&name)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn what_bears_another_name_stays_and_the_folder_with_it() {
        let parent = folder_on_a_drive();
        let at = |name: &str| parent.path().join(name);
        std::fs::create_dir_all(at("own/data/base")).unwrap();
        for name in ["own/data/base/1", "own/bench-0.7", "own/notes"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let own = OwnTree::open(&at("own")).unwrap();
        assert_eq!(own.remove_with(&["data", "bench-#.#"]).unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
        assert!(!at("own/data").exists() && !at("own/bench-0.7").exists() && at("own/notes").exists());
        std::fs::remove_file(at("own/notes")).unwrap();
        own.remove_with(&["data"]).unwrap();
        assert!(!at("own").exists());
    }

    #[test]
    fn a_name_is_ours_as_a_whole() {
        for (form, ours, others) in [
            ("data", &["data"][..], &["database.csv", "data.tar", "dat", "Data", ""][..]),
            ("bench-#.#", &["bench-0.7", "bench-12.3456"], &["bench-0.7.1", "bench-.7", "bench-0.7x", "bench-a.1", "bench-"]),
            ("script-#.sql", &["script-0.sql"], &["script-0.sql.bak", "script-.sql", "my-script-0.sql"]),
        ] {
            assert!(ours.iter().all(|name| is_of_form(name.as_bytes(), form.as_bytes())), "{form}");
            assert!(!others.iter().any(|name| is_of_form(name.as_bytes(), form.as_bytes())), "{form}");
        }
    }

    #[test]
    fn all_that_is_in_it_goes_and_nothing_that_links_lead_to() {
        let parent = folder_on_a_drive();
        let at = |name: &str| parent.path().join(name);
        std::fs::create_dir_all(at("own/a/b")).unwrap();
        std::fs::write(at("own/a/b/file"), "x").unwrap();
        std::fs::create_dir(at("other")).unwrap();
        std::fs::write(at("other/file"), "x").unwrap();
        std::os::unix::fs::symlink(at("other"), at("own/link")).unwrap();
        let own = OwnTree::open(&at("own")).unwrap();
        own.remove().unwrap();
        assert!(!at("own").exists() && at("other/file").exists());
        std::os::unix::fs::symlink("other", at("own")).unwrap();
        assert!(OwnTree::open(&at("own")).is_err() && own.remove().is_ok() && at("other/file").exists());
    }
}
