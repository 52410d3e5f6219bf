//! How many I/Os a job will do, and what that is too few or too many for.
//!
//! Before it runs nobody knows; the assumption is stated with each figure: an I/O takes 100 µs, as an NAND read of a data-centre drive does, and all together
//! move no more than 2 GB/s. A rate that the job keeps to goes before that.

use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::{count, seconds};
use crate::results::Unified;
use crate::settings::Report;
use crate::values::Mode;
use ioproof_core::units::decimal_size;

const ASSUMED_LATENCY_S: f64 = 100e-6;
const ASSUMED_BYTES_PER_S: f64 = 2e9;

/// Samples beyond a percentile without which it says nothing.
const SAMPLES_BEYOND: f64 = 100.0;

/// Lines of a log that are too many to be of use. Its bytes are some 25 a line.
const TOO_MANY_LINES: u64 = 5_000_000;
const LINE_BYTES: u64 = 25;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "percentile-samples",
        grade: Grade::Mistake,
        covers: &["short-run"],
        about: "a percentile that percentile_list asks for and that too few I/Os lie beyond",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=60\ntime_based\npercentile_list=50:99:99.999\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nruntime=60\ntime_based\npercentile_list=50:99:99.9\n",
        check: Check::Job(|view| percentile(view, true)),
    },
    Rule {
        name: "tail-samples",
        grade: Grade::Remark,
        covers: &["short-run"],
        about: "a run too short for p99, where nobody asked for certain percentiles",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nnumber_ios=5000\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\ndirect=1\nnumber_ios=10000\n",
        check: Check::Job(|view| percentile(view, false)),
    },
    Rule {
        name: "log-of-each-io",
        grade: Grade::Remark,
        covers: &[],
        about: "a log with a line for each of very many I/Os",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\nioengine=libaio\niodepth=64\ndirect=1\nruntime=600\ntime_based\nwrite_lat_log=x\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\nioengine=libaio\niodepth=64\ndirect=1\nruntime=600\ntime_based\nwrite_lat_log=x\nlog_avg_msec=1000\n",
        check: Check::Job(log_of_each_io),
    },
];

/// What some clones of a job will do.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    pub(super) ios: u64,
    pub(super) bytes: u64,
    /// I/Os per second; 0: what is counted does not depend on it.
    per_s: f64,
    /// What it rests on.
    because: String,
}

/// What so many clones of a job do together; `None`: neither time nor size ends them.
pub(super) fn estimate(view: &View, clones: u64) -> Option<Estimate> {
    let block = mean_block_bytes(view);
    let counted = counted_ios(view, clones, block);
    let time = &view.set.time;
    let (per_s, because) = rate(view, clones, block);
    let timed = (per_s * time.runtime_ns as f64 / 1e9) as u64;
    let of = |ios: u64, per_s: f64, because: String| Estimate { ios, bytes: (ios as f64 * block) as u64, per_s, because };
    let by_time = || of(timed, per_s, format!("{} at {because}", seconds(time.runtime_ns)));
    match (counted, time.runtime_ns) {
        (None, 0) => None,
        (None, _) => Some(by_time()),
        (Some(ios), 0) => Some(of(ios, 0.0, "all that the job does".into())),
        (Some(ios), _) if !time.time_based && ios <= timed => Some(of(ios, 0.0, "all that the job does".into())),
        (Some(_), _) => Some(by_time()),
    }
}

/// I/Os by size or number.
fn counted_ios(view: &View, clones: u64, block: f64) -> Option<u64> {
    let share = clones as f64 / view.clone_count() as f64;
    let by_size = view.total_bytes().map(|bytes| (bytes as f64 * share / block) as u64);
    let by_number = view.set.region.ios.map(|ios| ios.saturating_mul(clones));
    by_size.into_iter().chain(by_number).min()
}

