//! How much of the drive is used, and what of it is left out.

use super::facts::FileKind;
use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::{CloneView, View};
use super::text::{many, size};
use crate::settings::EngineName;
use crate::values::Amount;
use ioproof_core::units::percent;

/// Memory on the way to the flash or the platters: SSDs have some 1 GB for each TB, RAID controllers up to 8 GiB. Bytes.
pub(super) const DRIVE_CACHE_BYTES: u64 = 8 << 30;

/// Below this share of a device random I/O finds the drive easier: its map of blocks stays in memory, and what is not used serves as spare blocks.
const LEAST_SHARE: f64 = 0.5;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "size-beyond-device",
        grade: Grade::Mistake,
        covers: &[],
        about: "more asked for than the device has",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nsize=2t\nrw=read\nbs=1m\ndirect=1\nruntime=60\ntime_based\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nsize=100g\nrw=read\nbs=1m\ndirect=1\nruntime=60\ntime_based\n",
        check: Check::Job(beyond_device),
    },
    Rule {
        name: "within-drive-cache",
        grade: Grade::Remark,
        covers: &["same-offsets"],
        about: "less data than the cache of a drive or a controller may hold",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nsize=1g\nrw=read\ndirect=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nsize=100g\nrw=read\ndirect=1\n",
        check: Check::Job(within_drive_cache),
    },
    Rule {
        name: "small-share",
        grade: Grade::Remark,
        covers: &["within-drive-cache", "same-offsets"],
        about: "random I/O on less than half of a device",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nsize=10g\nrw=randwrite\ndirect=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\ndirect=1\n",
        check: Check::Job(small_share),
    },
    Rule {
        name: "size-not-whole-blocks",
        grade: Grade::Remark,
        covers: &[],
        about: "random I/O on a size that is no multiple of the block size",
        fires_on: "[a]\nfilename=/data/x\nsize=1000000\nrw=randread\nbs=64k\n",
        silent_on: "[a]\nfilename=/data/x\nsize=1m\nrw=randread\nbs=64k\n",
        check: Check::Job(not_whole_blocks),
    },
    Rule {
        name: "unaligned",
        grade: Grade::Mistake,
        covers: &[],
        about: "direct I/O whose size or offset is no multiple of a sector",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nbs=4000\ndirect=1\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nbs=4096\ndirect=1\n",
        check: Check::Job(unaligned),
    },
];

fn beyond_device(view: &View) -> Option<Found> {
    let Some(Amount::Bytes(bytes)) = view.set.region.size else { return None };
    let cut = |clone: &CloneView| {
        let wanted = bytes / (clone.files.len().max(1) as u64);
        let spans = clone.places.as_ref()?.spans.iter().zip(&clone.files);
        let least = view.set.blocks.least_bytes().max(1);
        spans
            .filter(|(span, file)| file.kind == FileKind::Device && span.length_bytes < wanted / least * least)
            .map(|(span, _)| span.length_bytes)
            .min()
    };
    let there = view.clones.iter().filter_map(cut).min()?;
    let text = format!("size={} is more than the device has there: {} are used", size(bytes), size(there));
    Some(found(text, "set size=100%, or use a larger device"))
}

fn within_drive_cache(view: &View) -> Option<Found> {
    let data = view.data_bytes().filter(|bytes| *bytes < DRIVE_CACHE_BYTES)?;
    // Writes that are waited for are about the latency of the drive, not about how much its cache takes.
    let is_about_latency = !view.reads() && view.syncs_each_write();
    if !view.on_drive() || view.is_buffered() || view.verifies() || is_about_latency {
        return None;
    }
    let text = format!(
        "only {} are used, which the cache of a drive or of a RAID controller may hold (up to {})",
        size(data),
        size(DRIVE_CACHE_BYTES)
    );
    Some(found(text, "use more of the drive, best all of it (size=100%)"))
}

fn small_share(view: &View) -> Option<Found> {
    let mut devices: Vec<(&str, u64)> = Vec::new();
    for clone in &view.clones {
        let sizes = clone.files.iter().map(|file| file.bytes.filter(|_| file.kind == FileKind::Device));
        devices.extend(clone.instance.files.iter().map(String::as_str).zip(sizes).filter_map(|(path, bytes)| Some((path, bytes?))));
    }
    devices.sort_unstable();
    devices.dedup();
    let whole: u64 = devices.iter().map(|(_, bytes)| bytes).fold(0, |sum, bytes| sum.saturating_add(*bytes));
    let data = view.data_bytes()?;
    let share = data as f64 / whole.max(1) as f64;
    if whole == 0 || share >= LEAST_SHARE || !view.is_random() || !view.on_device() || view.verifies() {
        return None;
    }
    let effect =
        if view.writes() { "the rest serves the drive as spare blocks" } else { "the drive's map of so few blocks stays in its memory" };
    let text = format!("random I/O on {}, {} of the device's {}: {effect}", size(data), percent(share), size(whole));
    Some(found(text, "use all of the device (size=100%), or say with the result how much was used"))
}

fn not_whole_blocks(view: &View) -> Option<Found> {
    let Some(Amount::Bytes(bytes)) = view.set.region.size else { return None };
    let files = view.clones.first().map_or(1, |clone| clone.files.len().max(1) as u64);
    let (of_each, block) = (bytes / files, view.block_sizes().into_iter().max().filter(|block| *block > 0)?);
    let rest = of_each % block;
    if !view.is_random() || rest == 0 {
        return None;
    }
    let text = format!(
        "each file has {of_each} bytes, which is no multiple of bs={}: the last {} are never used",
        size(block),
        many(rest, "byte")
    );
    Some(found(text, format!("set size={}", (of_each - rest).max(block).saturating_mul(files))))
}

fn unaligned(view: &View) -> Option<Found> {
    let is_direct = view.set.access.direct && view.on_drive() && view.set.engine.name != EngineName::Mmap;
    let Amount::Bytes(offset) = view.set.region.offset else { return None };
    let odd = |bytes: &u64| !bytes.is_multiple_of(512);
    let (what, bytes) = match view.block_sizes().into_iter().find(odd) {
        Some(bytes) => ("blocks", bytes),
        None => ("an offset", Some(offset).filter(odd)?),
    };
    let text = format!("direct=1 with {what} of {bytes} bytes, no multiple of 512: the kernel refuses such I/O");
    is_direct.then(|| found(text, "use multiples of the drive's sector, 512 or 4096 bytes"))
}
