//! A path that was resolved.

use crate::block;
use crate::block::character::Character;
use crate::block::seen::Seen;
use crate::bound::{BoundDrive, BoundNamespace};
use crate::system::System;
use ioproof_core::facts::TargetFacts;
use std::path::{Path, PathBuf};

/// A thing under test. Only this crate makes one.
#[derive(Debug, Clone)]
pub struct Target {
    /// A description of it, for the record. Nothing that is opened depends on it.
    pub facts: TargetFacts,
    pub(crate) path: PathBuf,
    pub(crate) what: What,
    /// The character device of an NVMe namespace.
    pub(crate) character: Option<Character>,
}

/// The identity that is asked for when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Device {
        name: String,
        seen: Seen,
    },
    /// A drive that was taken from the kernel.
    Bound {
        drive: BoundDrive,
        namespace: BoundNamespace,
    },
    File {
        id: (u64, u64),
    },
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

    /// True for an NVMe namespace that commands can reach past the block layer (`/dev/ng0n1`).
    #[must_use]
    pub fn takes_passthrough(&self) -> bool {
        self.character.is_some()
    }

    /// True for a whole SCSI disk, which takes commands past the block layer.
    #[must_use]
    pub fn takes_scsi_commands(&self, system: &System) -> bool {
        self.device_name().is_some_and(|name| block::is_scsi_disk(system, name))
    }

    /// True for an NVMe namespace that was named by its character device.
    #[must_use]
    pub fn is_character_device(&self) -> bool {
        self.character.as_ref().is_some_and(|character| character.is_given)
    }

    /// The drive, where it was taken from the kernel.
    #[must_use]
    pub fn bound(&self) -> Option<(&BoundDrive, BoundNamespace)> {
        if let What::Bound { drive, namespace } = &self.what { Some((drive, *namespace)) } else { None }
    }

    /// Kernel name of the block device that it is.
    pub(crate) fn device_name(&self) -> Option<&str> {
        if let What::Device { name, .. } = &self.what { Some(name) } else { None }
    }
}
