//! Reasons why a result cannot be written to a file.

use crate::system::folder::folder_of;
use std::io;
use std::path::{Path, PathBuf};

/// An error about a file that results are to be written to. Nothing of somebody else is lost with any of them.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Something stands there that is no file.
    #[error("{} is {kind}", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// Its kind: `a link`, `a directory`.
        kind: &'static str,
    },
    /// A path that ends with a slash, where one file is to be written.
    #[error("{} is the name of a folder, and this is one file", .0.display())]
    FolderName(PathBuf),
    /// The folder in which something is to be written is not there.
    #[error("cannot write {}: there is no folder {}", path.display(), folder.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// A file has a second name, by which it may be somebody else's.
    #[error("{} has another name as well (a hard link)", .0.display())]
    SeveralNames(PathBuf),
    /// A file is neither empty nor of ioproof's own writing, or somebody changed it since.
    #[error("{} exists and is not what ioproof wrote", .0.display())]
    Foreign(PathBuf),
    /// Somebody put a file there, changed it or took it away after it was looked at.
    #[error("{} was made, changed or taken away by somebody else meanwhile, so it stays as it is", .0.display())]
    Changed(PathBuf),
    /// The system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The action that was tried: `write`.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
}

impl OutputError {
    pub(super) fn io(path: &Path, doing: &'static str, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.to_path_buf(), doing, source: source.into() }
    }

    /// The error of a folder that cannot be held.
    pub(super) fn no_folder(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NoFolder { path: path.to_path_buf(), folder: folder_of(path).to_path_buf() },
            _ => Self::io(path, "write", source),
        }
    }

    /// A remedy to be printed beside the error.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFile { kind: "a link", .. } => "give the file itself",
            Self::NoFile { .. } => "name a file",
            Self::FolderName(_) => "leave the slash out, or name a file in that folder",
            Self::NoFolder { .. } => "make that folder first (mkdir -p), or name one that is there",
            Self::SeveralNames(_) | Self::Foreign(_) | Self::Changed(_) => "remove it, or give another name",
            Self::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => "raise the limit on the size of files (`ulimit -f`)",
            Self::Io { source, .. } if matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
                "make room there"
            }
            Self::Io { .. } => "give a file in a folder that is there and that you may write",
        }
    }
}
