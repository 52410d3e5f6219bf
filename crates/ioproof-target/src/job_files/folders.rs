//! The folders in which files of jobs are made, where the name has some that are not there, as fio makes them.

use crate::error::TargetError;
use crate::system::folder::folder_of;
use rustix::fs::Mode;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Rights of a new folder, as fio gives them.
const RIGHTS: Mode = Mode::RWXU;

/// A folder that this run made: its path, its device and its inode.
pub(super) type MadeFolder = (PathBuf, (u64, u64));

/// The folders that are to be made before a file can be, outermost first, and the one in which they will lie.
pub(super) fn missing(path: &Path) -> Result<(PathBuf, Vec<PathBuf>), TargetError> {
    let mut missing = Vec::new();
    let mut folder = folder_of(path);
    while folder.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        // What `..` of a folder that is not there means is not known.
        if !matches!(folder.components().next_back(), Some(Component::Normal(_) | Component::CurDir)) {
            return Err(TargetError::Missing(folder.to_path_buf()));
        }
        missing.push(folder.to_path_buf());
        folder = folder_of(folder);
    }
    missing.reverse();
    Ok((folder.to_path_buf(), missing))
}

/// Makes the folders of a file that are not there, and gives those that this run made.
pub(super) fn make(path: &Path, made: &mut Vec<MadeFolder>) -> Result<(), TargetError> {
    let (there, missing) = missing(path)?;
    refuse_dev(&there, path)?;
    for folder in missing {
        match rustix::fs::mkdir(&folder, RIGHTS) {
            Ok(()) => made.extend(folder.symlink_metadata().map(|meta| (folder, (meta.dev(), meta.ino()))).ok()),
            // Somebody else made it meanwhile.
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(not_made(&folder, error)),
        }
    }
    Ok(())
}

/// A folder that cannot be made, and why.
pub(super) fn not_made(folder: &Path, error: impl Into<io::Error>) -> TargetError {
    let what = format!("this folder is not there and cannot be made: {}", error.into());
    TargetError::unsuitable_hint(folder, what, "make it, or name a file in a folder that you may write")
}

/// Removes folders that this run made, the innermost first; in which something lies stays.
pub(super) fn remove(made: &[MadeFolder]) {
    for (folder, id) in made.iter().rev() {
        if folder.symlink_metadata().is_ok_and(|meta| (meta.dev(), meta.ino()) == *id) {
            // It holds something of somebody else.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// A name under /dev that is not there is a mistyped device, never a new file.
pub(super) fn refuse_dev(parent: &Path, path: &Path) -> Result<(), TargetError> {
    let folder = parent.canonicalize().map_err(|error| TargetError::io(parent, "follow it", error))?;
    let in_dev = folder == Path::new("/dev") || folder.starts_with("/dev") && !folder.starts_with("/dev/shm");
    if in_dev { Err(TargetError::Missing(PathBuf::from(path))) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tree::folder_on_a_drive;

    #[test]
    fn what_is_missing_is_made_and_removed_again_unless_somebody_uses_it() {
        let folder = folder_on_a_drive();
        let at = |name: &str| folder.path().join(name);
        let mut made = Vec::new();
        make(&at("a/b/c/file"), &mut made).unwrap();
        make(&at("a/b/other"), &mut made).unwrap();
        assert!(at("a/b/c").is_dir() && !at("a/b/c/file").exists() && made.len() == 3);
        std::fs::write(at("a/mine"), "x").unwrap();
        remove(&made);
        assert!(!at("a/b").exists() && at("a/mine").exists());
    }

    #[test]
    fn neither_dev_nor_a_way_back_from_nowhere_gets_folders() {
        let folder = folder_on_a_drive();
        let at = |name: &str| folder.path().join(name);
        let mut made = Vec::new();
        assert!(matches!(make(Path::new("/dev/no-such-folder/disk"), &mut made), Err(TargetError::Missing(_))));
        assert!(matches!(make(&at("none/../file"), &mut made), Err(TargetError::Missing(_))));
        std::fs::write(at("file"), "x").unwrap();
        let error = make(&at("file/below/x"), &mut made).unwrap_err().to_string();
        assert!(error.contains("file is no directory"), "{error}");
        assert!(made.is_empty() && !at("none").exists());
    }
}
