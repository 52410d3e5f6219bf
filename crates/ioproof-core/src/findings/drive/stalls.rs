//! Stalls: some I/Os took many times as long as the rest, and at least a tenth of a second.
//!
//! A median of rounds hides this, since most rounds are without one. I/Os that outlived a round count with the time that they took
//! ([`crate::record::Direction::late`]). Those of a stop of this whole process are not the drive's, and have a rule of their own ([`crate::findings::host::stopped`]).

use super::slow_kinds;
use crate::findings::host::stopped;
use crate::findings::prelude::*;

rule! {
    name: "stalls",
    about: "some I/Os stalled: at least 50 times the median, and a tenth of a second",
    check: Check::EachJob(|_, measured| of_job(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Shortest time that is called a stall. Nanoseconds.
const LEAST_NS: u64 = 100_000_000;
/// Smallest multiple of the median latency that is called a stall.
const TIMES: u64 = 50;
/// From this share of all time under way on, stalls bear on a verdict.
const HEAVY: f64 = 0.02;

/// Stalled I/Os of a job.
struct Stalls {
    count: u64,
    /// Shortest time that is called a stall here.
    least_ns: u64,
    longest_ns: u64,
    median_ns: u64,
    /// Share of the time that all I/Os took together.
    time: f64,
}

impl Stalls {
    fn of(all: &Histogram) -> Option<Self> {
        let median_ns = all.quantile_ns(0.5)?;
        let least_ns = LEAST_NS.max(median_ns.saturating_mul(TIMES));
        let (count, time) = all.at_least(least_ns);
        (count > 0).then_some(Self { count, least_ns, longest_ns: all.max_ns()?, median_ns, time })
    }
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let all = latencies(measured);
    let stalls = Stalls::of(&all)
        .filter(|stalls| !stopped::explains(measured, stalls.count, stalls.longest_ns))
        .filter(|stalls| !slow_kinds::are_told(measured, stalls.count, stalls.least_ns, stalls.longest_ns))?;
    let (severity, effect) = if stalls.time >= HEAVY { (Severity::Warn, Effect::Unsteady) } else { (Severity::Info, Effect::None) };
    let title = format!(
        "it stalls: {} of {} I/Os took {} or more, up to {}, and {} of the time of all; the median is {}",
        stalls.count,
        all.count(),
        latency(stalls.least_ns as f64),
        latency(stalls.longest_ns as f64),
        percent(stalls.time),
        latency(stalls.median_ns as f64)
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

/// Latencies of all that came back. Who waits in vain ends the run, so that the round of a stall is one that does not count.
fn latencies(measured: &Measured) -> Histogram {
    measured.met().map(|part| part.latency()).collect()
}

fn describe(measured: &Measured) -> String {
    let longest = latencies(measured).max_ns().unwrap_or(0);
    format!("stalls: some I/Os take up to {}", latency(longest as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: stalled(1_500_000_000), silent: stalled(1_000_000) }

    /// In every round all that was under way at its end takes so long.
    fn stalled(ns: u64) -> RunRecord {
        let late = Some(histogram(&[(ns, 128)]));
        record().with(|record| record.rounds_mut().for_each(|round| round.read.late.clone_from(&late)))
    }

    /// One round was stopped for so long, and this many I/Os with it.
    fn stopped(stop_ns: u64, ios: u64) -> RunRecord {
        let mut record = record();
        let stage = &mut record.stages[0];
        stage.host = Some(HostLoad { watch_late_ns: Some(stop_ns - 30_000_000), ..HostLoad::default() });
        stage.rounds[0].read.latency.merge(&histogram(&[(stop_ns, ios)]));
        record
    }

    #[test]
    fn a_stop_of_the_whole_process_is_no_stall_of_the_drive() {
        let stalls = |ios| RULE.found(&stopped(3_000_000_000, ios)).len();
        let at_a_time = u64::from(record().jobs[0].workload.outstanding());
        assert_eq!((stalls(at_a_time), stalls(at_a_time + 1)), (0, 1));
        let mut short = stopped(3_000_000_000, at_a_time);
        short.stages[0].host = Some(HostLoad { watch_late_ns: Some(1_000_000_000), ..HostLoad::default() });
        assert_eq!(RULE.found(&short).len(), 1);
    }

    #[test]
    fn a_short_stop_is_no_stall_either() {
        let stalls = |stopped_ns| {
            let mut record = stopped(130_000_000, 1);
            let load = HostLoad { watch_late_ns: Some(120_000_000), watch_stopped_ns: Some(stopped_ns), ..HostLoad::default() };
            record.stages[0].host = Some(load);
            RULE.found(&record).len()
        };
        assert_eq!((stalls(85_000_000), stalls(20_000_000)), (0, 1));
        let several = |stops| {
            let mut record = stopped(130_000_000, 2 * u64::from(record().jobs[0].workload.outstanding()));
            let load = HostLoad { watch_stopped_ns: Some(85_000_000), watch_stops: Some(stops), ..HostLoad::default() };
            record.stages[0].host = Some(load);
            RULE.found(&record).len()
        };
        assert_eq!((several(2), several(1)), (0, 1), "more than one stop of a run");
    }

    #[test]
    fn a_stall_during_which_the_run_was_ended_is_told() {
        let mut record = record();
        let round = &mut record.stages[0].rounds[0];
        round.outcome = RoundOutcome::Interrupted;
        round.read.latency.record(12_000_000_000);
        let found = RULE.found(&record);
        assert!(found.iter().any(|finding| finding.title.contains("up to 12 s")), "{found:?}");
    }

    #[test]
    fn what_outlived_its_round_counts() {
        let found = RULE.found(&fires());
        assert!(found.iter().any(|f| f.effect == Effect::Unsteady && f.title.contains("up to 1.5 s")), "{found:?}");
    }
}
