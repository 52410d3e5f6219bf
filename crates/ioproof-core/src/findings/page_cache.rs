//! Bytes at the device do not account for the bytes that were moved: a cache answered, most often the page cache.
//!
//! Held against each other are what the engine moved and what the kernel counted at the drives (Documentation/block/stat.rst), both over the whole job.

use super::{Context, Measured, Rule, evidence, finding_on};
use crate::record::Round;
use crate::units::{decimal_size, percent};
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule =
    Rule { name: "page-cache", about: "bytes at the device do not account for the bytes claimed: a cache answered", check };

fn check(context: &Context) -> Vec<Finding> {
    let least = context.record.policy.device_bytes;
    context.measured.iter().filter_map(|m| of_workload(m, least)).collect()
}

fn of_workload(measured: &Measured, least: f64) -> Option<Finding> {
    let (read, written) = directions(&measured.rounds);
    // A direction that is rarely used carries no weight.
    let short =
        [("read", read), ("written", written)].into_iter().find(|(_, d)| d.moved > 0 && (d.at_drives as f64) < least * d.moved as f64);
    let (direction, bytes) = short?;
    let share = bytes.at_drives as f64 / bytes.moved as f64;
    let title = format!("only {} of the bytes {direction} reached the drive; the rest came from or went to memory", percent(share));
    let figures = vec![
        evidence(&format!("bytes {direction}"), decimal_size(bytes.moved)),
        evidence("bytes at the drive", decimal_size(bytes.at_drives)),
    ];
    let remedy = "use a target that honours O_DIRECT down to the drive; for a loop device: losetup --direct-io=on";
    Some(finding_on(measured, &RULE, Severity::Block, Effect::Invalid, title, figures, remedy))
}

/// Bytes that the engine moved, and bytes counted at the drives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bytes {
    pub(super) moved: u64,
    pub(super) at_drives: u64,
}

/// (reads, writes) over the rounds for which there are counters.
pub(super) fn directions(rounds: &[&Round]) -> (Bytes, Bytes) {
    let (mut read, mut written) = (Bytes::default(), Bytes::default());
    for round in rounds.iter().filter(|r| r.devices.iter().any(|d| d.is_drive)) {
        read.moved = read.moved.saturating_add(round.total_bytes.0);
        // What is trimmed is counted with what is written here, and apart from it at the drive.
        let written_bytes = if round.workload.trims() { 0 } else { round.total_bytes.1 };
        written.moved = written.moved.saturating_add(written_bytes);
        for drive in round.devices.iter().filter(|d| d.is_drive) {
            read.at_drives = read.at_drives.saturating_add(drive.read_bytes);
            written.at_drives = written.at_drives.saturating_add(drive.write_bytes);
        }
    }
    (read, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn fires_when_the_drive_saw_less() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty());
        for round in &mut record.rounds {
            round.devices[0].read_bytes = round.total_bytes.0 / 2;
        }
        let found = check(&Context::new(&record));
        assert!(found.iter().all(|f| f.effect == Effect::Invalid && f.title.contains("50.0 % of the bytes read")));
        assert_eq!(found.len(), record.plan.all().filter(|p| p.workload.read_percent > 0).count());
    }

    #[test]
    fn trimmed_bytes_are_not_missed_at_the_drive() {
        let mut record = record();
        record.plan.writes.iter_mut().for_each(|p| p.workload.shape.trim_percent = 100 - p.workload.read_percent);
        for round in record.rounds.iter_mut().filter(|r| r.workload.writes()) {
            round.workload.shape.trim_percent = 100 - round.workload.read_percent;
            round.devices[0].write_bytes = 0;
        }
        assert!(check(&Context::new(&record)).is_empty());
    }

    #[test]
    fn without_counters_nothing_is_said() {
        let mut record = record();
        record.rounds.iter_mut().for_each(|r| r.devices.clear());
        assert!(check(&Context::new(&record)).is_empty());
    }
}
