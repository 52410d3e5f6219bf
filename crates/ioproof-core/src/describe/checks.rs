//! Results of reading back data that was written with headers. Lost data is reported before anything else.

use crate::record::{CheckResult, RunRecord};
use crate::text::{grouped, visible};
use crate::units::percent;

/// The results of all rounds together; `None` where nothing was checked.
fn total(record: &RunRecord) -> Option<CheckResult> {
    let mut results = record.parts().filter_map(|part| part.round.check.as_ref());
    let mut total = results.next()?.clone();
    results.for_each(|result| total.merge(result));
    Some(total)
}

/// A sentence on lost data, for the top of every report.
pub(super) fn loss(record: &RunRecord) -> Option<String> {
    let total = total(record).filter(|total| total.bad() > 0)?;
    let first = total.first.as_ref().map(|first| format!("; the first: {}", visible(first))).unwrap_or_default();
    let what =
        if record.bears_no_headers() { "NO HEADERS OF IOPROOF: all of it is lost, or ioproof never wrote it" } else { "DATA WAS LOST" };
    Some(format!("{what}: {}{first}", describe_bad(&total)))
}

/// A sentence on data that could not be read back, and so was not compared.
pub(super) fn unread(record: &RunRecord) -> Option<String> {
    let checked = record.parts().filter(|part| part.check.is_some() && part.job.workload.read_percent == 100);
    let failed = checked.fold(0u64, |sum, part| sum.saturating_add(part.errors.total()));
    (failed > 0).then(|| format!("Not all of what was written could be read back: {} reads failed.", grouped(failed)))
}

/// `3 corrupt, 1 torn I/Os, of 4096 pieces of 512 B that were checked`.
fn describe_bad(result: &CheckResult) -> String {
    let kinds = [
        (result.corrupt, "corrupt"),
        (result.misplaced, "misplaced"),
        (result.stale, "stale"),
        (result.torn, "torn I/Os"),
        (result.unreadable, "unreadable"),
    ];
    let kinds: Vec<String> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{} {kind}", grouped(*n))).collect();
    format!("{}, of {} pieces of 512 B that were checked", kinds.join(", "), grouped(checked(result)))
}

/// Torn I/Os are counted whole, not in pieces.
fn checked(result: &CheckResult) -> u64 {
    [result.corrupt, result.misplaced, result.stale, result.unreadable].into_iter().fold(result.good, u64::saturating_add)
}

/// The result of all rounds for the head; `None` where nothing was checked.
pub(super) fn brief(record: &RunRecord) -> Option<String> {
    total(record).map(|total| describe(&total))
}

pub fn describe(result: &CheckResult) -> String {
    if result.bad() > 0 {
        return describe_bad(result);
    }
    if result.good == 0 {
        return format!(
            "none of {} pieces of 512 B could be compared, since none had been written with headers",
            grouped(result.unwritten)
        );
    }
    let all = checked(result).saturating_add(result.unwritten);
    let unwritten = match result.unwritten {
        0 => String::new(),
        n => format!("; {} of what was read had not been written with headers", percent(n as f64 / all as f64)),
    };
    format!("all {} pieces of 512 B are as they were written{unwritten}", grouped(result.good))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_and_what_is_bad() {
        let good = CheckResult { good: 4096, ..CheckResult::default() };
        assert_eq!(describe(&good), "all 4\u{202f}096 pieces of 512 B are as they were written");
        let half = CheckResult { unwritten: 4096, ..good.clone() };
        assert!(describe(&half).contains("; 50.0 % of what was read had not been written"), "{}", describe(&half));
        let bad = CheckResult { corrupt: 3, torn: 1, ..half };
        assert_eq!(describe(&bad), "3 corrupt, 1 torn I/Os, of 4\u{202f}099 pieces of 512 B that were checked");
    }
}
