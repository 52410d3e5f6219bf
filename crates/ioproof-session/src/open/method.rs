//! The rules of method over the workloads of a run: what would make their figures mean something else. The usual workloads are ours, and right; the size of what
//! they use is the user's, so of them only that is judged, once for the run.

use crate::request::PlanRequest;
use ioproof_core::facts::{DeviceFacts, Layer, TargetKind};
use ioproof_core::finding::{Finding, Subject};
use ioproof_core::job::Span;
use ioproof_core::method::{self, BackendTraits, Flags, HostSize, Load, LoadTarget, LoadTime, MediumKind, Part};
use ioproof_core::plan::{Plan, Rounds};
use ioproof_core::record::{JobRecord, RunRecord, TargetRecord};
use ioproof_core::workload::Workload;
use ioproof_process::messages;
use ioproof_runner::Generate;

/// Rules about how much of a drive is used.
const OF_SIZE: [&str; 4] = ["within-drive-cache", "small-share", "fits-in-memory", "in-memory"];

pub fn warnings(request: &PlanRequest, is_named: bool, record: &RunRecord) -> Vec<Finding> {
    if request.load.is_null() {
        return Vec::new();
    }
    let found = method::check(&loads(request, is_named, record), &Flags);
    if request.load.workloads.is_empty() { of_size(found) } else { found }
}

/// Findings about the size, one of each rule and about the whole run: all usual workloads use the same.
fn of_size(found: Vec<Finding>) -> Vec<Finding> {
    let of_rule = |rule: &&str| found.iter().find(|finding| finding.rule == **rule).cloned();
    OF_SIZE.iter().filter_map(of_rule).map(|finding| Finding { subject: Subject::Run, ..finding }).collect()
}

fn loads(request: &PlanRequest, is_named: bool, record: &RunRecord) -> Vec<Load> {
    let rounds = record.plan.as_ref().map(Plan::rounds);
    let load = |(index, job): (usize, &JobRecord)| Load {
        subject: Subject::Job(index as u32),
        backend: Some(backend(&request.load.generate_for(&job.workload))),
        direct: record.target().map(|target| target.facts.direct && !job.workload.shape.buffered),
        targets: record.target().map(|target| target_of(is_named, target)).into_iter().collect(),
        parts: parts(request, job),
        time: time(request, record.plan.as_ref().zip(rounds), &job.workload),
        ends_with_sync: Some(request.load.end_fsync),
        host: HostSize { memory_bytes: Some(record.host.memory_bytes.value), cpus: Some(record.host.cpus_usable) },
        ..Load::new("", job.workload.clone())
    };
    record.jobs.iter().enumerate().map(load).collect()
}

/// Says that a pace leaves most runs without an I/O.
pub fn say_pace(warnings: &[Finding]) {
    if let Some(pace) = warnings.iter().find(|finding| finding.rule == method::PACE_BEYOND_RUN) {
        messages::warning(&pace.title);
        messages::hint(&pace.remedy);
    }
}

fn backend(generate: &Generate) -> BackendTraits {
    BackendTraits {
        name: generate.backend.name().to_owned(),
        // Depth is made out of threads where the backend does one I/O a call, so it is kept.
        synchronous: false,
        mapped: generate.backend.is_cached(),
        transfers_nothing: !generate.backend.moves_data(),
        spinning_threads: u32::from(generate.polled) + u32::from(generate.kernel_submits),
    }
}

fn target_of(is_named: bool, target: &TargetRecord) -> LoadTarget {
    let medium = match (target.facts.kind, target.facts.layer) {
        (TargetKind::Generator, _) | (_, Layer::Generator) => MediumKind::Generator,
        (TargetKind::BlockDevice, _) => MediumKind::Device,
        _ => MediumKind::File,
    };
    LoadTarget {
        path: target.facts.given.clone(),
        is_named,
        medium: Some(medium),
        size_bytes: Some(target.facts.size_bytes),
        written_bytes: None,
        identity: None,
        drives: target.drives.iter().map(|drive| drive.name.clone()).collect(),
        rotational: target.drive().and_then(DeviceFacts::turns),
    }
}

fn parts(request: &PlanRequest, job: &JobRecord) -> Vec<Part> {
    let spans = request.load.placement_on(job.span, job.workload.workers).spans;
    let span = |worker: u32| -> Span { spans.get(worker as usize).copied().unwrap_or(job.span) };
    (0..job.workload.workers).map(|worker| Part { worker, target: 0, span: Some(span(worker)) }).collect()
}

fn time(request: &PlanRequest, planned: Option<(&Plan, Rounds<'_>)>, workload: &Workload) -> LoadTime {
    let Some((plan, rounds)) = planned else { return LoadTime::default() };
    let (ramp_ns, measure_ns) = rounds.lengths_of(workload);
    LoadTime {
        runtime_ns: request.load.until.is_none().then_some(measure_ns.saturating_mul(plan.min_runs.into())),
        run_ns: request.load.until.is_none().then_some(measure_ns),
        fills_runtime: request.load.until.is_none(),
        ramp_ns: Some(ramp_ns),
        repeats: Some(plan.min_runs),
        ..LoadTime::default()
    }
}
