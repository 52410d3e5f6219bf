//! The first I/O after a pause takes much longer than the rest: the drive, its link or what serves it had gone to sleep.

use crate::findings::host::busy_host;
use crate::findings::prelude::*;

rule! {
    name: "slow-wake",
    about: "the first I/O after a pause takes many times as long as the rest",
    check: Check::EachCounted(|_, measured| of_job(measured)),
    limit: RuleLimit::on_the_way(LimitRank::Drive, |_, measured| describe(measured)),
}

/// Least ratio of the median first I/O to the median of all.
const TIMES: f64 = 5.0;
/// Least ratio of the median first I/O to the mean of all. In a deep queue of uneven times the median is short, and an I/O as long as the mean is a usual one.
const TIMES_OF_MEAN: f64 = 2.0;
/// Shortest time of the first I/O that is spoken of. Nanoseconds.
const LEAST_NS: f64 = 2_000_000.0;
/// The same beside others on the CPUs, for which the first I/O waits too. Nanoseconds.
const LEAST_CROWDED_NS: f64 = 20_000_000.0;
const FEWEST: u64 = 4;
/// From this share of the time on, waking up is what takes it.
const MUCH: f64 = 1.0 / 3.0;

/// The first I/Os after a pause, held against all.
pub(super) struct Wake {
    pauses: u64,
    /// Medians. Nanoseconds.
    first_ns: f64,
    median_ns: f64,
    /// Share of the time of all that I/Os of at least half of the first one's time take.
    time: f64,
}

fn of_job(measured: &Measured) -> Option<Finding> {
    let Wake { pauses, first_ns, median_ns, time, .. } = found(measured)?;
    let times = first_ns / median_ns;
    let title = format!(
        "the first I/O after a pause takes {}, {} times the median of {} (median of {pauses} pauses): something sleeps when it has no work",
        latency(first_ns),
        three_digits(times),
        latency(median_ns)
    );
    let figures = vec![
        Evidence::number("first I/O after a pause, median", first_ns, Unit::Nanoseconds),
        Evidence::number("median of all", median_ns, Unit::Nanoseconds),
        Evidence::number("ratio", times, Unit::Average).against(TIMES),
        Evidence::number("share of the time that such I/Os take", time, Unit::Share),
    ];
    let remedy = "look at the power states of the drive and its link; a program that pauses meets this each time";
    let severity = if time >= MUCH { Severity::Warn } else { Severity::Info };
    Some(finding_on(measured, &RULE, severity, Effect::None, title, figures, remedy))
}

fn describe(measured: &Measured) -> String {
    found(measured).map_or_else(String::new, |wake| {
        format!("waking up after pauses: it takes {}, and {} of the time", latency(wake.first_ns), percent(wake.time))
    })
}

/// Median time of the first I/O after a pause, where so many I/Os are no more than those that wait until the drive is awake. Nanoseconds.
pub(super) fn first_ns(measured: &Measured, ios: u64) -> Option<f64> {
    let waiting = |wake: &Wake| wake.pauses.saturating_mul(measured.workload().depth.into());
    found(measured).filter(|wake| ios <= waiting(wake)).map(|wake| wake.first_ns)
}

fn found(measured: &Measured) -> Option<Wake> {
    let first: Histogram = measured.rounds.iter().filter_map(|part| part.round.queue.after_pause.as_ref()).collect();
    let all = measured.merged_latency();
    let (first_ns, median_ns) = (first.quantile_ns(0.5)? as f64, all.quantile_ns(0.5)? as f64);
    let least_ns = if busy_host::is_found(measured) { LEAST_CROWDED_NS } else { LEAST_NS };
    let (_, time) = all.at_least((first_ns / 2.0) as u64);
    let stands_out = first_ns >= TIMES * median_ns && first_ns >= TIMES_OF_MEAN * all.mean_ns()?;
    let is_slow = first.count() >= FEWEST && first_ns >= least_ns && stands_out;
    is_slow.then(|| Wake { pauses: first.count(), first_ns, median_ns, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    records! { fires: waking(60_000_000, 10), silent: waking(1_900_000, 10) }

    /// The first I/O after so many pauses of each run takes so long.
    fn waking(ns: u64, pauses: u64) -> RunRecord {
        let after_pause = Some(histogram(&[(ns, pauses)]));
        record().with(|record| record.rounds_mut().for_each(|round| round.queue.after_pause.clone_from(&after_pause)))
    }

    #[test]
    fn it_warns_where_waking_takes_the_time_and_is_good_to_know_elsewhere() {
        let severity = |record: &RunRecord| RULE.found(record)[0].severity;
        assert_eq!(severity(&fires()), Severity::Info);
        let slow = histogram(&[(1_000_000, 95), (60_000_000, 5)]);
        let slow = fires().with(|record| record.reads_mut().for_each(|read| read.latency = slow.clone()));
        assert_eq!(severity(&slow), Severity::Warn);
        let context = Context::new(&slow);
        let reads = context.measured.iter().find(|m| m.workload().read_percent == 100).unwrap();
        assert!(first_ns(reads, 30).is_some() && first_ns(reads, 1 << 20).is_none());
    }

    #[test]
    fn a_first_io_as_long_as_the_mean_of_an_uneven_queue_is_no_wake() {
        let mut record = waking(14_000_000, 4);
        record.stages.retain(|stage| stage.rounds.iter().all(|round| round.write.ios == 0));
        assert!(!RULE.titles(&record).is_empty());
        let uneven = histogram(&[(2_700_000, 70), (33_000_000, 30)]);
        record.rounds_mut().for_each(|round| round.read.latency = uneven.clone());
        RULE.silent_on([record, waking(60_000_000, 0)]);
    }
}
