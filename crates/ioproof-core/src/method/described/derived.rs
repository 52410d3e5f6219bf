//! Arithmetic over a load: directions, buffering, sizes, the bytes that are used, and the time for which it runs.

use super::load::{Load, LoadTarget, MediumKind};
use crate::job::Span;
use crate::shape::Order;
use crate::units::binary_size;
use crate::workload::{Durability, Pattern};
use std::collections::BTreeSet;

/// A file or device by its numbers, or by its path where these are not known.
pub(in crate::method) type LoadKey<'a> = (Option<(u64, u64)>, &'a str);

impl LoadTarget {
    /// Tells whether two are one, whatever they are called.
    pub(in crate::method) fn key(&self) -> LoadKey<'_> {
        (self.identity, if self.identity.is_some() { "" } else { &self.path })
    }
}

impl Load {
    pub(in crate::method) fn is_random(&self) -> bool {
        self.workload.pattern == Pattern::Random
    }

    /// True where some I/Os read.
    pub(in crate::method) fn reads(&self) -> bool {
        self.workload.read_percent > 0
    }

    /// True where some I/Os write data; a trim does not.
    pub(in crate::method) fn writes(&self) -> bool {
        u32::from(self.workload.read_percent) + u32::from(self.workload.shape.trim_percent) < 100
    }

    /// True where it does nothing but trim.
    pub(in crate::method) fn only_trims(&self) -> bool {
        self.workload.shape.trim_percent >= 100
    }

    /// True where it is there to find wrong data, not to measure.
    pub(in crate::method) fn checks_data(&self) -> bool {
        self.workload.shape.data.checked
    }

    /// True where one of its targets is of one of these kinds.
    pub(in crate::method) fn is_on(&self, media: &[MediumKind]) -> bool {
        let transfers = self.backend.as_ref().is_none_or(|backend| !backend.transfers_nothing);
        transfers && self.targets.iter().any(|target| target.medium.is_some_and(|medium| media.contains(&medium)))
    }

    /// True where data goes to or comes from something that stands for a drive.
    pub(in crate::method) fn is_on_drive(&self) -> bool {
        self.is_on(&[MediumKind::File, MediumKind::Device])
    }

    /// True where I/O goes through the page cache. I/O of a mapping does, whatever else is asked for, and a trim never.
    pub(in crate::method) fn is_buffered(&self) -> bool {
        self.is_on_drive() && !self.only_trims() && (self.direct == Some(false) || self.is_mapped())
    }

    pub(in crate::method) fn is_mapped(&self) -> bool {
        self.backend.as_ref().is_some_and(|backend| backend.mapped)
    }

    /// Name of the backend; empty where it is not known.
    pub(in crate::method) fn backend_name(&self) -> &str {
        self.backend.as_ref().map_or("", |backend| &backend.name)
    }

    /// True where each write is durable before it counts as done.
    pub(in crate::method) fn syncs_each_write(&self) -> bool {
        use Durability::{Dsync, FdatasyncEach, FdatasyncEvery, FsyncEach, FsyncEvery, Sync};
        matches!(self.workload.durability, Dsync | Sync | FsyncEach | FdatasyncEach | FsyncEvery(1) | FdatasyncEvery(1))
    }

    /// True where what it writes is made durable while it runs, be it once for many writes: for fewer than memory may take in place of the drive.
    pub(in crate::method) fn syncs_its_writes(&self) -> bool {
        match self.workload.durability {
            Durability::None | Durability::SyncFileRangeEvery(_) => false,
            Durability::FdatasyncEvery(n) | Durability::FsyncEvery(n) | Durability::FsyncAllEvery(n) => {
                let between = u64::from(n).saturating_mul(self.workload.largest_block_bytes().into());
                self.most_between_syncs().is_none_or(|most| between < most)
            }
            _ => true,
        }
    }

    /// Bytes written between two syncs from which on these say little of the drive: as much as the data, so that a block is written over in memory before it goes
    /// to the drive, or what the kernel lets lie in memory before it writes back by itself, a tenth of it (`vm.dirty_background_ratio`,
    /// Documentation/admin-guide/sysctl/vm.rst). `None` where neither is known.
    fn most_between_syncs(&self) -> Option<u64> {
        let of_memory = self.host.memory_bytes.map(|bytes| bytes / 10);
        of_memory.into_iter().chain(self.data_bytes()).min()
    }

    /// I/Os that one worker really keeps outstanding.
    pub(in crate::method) fn depth(&self) -> u64 {
        u64::from(self.workload.depth.max(1))
    }

    pub(in crate::method) fn worker_count(&self) -> u64 {
        u64::from(self.workload.workers.max(1))
    }

    /// All sizes of I/Os; of ranges both ends. Bytes.
    pub(in crate::method) fn block_sizes(&self) -> Vec<u64> {
        self.workload.sizes().map(u64::from).collect()
    }

    /// Mean of these sizes; at least 1. Bytes.
    pub(in crate::method) fn mean_block_bytes(&self) -> f64 {
        let sizes = self.block_sizes();
        (sizes.iter().sum::<u64>() as f64 / sizes.len().max(1) as f64).max(1.0)
    }

    /// Bytes that are used of all its files, each counted once however many workers use it; `None`: not known.
    pub(in crate::method) fn data_bytes(&self) -> Option<u64> {
        let bytes = |part: &super::load::Part| {
            let span = part.span?;
            Some((part.target, span.offset_bytes, span.offset_bytes.saturating_add(span.length_bytes)))
        };
        let parts: Option<Vec<_>> = self.parts.iter().map(bytes).collect();
        let files = u64::from(self.workload.shape.more_files) + 1;
        parts.filter(|parts| !parts.is_empty()).map(|parts| union(parts).saturating_mul(files))
    }

