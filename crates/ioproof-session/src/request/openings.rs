//! Descriptors that a load needs of its target: one for direct I/O, and where its workloads ask for it one through the page cache, further files, and a file that
//! grows.

use super::LoadRequest;
use ioproof_core::shape::{Growth, Shape};
use ioproof_core::workload::{Durability, Workload};

/// Descriptors of a load, and where each stands among the handles of the run: the files, the file that grows, then all of them through the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Openings {
    /// Files of one size; at least 1.
    pub files: usize,
    /// One more file, which is made anew for each round.
    pub grows: bool,
    /// Each of them through the page cache as well.
    pub buffered: bool,
}

impl Openings {
    fn new<'a>(shapes: impl Iterator<Item = &'a Shape> + Clone) -> Self {
        Self {
            files: shapes.clone().map(|shape| shape.more_files).max().unwrap_or(0) as usize + 1,
            grows: shapes.clone().any(|shape| shape.growth != Growth::Overwrite),
            buffered: shapes.clone().any(|shape| shape.buffered),
        }
    }

    pub fn all_files(self) -> usize {
        self.files + usize::from(self.grows)
    }

    pub fn positions(self, workload: &Workload) -> Vec<usize> {
        let Shape { growth, more_files, buffered, .. } = workload.shape;
        let first = if buffered { self.all_files() } else { 0 };
        match growth {
            Growth::Overwrite => (first..=first + more_files as usize).collect(),
            _ => vec![first + self.files],
        }
    }
}

impl LoadRequest {
    /// Descriptors that its workloads need.
    pub fn openings(&self) -> Openings {
        Openings::new(self.workloads.iter().map(|workload| &workload.shape))
    }

    /// True where syncs are part of what is measured, as of the usual workloads.
    pub fn syncs(&self) -> bool {
        self.workloads.is_empty() || self.end_fsync || self.workloads.iter().any(|workload| workload.durability != Durability::None)
    }
}

#[cfg(test)]
mod tests {
    use crate::sources::testing::load;

    #[test]
    fn each_workload_finds_its_handles() {
        let positions = |words: &str| {
            let load = load(words);
            load.workloads.iter().map(|workload| load.openings().positions(workload)).collect::<Vec<_>>()
        };
        assert_eq!(positions("--rw randread,randwrite"), [[0], [0]]);
        assert_eq!(positions("--rw write --write-to existing,append"), [[0], [1]]);
        assert_eq!(positions("--rw randwrite --files 3"), [[0, 1, 2]]);
        assert_eq!(positions("--rw randwrite --files 2 --buffered"), [[2, 3]]);
        assert_eq!(positions("--rw write --write-to append,existing --buffered"), [[3], [2]]);
    }
}
