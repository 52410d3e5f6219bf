//! A path that was resolved.

use crate::block::seen::Seen;
use ioproof_core::facts::TargetFacts;
use std::path::{Path, PathBuf};

/// A thing under test. Only this crate makes one.
#[derive(Debug, Clone)]
pub struct Target {
    /// A description of it, for the record. Nothing that is opened depends on it.
    pub facts: TargetFacts,
    pub(crate) path: PathBuf,
    pub(crate) what: What,
}

/// The identity that is asked for when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Device { name: String, seen: Seen },
    File { id: (u64, u64) },
    Directory,
    Scratch,
    Zero,
    Null,
}

impl Target {
    /// True for a directory, in which a scratch file can be made.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.what == What::Directory
    }

    /// Its path after links were followed.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Kernel name of the block device that it is.
    pub(crate) fn device_name(&self) -> Option<&str> {
        if let What::Device { name, .. } = &self.what { Some(name) } else { None }
    }
}
