//! Somebody else used the drive during the measurement: it moved more bytes than the run did.

use super::page_cache::directions;
use super::{Context, Measured, Rule, evidence, finding_on};
use crate::units::{decimal_size, percent};
use crate::verdict::{Effect, Finding, Severity};

pub(super) const RULE: Rule = Rule { name: "foreign-io", about: "somebody else used the drive during the measurement", check };

/// More than this share beyond the run's own bytes is somebody else's, or the filesystem's own.
const FOREIGN: f64 = 0.05;
/// From this share on, the drive had too much else to do to be blamed.
const HEAVY: f64 = 0.20;

fn check(context: &Context) -> Vec<Finding> {
    // A mirror or a stripe with parity moves more than it is given by itself.
    let one_drive = context.record.drives.len() == 1;
    context.measured.iter().filter_map(|m| of_workload(m, one_drive)).collect()
}

fn of_workload(measured: &Measured, one_drive: bool) -> Option<Finding> {
    let (read, written) = directions(&measured.rounds);
    // Every durable write and every trim makes the filesystem write of its own; that belongs to it.
    if measured.workload().durability != Default::default() || measured.workload().trims() {
        return None;
    }
    let (moved, at_drives) = (read.moved.saturating_add(written.moved), read.at_drives.saturating_add(written.at_drives));
    let foreign = at_drives.saturating_sub(moved);
    if moved == 0 || foreign as f64 <= FOREIGN * moved as f64 {
        return None;
    }
    let heavy = one_drive && foreign as f64 > HEAVY * moved as f64;
    let (severity, effect) = if heavy { (Severity::Warn, Effect::Harder) } else { (Severity::Info, Effect::None) };
    let title = format!(
        "the drive moved {} more than this run: somebody else, the filesystem or a mirror used it",
        percent(foreign as f64 / moved as f64)
    );
    let figures = vec![evidence("bytes of this run", decimal_size(moved)), evidence("bytes at the drive", decimal_size(at_drives))];
    let remedy = "measure while nothing else uses the drive";
    Some(finding_on(measured, &RULE, severity, effect, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;

    #[test]
    fn fires_when_the_drive_did_more() {
        let mut record = record();
        assert!(check(&Context::new(&record)).is_empty());
        let round = &mut record.rounds[0];
        round.devices[0].write_bytes += round.total_bytes.0 + round.total_bytes.1;
        record.rounds.truncate(1);
        let found = check(&Context::new(&record));
        assert_eq!((found.len(), found[0].effect), (1, Effect::Harder));
    }
}
