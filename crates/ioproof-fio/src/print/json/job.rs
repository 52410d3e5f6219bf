//! One job.

use super::value::Object;
use super::{floats, options, ours, side, steady};
use crate::print::shares::{self, BATCHES, DEPTHS, LATENCIES};
use crate::print::side as figures;
use crate::results::{JobResult, LatencyTarget, Unified};

/// The job with all that fio says of it.
pub(super) fn job(job: &JobResult, bins: bool) -> Object {
    let mut object = head(job);
    sides(&mut object, job, bins);
    processor(&mut object, job);
    queue(&mut object, job);
    spread(&mut object, job);
    if job.continue_on_error {
        object.add("total_err", job.all_errors());
        object.add("first_error", job.error);
    }
    // fio says no more of a job that did nothing.
    if figures::did_io(job) {
        goal(&mut object, job, &job.latency_target);
        tail(&mut object, job);
    }
    let ours = ours::job(job);
    if !ours.is_empty() {
        object.add("ioproof", ours);
    }
    object
}

fn head(job: &JobResult) -> Object {
    let mut head = Object::default()
        .with("jobname", job.name.as_str())
        .with("groupid", job.group)
        .with("error", job.error)
        .with("eta", 0u64)
        .with("elapsed", job.elapsed_s);
    if !job.options.is_empty() {
        head.add("job options", options(&job.options));
    }
    head
}

fn sides(object: &mut Object, job: &JobResult, bins: bool) {
    let percentiles = job.reported.clat_percentiles || job.reported.lat_percentiles;
    let sync = side::sync(job, percentiles, bins);
    let add = |object: &mut Object, all: &[figures::Figures]| all.iter().for_each(|f| object.add(f.name, side::side(f, bins)));
    match job.unified {
        Unified::Mixed => add(object, &[figures::mixed(job)]),
        Unified::Separate | Unified::Both => {
            add(object, &figures::separate(job));
            object.add("sync", sync);
        }
    }
    if job.unified == Unified::Both {
        add(object, &[figures::mixed(job)]);
    }
}

fn processor(object: &mut Object, job: &JobResult) {
    object.add("job_runtime", job.runtime_ms);
    object.add("usr_cpu", job.cpu_user_percent);
    object.add("sys_cpu", job.cpu_system_percent);
    object.add("ctx", job.context_switches);
    object.add("majf", job.major_faults);
    object.add("minf", job.minor_faults);
}

fn queue(object: &mut Object, job: &JobResult) {
    let classes = |names: [&str; 7], shares: [f64; 7]| Object::of(names.into_iter().zip(shares));
    object.add("iodepth_level", classes(DEPTHS, shares::depths(job)));
    object.add("iodepth_submit", classes(BATCHES, shares::submitted(job)));
    object.add("iodepth_complete", classes(BATCHES, shares::completed(job)));
}

fn spread(object: &mut Object, job: &JobResult) {
    let spread = shares::spread(job);
    let names = || LATENCIES.iter().map(u64::to_string);
    object.add("latency_ns", Object::of(names().zip(floats(&spread.ns))));
    object.add("latency_us", Object::of(names().zip(floats(&spread.us))));
    let longer = ["2000".to_owned(), ">=2000".to_owned()];
    object.add("latency_ms", Object::of(names().chain(longer).zip(floats(&spread.ms))));
}

fn goal(object: &mut Object, job: &JobResult, goal: &LatencyTarget) {
    object.add("latency_depth", if goal.target_ns == 0 { job.depth } else { goal.depth });
    object.add("latency_target", goal.target_ns);
    object.add("latency_percentile", if goal.percentile > 0.0 { goal.percentile } else { 100.0 });
    object.add("latency_window", goal.window_ns / 1000);
}

fn tail(object: &mut Object, job: &JobResult) {
    if let Some(description) = &job.description {
        object.add("desc", description.as_str());
    }
    if let Some(found) = &job.steady_state {
        object.add("steadystate", steady::steady(found));
    }
}
