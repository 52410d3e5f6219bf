//! `--dry-run`: what would be run and written, whether the write rule would allow it, and what share of the drive's life it costs.

use crate::drive_health;
use crate::open::estimate;
use crate::open::found::OpenTarget;
use crate::open::standard::{self, StandardPreview};
use crate::request::PlanRequest;
use crate::session::Session;
use crate::sources::precondition::{self, PreconditionPreview};
use anyhow::Result;
use ioproof_core::facts::TargetFacts;
use ioproof_core::plan::Plan;
use ioproof_core::record::{DatasheetUse, RunRecord, SCHEMA_VERSION};
use ioproof_core::sweep::Axis;
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, decimal_size, throughput};
use ioproof_core::workload::Workload;
use ioproof_process::output;
use ioproof_target::System;
use serde::Serialize;

/// Document of `--dry-run --json`.
#[derive(Debug, Serialize)]
pub struct TargetDryRun {
    schema_version: u32,
    target: TargetFacts,
    plan: Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    precondition: Option<PreconditionPreview>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard: Option<StandardPreview>,
    /// Bytes that would be written at most, at `assumed_bytes_per_s`.
    bytes_to_write: u64,
    assumed_bytes_per_s: f64,
    rated_endurance_bytes: Option<u64>,
    share_of_endurance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rated_bytes_per_day: Option<u64>,
    /// By the drive's own count, where it has one and anything would be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    written_so_far_bytes: Option<u64>,
    /// Notes of the write rule: everything that was looked at before writing would be allowed, and with what power.
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct DryRuns {
    schema_version: u32,
    sides: Vec<TargetDryRun>,
}

impl Session<'_> {
    /// Shows what would be done, by permits that were asked for as the run would. Nothing is written.
    ///
    /// # Errors
    /// When the engine would refuse it, or it cannot be printed.
    pub fn show(&self, as_json: bool) -> Result<()> {
        self.check_engine()?;
        let of_target = |(at, target): (usize, &OpenTarget<'_>)| {
            let targets = vec![self.record.targets[at].clone()];
            let record = RunRecord { targets, plan: Some(target.plan.clone()), ..self.record.clone() };
            TargetDryRun::new(self.system, self.request, target, record)
        };
        let mut sides: Vec<TargetDryRun> = self.targets.iter().enumerate().map(of_target).collect();
        let load = &self.request.load;
        if sides.len() > 1 {
            let dry = DryRuns { schema_version: SCHEMA_VERSION, sides };
            let of_sides = dry.sides.iter().flat_map(|side| [used(side, self.request), costs(side)].concat());
            let way = format!("{}: {}", self.way(), estimate::runs_in_words(&self.work_of_all(), false));
            return print(as_json, &dry, &of_sides.chain([way]).collect::<Vec<_>>());
        }
        let dry = sides.remove(0);
        let first = if dry.precondition.is_some() { ", preconditioning aside" } else { "" };
        let time = match &dry.standard {
            Some(standard) => format!("  {} in all", standard.time()),
            None => format!("  {}{first}", estimate::runs_in_words(&dry.plan, load.latency_target.is_some())),
        };
        print(as_json, &dry, &[used(&dry, self.request), vec![time], costs(&dry)].concat())
    }
}

impl TargetDryRun {
    /// Of one target, with the record that a run of it alone would begin with.
    fn new(system: &System, request: &PlanRequest, target: &OpenTarget<'_>, mut record: RunRecord) -> Self {
        let OpenTarget { facts, plan, .. } = target;
        let rate = standard::write_rate(facts);
        let endurance = facts.datasheet.as_ref().and_then(DatasheetUse::rated_endurance_bytes);
        let precondition = request.precondition.then(|| precondition::preview(plan, rate));
        let standard = standard::preview(plan, rate);
        let of_plan = || plan.bytes_to_write(rate) + precondition.as_ref().map_or(0, |ahead| ahead.bytes_to_write);
        let bytes_to_write = standard.as_ref().map_or_else(of_plan, |ahead| ahead.bytes_to_write);
        Self {
            schema_version: SCHEMA_VERSION,
            target: record.targets[0].facts.clone(),
            plan: plan.clone(),
            precondition,
            standard,
            bytes_to_write,
            assumed_bytes_per_s: rate,
            rated_endurance_bytes: endurance,
            share_of_endurance: endurance.map(|e| bytes_to_write as f64 / e as f64),
            rated_bytes_per_day: facts.datasheet.as_ref().and_then(DatasheetUse::rated_bytes_per_day),
            written_so_far_bytes: written_so_far(system, &mut record),
            notes: target.handle().notes().to_vec(),
        }
    }
}

