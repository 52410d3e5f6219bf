//! Targets that a job may not write because somebody else changed them, or may have.

use std::path::PathBuf;

/// A target of a job that is somebody else's by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// A file of ours that somebody changed since it was made or last written.
    File(PathBuf),
    /// A target that somebody else uses by now, or that became part of something.
    InUse {
        /// Its path.
        path: PathBuf,
        /// A sentence on it.
        reason: String,
    },
    /// A device that holds something else than when it was opened; the words are of what was found there.
    Device {
        /// Its path.
        path: PathBuf,
        /// A sentence on it, where there is more to say.
        found: Option<String>,
    },
}
