//! Disks that stand on several others (device-mapper, md), with the counts of those together: the mean of each over them, and the busiest.

use crate::results::DiskUse;

/// The counts of the disks below one together; `None` where there are none.
pub(super) fn below(disk: &DiskUse) -> Option<DiskUse> {
    let all = &disk.below;
    let count = all.len() as u128;
    let mean = |of: &dyn Fn(&DiskUse) -> u64| (all.iter().map(|d| u128::from(of(d))).sum::<u128>() / count.max(1)) as u64;
    let pair = |of: &dyn Fn(&DiskUse) -> (u64, u64)| (mean(&|d| of(d).0), mean(&|d| of(d).1));
    (!all.is_empty()).then(|| DiskUse {
        ios: pair(&|d| d.ios),
        merges: pair(&|d| d.merges),
        ticks_ms: pair(&|d| d.ticks_ms),
        in_queue_ms: mean(&|d| d.in_queue_ms),
        busy_percent: all.iter().map(|d| d.busy_percent).fold(0.0, f64::max),
        ..DiskUse::default()
    })
}

pub(super) fn flat(disk: &DiskUse) -> Vec<&DiskUse> {
    std::iter::once(disk).chain(disk.below.iter().flat_map(flat)).collect()
}
