//! Sentences on what the ways of a run mean for whoever writes durably.

use super::Way;
use crate::facts::{DeviceFacts, DriveKind};
use crate::measured::Context;
use crate::shape::{Growth, Shape};
use crate::stats::Estimate;
use crate::units::{block_size, latency, rate};
use crate::workload::{Durability, Workload};
use std::cmp::Ordering;

/// Flushes of a commit from which on each commit has its own.
const EACH: f64 = 0.9;
/// Said in place of a cause where two figures have no intervals that lie apart.
const UNTOLD: &str = "the two cannot be told apart in this run";
/// Flushes are counted at the drive, whoever sends them.
const COUNTED: &str = " (by the drive's count, with those of others and of the filesystem's journal)";

pub(super) fn describe(context: &Context, ways: &[Way]) -> Vec<String> {
    let drives = context.record.targets.iter().flat_map(|target| &target.drives).filter_map(|drive| cache(context, drive));
    let told = [price(ways), group(ways), flushes(ways), growth(ways)];
    drives.chain(told.into_iter().flatten()).collect()
}

/// State of the write cache of a drive, by the kernel and by itself.
fn cache(context: &Context, drive: &DeviceFacts) -> Option<String> {
    let Some(kernel) = drive.write_cache.as_ref().map(|fact| fact.value.as_str()) else {
        return Some(format!("{}: the kernel does not say whether it has a write cache, nor whether flushes are sent", drive.name));
    };
    let own = context.record.health.iter().find(|bracket| bracket.name == drive.name).and_then(|bracket| bracket.before.write_cache_on);
    let plp = context.record.targets.iter().filter_map(|target| target.datasheet.as_ref()?.datasheet.plp).next();
    let own = own.map_or(String::new(), |on| format!(", the drive says that it is {}", if on { "on" } else { "off" }));
    let plp = match plp {
        Some(true) => "; its datasheet promises protection against power loss, so a flush has little to do",
        Some(false) => "; it has no protection against power loss, so a flush must reach the medium",
        None if drive.kind == DriveKind::Virtio => {
            "; what stands behind it, and whether that is protected against power loss, cannot be seen from here"
        }
        None if kernel == "write back" => "; whether it is protected against power loss is not known, its datasheet would say",
        None => "",
    };
    let flushes = if kernel == "write back" { "flushes are sent" } else { "no flush is sent" };
    Some(format!("{}: the kernel takes its write cache for {kernel} ({flushes}){own}{plp}", drive.name))
}

/// The usual way: one writer whose every write is synced.
pub(super) fn usual(ways: &[Way]) -> Option<&Way> {
    let each = |way: &&Way| way.workload.durability.follows_each_write() && way.workload.outstanding() == 1;
    ways.iter().find(|way| each(way) && way.workload.durability == Durability::FdatasyncEach).or_else(|| ways.iter().find(each))
}

fn price(ways: &[Way]) -> Option<String> {
    let usual = usual(ways)?;
    let commits = usual.commits_per_s?;
    let alike = |way: &&Way| {
        let same = Workload { durability: usual.workload.durability, ..way.workload.clone() };
        way.workload.durability == Durability::None && same == usual.workload
    };
    let times = ways.iter().find(alike).map_or(String::new(), |way| match order(&way.writes_per_s, &commits) {
        Some(Ordering::Greater) => format!("; without a sync it writes {:.1} times as often", way.writes_per_s.median / commits.median),
        Some(_) => String::new(),
        None => format!("; without a sync it writes {} times a second: {UNTOLD}", rate(way.writes_per_s.median)),
    });
    let each =
        usual.sync.and_then(|sync| sync.p50_ns).map_or(String::new(), |ns| format!(", each sync {} at the median", latency(ns as f64)));
    let (block, how) = (block_size(usual.workload.block_bytes.into()), usual.workload.durability.describe());
    Some(format!("one writer makes {} commits a second, of {block} with {how}{each}{times}", rate(commits.median)))
}

/// Several writers whose syncs the filesystem or the drive puts together.
fn group(ways: &[Way]) -> Option<String> {
    let alone = usual(ways)?;
    let alike = |way: &&Way| {
        let one = Workload { workers: 1, ..way.workload.clone() };
        way.workload.workers > 1 && one == alone.workload
    };
    let most = ways.iter().filter(alike).max_by_key(|way| way.workload.workers)?;
    let (commits, one) = (most.commits_per_s?, alone.commits_per_s?);
    let flushes = most.flushes_per_commit.map_or(String::new(), |n| format!(", with {n:.2} flushes for each"));
    let against = match order(&commits, &one) {
        Some(_) => format!("{:.1} times as many as one", commits.median / one.median),
        None => format!("one makes {}: {UNTOLD}", rate(one.median)),
    };
    Some(format!("{} writers together make {} commits a second{flushes}; {against}", most.workload.workers, rate(commits.median)))
}

fn flushes(ways: &[Way]) -> Option<String> {
    let usual = usual(ways)?;
    let flushes = usual.flushes_per_commit?;
    Some(match flushes {
        0.0 => "no flush reached the drive: what is called durable may still be in its cache, unless that is protected or off".into(),
        n if n < EACH => format!("{n:.2} flushes reached the drive for a commit{COUNTED}: some commits had none of their own"),
        n => format!("{n:.2} flushes reached the drive for a commit{COUNTED}"),
    })
}

/// A file that grows against blocks that are there, which are two ways of the run.
fn growth(ways: &[Way]) -> Option<String> {
    let usual = usual(ways)?;
    let with = |growth| {
        let shape = Shape { growth, ..usual.workload.shape.clone() };
        let workload = Workload { shape, ..usual.workload.clone() };
        ways.iter().find(|way| way.workload == workload)?.commits_per_s
    };
    let (appended, there) = (with(Growth::Append)?, with(Growth::Overwrite)?);
    let means = match order(&appended, &there) {
        Some(Ordering::Less) => ": the filesystem must keep its own books for each".to_owned(),
        Some(_) => String::new(),
        None => format!(": {UNTOLD}"),
    };
    Some(format!(
        "appending to a growing file makes {} commits a second, writing over existing blocks {}{means}",
        rate(appended.median),
        rate(there.median)
    ))
}

/// The order of two figures whose intervals lie apart; `None` where either has none, or they overlap.
fn order(one: &Estimate, other: &Estimate) -> Option<Ordering> {
    match one.is_interval() && other.is_interval() {
        true if one.low > other.high => Some(Ordering::Greater),
        true if one.high < other.low => Some(Ordering::Less),
        _ => None,
    }
}
