//! Syncs of all targets after so many I/Os of all workers together, as sysbench does them: whoever comes next syncs the next target. Were each worker to
//! sync all of them by itself, others would write meanwhile, and each of the syncs would find something new to do: half of the rate on ext4.

use super::IoOperation;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The count of them, shared by the workers of a job. It is one word, so that no worker waits for another.
#[derive(Debug, Default)]
pub(crate) struct AllSyncs(AtomicU64);

/// I/Os since the last round of syncs, the target that is synced next, and true where something was written since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct SyncCount {
    ios: u32,
    next: u32,
    is_dirty: bool,
}

const DIRTY: u64 = 1 << 63;

impl SyncCount {
    fn of(word: u64) -> Self {
        Self { ios: word as u32, next: ((word & !DIRTY) >> 32) as u32, is_dirty: word & DIRTY != 0 }
    }

    fn word(self) -> u64 {
        u64::from(self.ios) | u64::from(self.next) << 32 | if self.is_dirty { DIRTY } else { 0 }
    }
}

impl AllSyncs {
    /// The target that is to be synced before any other I/O.
    pub(super) fn due(&self, every: u32) -> Option<u32> {
        let count = SyncCount::of(self.0.load(Relaxed));
        (count.ios >= every).then_some(count.next)
    }

    /// Takes it. I/Os are counted anew once every target was taken.
    pub(super) fn take(&self, every: u32, targets: u32) -> Option<u32> {
        let taken = self.0.fetch_update(Relaxed, Relaxed, |word| {
            let count = SyncCount::of(word);
            let is_last = count.next + 1 >= targets;
            (count.ios >= every).then(|| if is_last { 0 } else { SyncCount { next: count.next + 1, ..count }.word() })
        });
        taken.ok().map(|word| SyncCount::of(word).next)
    }

    /// Counts an I/O that is taken. Reads count too, and no sync comes where nothing was written.
    pub(super) fn count(&self, every: u32, operation: IoOperation) {
        let counted = |word| {
            let count = SyncCount::of(word);
            let is_dirty = count.is_dirty || operation == IoOperation::Write;
            let ios = count.ios.saturating_add(1);
            Some(SyncCount { ios: if ios >= every && !is_dirty { 0 } else { ios }, is_dirty, ..count }.word())
        };
        // It refuses nothing.
        let _ = self.0.fetch_update(Relaxed, Relaxed, counted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_its_parts() {
        let count = SyncCount { ios: u32::MAX, next: 5_000_000, is_dirty: true };
        assert_eq!((SyncCount::of(count.word()), SyncCount::of(0)), (count, SyncCount::default()));
    }

    #[test]
    fn workers_share_a_round_of_syncs() {
        let syncs = AllSyncs::default();
        syncs.count(2, IoOperation::Read);
        syncs.count(2, IoOperation::Read);
        assert_eq!((syncs.due(2), syncs.take(2, 3)), (None, None), "nothing was written");
        syncs.count(2, IoOperation::Write);
        assert_eq!(syncs.due(2), None);
        syncs.count(2, IoOperation::Read);
        let taken: Vec<Option<u32>> = (0..4).map(|_| syncs.take(2, 3)).collect();
        assert_eq!(taken, [Some(0), Some(1), Some(2), None]);
    }
}
