//! Somebody else used the drive during the measurement: it moved more bytes than the run did.

use crate::findings::bytes::page_cache::shared;
use crate::findings::prelude::*;
use crate::measured::Accounts;

rule! {
    name: "foreign-io",
    about: "somebody else used the drive during the measurement",
    check: Check::EachJob(of_job),
    limit: RuleLimit::of_host(Place::OtherUsers, LimitConfidence::Likely, |_, _| "somebody else's I/O on the drive".into()).looked_at(look),
}

/// More than this share beyond the run's own bytes is somebody else's, or the filesystem's own.
const FOREIGN: f64 = 0.05;
/// From this share on, the drive had too much else to do to be blamed.
const HEAVY: f64 = 0.20;

/// Bytes of the run and at its drives, both directions together; none where they cannot be held against one another.
fn bytes(measured: &Measured, accounts: &Accounts) -> Option<(u64, u64)> {
    // Every durable write and every trim makes the filesystem write of its own; that belongs to it.
    if measured.workload().durability != Default::default() || measured.workload().trims() {
        return None;
    }
    let (read, written) = (accounts.read, accounts.written);
    let (moved, at_drives) = (read.moved.saturating_add(written.moved), read.at_drives.saturating_add(written.at_drives));
    (moved > 0).then_some((moved, at_drives))
}

pub(crate) fn look(context: &Context, measured: &Measured) -> LimitCheck {
    let beyond =
        bytes(measured, &context.accounts(measured)).map(|(moved, at_drives)| at_drives.saturating_sub(moved) as f64 / moved as f64);
    let little = beyond.filter(|beyond| *beyond <= HEAVY);
    LimitCheck::by(little.map(|beyond| Evidence::number("bytes at the drive beyond this run's", beyond, Unit::Share).against(HEAVY)))
}

pub(crate) fn of_job(context: &Context, measured: &Measured) -> Option<Finding> {
    let accounts = context.accounts(measured);
    // A mirror or a stripe with parity moves more than it is given by itself.
    let one_drive = context.record.drive_of(measured.job).is_some();
    let (moved, at_drives) = bytes(measured, &accounts)?;
    let foreign = at_drives.saturating_sub(moved);
    if foreign as f64 <= FOREIGN * moved as f64 {
        return None;
    }
    let heavy = one_drive && foreign as f64 > HEAVY * moved as f64;
    let (severity, effect) = if heavy { (Severity::Warn, Effect::Harder) } else { (Severity::Info, Effect::None) };
    let share = foreign as f64 / moved as f64;
    let moved_by_drive = match share {
        // Of more than that nobody thinks in per cent.
        share if share >= 1.0 => format!("{} times what this run moved", three_digits(1.0 + share)),
        share => format!("{} more than this run", percent(share)),
    };
    let title = format!("the drive moved {moved_by_drive}: somebody else, the filesystem or a mirror used it");
    let mut figures = vec![
        Evidence::number("bytes of this run", moved as f64, Unit::Bytes),
        Evidence::number("bytes at the drive", at_drives as f64, Unit::Bytes),
        Evidence::number("share beyond this run's", foreign as f64 / moved as f64, Unit::Share).against(FOREIGN),
    ];
    figures.extend(shared(context, &accounts));
    let remedy = "measure while nothing else uses the drive";
    Some(finding_on(measured, &RULE, severity, effect, title, figures, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: foreign(1), silent: foreign(0) }

    /// One stage in which others write so many times what the run moves.
    fn foreign(times: u64) -> RunRecord {
        let mut record = record();
        record.stages.truncate(1);
        let (read, written) = record.stages[0].rounds[0].total_bytes;
        record.counters_mut().for_each(|drive| drive.write_bytes += times * (read + written));
        record
    }

    #[test]
    fn much_of_it_makes_the_run_harder() {
        let found = RULE.found(&fires());
        assert_eq!((found.len(), found[0].effect), (1, Effect::Harder));
    }
}
