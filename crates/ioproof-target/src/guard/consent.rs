//! The consents of the user, as typed.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The consents to write what would not be written by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Consent {
    /// `--overwrite FILE`: the files that may be written.
    pub overwrite: Vec<PathBuf>,
    /// `--overwrite-all-in DIRECTORY`: the directories in which every file may be written, below them too.
    pub overwrite_all_in: Vec<PathBuf>,
    /// `--destroy SERIAL`: the drive that may be written, by serial number (`SERIAL:NSID`), or a loop device by name.
    pub destroy: Option<String>,
    /// `--destroy-unknown-content`: also where no signature is known and yet something is there.
    pub destroy_unknown_content: bool,
}

impl Consent {
    /// True if a file was named, through whatever links, or lies in a directory that was.
    pub(crate) fn covers(&self, path: &Path, id: (u64, u64)) -> bool {
        let is = |given: &PathBuf| std::fs::metadata(given).is_ok_and(|meta| (meta.dev(), meta.ino()) == id);
        self.overwrite.iter().any(is) || self.overwrite_all_in.iter().any(|directory| lies_in(path, directory))
    }
}

/// True if the file itself, not a link to it, lies in the directory, and nowhere else by another name.
fn lies_in(path: &Path, directory: &Path) -> bool {
    let (Ok(path), Ok(directory)) = (path.canonicalize(), directory.canonicalize()) else { return false };
    let has_one_name = || std::fs::metadata(&path).is_ok_and(|meta| meta.nlink() == 1);
    directory.is_dir() && path != directory && path.starts_with(&directory) && has_one_name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_directory_covers_what_lies_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["own", "own/below", "other"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        for name in ["own/a", "own/below/b", "other/c", "own-like"] {
            std::fs::write(at(name), "something").unwrap();
        }
        symlink(at("other/c"), at("own/link")).unwrap();
        symlink(at("own"), at("way")).unwrap();
        let consent = |directory: &str| Consent { overwrite_all_in: vec![at(directory)], ..Consent::default() };
        let covers = |directory, name| consent(directory).covers(&at(name), (0, 0));
        assert!(covers("own", "own/a") && covers("own", "own/below/b") && covers("way", "own/a") && covers("own", "way/a"));
        assert!(!covers("own", "other/c") && !covers("own", "own-like") && !covers("own/a", "own/a") && !covers("missing", "own/a"));
        assert!(!covers("own", "own/link"), "what a link leads to lies elsewhere");
        std::fs::hard_link(at("other/c"), at("own/hard")).unwrap();
        assert!(!covers("own", "own/hard"), "it lies elsewhere as well");
    }
}