fn print(as_json: bool, document: &impl Serialize, lines: &[String]) -> Result<()> {
    if as_json {
        return output::print_json(document);
    }
    output::print(&format!("{}\nnothing was written; without --dry-run this would run\n", lines.join("\n")))
}

/// The part of a target that would be used, and the work on it.
fn used(dry: &TargetDryRun, request: &PlanRequest) -> Vec<String> {
    let plan = &dry.plan;
    let mut lines = vec![format!("{}: {} would be used", visible(&dry.target.given), binary_size(plan.span.length_bytes))];
    if let Some(standard) = &dry.standard {
        lines.extend(standard.lines());
        return lines;
    }
    if plan.fill {
        lines.push(format!("  first: written in full, {}", binary_size(plan.span.length_bytes)));
    }
    lines.extend(dry.precondition.iter().map(|ahead| format!("  {}", ahead.describe(plan.span.length_bytes))));
    lines.extend(in_order(plan, request.kind.row().has_series).into_iter().map(|workload| {
        let phase = if workload.writes() { "write" } else { "read" };
        format!("  {phase:5}  {}, queue depth {}", workload.title(), workload.concurrency())
    }));
    lines.extend(of_threads(plan, request));
    lines.extend(
        request.load.latency_target.map(|target| format!("  of each, first, the highest rate with {} is searched for", target.describe())),
    );
    lines
}

/// Costs for the target, and everything that was looked at before.
fn costs(dry: &TargetDryRun) -> Vec<String> {
    std::iter::once(written(dry)).chain(dry.notes.iter().map(|note| format!("  {}", visible(note)))).collect()
}

/// The workloads as they are listed: of a sweep series by series, as its matrix shows them.
fn in_order(plan: &Plan, is_sweep: bool) -> Vec<&Workload> {
    let all = || plan.all().map(|planned| &planned.workload);
    match is_sweep {
        true => Axis::of(all()).series(all(), |workload| *workload).concat(),
        false => all().collect(),
    }
}

/// Says of which backends the queue depth will be made of threads.
fn of_threads(plan: &Plan, request: &PlanRequest) -> Option<String> {
    let deep = plan.all().map(|planned| &planned.workload).filter(|workload| workload.depth > 1);
    let mut names: Vec<&str> = deep
        .map(|workload| request.load.generate_for(workload).backend)
        .filter(|choice| choice.is_synchronous())
        .map(|choice| choice.name())
        .collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| format!("  queue depth of {} is made of threads, each with one I/O outstanding", names.join(" and ")))
}

fn written(dry: &TargetDryRun) -> String {
    if dry.bytes_to_write == 0 {
        return "  nothing would be written".into();
    }
    let of_a_day = |rated: u64| 100.0 * dry.bytes_to_write as f64 / rated.max(1) as f64;
    let endurance = match (dry.rated_endurance_bytes, dry.share_of_endurance, dry.rated_bytes_per_day) {
        (Some(rated), Some(share), _) => format!(", {:.4} % of the rated endurance of {}", share * 100.0, decimal_size(rated)),
        (_, _, Some(rated)) => format!(", {:.1} % of the {} that it is rated for a day", of_a_day(rated), decimal_size(rated)),
        _ => ", rated endurance not known".into(),
    };
    let so_far = dry.written_so_far_bytes.map_or(String::new(), |bytes| format!("; the drive counts {} so far", decimal_size(bytes)));
    format!("  up to {} would be written at {}{endurance}{so_far}", decimal_size(dry.bytes_to_write), throughput(dry.assumed_bytes_per_s))
}

/// Bytes written so far by the count of the only drive, which is asked where the plan writes.
fn written_so_far(system: &System, record: &mut RunRecord) -> Option<u64> {
    let writes = record.plan.as_ref().is_some_and(|plan| plan.fill || !plan.writes.is_empty());
    if writes {
        drive_health::before(system, record);
    }
    let [drive] = record.health.as_slice() else { return None };
    drive.before.written_bytes
}
