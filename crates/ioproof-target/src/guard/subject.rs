//! The subject of the clauses: the device in question and the tables of the system, read once.

use super::Consent;
use crate::block::stack;
use crate::block::users::Found;
use crate::block::{self, loops::at};
use crate::system::System;
use crate::system::mounts::{self, Mount, Swap, TableError};
use std::cell::OnceCell;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

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

    /// The block device that a swap area is or lies on, as far as it can be told.
    pub(crate) fn swap_device(&self, swap: &Swap) -> Option<String> {
        self.swap_device_told(swap).ok()
    }

    /// The same, or why it cannot be told: a file that was deleted, or whose name means another one in this mount namespace.
    pub(crate) fn swap_device_told(&self, swap: &Swap) -> Result<String, String> {
        let path = at(self.system, &swap.file);
        let meta = match std::fs::metadata(&path) {
            Ok(meta) if meta.file_type().is_file() => meta,
            Ok(_) => return self.by_name(swap).ok_or_else(|| "sysfs does not know the device".to_owned()),
            Err(error) => return self.by_name(swap).ok_or_else(|| error.to_string()),
        };
        if !bears_swap(&path).map_err(|error| error.to_string())? {
            return Err("the file of that name is none".to_owned());
        }
        let mount = mounts::mount_of(&self.mounts, None, &swap.file);
        let node = stack::of_file(self.system, meta.dev(), mount);
        node.map(|node| node.name).ok_or_else(|| "the drive under the file cannot be told".to_owned())
    }

    fn by_name(&self, swap: &Swap) -> Option<String> {
        block::name_of_path(self.system, &swap.path)
    }
}

/// The last ten bytes of the first page, whatever its size (kernel, `include/linux/swap.h`).
fn bears_swap(path: &Path) -> std::io::Result<bool> {
    const PAGES: [usize; 4] = [4096, 8192, 16_384, 65_536];
    let mut head = Vec::with_capacity(PAGES[3]);
    std::fs::File::open(path)?.take(PAGES[3] as u64).read_to_end(&mut head)?;
    Ok(PAGES.iter().any(|page| matches!(head.get(page - 10..*page), Some(b"SWAPSPACE2" | b"SWAP-SPACE"))))
}

/// A device that somebody wants to write.
pub(crate) struct Subject<'a> {
    pub ground: &'a Ground<'a>,
    pub name: String,
    pub consent: &'a Consent,
    /// This process has it open already, so that it shows among the writers.
    pub opened: bool,
    users: OnceCell<Found>,
}

impl<'a> Subject<'a> {
    /// A device by its kernel name.
    pub(crate) fn new(ground: &'a Ground<'a>, name: &str, consent: &'a Consent, opened: bool) -> Self {
        Self { ground, name: name.to_owned(), consent, opened, users: OnceCell::new() }
    }

    /// The processes that use it, looked for once.
    pub(crate) fn users(&self, find: impl FnOnce() -> Found) -> &Found {
        self.users.get_or_init(find)
    }

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
