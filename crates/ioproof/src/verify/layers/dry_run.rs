//! `layers --dry-run`: every step in its order, what would be made for it, and the time of each.

use crate::layers::LayersRequest;
use crate::plain::plain;
use crate::sources::layers::Step;
use anyhow::Result;
use ioproof_core::facts::TargetFacts;
use ioproof_core::plan::Plan;
use ioproof_core::record::{RunRecord, SCHEMA_VERSION};
use ioproof_core::units::{binary_size, duration};
use ioproof_report::Format;
use serde::Serialize;
use std::time::Duration;

/// Document of `--dry-run --json`.
#[derive(Debug, Serialize)]
struct DryRun<'a> {
    schema_version: u32,
    targets: Vec<&'a TargetFacts>,
    plan: Option<&'a Plan>,
    /// Everything that would be made first, and each layer of a turn, in words.
    makes: Vec<String>,
    layers: Vec<String>,
    turns: u32,
    clients: u32,
    transaction: &'static str,
}

/// Shows it and gives the exit status.
///
/// # Errors
/// When it cannot be printed.
pub fn show(request: &LayersRequest, record: &RunRecord, steps: &[Step]) -> Result<u8> {
    let dry = DryRun {
        schema_version: SCHEMA_VERSION,
        targets: record.targets.iter().map(|target| &target.facts).collect(),
        plan: record.plan.as_ref(),
        makes: makes(request, record),
        layers: steps.iter().map(|step| describe(step, request, record)).collect(),
        turns: request.turns,
        clients: request.clients,
        transaction: request.mix.name(),
    };
    if request.sides[0].outputs.shown == Some(Format::Json) {
        crate::output::print_json(&dry)?;
    } else {
        let lines = [dry.makes.clone(), turns(&dry, record)].concat().join("\n");
        crate::output::print(&format!("{lines}\nnothing was written; without --dry-run this would run\n"))?;
    }
    Ok(0)
}

/// Everything that is made before the first turn, and removed at the end.
fn makes(request: &LayersRequest, record: &RunRecord) -> Vec<String> {
    let of = |facts: &TargetFacts| {
        let (given, size) = (plain(&facts.given).to_string(), binary_size(facts.size_bytes));
        let scratch = format!("{given}: a scratch file of {size} would be made and written in full");
        let database = |db: &crate::layers::db::Db| format!("{given}: {} of about {size} would be made", db.title());
        std::iter::once(scratch).chain(request.databases.iter().map(database)).collect::<Vec<_>>()
    };
    record.targets.iter().flat_map(|target| of(&target.facts)).collect()
}

fn turns(dry: &DryRun<'_>, record: &RunRecord) -> Vec<String> {
    let (warm_up, measure) = record.plan.as_ref().map_or((0, 0), |plan| (plan.ramp_ns, plan.measure_ns));
    let time = |ns: u64| duration(Duration::from_nanos(ns));
    let all = time((warm_up + measure) * u64::from(dry.turns) * dry.layers.len() as u64);
    let head =
        format!("{} turns, forwards and backwards, of {} warm-up and {} each, {all} in all:", dry.turns, time(warm_up), time(measure));
    std::iter::once(head).chain(dry.layers.iter().map(|layer| format!("  {layer}"))).collect()
}

fn describe(step: &Step, request: &LayersRequest, record: &RunRecord) -> String {
    let of_target = |target: usize| record.targets.get(target).map_or_else(String::new, |target| plain(&target.facts.given).to_string());
    match step {
        Step::Blocks { side, .. } => format!("{}: the same reads of the very blocks of the file, past its filesystem", of_target(*side)),
        Step::Load { side, workload, .. } => format!("{}: {}, queue depth {}", of_target(*side), workload.title(), workload.concurrency()),
        Step::Database(number) => {
            let count = request.databases.len().max(1);
            let title = request.databases.get(*number as usize % count).map_or_else(String::new, crate::layers::db::Db::title);
            let clients = if request.clients == 1 { "1 client".to_owned() } else { format!("{} clients", request.clients) };
            format!("{}: {title}, {}, {clients}", of_target(*number as usize / count), request.mix.name())
        }
    }
}
