//! Gives files up where a run ends before its jobs begin: those that it made are removed, and others are as they were.

use super::make::remove_made;
use super::origin::Origin;
use super::{JobFiles, Open, folders};
use crate::system::pin::fresh;
use std::os::fd::AsFd;
use std::path::Path;

impl Open {
    pub(super) fn made_at(&self) -> Option<&Path> {
        if let Origin::Made(path) = &self.origin { Some(path) } else { None }
    }

    /// Gives a file of ours its length back that it had before this run.
    fn shrink_back(&self) {
        if let (Origin::Settled(length_bytes), true) = (&self.origin, self.is_begun) {
            // What cannot be made shorter takes consent when it is laid out to its end.
            let _ = rustix::fs::ftruncate(&self.handle, *length_bytes);
        }
    }
}

impl JobFiles<'_> {
    /// Removes the files and folders that this run made, where it cannot go on and they have no content that is worth anything. What was ours before and
    /// was only made larger gets its length back and stays ours.
    pub fn abandon(&self) {
        // What somebody changed meanwhile keeps its length too.
        let is_as_written = |open: &&Open| fresh(&open.handle).is_ok_and(|stat| self.own.is_as_written(&stat));
        let settled: Vec<&Open> = self.open.iter().filter(|open| matches!(open.origin, Origin::Settled(_))).collect();
        let grown: Vec<&Open> = settled.iter().copied().filter(is_as_written).collect();
        if !settled.is_empty() {
            grown.iter().for_each(|open| open.shrink_back());
            self.own.leave(grown.iter().map(|open| &open.handle));
            let settled: Vec<_> = settled.iter().map(|open| open.handle.as_fd()).collect();
            // Where it cannot be noted they take consent.
            let _ = self.own.settle(&settled);
        }
        for (path, open) in self.open.iter().filter_map(|open| open.made_at().map(|path| (path, open))) {
            // What cannot be removed stays, as any file does.
            let _ = remove_made(path, open.id);
        }
        folders::remove(&self.folders);
    }
}
