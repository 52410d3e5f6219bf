//! Data that drives and what stands before them can leave out, and offsets that come again.

use super::estimate::estimate;
use super::region::DRIVE_CACHE_BYTES;
use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::{many, size};
use crate::values::Pattern;
use ioproof_core::units::decimal_size;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "zeros",
        grade: Grade::Mistake,
        covers: &[],
        about: "writes of zeros",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nzero_buffers\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=read\nzero_buffers\n",
        check: Check::Job(zeros),
    },
    Rule {
        name: "patterned-data",
        grade: Grade::Mistake,
        covers: &[],
        about: "writes of one pattern over and over",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nbuffer_pattern=0xdeadbeef\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nrefill_buffers\n",
        check: Check::Job(patterned),
    },
    Rule {
        name: "compressible-data",
        grade: Grade::Remark,
        covers: &["duplicate-data"],
        about: "writes of data that can be compressed",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nbuffer_compress_percentage=60\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nbuffer_compress_percentage=0\nrefill_buffers\n",
        check: Check::Job(compressible),
    },
    Rule {
        name: "duplicate-data",
        grade: Grade::Remark,
        covers: &[],
        about: "writes of data that repeats other data on purpose",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\ndedupe_percentage=30\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\nrefill_buffers\n",
        check: Check::Job(duplicates),
    },
    Rule {
        name: "repeated-buffers",
        grade: Grade::Remark,
        covers: &[],
        about: "writes that take the same few buffers in turn",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\ndirect=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=write\ndirect=1\nrefill_buffers\n",
        check: Check::Job(repeated),
    },
    Rule {
        name: "same-offsets",
        grade: Grade::Remark,
        covers: &[],
        about: "a short random read whose offsets come again in every run",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=30\ntime_based\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=30\ntime_based\nrandrepeat=0\n",
        check: Check::Job(same_offsets),
    },
];

const WHO: &str = "drives that compress or deduplicate, thin volumes, ZFS, btrfs and VDO store less than is written";

fn writes_own_data(view: &View) -> bool {
    view.on_drive() && view.writes() && !view.verifies()
}

fn zeros(view: &View) -> Option<Found> {
    let option = match &view.set.buffers.pattern {
        None if view.set.buffers.zero => "zero_buffers",
        Some(pattern) if is_zeros(pattern) => "buffer_pattern",
        _ => return None,
    };
    let text = format!("zeros are written ({option}): many drives and file systems do not store them at all");
    writes_own_data(view).then(|| found(text, format!("leave out {option} and set refill_buffers=1")))
}

fn is_zeros(pattern: &Pattern) -> bool {
    pattern.bytes.iter().all(|byte| *byte == 0)
}

fn patterned(view: &View) -> Option<Found> {
    let length = view.set.buffers.pattern.as_ref().filter(|pattern| writes_own_data(view) && !is_zeros(pattern))?.bytes.len();
    let text = format!("every write repeats a pattern of {}: {WHO}", many(length as u64, "byte"));
    Some(found(text, "leave out buffer_pattern and set refill_buffers=1"))
}

fn compressible(view: &View) -> Option<Found> {
    let percent = view.set.buffers.compressible_percent.filter(|percent| *percent > 0 && writes_own_data(view))?;
    let text = format!("{percent} % of each block can be compressed away: {WHO}");
    Some(found(text, "set buffer_compress_percentage=0 unless compression is what you measure"))
}

fn duplicates(view: &View) -> Option<Found> {
    let percent = view.set.buffers.duplicate_percent.filter(|percent| *percent > 0 && writes_own_data(view))?;
    let text = format!("{percent} % of the writes repeat data that is already there: {WHO}");
    Some(found(text, "leave out dedupe_percentage unless deduplication is what you measure"))
}

fn repeated(view: &View) -> Option<Found> {
    let buffers = &view.set.buffers;
    let made_otherwise =
        buffers.zero || buffers.pattern.is_some() || buffers.compressible_percent.is_some() || buffers.duplicate_percent.is_some();
    if !writes_own_data(view) || buffers.refill || made_otherwise {
        return None;
    }
    let block = view.block_sizes().into_iter().max().unwrap_or(0);
    let count = view.depth().saturating_mul(view.clone_count());
    let how = if buffers.scramble { "and only a few bytes of it are changed (scramble_buffers)" } else { "unchanged (scramble_buffers=0)" };
    let text = format!("all writes repeat the data of {} of {}, {how}: {WHO}", many(count, "buffer"), size(block));
    Some(found(text, "set refill_buffers=1"))
}

/// Only a part of the blocks is read, the same one in every run, and so little that a cache may still have it.
fn same_offsets(view: &View) -> Option<Found> {
    let random = &view.set.random;
    let is_repeated = view.is_random() && view.reads() && view.on_drive() && random.same_offsets && random.seed.is_none();
    let is_cut = view.set.time.runtime_ns > 0 || view.set.region.ios.is_some() || view.set.region.io_size.is_some();
    let read = estimate(view, view.clone_count())?.bytes;
    let is_part = view.data_bytes().is_none_or(|data| read < data);
    let text = format!(
        "every run reads the same blocks in the same order (randrepeat=1), about {} of them, which caches may keep from one run to the next",
        decimal_size(read)
    );
    (is_repeated && is_cut && is_part && read < DRIVE_CACHE_BYTES).then(|| found(text, "set randrepeat=0"))
}
