//! The record that a run begins with, and the line that is said then.

use super::estimate;
use super::found::OpenTarget;
use super::left_out::load_notes;
use super::standard;
use crate::request::PlanRequest;
use crate::sources::load::Tasks;
use ioproof_core::facts::TargetKind;
use ioproof_core::job::Span;
use ioproof_core::plan::Plan;
use ioproof_core::record::{Config, JobRecord, RunRecord, TargetRecord};
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_store::config_hash::rehash;
use ioproof_store::run_id;
use std::collections::BTreeSet;

/// The record of a run that begins: that of the first target, with the others as further targets that have jobs of their own.
pub fn open(request: &PlanRequest, targets: &[OpenTarget<'_>]) -> RunRecord {
    let first = &targets[0];
    let started_at = ioproof_runner::now().rfc3339;
    let mut record = RunRecord {
        id: run_id::new_id(&started_at),
        started_at,
        policy: request.policy.clone(),
        plan: Some(first.plan.clone()),
        ..RunRecord::begun(request.kind.row().verb, first.facts.host.clone(), config(request, &first.plan))
    };
    for (at, target) in (0..).zip(targets) {
        add(&mut record, request, target, at);
    }
    let mut seen = BTreeSet::new();
    record.notes.retain(|note| seen.insert(note.clone()));
    rehash(&mut record);
    record
}

fn add(record: &mut RunRecord, request: &PlanRequest, target: &OpenTarget<'_>, at: u32) {
    let handle = target.handle();
    let OpenTarget { target, facts, plan, .. } = target;
    record.notes.extend(facts.notes.iter().chain(&target.facts.notes).chain(handle.notes()).cloned());
    record.notes.extend(load_notes(request, plan, &target.facts, handle.reserves()));
    let (drives, datasheet) = (facts.drives.clone(), facts.datasheet.clone());
    record.targets.push(TargetRecord { drives, datasheet, ..TargetRecord::new(target.facts.clone()) });
    let tasks = tasks(request, plan.standard.as_ref().map_or(plan.span, |standard| standard.active_range));
    record.jobs.extend(plan.all().map(|planned| {
        let job = tasks.record_of(&planned.workload, planned.claims.clone());
        JobRecord { targets: job.targets.iter().map(|_| at).collect(), ..job }
    }));
}

pub fn tasks(request: &PlanRequest, span: Span) -> Tasks<'_> {
    Tasks::new(&request.load, span, request.seed, request.io_timeout_ns)
}

/// The line that is said when a run begins.
pub fn opening(request: &PlanRequest, record: &RunRecord) -> String {
    if let Some(opening) = standard::opening(record) {
        return opening;
    }
    let (Some(target), Some(plan)) = (record.target(), &record.plan) else { return String::new() };
    let given = visible(&target.facts.given);
    let what = match target.facts.kind {
        TargetKind::Scratch => format!("a scratch file of {} in {given}", binary_size(target.facts.size_bytes)),
        _ => format!("{} of {given}", binary_size(plan.span.length_bytes)),
    };
    let reads = !plan.reads.is_empty() || plan.writes.iter().any(|planned| planned.workload.read_percent > 0);
    let written = match (!reads, plan.writes.is_empty()) {
        (_, true) if target.facts.kind == TargetKind::Scratch => "reading what is written first",
        (_, true) => "only reading",
        (true, false) => "only writing",
        (false, false) => "reading and writing",
    };
    let time = estimate::describe(plan, request.load.latency_target.is_some());
    let workloads = match plan.all().count() {
        1 => "1 workload".to_owned(),
        n => format!("{n} workloads"),
    };
    let doing = request.kind.row().doing;
    let aside: Vec<&str> = [(request.precondition, "preconditioning"), (request.load.check, "reading back")]
        .into_iter()
        .filter_map(|(is, what)| is.then_some(what))
        .collect();
    let aside = if aside.is_empty() { String::new() } else { format!(" beside {}", aside.join(" and ")) };
    format!("{doing} {what}, {written}, {workloads}, {time}{aside}")
}

fn config(request: &PlanRequest, plan: &Plan) -> Config {
    Config {
        command: request.command.clone(),
        time_s: plan.time_ns as f64 / 1e9,
        quick: request.quick,
        strict: false,
        runs: request.runs,
        backend: request.load.backends.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(","),
        seed: request.seed,
        faults: request.load.generate.faults.map(|f| serde_json::to_string(&f).unwrap_or_default()),
    }
}
