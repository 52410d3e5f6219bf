//! Loads that end too early, run too short, or measure a beginning.

use super::estimate::asked_rate;
use super::prelude::*;
#[cfg(test)]
use crate::shape::{Limits, Think};

/// The fastest link of today: PCIe 5.0 x4 carries some 16 GB/s. Bytes per second.
const FASTEST_BYTES_PER_S: f64 = 16e9;

/// No drive answers sooner. Seconds.
const SHORTEST_IO_S: f64 = 5e-6;

/// Name of the rule about a pace that is slower than the runs are long.
pub const PACE_BEYOND_RUN: &str = "pace-beyond-run";

/// The rounds of the SNIA's performance test specification last a minute. Nanoseconds.
const ROUND_NS: u64 = 60_000_000_000;

pub(super) const RULES: &[MethodRule] = &[
    rule! {
        name: "ends-early",
        severity: Severity::Warn,
        covers: ["percentile-samples", "tail-samples", "short-run"],
        about: "a time that the load may not reach, since it ends when its data is done",
        check: MethodCheck::Each(ends_early),
        fires: vec![changed(sequential(file()), |l| (l.time.fills_runtime, l.time.total_bytes) = (false, Some(10 * GIB)))],
        silent: vec![changed(sequential(file()), |l| (l.time.fills_runtime, l.time.total_bytes) = (true, Some(10 * GIB))), held_back()],
    },
    rule! {
        name: "short-run",
        severity: Severity::Info,
        about: "less than a minute on a device",
        check: MethodCheck::Each(short_run),
        fires: vec![changed(device(), |l| l.time.runtime_ns = Some(30 * SECOND))],
        silent: vec![changed(device(), |l| (l.time.runtime_ns, l.time.repeats) = (Some(30 * SECOND), Some(2)))],
    },
    rule! {
        name: "no-ramp",
        severity: Severity::Info,
        about: "a timed load on a device whose first writes count",
        check: MethodCheck::Each(no_ramp),
        fires: vec![changed(writing(device()), |l| l.time.ramp_ns = Some(0))],
        silent: vec![writing(device())],
    },
    rule! {
        name: PACE_BEYOND_RUN,
        severity: Severity::Warn,
        covers: ["percentile-samples", "tail-samples", "short-run"],
        about: "runs so short, or a pace so slow, that most runs have no I/O to measure",
        check: MethodCheck::Each(pace_beyond_run),
        fires: vec![slow(SECOND)],
        silent: vec![slow(SECOND / 10)],
    },
    rule! {
        name: "thinktime-with-rate",
        severity: Severity::Info,
        about: "pauses beside a rate that is caught up with",
        check: MethodCheck::Each(pause_with_rate),
        fires: vec![pausing(true)],
        silent: vec![pausing(false)],
    },
];

#[cfg(test)]
fn pausing(catches_up: bool) -> Load {
    changed(device(), |l| {
        l.workload.shape.think = Some(Think { ns: 1_000_000, every: 1, every_ns: 0 });
        l.workload.shape.limits = Limits { read_ios_per_s: Some(500), catches_up, ..Limits::default() };
    })
}

/// Its rate is too low for its data to be done in its time.
#[cfg(test)]
fn held_back() -> Load {
    changed(sequential(file()), |l| {
        (l.time.fills_runtime, l.time.total_bytes) = (false, Some(10 * GIB));
        l.workload.shape.limits = Limits { read_ios_per_s: Some(10), ..Limits::default() };
    })
}

/// A closed loop with this pause, or an open one at this rate, in runs of a quarter of a second.
#[cfg(test)]
fn slow(ns: u64) -> Load {
    changed(file(), |l| {
        l.workload.shape.think = Some(Think { ns, every: 1, every_ns: 0 });
        (l.time.run_ns, l.time.ramp_ns, l.time.repeats) = (Some(SECOND / 5), Some(SECOND / 20), Some(6));
    })
}

fn runtime_of(ns: u64) -> Evidence {
    Evidence::number("time of a run", ns as f64 / 1e9, Unit::Seconds)
}

fn ends_early(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    // Who says how much I/O is to be done means it.
    let runtime_ns = load.time.runtime_ns.filter(|_| !load.time.fills_runtime && !load.time.amount_is_meant)?;
    let bytes = load.time.total_bytes.filter(|_| load.is_on_drive())?;
    let least_rate = bytes as f64 / (runtime_ns as f64 / 1e9);
    if least_rate >= fastest_bytes_per_s(load) {
        return None;
    }
    let title = format!(
        "without {} it ends when {} are done, before {} at anything above {:.0} MB/s",
        words.phrases().fills_runtime,
        words.size(bytes),
        words.with(Setting::Runtime, &seconds(runtime_ns)),
        least_rate / 1e6
    );
    let figures = vec![
        Evidence::number("data", bytes as f64, Unit::Bytes),
        runtime_of(runtime_ns),
        Evidence::number("rate above which it ends early", least_rate, Unit::BytesPerSecond).against(fastest_bytes_per_s(load)),
    ];
    Some(found(title, figures, words.phrases().fill_runtime))
}

