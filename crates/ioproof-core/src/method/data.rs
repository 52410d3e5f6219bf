//! Data that drives and what stands before them can leave out, and offsets that come again.

use super::estimate::estimate;
use super::prelude::*;
use super::region::DRIVE_CACHE_BYTES;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "zeros",
        severity: Severity::Warn,
        about: "writes of zeros",
        check: MethodCheck::Each(zeros),
        fires: vec![filled(Fill::Zero)],
        silent: vec![changed(filled(Fill::Zero), |l| l.workload.read_percent = 100)],
    },
    rule! {
        name: "patterned-data",
        severity: Severity::Warn,
        about: "writes of one pattern over and over",
        check: MethodCheck::Each(patterned),
        fires: vec![filled(Fill::Pattern(vec![0xde, 0xad]))],
        silent: vec![filled(Fill::Fresh)],
    },
    rule! {
        name: "compressible-data",
        severity: Severity::Info,
        covers: ["duplicate-data"],
        about: "writes of data that can be compressed",
        check: MethodCheck::Each(compressible),
        fires: vec![changed(filled(Fill::Fresh), |l| l.workload.shape.data.compressible_percent = 60)],
        silent: vec![filled(Fill::Fresh)],
    },
    rule! {
        name: "duplicate-data",
        severity: Severity::Info,
        about: "writes of data that repeats other data on purpose",
        check: MethodCheck::Each(duplicates),
        fires: vec![changed(filled(Fill::Fresh), |l| l.workload.shape.data.duplicate_percent = 30)],
        silent: vec![filled(Fill::Fresh)],
    },
    rule! {
        name: "repeated-buffers",
        severity: Severity::Info,
        about: "writes that take the same few buffers in turn",
        check: MethodCheck::Each(repeated),
        fires: vec![changed(filled(Fill::Random), |l| l.buffers = Some(WriteBuffers { count: 1, changed: true }))],
        silent: vec![filled(Fill::Fresh)],
    },
    rule! {
        name: "same-offsets",
        severity: Severity::Info,
        about: "a short random read whose offsets come again in every run",
        check: MethodCheck::Each(same_offsets),
        fires: vec![short(true)],
        silent: vec![short(false)],
    },
];

/// Writes of such data.
#[cfg(test)]
fn filled(fill: Fill) -> Load {
    changed(writing(device()), |l| l.workload.shape.data.fill = fill)
}

/// Random reads of a minute.
#[cfg(test)]
fn short(repeats_offsets: bool) -> Load {
    changed(device(), |l| (l.time.runtime_ns, l.repeats_offsets) = (Some(60 * SECOND), Some(repeats_offsets)))
}

const SHRINKERS: &str = "drives that compress or deduplicate, thin volumes, ZFS, btrfs and VDO store less than is written";

fn writes_own_data(load: &Load) -> bool {
    load.is_on_drive() && load.writes() && !load.checks_data()
}

/// The pattern that is written; zeros are no pattern.
fn pattern(load: &Load) -> Option<&[u8]> {
    load.workload.shape.data.fill.pattern().map(|(bytes, _)| bytes).filter(|bytes| bytes.iter().any(|byte| *byte != 0))
}

fn zeros(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let fill = &load.workload.shape.data.fill;
    let are_zeros = *fill == Fill::Zero || (fill.pattern().is_some() && pattern(load).is_none());
    let title = "zeros are written: many drives and file systems do not store them at all";
    let instead_of = if *fill == Fill::Zero { Content::Zeros } else { Content::Pattern };
    let figures = || vec![Evidence::text("data", "zeros")];
    (are_zeros && writes_own_data(load)).then(|| found(title, figures(), words.fresh_data(instead_of)))
}

fn patterned(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let length = pattern(load).filter(|_| writes_own_data(load))?.len();
    let title = format!("every write repeats a pattern of {}: {SHRINKERS}", many(length as u64, "byte"));
    Some(found(title, vec![Evidence::number("pattern", length as f64, Unit::Bytes)], words.fresh_data(Content::Pattern)))
}

fn share(name: &str, percent: u8) -> Vec<Evidence> {
    vec![Evidence::number(name, f64::from(percent) / 100.0, Unit::Share).against(0.0)]
}

fn compressible(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let percent = Some(load.workload.shape.data.compressible_percent).filter(|percent| *percent > 0 && writes_own_data(load))?;
    let title = format!("{percent} % of each block can be compressed away: {SHRINKERS}");
    let remedy = format!("{} unless compression is what you measure", words.phrases().incompressible);
    Some(found(title, share("share of a block that compresses", percent), remedy))
}

fn duplicates(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let percent = Some(load.workload.shape.data.duplicate_percent).filter(|percent| *percent > 0 && writes_own_data(load))?;
    let title = format!("{percent} % of the writes repeat data that is already there: {SHRINKERS}");
    let remedy = format!("{} unless deduplication is what you measure", words.phrases().no_duplicates);
    Some(found(title, share("share of the writes that repeat data", percent), remedy))
}

fn repeated(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let buffers = load.buffers.filter(|_| writes_own_data(load))?;
    let block = load.block_sizes().into_iter().max().unwrap_or(0);
    let title = format!(
        "all writes repeat the data of {} of {}, {}: {SHRINKERS}",
        many(buffers.count, "buffer"),
        words.size(block),
        words.buffers_reused(buffers.changed)
    );
    let figures = vec![
        Evidence::number("buffers", buffers.count as f64, Unit::Count),
        Evidence::number("size of a buffer", block as f64, Unit::Bytes),
    ];
    Some(found(title, figures, words.fresh_data(Content::Buffers)))
}

/// Only a part of the blocks is read, the same one in every run, and so little that a cache may still have it.
fn same_offsets(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let is_repeated = load.is_random() && load.reads() && load.is_on_drive() && load.repeats_offsets == Some(true);
    let is_cut = load.time.runtime_ns.is_some() || load.time.amount_is_meant;
    let read = estimate(load, load.worker_count(), words)?.bytes;
    let is_part = load.data_bytes().is_none_or(|data| read < data);
    let title = format!(
        "every run reads the same blocks in the same order ({}), about {} of them, which caches may keep from one run to the next",
        words.phrases().same_offsets,
        decimal_size(read)
    );
    let figures = vec![Evidence::number("data of a run, estimated", read as f64, Unit::Bytes).against(DRIVE_CACHE_BYTES as f64)];
    (is_repeated && is_cut && is_part && read < DRIVE_CACHE_BYTES).then(|| found(title, figures, words.phrases().other_offsets))
}
