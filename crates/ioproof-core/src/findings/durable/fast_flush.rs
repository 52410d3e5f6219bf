//! Flushes that come back faster than the medium can take what was written: either the cache survives a power cut, or the flush is not carried out.
//!
//! A flash page takes at least some 75 µs to program, in the fastest of its kinds (Kioxia XL-FLASH; usual TLC some 500 µs); a disk of 7200 rpm needs half a
//! turn, 4.2 ms, on average before the sector comes by. A datasheet that promises protection against power loss explains it.

use crate::claim::Statistic;
use crate::findings::prelude::*;

rule! {
    name: "fast-flush",
    about: "flushes are faster than the medium can be written",
    check: Check::EachCounted(of_job),
}

/// The least that a flush with something to write takes on flash: less than the fastest page program. Nanoseconds.
const FLASH_NS: f64 = 50_000.0;
/// The same on a disk that turns: half of the average wait for a sector. Nanoseconds.
const DISK_NS: f64 = 2_000_000.0;
/// Flushes for a sync from which on the drive was sent one for each.
const EACH: f64 = 0.5;

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let drives = context.record.drives_of(measured.job);
    let (drive, suspect) = drives.iter().find_map(|drive| Some((*drive, Suspect::of(drive)?)))?;
    let flushed = || flushes_per_sync(measured).is_some_and(|flushes| flushes >= EACH);
    if protected(context, measured) || suspect.severity == Severity::Warn && !flushed() {
        return None;
    }
    let (what, times) = suspect.times(measured)?;
    let median_ns = measured.statistic_ns(&times, Statistic::P50).filter(|ns| *ns < suspect.least_ns)?;
    let title = format!(
        "half of the {what} take {}, the medium of {} at least {}: {}",
        latency(median_ns),
        drive.name,
        latency(suspect.least_ns),
        suspect.means
    );
    let evidence = vec![
        Evidence::number(suspect.figure(), median_ns, Unit::Nanoseconds),
        Evidence::number("least that the medium takes", suspect.least_ns, Unit::Nanoseconds),
    ];
    let remedy = "look in its datasheet for power-loss protection; `ioproof powercut` shows whether what is synced stays";
    Some(finding_on(measured, &RULE, suspect.severity, Effect::None, title, evidence, remedy))
}

/// A drive by what a fast flush of it would mean.
struct Suspect {
    /// The least that a flush with something to write takes. Nanoseconds.
    least_ns: f64,
    severity: Severity,
    means: &'static str,
    is_flushed: bool,
}

impl Suspect {
    /// Of a drive that is in sight, or of a virtual machine's disk; none of what else stands below a target, which lets flushes through.
    fn of(drive: &DeviceFacts) -> Option<Self> {
        let cache = drive.write_cache.as_ref()?.value.as_str();
        let (severity, means) = match (drive.kind, cache) {
            (DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi | DriveKind::Mmc, "write back") => {
                (Severity::Warn, "its cache is protected, or a flush does nothing")
            }
            // Most drives with protection against power loss say so of themselves, and a cache that hides does not.
            (DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi | DriveKind::Mmc, "write through") => (
                Severity::Info,
                "no flush is sent since the kernel takes its cache for write through, and a cache answers that is protected or hidden",
            ),
            (DriveKind::Virtio, "write back") => {
                (Severity::Info, "a cache of whoever serves it answers, which is protected or is not flushed")
            }
            _ => return None,
        };
        let least_ns = if drive.turns() == Some(true) { DISK_NS } else { FLASH_NS };
        Some(Self { least_ns, severity, means, is_flushed: cache == "write back" })
    }

    fn figure(&self) -> &'static str {
        if self.is_flushed { "median of the syncs" } else { "median of the durable writes" }
    }

    /// Times that hold a flush: those of syncs; where none is sent, of writes that are durable, each with its sync.
    fn times(&self, measured: &Measured) -> Option<(&'static str, Histogram)> {
        if self.is_flushed {
            let times = measured.rounds.iter().map(|part| &part.round.sync.latency).collect();
            return syncs_data(measured).then_some(("syncs", times));
        }
        measured.workload().durability.is_of_each_write().then(|| ("durable writes", measured.merged_latency()))
    }
}

/// sync_file_range flushes nothing, and is meant to be fast.
fn syncs_data(measured: &Measured) -> bool {
    !matches!(measured.workload().durability, Durability::SyncFileRangeEvery(_))
}

fn protected(context: &Context, measured: &Measured) -> bool {
    let sheets = context.record.targets_of(measured.job).filter_map(|target| target.datasheet.as_ref());
    sheets.filter_map(|used| used.datasheet.plp).any(|protected| protected)
}

fn flushes_per_sync(measured: &Measured) -> Option<f64> {
    let flushes = |part: &crate::record::Part| {
        let most = part.stage.counted_drives()?.iter().map(|drive| drive.flush_ios).max()?;
        (part.sync.ios > 0).then(|| most as f64 / part.sync.ios as f64)
    };
    measured.median_counted(flushes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::durable::unflushed::tests::flushed;

    records! { fires: with_syncs_of(12_000), silent: with_syncs_of(400_000) }

    /// Syncs of which each takes so long.
    fn with_syncs_of(ns: u64) -> RunRecord {
        let mut record = flushed(1, "write back");
        for sync in record.rounds_mut().map(|round| &mut round.sync).filter(|sync| sync.ios > 0) {
            sync.latency = histogram(&[(ns, sync.ios.min(10_000))]);
        }
        record
    }

    #[test]
    fn what_cannot_be_expected_to_take_time_is_no_matter() {
        assert!(!RULE.found(&fires()).is_empty());
        RULE.silent_on([
            fires().with(|record| record.targets[0].drives[0].kind = DriveKind::Loop),
            fires().with(|record| record.targets[0].drives[0].write_cache = None),
            // No flush is not a fast one.
            flushed(0, "write back"),
        ]);
    }

    #[test]
    fn a_virtual_disk_and_a_cache_that_nobody_flushes_are_remarks() {
        let of_virtual = fires().with(|record| record.targets[0].drives[0].kind = DriveKind::Virtio);
        let of_virtual = RULE.found(&of_virtual).remove(0);
        assert!(of_virtual.severity == Severity::Info && of_virtual.title.contains("whoever serves it"), "{of_virtual:?}");
        let mut unflushed = fires();
        unflushed.targets[0].drives[0].write_cache.as_mut().unwrap().value = "write through".into();
        // With the sync a write takes longer than that.
        RULE.silent_on([unflushed.clone().uncounted()]);
        let fast = histogram(&[(21_000, 10_000)]);
        for round in unflushed.rounds_mut() {
            (round.write.latency, round.sync.latency, round.durable) = (fast.clone(), Histogram::default(), Some(fast.clone()));
        }
        let unflushed = RULE.found(&unflushed).remove(0);
        assert!(unflushed.severity == Severity::Info && unflushed.title.contains("protected or hidden"), "{unflushed:?}");
        assert!(unflushed.title.contains("durable writes take 21 µs"), "{unflushed:?}");
    }
}
