//! `layers --dry-run`: every step in its order, what would be made for it, and the time of each.

use super::db::Db;
use super::request::LayersRequest;
use super::turns::of_other_length;
use crate::open::found::FoundTarget;
use anyhow::Result;
use ioproof_core::facts::TargetFacts;
use ioproof_core::plan::Plan;
use ioproof_core::record::SCHEMA_VERSION;
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, duration};
use ioproof_database::postgres::Uri;
use ioproof_process::output;
use serde::Serialize;
use std::time::Duration;

/// Document of `--dry-run --json`.
#[derive(Debug, Serialize)]
struct LayersDryRun<'a> {
    schema_version: u32,
    targets: Vec<&'a TargetFacts>,
    plan: Option<&'a Plan>,
    /// Everything that would be made first, and each layer of a turn, in words.
    makes: Vec<String>,
    layers: Vec<String>,
    turns: u32,
    clients: Vec<u32>,
    transaction: String,
}

/// Shows it, with what would be done `first`.
pub fn show(request: &LayersRequest, found: &[FoundTarget], first: Vec<String>, as_json: bool) -> Result<()> {
    let plan = found.first().map(|first| &first.plan);
    let dry = LayersDryRun {
        schema_version: SCHEMA_VERSION,
        targets: found.iter().map(|found| found.chosen.facts()).collect(),
        plan,
        makes: limit(request).into_iter().chain(first).chain(found.iter().flat_map(|found| makes(request, found))).collect(),
        layers: found.iter().flat_map(|found| layers(request, found)).collect(),
        turns: request.turns,
        clients: request.clients.clone(),
        transaction: request.transaction(),
    };
    if as_json {
        return output::print_json(&dry);
    }
    let lines = [dry.makes.clone(), turns(&dry, request)].concat().join("\n");
    output::print(&format!("{lines}\nnothing was written; without --dry-run this would run\n"))
}

fn name(found: &FoundTarget) -> String {
    visible(&found.chosen.facts().given).to_string()
}

fn limit(request: &LayersRequest) -> Option<String> {
    let limit = request.memory_limit_bytes?;
    Some(format!("everything would have at most {} of memory, by a control group of its own", binary_size(limit)))
}

/// Everything that is made before the first turn, and removed at the end.
fn makes(request: &LayersRequest, found: &FoundTarget) -> Vec<String> {
    let (given, size) = (name(found), binary_size(found.chosen.size_bytes()));
    let scratch = format!("{given}: a scratch file of {size} would be made and written in full");
    let database = |db: &Db| match request.server.given.as_ref().filter(|_| *db == Db::Given) {
        Some(uri) => of_server(uri, &size),
        None => format!("{given}: {} of up to {size} would be made{}", request.title(db), untried(request, *db)),
    };
    let rates = format!("{given}: pg_test_fsync would be run once for 16 s, on a file of its own");
    let rates = request.server.pg_test_fsync.then_some(rates);
    std::iter::once(scratch).chain(rates).chain(request.databases.iter().map(database)).collect()
}

/// Words on what only the server itself can tell.
fn untried(request: &LayersRequest, db: Db) -> &'static str {
    let has_own = !request.server.settings.is_empty() || !request.server.scripts.is_empty();
    if db == Db::Postgres && has_own { "; whether it takes these settings and scripts shows only then" } else { "" }
}

/// The one thing that is made at a server that was given. It is not asked before.
fn of_server(uri: &Uri, size: &str) -> String {
    let place = format!("{} at {}", visible(uri.database()), visible(&uri.address()));
    format!(
        "{place}: a schema ioproof_* with the tables of pgbench, of about {size}, would be made in this database, and removed at the end; whether the server answers is asked by the run itself"
    )
}

fn turns(dry: &LayersDryRun<'_>, request: &LayersRequest) -> Vec<String> {
    let (warm_up, measure) = dry.plan.map_or((0, 0), |plan| (plan.ramp_ns, plan.measure_ns));
    let time = |ns: u64| duration(Duration::from_nanos(ns));
    let all = time((warm_up + measure) * u64::from(dry.turns) * dry.layers.len() as u64);
    let head = format!("{}, of {} warm-up and {} each, {all} in all:", request.turns_in_words(), time(warm_up), time(measure));
    std::iter::once(head).chain(of_other_length(request)).chain(dry.layers.iter().map(|layer| format!("  {layer}"))).collect()
}

/// The layers of a directory, the lowest first.
fn layers(request: &LayersRequest, found: &FoundTarget) -> Vec<String> {
    let given = name(found);
    let clients = |n: u32| if n == 1 { "1 client".to_owned() } else { format!("{n} clients") };
    let blocks = format!("{given}: the same reads of the very blocks of the file past its filesystem, where the device below can be read");
    let loads = found.plan.all().map(|planned| &planned.workload);
    let loads = loads.map(|workload| format!("{given}: {}, queue depth {}", workload.title(), workload.concurrency()));
    let of_clients = |db: &Db| {
        let name = format!("{given}: {}, {}", request.title(db), request.transaction());
        request.clients.iter().map(|n| format!("{name}, {}", clients(*n))).collect::<Vec<_>>()
    };
    let databases = request.databases.iter().flat_map(of_clients);
    std::iter::once(blocks).chain(loads).chain(databases).collect()
}
