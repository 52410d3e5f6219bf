//! Flushes that come back faster than the medium can take what was written: either the cache survives a power cut, or the flush is not carried out.
//!
//! A flash page takes at least some 75 µs to program, in the fastest of its kinds (Kioxia XL-FLASH; usual TLC some 500 µs); a disk of 7200 rpm needs half a
//! turn, 4.2 ms, on average before the sector comes by. A datasheet that promises protection against power loss explains it.

use crate::claim::Statistic;
use crate::facts::{DeviceFacts, DriveKind};
use crate::findings::prelude::*;
use crate::histogram::Histogram;
use crate::units::latency;
use crate::workload::Durability;

rule! {
    name: "fast-flush",
    about: "flushes are faster than the medium can be written",
    check: Check::EachCounted(of_job),
    limit: None,
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

    /// Name of the figure that is told.
    fn figure(&self) -> &'static str {
        if self.is_flushed { "median of the syncs" } else { "median of the durable writes" }
    }

    /// Times that hold a flush: those of syncs; where none is sent, of writes that are durable, each with its sync.
    fn times(&self, measured: &Measured) -> Option<(&'static str, Histogram)> {
        let mut times = Histogram::default();
        if self.is_flushed {
            measured.rounds.iter().for_each(|part| times.merge(&part.sync.latency));
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
    use crate::findings::find;

    /// Syncs of which each takes so long.
    fn with_syncs_of(ns: u64) -> RunRecord {
        let mut record = flushed(1, "write back");
        for round in record.stages.iter_mut().flat_map(|stage| &mut stage.rounds).filter(|round| round.sync.ios > 0) {
            let mut latency = Histogram::default();
            (0..round.sync.ios.min(10_000)).for_each(|_| latency.record(ns));
            round.sync.latency = latency;
        }
        record
    }

    pub(crate) fn fires() -> RunRecord {
        with_syncs_of(12_000)
    }

    pub(crate) fn silent() -> RunRecord {
        with_syncs_of(400_000)
    }

    #[test]
    fn what_cannot_be_expected_to_take_time_is_no_matter() {
        let found = |record: &RunRecord| find(&Context::new(record)).iter().any(|finding| finding.rule == RULE.name);
        let changed = |change: fn(&mut RunRecord)| {
            let mut record = fires();
            change(&mut record);
            record
        };
        assert!(found(&fires()));
        assert!(!found(&changed(|record| record.targets[0].drives[0].kind = DriveKind::Loop)));
        assert!(!found(&changed(|record| record.targets[0].drives[0].write_cache = None)));
        assert!(!found(&flushed(0, "write back")), "no flush is not a fast one");
    }

    #[test]
    fn a_virtual_disk_and_a_cache_that_nobody_flushes_are_remarks() {
        let told = |change: fn(&mut RunRecord)| {
            let mut record = fires();
            change(&mut record);
            find(&Context::new(&record)).into_iter().find(|finding| finding.rule == RULE.name)
        };
        let of_virtual = told(|record| record.targets[0].drives[0].kind = DriveKind::Virtio).unwrap();
        assert!(of_virtual.severity == Severity::Info && of_virtual.title.contains("whoever serves it"), "{of_virtual:?}");
        let write_through = |record: &mut RunRecord| {
            record.targets[0].drives[0].write_cache.as_mut().unwrap().value = "write through".into();
            record.stages.iter_mut().for_each(|stage| stage.devices = None);
        };
        assert!(told(write_through).is_none(), "with the sync a write takes longer than that");
        let unflushed = told(|record| {
            record.targets[0].drives[0].write_cache.as_mut().unwrap().value = "write through".into();
            for round in record.stages.iter_mut().flat_map(|stage| &mut stage.rounds) {
                let mut fast = Histogram::default();
                (0..10_000).for_each(|_| fast.record(21_000));
                (round.write.latency, round.sync.latency, round.durable) = (fast.clone(), Histogram::default(), Some(fast));
            }
        })
        .unwrap();
        assert!(unflushed.severity == Severity::Info && unflushed.title.contains("protected or hidden"), "{unflushed:?}");
        assert!(unflushed.title.contains("durable writes take 21 µs"), "{unflushed:?}");
    }
}
