//! The number of I/Os that a load will do, percentiles that it is too small for, and logs that it is too large for.
//!
//! Before it runs nobody knows; the assumption is stated with each figure: an I/O takes 100 µs, as a NAND read of a data-centre drive does, and all together
//! move no more than 2 GB/s. A rate that the load keeps to goes before that.

use super::prelude::*;

const ASSUMED_LATENCY_S: f64 = 100e-6;
const ASSUMED_BYTES_PER_S: f64 = 2e9;

/// Samples beyond a percentile without which it says nothing.
const SAMPLES_BEYOND: f64 = 100.0;

/// Lines of a log that are too many to be of use. Its bytes are some 25 a line.
const TOO_MANY_LINES: u64 = 5_000_000;
const LINE_BYTES: u64 = 25;

/// Percentiles that are usually reported. Percent.
const USUAL: [f64; 17] = [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "percentile-samples",
        severity: Severity::Warn,
        covers: ["short-run"],
        about: "a percentile that was asked for and that too few I/Os lie beyond",
        check: MethodCheck::Each(|load, words| percentile(load, words, true)),
        fires: vec![reporting(99.999, true)],
        silent: vec![reporting(99.9, true)],
    },
    rule! {
        name: "tail-samples",
        severity: Severity::Info,
        covers: ["short-run"],
        about: "a load too small for the percentiles that are shown unasked",
        check: MethodCheck::Each(|load, words| percentile(load, words, false)),
        fires: vec![changed(reporting(99.0, false), |l| l.time.ios_each = Some(5000))],
        silent: vec![changed(reporting(99.0, false), |l| l.time.ios_each = Some(10_000))],
    },
    rule! {
        name: "log-of-each-io",
        severity: Severity::Info,
        about: "a log with a line for each of very many I/Os",
        check: MethodCheck::Each(log_of_each_io),
        fires: vec![logging(1)],
        silent: vec![logging(0)],
    },
];

/// Reads of a device that are reported with a percentile.
#[cfg(test)]
fn reporting(highest: f64, asked: bool) -> Load {
    changed(device(), |l| {
        (l.time.runtime_ns, l.time.fills_runtime) = (Some(60 * SECOND), asked);
        l.percentiles = Some(Percentiles { highest, asked, per_worker: true, per_direction: true });
    })
}

/// Reads of a device for ten minutes with so many logs of each I/O.
#[cfg(test)]
fn logging(logs: u32) -> Load {
    changed(device(), |l| (l.time.runtime_ns, l.workload.depth, l.logs_of_each_io) = (Some(600 * SECOND), 64, logs))
}

/// That which some workers of a load will do.
#[derive(Debug, Clone)]
pub(super) struct LoadEstimate {
    pub(super) ios: u64,
    pub(super) bytes: u64,
    /// I/Os per second; 0: the amount does not depend on it.
    per_s: f64,
    /// The assumption it rests on.
    because: String,
}

/// That which so many workers of a load do together; `None`: neither time nor amount ends them.
pub(super) fn estimate(load: &Load, workers: u64, words: &dyn Words) -> Option<LoadEstimate> {
    let block = load.mean_block_bytes();
    let (per_s, because) = rate(load, workers, block, words);
    let of = |ios: u64, per_s: f64, because: String| LoadEstimate { ios, bytes: (ios as f64 * block) as u64, per_s, because };
    let by_amount = |ios: u64| of(ios, 0.0, format!("all that the {} does", words.phrases().load));
    let timed = |ns: u64| (per_s * ns as f64 / 1e9) as u64;
    let by_time = |ns: u64| of(timed(ns), per_s, format!("{} at {because}", seconds(ns)));
    match (counted_ios(load, workers, block), load.time.runtime_ns) {
        (None, None) => None,
        (Some(ios), None) => Some(by_amount(ios)),
        (Some(ios), Some(ns)) if !load.time.fills_runtime && ios <= timed(ns) => Some(by_amount(ios)),
        (_, Some(ns)) => Some(by_time(ns)),
    }
}

/// I/Os by size or number.
fn counted_ios(load: &Load, workers: u64, block: f64) -> Option<u64> {
    let share = workers as f64 / load.worker_count() as f64;
    let by_size = load.time.total_bytes.map(|bytes| (bytes as f64 * share / block) as u64);
    let by_number = load.time.ios_each.map(|ios| ios.saturating_mul(workers));
    by_size.into_iter().chain(by_number).min()
}

/// I/Os per second of so many workers, and the reason.
fn rate(load: &Load, workers: u64, block: f64, words: &dyn Words) -> (f64, String) {
    if let Some(per_s) = asked_rate(load, block).map(|per_s| per_s / load.worker_count() as f64) {
        return (per_s * workers as f64, format!("the rate of {per_s:.0} I/Os per second and {}", words.phrases().worker));
    }
    let depth = load.depth().saturating_mul(workers);
    let per_s = (depth as f64 / ASSUMED_LATENCY_S).min(ASSUMED_BYTES_PER_S / block);
    (per_s, format!("an assumed 100 µs an I/O, {depth} at a time, no more than 2 GB/s"))
}