fn rate(view: &View, clones: u64, block: f64) -> (f64, String) {
    let pace = &view.set.pace;
    let all = |rates: Vec<&Option<u64>>| rates.into_iter().map(|rate| rate.filter(|rate| *rate > 0)).sum::<Option<u64>>();
    let ios = all(view.of_directions(&pace.ios_per_s)).map(|ios| ios as f64);
    let asked = ios.or(all(view.of_directions(&pace.bytes_per_s)).map(|bytes| bytes as f64 / block));
    if let Some(per_s) = asked {
        return (per_s * clones as f64, format!("the rate of {per_s:.0} I/Os per second and clone"));
    }
    let depth = view.depth().saturating_mul(clones);
    let per_s = (depth as f64 / ASSUMED_LATENCY_S).min(ASSUMED_BYTES_PER_S / block);
    (per_s, format!("an assumed 100 µs an I/O, {depth} at a time, no more than 2 GB/s"))
}

fn mean_block_bytes(view: &View) -> f64 {
    let sizes = view.block_sizes();
    (sizes.iter().sum::<u64>() as f64 / sizes.len().max(1) as f64).max(1.0)
}

fn percentile(view: &View, was_asked: bool) -> Option<Found> {
    let report = &view.set.report;
    let shown = (report.clat_percentiles && !report.no_clat) || (report.lat_percentiles && !report.no_lat);
    if !shown || !report.shown || was_asked != (report.percentiles != Report::PERCENTILES) || !view.on_drive() || view.verifies() {
        return None;
    }
    // Of the percentiles that are shown unasked nobody needs the last.
    let most = if was_asked { 100.0 } else { 99.5 };
    let highest = report.percentiles.iter().copied().filter(|percentile| *percentile < most).fold(0.0, f64::max);
    let needed = needed_ios(highest);
    // A line of the report is one clone unless clones are reported together, and one direction unless all are.
    let clones = if report.by_group { view.clone_count() } else { 1 };
    let estimate = estimate(view, clones)?;
    let share = rarer_share(view);
    let there = (estimate.ios as f64 * share) as u64;
    let text = format!(
        "p{highest} needs {} I/Os so that 100 lie beyond it, and about {} are to be expected ({})",
        count(needed),
        count(there),
        estimate.because
    );
    (there < needed).then(|| found(text, remedy(needed, &estimate, share)))
}

/// I/Os of which a hundred lie beyond a percentile.
fn needed_ios(percentile: f64) -> u64 {
    (SAMPLES_BEYOND * 100.0 / (100.0 - percentile)).round() as u64
}

/// Share of the I/Os that the direction with fewer of them has.
fn rarer_share(view: &View) -> f64 {
    let read = f64::from(view.set.access.read_percent) / 100.0;
    let is_each = view.mode() == Mode::ReadWrite && view.set.report.unified == Unified::Separate && read > 0.0 && read < 1.0;
    if is_each { read.min(1.0 - read) } else { 1.0 }
}

fn remedy(needed: u64, estimate: &Estimate, share: f64) -> String {
    let highest = Report::PERCENTILES.into_iter().rev().find(|percentile| (estimate.ios as f64 * share) as u64 >= needed_ios(*percentile));
    let or = highest.map_or_else(String::new, |percentile| format!(", or believe no percentile above p{percentile}"));
    if estimate.per_s > 0.0 {
        let runtime_s = (needed as f64 / (estimate.per_s * share)).ceil();
        return format!("set runtime={runtime_s:.0} or more{or}");
    }
    format!("do more I/O: time_based with a runtime, loops= or a larger size{or}")
}

fn log_of_each_io(view: &View) -> Option<Found> {
    let logs = &view.set.logs;
    let kept: u64 = [&logs.bandwidth, &logs.iops, &logs.latency].into_iter().flatten().count() as u64;
    let ios = estimate(view, view.clone_count())?;
    let bytes = ios.ios.saturating_mul(LINE_BYTES).saturating_mul(kept);
    let text = format!(
        "logs with a line for each I/O grow to about {} lines each, {} together ({}), and keeping them disturbs what they measure",
        count(ios.ios),
        decimal_size(bytes),
        ios.because
    );
    (kept > 0 && logs.average_ns == 0 && ios.ios > TOO_MANY_LINES)
        .then(|| found(text, "set log_avg_msec=1000, and write_hist_log= with log_hist_msec= for percentiles"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_lie_beyond() {
        assert_eq!([50.0, 99.0, 99.9, 99.99, 99.999].map(needed_ios), [200, 10_000, 100_000, 1_000_000, 10_000_000]);
    }
}