    /// True where there are several workers and all use the same targets.
    pub(in crate::method) fn workers_share_targets(&self) -> bool {
        let of = |worker: u32| self.parts.iter().filter(move |part| part.worker == worker).map(|part| part.target).collect::<Vec<_>>();
        let workers: Vec<u32> = (0..self.workload.workers).collect();
        self.workload.workers > 1 && !self.parts.is_empty() && workers.iter().all(|worker| of(*worker) == of(0))
    }

    /// True where both use the same file or device.
    pub(in crate::method) fn shares_a_target(&self, other: &Self) -> bool {
        self.targets.iter().any(|target| other.targets.iter().any(|theirs| theirs.key() == target.key()))
    }

    /// Places that are known of it: a target, and a part of it.
    pub(in crate::method) fn places(&self) -> impl Iterator<Item = (LoadKey<'_>, Span)> {
        self.parts.iter().filter_map(|part| Some((self.targets.get(part.target)?.key(), part.span?)))
    }

    /// Kernel names of all drives under it; `None` where one of its targets does not tell.
    pub(in crate::method) fn drives(&self) -> Option<Vec<&str>> {
        let told = |target: &LoadTarget| !target.drives.is_empty();
        let all = || self.targets.iter().flat_map(|target| &target.drives).map(String::as_str).collect();
        (!self.targets.is_empty() && self.targets.iter().all(told)).then(all)
    }

    /// True where blocks are visited one after the other, or each alike, and nothing in between.
    pub(in crate::method) fn is_plainly_ordered(&self) -> bool {
        use Order::{PartlyRandom, Repeated, Runs, Skipping, Strided};
        !matches!(self.workload.shape.order, PartlyRandom { .. } | Repeated { .. } | Runs { .. } | Skipping { .. } | Strided { .. })
    }

    /// Directions and order in the word that fio and `--rw` have for them.
    pub(in crate::method) fn rw_word(&self) -> &'static str {
        match (self.is_random(), self.only_trims(), self.reads(), self.writes()) {
            (false, true, ..) => "trim",
            (true, true, ..) => "randtrim",
            (false, _, true, true) => "rw",
            (true, _, true, true) => "randrw",
            (false, _, true, false) => "read",
            (true, _, true, false) => "randread",
            (false, ..) => "write",
            (true, ..) => "randwrite",
        }
    }

    /// Its name, or its conditions where it has none.
    pub(in crate::method) fn title(&self) -> String {
        if self.name.is_empty() {
            format!("{} {}", self.rw_word(), binary_size(self.workload.block_bytes.into()))
        } else {
            self.name.clone()
        }
    }
}

/// The stages of loads, each once.
pub(in crate::method) fn stages(loads: &[Load]) -> Vec<u32> {
    loads.iter().filter_map(|load| load.start.stage).collect::<BTreeSet<u32>>().into_iter().collect()
}

/// Length of all parts together, overlaps counted once. Each is a target with start and end.
fn union(mut parts: Vec<(usize, u64, u64)>) -> u64 {
    parts.sort_unstable();
    let mut sum: u64 = 0;
    let mut last: Option<(usize, u64)> = None;
    for (target, start, end) in parts {
        let from = last.filter(|(known, _)| *known == target).map_or(start, |(_, done)| done.max(start));
        sum = sum.saturating_add(end.saturating_sub(from));
        last = Some((target, end.max(from)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Span;
    use crate::method::Part;
    use crate::method::testing::{changed, device, split};

    #[test]
    fn overlaps_count_once() {
        let whole = device();
        assert_eq!(split(&whole, 4, |_| (0, 1 << 20)).data_bytes(), Some(1 << 20));
        assert_eq!(split(&whole, 2, |worker| (worker << 19, 1 << 19)).data_bytes(), Some(1 << 20));
        assert_eq!(split(&whole, 2, |worker| (worker << 18, 3 << 18)).data_bytes(), Some(1 << 20));
        let unknown = changed(device(), |l| l.parts.push(Part { worker: 1, target: 0, span: None }));
        assert_eq!(unknown.data_bytes(), None);
        assert_eq!(Load { parts: Vec::new(), ..device() }.data_bytes(), None);
    }

    #[test]
    fn workers_share_targets_where_all_have_the_same() {
        let shared = split(&device(), 2, |_| (0, 4096));
        assert!(shared.workers_share_targets() && !device().workers_share_targets());
        let apart = changed(shared, |l| {
            l.targets.push(l.targets[0].clone());
            l.parts[1] = Part { worker: 1, target: 1, span: Some(Span { offset_bytes: 0, length_bytes: 4096 }) };
        });
        assert!(!apart.workers_share_targets());
    }

    #[test]
    fn the_word_of_each_direction_and_order() {
        let of = |read, trim, pattern| {
            changed(device(), |l| {
                (l.workload.read_percent, l.workload.pattern) = (read, pattern);
                l.workload.shape.trim_percent = trim;
            })
            .rw_word()
        };
        let sequential = [(100, 0), (0, 0), (70, 0), (0, 100)].map(|(read, trim)| of(read, trim, Pattern::Sequential));
        assert_eq!(sequential, ["read", "write", "rw", "trim"]);
        let random = [(100, 0), (0, 0), (70, 10), (0, 100)].map(|(read, trim)| of(read, trim, Pattern::Random));
        assert_eq!(random, ["randread", "randwrite", "randrw", "randtrim"]);
    }
}
