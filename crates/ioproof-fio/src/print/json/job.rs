//! One job with all that fio says of it. `job_runtime` is in milliseconds, `elapsed` in seconds, CPU in percent.

use super::ours;
use super::side::{direction, latency};
use super::value::{JsonValue, object};
use crate::print::number::{finite, whole};
use crate::print::shares::{self, BATCHES, DEPTHS, LATENCIES};
use crate::print::side as figures;
use crate::print::steady::ShownSteadyState;
use crate::results::{JobResult, SteadyStateResult, Unified};

/// The options that are in force. Where one is repeated, JSON can hold but the last, which is the one in force.
pub(super) fn options(typed: &[(String, String)]) -> JsonValue {
    let last = |n: usize, key: &String| !typed[n + 1..].iter().any(|(later, _)| later == key);
    let kept = typed.iter().enumerate().filter(|(n, (key, _))| last(*n, key));
    object(kept.map(|(_, (key, value))| (key.as_str(), value.as_str().into())))
}

pub(super) fn job(job: &JobResult, bins: bool) -> JsonValue {
    let did_io = figures::did_io(job);
    let head = [
        ("jobname", job.name.as_str().into()),
        ("groupid", job.group.into()),
        ("error", job.error.into()),
        ("eta", 0u64.into()),
        ("elapsed", job.elapsed_s.into()),
        ("job options", options(&job.options)),
    ];
    let usage = [
        ("job_runtime", job.runtime_ms.into()),
        ("usr_cpu", job.cpu_user_percent.into()),
        ("sys_cpu", job.cpu_system_percent.into()),
        ("ctx", job.context_switches.into()),
        ("majf", job.major_faults.into()),
        ("minf", job.minor_faults.into()),
    ];
    let errors = [
        ("total_err", job.continue_on_error.then(|| job.all_errors()).into()),
        ("first_error", job.continue_on_error.then_some(job.error).into()),
    ];
    let rest = [
        ("desc", job.description.as_deref().into()),
        ("steadystate", job.steady_state.as_ref().filter(|_| did_io).map(steady).into()),
        ("ioproof", ours::of_job(job).into()),
    ];
    // fio says nothing of the target of a job that never started.
    let target = (did_io || job.started_ms > 0).then(|| target(job));
    let counts = queue(job).into_iter().chain(spread(job)).chain(errors).chain(target.into_iter().flatten());
    object(head.into_iter().chain(sides(job, bins)).chain(usage).chain(counts).chain(rest))
}

fn sides(job: &JobResult, bins: bool) -> Vec<(&'static str, JsonValue)> {
    let mut sides = Vec::new();
    if job.unified != Unified::Mixed {
        sides.extend(figures::separate(job).iter().map(|f| (f.name, direction(f, bins))));
        let percentiles = job.reported.clat_percentiles || job.reported.lat_percentiles;
        let of_syncs = latency(&figures::sync(job), percentiles, bins);
        sides.push(("sync", object([("total_ios", job.sync.ios.into()), ("lat_ns", of_syncs)])));
    }
    if job.unified != Unified::Separate {
        sides.push(("mixed", direction(&figures::mixed(job), bins)));
    }
    sides
}

fn queue(job: &JobResult) -> [(&'static str, JsonValue); 3] {
    let classes = |names: [&'static str; 7], shares: [f64; 7]| object(names.into_iter().zip(shares.map(JsonValue::from)));
    [
        ("iodepth_level", classes(DEPTHS, shares::depths(job))),
        ("iodepth_submit", classes(BATCHES, shares::submitted(job))),
        ("iodepth_complete", classes(BATCHES, shares::completed(job))),
    ]
}

fn spread(job: &JobResult) -> [(&'static str, JsonValue); 3] {
    let spread = shares::spread(job);
    let classes = |shares: &[f64]| {
        let names = LATENCIES.iter().map(u64::to_string).chain(["2000".to_owned(), ">=2000".to_owned()]);
        object(names.zip(shares.iter().map(|share| JsonValue::from(*share))))
    };
    [("latency_ns", classes(&spread.ns)), ("latency_us", classes(&spread.us)), ("latency_ms", classes(&spread.ms))]
}

/// The search for a depth that keeps a latency. Target in nanoseconds, window in microseconds.
fn target(job: &JobResult) -> [(&'static str, JsonValue); 4] {
    let target = &job.latency_target;
    [
        ("latency_depth", if target.target_ns == 0 { job.depth } else { target.depth }.into()),
        ("latency_target", target.target_ns.into()),
        ("latency_percentile", if target.percentile > 0.0 { target.percentile } else { 100.0 }.into()),
        ("latency_window", (target.window_ns / 1000).into()),
    ]
}

fn steady(found: &SteadyStateResult) -> JsonValue {
    let shown = ShownSteadyState(found);
    let samples = |values: &[f64]| values.iter().map(|value| whole(*value)).collect::<Vec<_>>();
    let data = [
        ("bw_mean", whole(shown.bytes_per_s()).into()),
        ("iops_mean", whole(shown.iops()).into()),
        ("iops", samples(&found.iops).into()),
        ("bw", samples(&found.bytes_per_s).into()),
    ];
    object([
        ("ss", shown.criterion().as_str().into()),
        ("duration", found.duration_s.into()),
        ("attained", u64::from(found.attained).into()),
        ("criterion", format!("{:.6}{}", finite(found.value), shown.sign()).as_str().into()),
        ("max_deviation", found.deviation.into()),
        ("slope", found.slope.into()),
        ("data", object(data)),
    ])
}
