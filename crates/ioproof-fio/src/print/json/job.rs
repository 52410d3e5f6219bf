//! One job.

use super::formatter::{Decimal, Pairs};
use super::side::{SideJson, SyncJson};
use super::steady::SteadyJson;
use super::{Options, options, ours};
use crate::print::shares::{self, BATCHES, DEPTHS, LATENCIES};
use crate::print::side as figures;
use crate::results::{JobResult, LatencyTarget, Unified};
use serde::Serialize;

/// Shares in percent by class.
type Shares<K> = Pairs<K, Decimal>;

/// The job with all that fio says of it. `job_runtime` is in milliseconds, `elapsed` in seconds, CPU in percent.
#[derive(Serialize)]
pub(super) struct Job<'a> {
    jobname: &'a str,
    groupid: u32,
    error: i32,
    eta: u64,
    elapsed: u64,
    #[serde(rename = "job options", skip_serializing_if = "Option::is_none")]
    options: Option<Options<'a>>,
    #[serde(flatten)]
    sides: Sides,
    job_runtime: u64,
    usr_cpu: Decimal,
    sys_cpu: Decimal,
    ctx: u64,
    majf: u64,
    minf: u64,
    #[serde(flatten)]
    queue: Queue,
    #[serde(flatten)]
    spread: Spread,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_err: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_error: Option<i32>,
    /// fio says none of it of a job that never started.
    #[serde(flatten)]
    target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    desc: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steadystate: Option<SteadyJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ioproof: Option<ours::OfJob<'a>>,
}

impl<'a> Job<'a> {
    /// The figures of a job.
    pub fn of(job: &'a JobResult, bins: bool) -> Self {
        let did_io = figures::did_io(job);
        Self {
            jobname: &job.name,
            groupid: job.group,
            error: job.error,
            eta: 0,
            elapsed: job.elapsed_s,
            options: Some(options(&job.options).unwrap_or_else(|| Pairs::of(std::iter::empty()))),
            sides: Sides::of(job, bins),
            job_runtime: job.runtime_ms,
            usr_cpu: Decimal(job.cpu_user_percent),
            sys_cpu: Decimal(job.cpu_system_percent),
            ctx: job.context_switches,
            majf: job.major_faults,
            minf: job.minor_faults,
            queue: Queue::of(job),
            spread: Spread::of(job),
            total_err: job.continue_on_error.then(|| job.all_errors()),
            first_error: job.continue_on_error.then_some(job.error),
            target: (did_io || job.started_ms > 0).then(|| Target::of(job, &job.latency_target)),
            desc: job.description.as_deref(),
            steadystate: job.steady_state.as_ref().filter(|_| did_io).map(SteadyJson::of),
            ioproof: ours::OfJob::of(job),
        }
    }
}

/// The directions, apart, as one or both, and the syncs where they are apart.
#[derive(Serialize)]
struct Sides {
    #[serde(flatten)]
    separate: Pairs<&'static str, SideJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<SyncJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mixed: Option<SideJson>,
}

impl Sides {
    fn of(job: &JobResult, bins: bool) -> Self {
        let apart = job.unified != Unified::Mixed;
        let separate = figures::separate(job);
        Self {
            separate: Pairs::of(separate.iter().filter(|_| apart).map(|f| (f.name, SideJson::of(f, bins)))),
            sync: apart.then(|| SyncJson::of(job, bins)),
            mixed: (job.unified != Unified::Separate).then(|| SideJson::of(&figures::mixed(job), bins)),
        }
    }
}

/// Queue depths and sizes of batches.
#[derive(Serialize)]
struct Queue {
    iodepth_level: Shares<&'static str>,
    iodepth_submit: Shares<&'static str>,
    iodepth_complete: Shares<&'static str>,
}

impl Queue {
    fn of(job: &JobResult) -> Self {
        let classes = |names: [&'static str; 7], shares: [f64; 7]| Pairs::of(names.into_iter().zip(shares.map(Decimal)));
        Self {
            iodepth_level: classes(DEPTHS, shares::depths(job)),
            iodepth_submit: classes(BATCHES, shares::submitted(job)),
            iodepth_complete: classes(BATCHES, shares::completed(job)),
        }
    }
}

/// Latencies by class.
#[derive(Serialize)]
struct Spread {
    latency_ns: Shares<String>,
    latency_us: Shares<String>,
    latency_ms: Shares<String>,
}

impl Spread {
    fn of(job: &JobResult) -> Self {
        let spread = shares::spread(job);
        let names = || LATENCIES.iter().map(u64::to_string);
        let longer = ["2000".to_owned(), ">=2000".to_owned()];
        Self {
            latency_ns: Pairs::of(names().zip(spread.ns.map(Decimal))),
            latency_us: Pairs::of(names().zip(spread.us.map(Decimal))),
            latency_ms: Pairs::of(names().chain(longer).zip(spread.ms.map(Decimal))),
        }
    }
}

/// The search for a depth that keeps a latency. Target in nanoseconds, window in microseconds.
#[derive(Serialize)]
struct Target {
    latency_depth: u32,
    latency_target: u64,
    latency_percentile: Decimal,
    latency_window: u64,
}

impl Target {
    fn of(job: &JobResult, target: &LatencyTarget) -> Self {
        Self {
            latency_depth: if target.target_ns == 0 { job.depth } else { target.depth },
            latency_target: target.target_ns,
            latency_percentile: Decimal(if target.percentile > 0.0 { target.percentile } else { 100.0 }),
            latency_window: target.window_ns / 1000,
        }
    }
}
