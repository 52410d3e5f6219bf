//! Data that was read back is not what was written. Nothing else that a drive does matters beside it, so it decides the exit status.

use crate::findings::prelude::*;

rule! {
    name: "data-lost",
    about: "what was read back is not what was written",
    check: Check::Run(check),
}

fn check(context: &Context) -> Vec<Finding> {
    let Some(lost) = lost(context.record) else { return Vec::new() };
    let title = match context.record.bears_no_headers() {
        true => describe(context.record, &lost),
        false => format!("data was lost: {}", describe(context.record, &lost)),
    };
    let mut figures = vec![
        Evidence::number("corrupt", lost.corrupt as f64, Unit::Count),
        Evidence::number("misplaced", lost.misplaced as f64, Unit::Count),
        Evidence::number("stale", lost.stale as f64, Unit::Count),
        Evidence::number("torn I/Os", lost.torn as f64, Unit::Count),
        Evidence::number("unreadable", lost.unreadable as f64, Unit::Count),
        Evidence::number("good", lost.good as f64, Unit::Count),
    ];
    figures.extend(lost.first.map(|first| Evidence::text("first", first)));
    let remedy = "trust nothing on this drive; look at its cables, its firmware and the host's memory, and check again";
    vec![finding(&RULE, Severity::Block, Effect::None, title, figures, remedy)]
}

/// A loss in words. What only was read, and bears no header at all, need never have been written by ioproof.
pub(crate) fn describe(record: &RunRecord, lost: &CheckResult) -> String {
    match record.bears_no_headers() {
        true => {
            format!("nothing that was read ({} pieces) bears headers of ioproof: all of it is lost, or ioproof never wrote it", lost.bad())
        }
        false => lost.bad_words(),
    }
}

/// Losses of all rounds together; `None` where nothing was checked or all was good.
pub(crate) fn lost(record: &RunRecord) -> Option<CheckResult> {
    let mut all = CheckResult::default();
    record.stages.iter().flat_map(|stage| &stage.rounds).filter_map(|r| r.check.as_ref()).for_each(|check| all.merge(check));
    (all.bad() > 0).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    records! {
        fires: checked(CheckResult { good: 999, stale: 1, ..CheckResult::default() }),
        silent: checked(CheckResult { good: 999, unwritten: 1, ..CheckResult::default() }),
    }

    fn checked(check: CheckResult) -> RunRecord {
        record().with(|record| record.stages[1].rounds[0].check = Some(check))
    }
    #[test]
    fn what_bears_no_header_need_not_have_been_written() {
        let bare = CheckResult { corrupt: 8, ..CheckResult::default() };
        let title = |check: &CheckResult| {
            let record = record();
            let reads = record.stages.iter().position(|stage| !record.jobs[stage.rounds[0].job as usize].workload.writes()).unwrap();
            let record = record.with(|record| record.stages[reads].rounds[0].check = Some(check.clone()));
            describe(&record, &lost(&record).unwrap())
        };
        assert!(title(&bare).contains("8 pieces) bears headers of ioproof: all of it is lost, or ioproof never wrote it"));
        let seeded = CheckResult { seeds: vec![7], ..bare.clone() };
        for other in [CheckResult { good: 1, ..bare.clone() }, seeded, CheckResult { stale: 1, ..bare }] {
            assert!(title(&other).contains("are not what was written"));
        }
    }

    #[test]
    fn one_bad_piece_is_enough() {
        let mut record = record();
        assert!(RULE.found(&record).is_empty());
        record.stages[0].rounds[0].check = Some(CheckResult { good: 1000, unwritten: 5, ..CheckResult::default() });
        assert!(RULE.found(&record).is_empty());
        record.stages[1].rounds[0].check =
            Some(CheckResult { good: 999, stale: 1, first: Some("stale at byte 0".into()), ..CheckResult::default() });
        let found = RULE.found(&record);
        assert!(found[0].title.contains("1 piece or I/O") && found[0].evidence.iter().any(|e| e.describe() == "stale at byte 0"));
        assert_eq!((found.len(), found[0].severity), (1, Severity::Block));
    }
}
