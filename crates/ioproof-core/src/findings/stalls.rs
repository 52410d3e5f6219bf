//! I/O stood still: some of it took hundreds of times as long as the rest, and most of that time nothing completed.
//!
//! A median of rounds hides this, since most rounds are without one. I/Os that outlived a round count with the time that they took ([`crate::record::Direction::late`]).

use super::{Context, Limit, LimitRank, Measured, Rule, finding_on};
use crate::finding::{Effect, Evidence, Finding, Severity, Unit};
use crate::histogram::Histogram;
use crate::units::{latency, percent};

pub(super) const RULE: Rule = Rule {
    name: "stalls",
    about: "some I/Os took hundreds of times as long as the rest",
    check,
    limit: Some(Limit { rank: LimitRank::Drive, words: |_, measured| words(measured) }),
    #[cfg(test)]
    fires: tests::fires,
    #[cfg(test)]
    silent: tests::silent,
};

/// Shortest time that is called a stall. Nanoseconds.
const LEAST_NS: u64 = 100_000_000;
/// Smallest multiple of the median latency that is called a stall.
const TIMES: u64 = 50;
/// From this share of all time under way on, stalls bear on a verdict.
const HEAVY: f64 = 0.02;

/// Stalled I/Os of a job.
struct Stalls {
    count: u64,
    longest_ns: u64,
    median_ns: u64,
    /// Share of the time that all I/Os took together.
    time: f64,
}

impl Stalls {
    fn of(all: &Histogram) -> Option<Self> {
        let median_ns = all.quantile_ns(0.5)?;
        let least_ns = LEAST_NS.max(median_ns.saturating_mul(TIMES));
        let stalled = || all.counted().filter(|(low_ns, width_ns, _)| low_ns + width_ns > least_ns);
        let count = stalled().map(|(.., count)| count).sum();
        let time_ns: f64 = stalled().map(|(low_ns, width_ns, count)| (low_ns as f64 + width_ns as f64 / 2.0) * count as f64).sum();
        let time = time_ns / (all.sum_ns() as f64).max(1.0);
        (count > 0).then_some(Self { count, longest_ns: all.max_ns()?, median_ns, time: time.min(1.0) })
    }
}

fn check(context: &Context) -> Vec<Finding> {
    context.measured.iter().filter_map(of_job).collect()
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let all = measured.merged_latency();
    let stalls = Stalls::of(&all)?;
    let (severity, effect) = if stalls.time >= HEAVY { (Severity::Warn, Effect::Unsteady) } else { (Severity::Info, Effect::None) };
    let title = format!(
        "it stood still: {} of {} I/Os took up to {}, where the median takes {}, and {} of the time went there",
        stalls.count,
        all.count(),
        latency(stalls.longest_ns as f64),
        latency(stalls.median_ns as f64),
        percent(stalls.time)
    );
    let figures = vec![
        Evidence::number("longest", stalls.longest_ns as f64, Unit::Nanoseconds),
        Evidence::number("median", stalls.median_ns as f64, Unit::Nanoseconds),
        Evidence::number("stalled I/Os", stalls.count as f64, Unit::Count),
        Evidence::number("share of the time that all I/Os took", stalls.time, Unit::Share).against(HEAVY),
    ];
    let remedy = "look at longer runs (--time), at the drive's log (ioproof identify), and for anything else that stops this machine";
    Some(finding_on(measured, &RULE, severity, effect, title, figures, remedy))
}

fn words(measured: &Measured) -> String {
    let longest = measured.merged_latency().max_ns().unwrap_or(0);
    format!("stalls: nothing completes for up to {} at a time", latency(longest as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunRecord;
    use crate::testing::record;

    pub(in super::super) fn fires() -> RunRecord {
        stalled(1_500_000_000)
    }

    pub(in super::super) fn silent() -> RunRecord {
        stalled(1_000_000)
    }

    /// In every round all that was under way at its end takes so long.
    fn stalled(ns: u64) -> RunRecord {
        let mut record = record();
        for round in record.stages.iter_mut().flat_map(|stage| &mut stage.rounds) {
            let mut late = Histogram::default();
            (0..128).for_each(|_| late.record(ns));
            round.read.late = Some(late);
        }
        record
    }

    #[test]
    fn what_outlived_its_round_counts() {
        let found = check(&Context::new(&fires()));
        assert!(found.iter().any(|f| f.effect == Effect::Unsteady && f.title.contains("took up to 1.5 s")), "{found:?}");
    }
}
