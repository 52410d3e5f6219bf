//! The origin of a file, which decides what becomes of it when a run is abandoned.

use std::path::PathBuf;

/// The state of a file before this run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// This run made it, by this path.
    Made(PathBuf),
    /// Ours, from a run that was killed while it laid it out.
    Unfinished,
    /// Ours, as its job left it. Its length then, in bytes.
    Settled(u64),
    /// All else.
    Other,
}
