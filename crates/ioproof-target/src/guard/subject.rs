//! What the clauses look at: the device in question and the tables of the system, read once.

use super::Consent;
use crate::block;
use crate::mounts::{self, Mount, Swap, TableError};
use crate::stack;
use crate::system::System;

/// The system with its mounts and swaps.
pub(crate) struct Ground<'a> {
    pub system: &'a System,
    pub mounts: Vec<Mount>,
    pub swaps: Vec<Swap>,
}

impl<'a> Ground<'a> {
    /// Reads the tables. Where they cannot be read nothing may be written, so this is an error.
    pub(crate) fn new(system: &'a System) -> Result<Self, TableError> {
        Ok(Self { system, mounts: mounts::mounts(system)?, swaps: mounts::swaps(system)? })
    }

    /// The block device that a swap area is or lies on.
    pub(crate) fn swap_device(&self, swap: &Swap) -> Option<String> {
        use std::os::unix::fs::MetadataExt;
        block::name_of_path(self.system, &swap.path).or_else(|| {
            let meta = std::fs::metadata(self.system.at(&swap.path)).ok()?;
            let mount = mounts::mount_of(&self.mounts, None, swap.path.as_ref());
            stack::of_file(self.system, meta.dev(), mount).map(|node| node.name)
        })
    }
}

/// A device that somebody wants to write.
pub(crate) struct Subject<'a> {
    pub ground: &'a Ground<'a>,
    pub name: String,
    pub consent: &'a Consent,
    /// Whether this process has it open already, so that it shows among the writers.
    pub opened: bool,
}

impl Subject<'_> {
    pub(crate) fn system(&self) -> &System {
        self.ground.system
    }

    /// The device and its partitions.
    pub(crate) fn family(&self) -> Vec<String> {
        family(self.system(), &self.name)
    }
}

/// A device and its partitions.
pub(crate) fn family(system: &System, name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    names.extend(block::partitions(system, name));
    names
}
