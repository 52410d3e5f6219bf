//! Syncs that are missing, or that do not mean what they seem to.

use super::prelude::*;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "unsynced-writes",
        severity: Severity::Warn,
        about: "buffered writes that nothing brings to the drive before the clock stops",
        check: MethodCheck::Each(unsynced),
        fires: vec![unsynced_writes(false)],
        silent: vec![unsynced_writes(true)],
    },
    rule! {
        name: "sync-with-depth",
        severity: Severity::Info,
        about: "writes with O_SYNC or O_DSYNC of which several are under way at once",
        check: MethodCheck::Each(sync_with_depth),
        fires: vec![durable(Durability::Dsync, 32)],
        silent: vec![durable(Durability::Dsync, 1)],
    },
    rule! {
        name: "fsync-with-depth",
        severity: Severity::Warn,
        about: "a sync after every few writes while others are still under way",
        check: MethodCheck::Each(fsync_with_depth),
        fires: vec![durable(Durability::FsyncEvery(1), 16)],
        silent: vec![durable(Durability::FsyncEvery(1), 1)],
    },
];

/// Buffered writes whose author means them to be buffered, so that nothing else is said of them.
#[cfg(test)]
fn unsynced_writes(ends_with_sync: bool) -> Load {
    changed(writing(buffered(file())), |l| (l.cache.is_meant, l.ends_with_sync) = (true, Some(ends_with_sync)))
}

#[cfg(test)]
fn durable(durability: Durability, depth: u32) -> Load {
    changed(deep(writing(device()), depth), |l| l.workload.durability = durability)
}

fn unsynced(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is_synced = load.ends_with_sync != Some(false) || load.workload.durability != Durability::None;
    let is = load.is_buffered() && load.writes() && !is_synced && !load.checks_data();
    let title = format!(
        "the {} ends with data that is in the page cache and not on the drive: its rate counts bytes that were never written there",
        words.phrases().load
    );
    let remedy = format!("{}, so that the time includes bringing all data to the drive", words.phrases().end_sync);
    is.then(|| found(title, vec![Evidence::text("syncs", "none")], remedy))
}

fn depth_of(load: &Load) -> Evidence {
    Evidence::number("depth", load.depth() as f64, Unit::Count).against(1.0)
}

fn sync_with_depth(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is_each = matches!(load.workload.durability, Durability::Sync | Durability::Dsync);
    if !is_each || !load.writes() || load.depth() < 2 {
        return None;
    }
    let (flag, one) = (load.workload.durability.describe(), words.with(Setting::Depth, &1));
    let title = format!(
        "{} writes with {flag} are under way at once in each {}: a program that waits for each write before the next sees the rate of {one}",
        load.depth(),
        words.phrases().worker
    );
    let remedy = format!("set {one} for the rate of durable writes that follow one another");
    Some(found(title, vec![Evidence::text("opened with", flag), depth_of(load)], remedy))
}

fn fsync_with_depth(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let (is_fdatasync, every) = match load.workload.durability {
        Durability::FsyncEvery(every) => (false, every),
        Durability::FdatasyncEvery(every) => (true, every),
        _ => return None,
    };
    let depth = load.depth();
    // A sync that is rarer than the queue is deep is one of bulk data, where a few writes more or less do not matter.
    if !load.writes() || depth < 2 || u64::from(every) > depth {
        return None;
    }
    let title = format!(
        "{} with {}: a sync covers only writes that have ended when it starts, and up to {} have not",
        words.sync_every(is_fdatasync, every),
        words.with(Setting::Depth, &depth),
        depth - 1
    );
    let figures = vec![Evidence::number("writes between two syncs", every.into(), Unit::Count).against(depth as f64), depth_of(load)];
    Some(found(title, figures, format!("set {}, so that each sync stands for the writes before it", words.with(Setting::Depth, &1))))
}
