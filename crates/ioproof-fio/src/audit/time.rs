//! Jobs that end too early, run too short, or measure a beginning.

use super::rule::{Check, Found, Grade, Rule, found};
use super::scene::View;
use super::text::{seconds, size};

/// What no drive of today exceeds on one link: PCIe 5.0 x4 carries some 16 GB/s. Bytes per second.
const FASTEST_BYTES_PER_S: f64 = 16e9;

/// No drive answers sooner. Seconds.
const SHORTEST_IO_S: f64 = 5e-6;

/// The rounds of the SNIA's performance test specification last a minute. Nanoseconds.
const ROUND_NS: u64 = 60_000_000_000;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "ends-early",
        grade: Grade::Mistake,
        covers: &["percentile-samples", "tail-samples", "short-run"],
        about: "a runtime that the job may not reach, since it ends with its size",
        fires_on: "[a]\nfilename=/data/x\nsize=10g\nrw=read\nruntime=60\n",
        silent_on: "[a]\nfilename=/data/x\nsize=10g\nrw=read\nruntime=60\ntime_based\n",
        check: Check::Job(ends_early),
    },
    Rule {
        name: "time-based-without-runtime",
        grade: Grade::Mistake,
        covers: &[],
        about: "time_based where no time is given",
        fires_on: "[a]\nfilename=/data/x\nsize=10g\nrw=read\ntime_based\n",
        silent_on: "[a]\nfilename=/data/x\nsize=10g\nrw=read\ntime_based\nruntime=60\n",
        check: Check::Job(without_runtime),
    },
    Rule {
        name: "short-run",
        grade: Grade::Remark,
        covers: &[],
        about: "less than a minute on a device",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\nruntime=30\ntime_based\npercentile_list=50:99\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randread\nruntime=60\ntime_based\npercentile_list=50:99\n",
        check: Check::Job(short_run),
    },
    Rule {
        name: "no-ramp",
        grade: Grade::Remark,
        covers: &[],
        about: "a timed write job on a device whose first seconds count",
        fires_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nruntime=60\ntime_based\n",
        silent_on: "[a]\nfilename=/dev/nvme0n1\nrw=randwrite\nruntime=60\ntime_based\nramp_time=30\n",
        check: Check::Job(no_ramp),
    },
    Rule {
        name: "thinktime-with-rate",
        grade: Grade::Remark,
        covers: &[],
        about: "pauses beside a rate",
        fires_on: "[a]\nfilename=/data/x\nsize=64g\nthinktime=1000\nrate_iops=500\n",
        silent_on: "[a]\nfilename=/data/x\nsize=64g\nrate_iops=500\n",
        check: Check::Job(think_with_rate),
    },
];

fn ends_early(view: &View) -> Option<Found> {
    let (time, region) = (&view.set.time, &view.set.region);
    // Who says how much I/O is to be done means it.
    if time.runtime_ns == 0 || time.time_based || region.io_size.is_some() || region.ios.is_some() || time.loops > 1 {
        return None;
    }
    let bytes = view.total_bytes().filter(|_| view.on_drive())?;
    let runtime_s = time.runtime_ns as f64 / 1e9;
    let least_rate = bytes as f64 / runtime_s;
    let text = format!(
        "without time_based it ends when {} are done, before runtime={} at anything above {:.0} MB/s",
        size(bytes),
        seconds(time.runtime_ns),
        least_rate / 1e6
    );
    (least_rate < fastest_bytes_per_s(view)).then(|| found(text, "set time_based"))
}

/// What the job cannot exceed. Bytes per second.
fn fastest_bytes_per_s(view: &View) -> f64 {
    let block = view.block_sizes().into_iter().max().unwrap_or(0);
    let outstanding = view.depth().saturating_mul(view.clone_count());
    (outstanding as f64 * block as f64 / SHORTEST_IO_S).min(FASTEST_BYTES_PER_S)
}

fn without_runtime(view: &View) -> Option<Found> {
    let is = view.set.time.time_based && view.set.time.runtime_ns == 0;
    is.then(|| found("time_based has no effect without runtime: the job ends when its size is done", "give runtime=, in seconds"))
}

fn short_run(view: &View) -> Option<Found> {
    let runtime_ns = view.set.time.runtime_ns;
    let is = view.on_device() && runtime_ns > 0 && runtime_ns < ROUND_NS && !view.verifies();
    let text = format!(
        "{} on a device is shorter than the minute that a round of a standard test lasts: caches and a cool drive make it look better",
        seconds(runtime_ns)
    );
    is.then(|| found(text, "set runtime=60 or more, and run it several times"))
}

fn no_ramp(view: &View) -> Option<Found> {
    let (time, steady) = (&view.set.time, &view.set.steady_state);
    let is_timed = view.on_device() && view.writes() && time.runtime_ns > 0 && !view.verifies();
    let text = format!(
        "the write cache of the drive takes the first writes, and they count in all of the {} (ramp_time=0)",
        seconds(time.runtime_ns)
    );
    (is_timed && time.ramp_ns == 0 && steady.duration_ns == 0)
        .then(|| found(text, "set ramp_time=, or steadystate=, and fill the drive first"))
}

fn think_with_rate(view: &View) -> Option<Found> {
    let (pace, think) = (&view.set.pace, &view.set.think);
    let is_set = |rates: Vec<&Option<u64>>| rates.into_iter().flatten().any(|rate| *rate > 0);
    let has_rate = is_set(view.of_directions(&pace.ios_per_s)) || is_set(view.of_directions(&pace.bytes_per_s));
    let text = format!(
        "thinktime={} µs and a rate at once: after each pause the job hurries to make up for it, so the rate comes in bursts",
        think.ns / 1000
    );
    (think.ns > 0 && has_rate && !pace.ignore_think).then(|| found(text, "keep one of the two, or set rate_ignore_thinktime=1"))
}
