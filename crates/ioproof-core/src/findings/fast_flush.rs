//! Flushes that come back faster than the medium can take what was written: either the cache survives a power cut, or the flush is not carried out.
//!
//! A flash page takes at least some 75 µs to program, in the fastest of its kinds (Kioxia XL-FLASH; usual TLC some 500 µs); a disk of 7200 rpm needs half a
//! turn, 4.2 ms, on average before the sector comes by. A datasheet that promises protection against power loss explains it.

use super::{Context, Measured, Rule, finding_on};
use crate::claim::Statistic;
use crate::facts::{DeviceFacts, DriveKind};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::histogram::Histogram;
use crate::units::latency;

pub(super) const RULE: Rule = Rule {
    name: "fast-flush",
    about: "flushes are faster than the medium can be written",
    check,
    limit: None,
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// The least that a flush with something to write takes on flash: less than the fastest page program. Nanoseconds.
const FLASH_NS: f64 = 50_000.0;
/// The same on a disk that turns: half of the average wait for a sector. Nanoseconds.
const DISK_NS: f64 = 2_000_000.0;
/// Flushes for a sync from which on the drive was sent one for each.
const EACH: f64 = 0.5;

fn check(context: &Context) -> Vec<Finding> {
    context.counted().filter_map(|measured| of_job(context, measured)).collect()
}

fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let drives = context.record.drives_of(measured.job);
    let (drive, least_ns) = drives.iter().find_map(|drive| Some((*drive, least_ns(drive)?)))?;
    if protected(context, measured) || flushes_per_sync(measured)? < EACH {
        return None;
    }
    let mut syncs = Histogram::default();
    measured.rounds.iter().for_each(|part| syncs.merge(&part.sync.latency));
    let median_ns = measured.statistic_ns(&syncs, Statistic::P50).filter(|ns| *ns < least_ns)?;
    let title = format!(
        "half of the syncs take {}, the medium of {} at least {}: its cache is protected, or a flush does nothing",
        latency(median_ns),
        drive.name,
        latency(least_ns)
    );
    let evidence = vec![
        Evidence::number("median of the syncs", median_ns, Unit::Nanoseconds),
        Evidence::number("least that the medium takes", least_ns, Unit::Nanoseconds),
    ];
    let remedy = "look in its datasheet for power-loss protection; `ioproof powercut` shows whether what is synced stays";
    Some(finding_on(measured, &RULE, Severity::Warn, Effect::None, title, evidence, remedy))
}

/// The least that a flush takes on a drive whose cache is volatile; none for what is no drive in sight.
fn least_ns(drive: &DeviceFacts) -> Option<f64> {
    let is_volatile = drive.write_cache.as_ref().is_some_and(|cache| cache.value == "write back");
    let is_real = matches!(drive.kind, DriveKind::Nvme | DriveKind::Sata | DriveKind::Scsi | DriveKind::Mmc);
    let turns = drive.rotational.as_ref().is_some_and(|fact| fact.value);
    (is_volatile && is_real).then_some(if turns { DISK_NS } else { FLASH_NS })
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
    use crate::findings::find;
    use crate::findings::unflushed::tests::flushed;
    use crate::record::RunRecord;

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

    pub(super) fn fires() -> RunRecord {
        with_syncs_of(12_000)
    }

    pub(super) fn silent() -> RunRecord {
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
        assert!(!found(&changed(|record| record.targets[0].drives[0].kind = DriveKind::Virtio)));
        assert!(!found(&changed(|record| record.targets[0].drives[0].write_cache = None)));
        assert!(!found(&flushed(0, "write back")), "no flush is not a fast one");
    }
}