/// I/Os per second of all workers, where each direction of the load has a rate.
pub(super) fn asked_rate(load: &Load, block: f64) -> Option<f64> {
    let limits = &load.workload.shape.limits;
    let directions = [load.reads(), load.workload.writes()];
    let all = |rates: [Option<u64>; 2]| {
        rates.into_iter().zip(directions).filter(|(_, is_there)| *is_there).map(|(rate, _)| rate).sum::<Option<u64>>()
    };
    let open = load.workload.shape.pace.ios_per_s();
    let ios = open.or(all([limits.read_ios_per_s, limits.write_ios_per_s])).map(|ios| ios as f64);
    ios.or(all([limits.read_bytes_per_s, limits.write_bytes_per_s]).map(|bytes| bytes as f64 / block))
}

fn percentile(load: &Load, words: &dyn Words, asked: bool) -> Option<MethodFinding> {
    let reported = load.percentiles.filter(|reported| reported.asked == asked && load.is_on_drive() && !load.checks_data())?;
    let needed = needed_ios(reported.highest);
    let estimate = estimate(load, if reported.per_worker { 1 } else { load.worker_count() }, words)?;
    let share = if reported.per_direction { rarer_share(load) } else { 1.0 };
    let there = (estimate.ios as f64 * share) as u64;
    if there >= needed {
        return None;
    }
    let title = format!(
        "p{} needs {} I/Os so that 100 lie beyond it, and there are about {} ({})",
        reported.highest,
        count(needed),
        count(there),
        estimate.because
    );
    let figures = vec![
        Evidence::number("I/Os to be expected", there as f64, Unit::Count).against(needed as f64),
        Evidence::text("estimated by", estimate.because.clone()),
    ];
    Some(found(title, figures, remedy(needed, &estimate, share, words)))
}

/// I/Os of which a hundred lie beyond a percentile.
fn needed_ios(percentile: f64) -> u64 {
    (SAMPLES_BEYOND * 100.0 / (100.0 - percentile)).round() as u64
}

/// Share of the I/Os that the direction with fewer of them has.
fn rarer_share(load: &Load) -> f64 {
    let read = f64::from(load.workload.read_percent) / 100.0;
    if load.reads() && load.writes() { read.min(1.0 - read) } else { 1.0 }
}

fn remedy(needed: u64, estimate: &LoadEstimate, share: f64, words: &dyn Words) -> String {
    let highest = USUAL.into_iter().rev().find(|percentile| (estimate.ios as f64 * share) as u64 >= needed_ios(*percentile));
    let or = highest.map_or_else(String::new, |percentile| format!(", or believe no percentile above p{percentile}"));
    if estimate.per_s > 0.0 {
        let runtime_s = (needed as f64 / (estimate.per_s * share)).ceil();
        return format!("set {} or more{or}", words.with(Setting::Runtime, &format!("{runtime_s:.0}")));
    }
    format!("do more I/O: {}{or}", words.phrases().more_io)
}

fn log_of_each_io(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let logs = Some(u64::from(load.logs_of_each_io)).filter(|logs| *logs > 0)?;
    let estimate = estimate(load, load.worker_count(), words).filter(|estimate| estimate.ios > TOO_MANY_LINES)?;
    let bytes = estimate.ios.saturating_mul(LINE_BYTES).saturating_mul(logs);
    let title = format!(
        "logs with a line for each I/O grow to about {} lines each, {} together ({}), and keeping them disturbs what they measure",
        count(estimate.ios),
        decimal_size(bytes),
        estimate.because
    );
    let figures = vec![
        Evidence::number("lines of a log, estimated", estimate.ios as f64, Unit::Count).against(TOO_MANY_LINES as f64),
        Evidence::number("size of all logs, estimated", bytes as f64, Unit::Bytes),
    ];
    Some(found(title, figures, words.phrases().averaged_logs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Flags;
    use crate::shape::Limits;

    #[test]
    fn a_hundred_lie_beyond() {
        assert_eq!([50.0, 99.0, 99.9, 99.99, 99.999].map(needed_ios), [200, 10_000, 100_000, 1_000_000, 10_000_000]);
    }

    #[test]
    fn a_rate_goes_before_the_assumption_and_is_shared_by_the_workers() {
        let load = changed(device(), |l| {
            (l.workload.workers, l.time.runtime_ns) = (4, Some(60 * SECOND));
            l.workload.shape.limits = Limits { read_ios_per_s: Some(400), ..Limits::default() };
        });
        let one = estimate(&load, 1, &Flags).unwrap();
        assert_eq!((one.ios, one.bytes), (6000, 6000 * 4096));
        assert_eq!(estimate(&load, 4, &Flags).unwrap().ios, 24_000);
        assert!(one.because.contains("rate of 100 I/Os per second and worker"), "{}", one.because);
    }
}