/// A rate that the load cannot exceed. Bytes per second.
fn fastest_bytes_per_s(load: &Load) -> f64 {
    let block = load.block_sizes().into_iter().max().unwrap_or(0) as f64;
    let outstanding = load.depth().saturating_mul(load.worker_count());
    let asked = asked_rate(load, block).map_or(f64::INFINITY, |ios_per_s| ios_per_s * block);
    (outstanding as f64 * block / SHORTEST_IO_S).min(FASTEST_BYTES_PER_S).min(asked)
}

fn short_run(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let all_ns = |ns: &u64| ns.saturating_mul(load.time.repeats.unwrap_or(1).into());
    let runtime_ns = load.time.runtime_ns.filter(|ns| all_ns(ns) < ROUND_NS && load.is_on(&[MediumKind::Device]) && !load.checks_data())?;
    let title = format!(
        "{} on a device is shorter than the minute that a round of a standard test lasts: caches and a cool drive make it look better",
        seconds(runtime_ns)
    );
    let remedy = format!("set {} or more, and run it several times", words.with(Setting::Runtime, &60));
    Some(found(title, vec![runtime_of(runtime_ns).against(ROUND_NS as f64 / 1e9)], remedy))
}

fn no_ramp(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let changes = load.is_on(&[MediumKind::Device]) && load.writes() && !load.checks_data();
    let runtime_ns = load.time.runtime_ns.filter(|_| changes && load.time.ramp_ns == Some(0) && !load.time.until_steady)?;
    let title = format!(
        "the write cache of the drive takes the first writes, and they count in all of the {}{}",
        seconds(runtime_ns),
        words.phrases().no_ramp
    );
    let figures = vec![Evidence::number("ramp", 0.0, Unit::Seconds), runtime_of(runtime_ns)];
    Some(found(title, figures, format!("{}, and fill the drive first", words.phrases().ramp)))
}

fn pace_beyond_run(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let run_ns = load.time.run_ns?.saturating_add(load.time.ramp_ns.unwrap_or(0));
    let gap_ns = gap_ns(load).filter(|gap| *gap >= run_ns)?;
    let title = format!("a run lasts {}, and at this pace an I/O comes every {}", seconds(run_ns), seconds(gap_ns));
    let figures = vec![
        Evidence::number("a run, ramp included", run_ns as f64 / 1e9, Unit::Seconds),
        Evidence::number("from one I/O to the next", gap_ns as f64 / 1e9, Unit::Seconds).against(run_ns as f64 / 1e9),
    ];
    Some(found(title, figures, words.longer_runs(gap_ns, load.time.repeats.unwrap_or(1))))
}

/// Time from one I/O to the next, where the load holds itself back by that much in all directions. Nanoseconds.
fn gap_ns(load: &Load) -> Option<u64> {
    let shape = &load.workload.shape;
    let every = |per_s: u64| 1_000_000_000 / per_s.max(1);
    let block = u64::from(load.workload.largest_block_bytes());
    let slower = |ios: Option<u64>, bytes: Option<u64>| {
        let by_bytes = bytes.map(|rate| (block as f64 * 1e9 / rate.max(1) as f64) as u64);
        ios.map(every).max(by_bytes)
    };
    let limits = &shape.limits;
    let reads = (load.workload.read_percent > 0).then(|| slower(limits.read_ios_per_s, limits.read_bytes_per_s).unwrap_or(0));
    let changes = load.workload.writes().then(|| slower(limits.write_ios_per_s, limits.write_bytes_per_s).unwrap_or(0));
    let limited = reads.into_iter().chain(changes).min();
    let held = [shape.pace.ios_per_s().map(every), shape.think.filter(|think| think.every > 0).map(|think| think.ns), limited];
    held.into_iter().flatten().max().filter(|gap| *gap > 0)
}

fn pause_with_rate(load: &Load, words: &dyn Words) -> Option<MethodFinding> {
    let shape = &load.workload.shape;
    let think = shape.think.filter(|_| shape.limits.catches_up)?;
    let title = format!(
        "{} and a rate at once: after each pause the {} hurries to make up for it, so the rate comes in bursts",
        words.pause(think.ns / 1000),
        words.phrases().load
    );
    Some(found(title, vec![Evidence::number("pause", think.ns as f64, Unit::Nanoseconds)], words.phrases().pause_or_rate))
}
