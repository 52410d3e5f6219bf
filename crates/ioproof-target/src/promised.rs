//! Room that this run will take of filesystems without its being set aside: of scratch files that are written elsewhere than where they lie, and of files behind loop
//! devices. All of it together is held against what is free, since everything is looked at before the first write.

use crate::room_below::lacks_bytes;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Device and inode of a file, with the device that it stands for.
pub(crate) type Id = (u64, u64, u64);

/// The number of what a path leads to.
pub(crate) fn id(meta: &Metadata) -> Id {
    (meta.dev(), meta.ino(), meta.rdev())
}

static PROMISED: Mutex<Promised> = Mutex::new(Promised::new());

/// All that was promised in this process.
pub(crate) fn all() -> MutexGuard<'static, Promised> {
    PROMISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Promises by the number of the filesystem that they are of.
#[derive(Debug, Default)]
pub(crate) struct Promised {
    own: BTreeMap<u64, u64>,
    below: BTreeMap<Id, Below>,
}

/// A file behind a loop device.
#[derive(Debug, Default)]
struct Below {
    path: PathBuf,
    /// Bytes that are written by way of each target.
    by: BTreeMap<Id, u64>,
}

impl Below {
    fn needs_bytes(&self, lacks_bytes: u64) -> u64 {
        self.by.values().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes)).min(lacks_bytes)
    }
}

impl Promised {
    const fn new() -> Self {
        Self { own: BTreeMap::new(), below: BTreeMap::new() }
    }

    /// Adds what a file of ours takes of its filesystem.
    pub(crate) fn add(&mut self, filesystem: u64, bytes: u64) {
        *self.own.entry(filesystem).or_default() += bytes;
    }

    /// Puts down that so much is written to a file below by way of a target; said again, the larger of both counts.
    pub(crate) fn put_below(&mut self, (file, path): (Id, &Path), target: Id, bytes: u64) {
        let below = self.below.entry(file).or_default();
        below.path = path.into();
        let known = below.by.entry(target).or_default();
        *known = bytes.max(*known);
    }

    /// Takes back what was put down for a target.
    pub(crate) fn take_back(&mut self, file: Id, target: Id) {
        self.below.entry(file).or_default().by.remove(&target);
    }

    /// All that files below still take of a filesystem. Bytes.
    pub(crate) fn below_bytes(&self, filesystem: u64) -> u64 {
        self.below_bytes_of(filesystem, lacks_bytes)
    }

    fn below_bytes_of(&self, filesystem: u64, lacks_bytes: impl Fn(&Path) -> u64) -> u64 {
        let on = self.below.range((filesystem, 0, 0)..=(filesystem, u64::MAX, u64::MAX));
        on.fold(0, |sum: u64, (_, below)| sum.saturating_add(below.needs_bytes(lacks_bytes(&below.path))))
    }

    /// All that is promised of a filesystem. Bytes.
    pub(crate) fn bytes(&self, filesystem: u64) -> u64 {
        self.own.get(&filesystem).copied().unwrap_or(0).saturating_add(self.below_bytes(filesystem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_take_no_more_than_they_lack_and_add_up_by_their_filesystem() {
        let (mut promised, [one, two, elsewhere]) = (Promised::default(), [(7, 1, 0), (7, 2, 0), (8, 1, 0)]);
        let targets = [(1, 1, 1), (1, 2, 1)];
        let [large, small] = ["100", "40"].map(Path::new);
        let below = |promised: &Promised, filesystem| promised.below_bytes_of(filesystem, |path| path.to_str().unwrap().parse().unwrap());
        promised.put_below((one, large), targets[0], 60);
        promised.put_below((one, large), targets[0], 50);
        assert_eq!(below(&promised, 7), 60, "the same again");
        promised.put_below((one, large), targets[1], 60);
        assert_eq!(below(&promised, 7), 100, "no more than it lacks");
        promised.put_below((two, small), targets[1], 60);
        promised.put_below((elsewhere, small), targets[1], 60);
        assert_eq!([7, 8, 9].map(|filesystem| below(&promised, filesystem)), [140, 40, 0]);
        promised.take_back(two, targets[1]);
        assert_eq!(below(&promised, 7), 100);
        promised.add(9, 5);
        assert_eq!(promised.bytes(9), 5);
    }
}
