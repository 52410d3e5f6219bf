//! The share of a drive that is used.

use super::prelude::*;

/// Memory on the way to the flash or the platters: SSDs have some 1 GB for each TB, RAID controllers up to 8 GiB. Bytes.
pub(super) const DRIVE_CACHE_BYTES: u64 = 8 << 30;

/// Below this share of a device random I/O finds the drive easier: its map of blocks stays in memory, and what is not used serves as spare blocks.
const LEAST_SHARE: f64 = 0.5;

/// Smallest sector. Bytes.
const SECTOR_BYTES: u64 = 512;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "within-drive-cache",
        severity: Severity::Info,
        covers: ["same-offsets"],
        about: "less data than the cache of a drive or a controller may hold",
        check: MethodCheck::Each(within_drive_cache),
        fires: vec![on_first(sequential(device()), GIB)],
        silent: vec![on_first(sequential(device()), 100 * GIB)],
    },
    rule! {
        name: "small-share",
        severity: Severity::Info,
        covers: ["within-drive-cache", "same-offsets"],
        about: "random I/O on less than half of a device",
        check: MethodCheck::Each(small_share),
        fires: vec![on_first(device(), 10 * GIB)],
        silent: vec![on_first(device(), 900 * GIB)],
    },
    rule! {
        name: "unaligned",
        severity: Severity::Warn,
        about: "direct I/O whose size or offset is no multiple of a sector",
        check: MethodCheck::Each(unaligned),
        fires: vec![changed(device(), |l| l.workload.block_bytes = 4000)],
        silent: vec![changed(device(), |l| l.workload.block_bytes = 4608)],
    },
];

fn within_drive_cache(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let data = load.data_bytes().filter(|bytes| *bytes < DRIVE_CACHE_BYTES)?;
    // Writes that are waited for are about the latency of the drive, not about how much its cache takes.
    let is_about_latency = !load.reads() && load.syncs_each_write();
    if !load.is_on_drive() || load.is_buffered() || load.checks_data() || is_about_latency {
        return None;
    }
    let title = format!(
        "only {} are used, which the cache of a drive or of a RAID controller may hold (up to {})",
        words.size(data),
        words.size(DRIVE_CACHE_BYTES)
    );
    let figures = vec![Evidence::number("data", data as f64, Unit::Bytes).against(DRIVE_CACHE_BYTES as f64)];
    Some(found(title, figures, format!("use more of the drive, best all of it ({})", words.phrases().whole_target)))
}

fn small_share(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let devices = load.targets.iter().filter(|target| target.medium == Some(MediumKind::Device));
    let whole = devices.clone().filter_map(|target| target.size_bytes).fold(0, u64::saturating_add);
    let data = load.data_bytes()?;
    let share = data as f64 / whole.max(1) as f64;
    if whole == 0 || share >= LEAST_SHARE || !load.is_random() || !load.is_on(&[MediumKind::Device]) || load.checks_data() {
        return None;
    }
    let effect = match (devices.clone().all(|target| target.rotational == Some(true)), load.writes()) {
        (true, _) => "its heads have a short way",
        (false, true) => "the rest serves the drive as spare blocks",
        (false, false) => "the drive's map of so few blocks stays in its memory",
    };
    let title = format!("random I/O on {}, {} of the device's {}: {effect}", words.size(data), percent(share), words.size(whole));
    let figures = vec![
        Evidence::number("data", data as f64, Unit::Bytes),
        Evidence::number("device", whole as f64, Unit::Bytes),
        Evidence::number("share of the device", share, Unit::Share).against(LEAST_SHARE),
    ];
    Some(found(
        title,
        figures,
        format!("use all of the device ({}), or say with the result how much was used", words.phrases().whole_target),
    ))
}

fn unaligned(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    if load.direct != Some(true) || !load.is_on_drive() || load.is_mapped() {
        return None;
    }
    let odd = |bytes: &u64| !bytes.is_multiple_of(SECTOR_BYTES);
    let offsets = || load.parts.iter().filter_map(|part| part.span).map(|span| span.offset_bytes);
    let (what, bytes) = match load.block_sizes().into_iter().find(odd) {
        Some(bytes) => ("blocks", bytes),
        None => ("an offset", offsets().find(odd)?),
    };
    let title = format!("{} with {what} of {bytes} bytes, no multiple of 512: the kernel refuses such I/O", words.phrases().is_direct);
    let figures = vec![Evidence::number(what, bytes as f64, Unit::Count), Evidence::number("sector", SECTOR_BYTES as f64, Unit::Bytes)];
    Some(found(title, figures, "use multiples of the drive's sector, 512 or 4096 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Flags;

    #[test]
    fn a_drive_that_turns_has_no_map_of_blocks() {
        let of = |rotational| {
            small_share(&changed(on_first(device(), 10 * GIB), |l| l.targets[0].rotational = rotational), &Flags).unwrap().title
        };
        assert!(
            of(Some(true)).contains("heads")
                && of(Some(false)).contains("map of so few blocks")
                && of(None).contains("map of so few blocks")
        );
    }
}
