//! The document of `runs list --json` and `runs find --json`.

use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_process::complaint::describe;
use ioproof_process::output;
use ioproof_store::{ListedRun, Summary};
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
#[serde(untagged)]
enum RowJson<'a> {
    Read(Box<RunJson<'a>>),
    Unreadable { id: &'a str, short_id: &'a str, error: String },
}

#[derive(Serialize)]
struct RunJson<'a> {
    id: &'a str,
    short_id: &'a str,
    name: Option<&'a str>,
    tags: &'a [String],
    status: &'a RunStatus,
    started_at: &'a str,
    verb: &'a str,
    target: &'a str,
    other_targets: &'a [String],
    jobs: &'a [String],
    model: Option<&'a str>,
    host: Option<&'a str>,
    /// Only of a run that comes from another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_at: Option<&'a str>,
    rounds: usize,
    headline: Option<&'a str>,
    exit_status: u8,
    exit_reason: &'a str,
}

pub fn print(runs: &[ListedRun], short: &HashMap<&str, &str>) -> Result<()> {
    let runs: Vec<RowJson> = runs.iter().map(|run| row(run, short.get(run.id.as_str()).unwrap_or(&run.id.as_str()))).collect();
    output::print_field("runs", &runs)
}

fn row<'a>(run: &'a ListedRun, short_id: &'a str) -> RowJson<'a> {
    match &run.summary {
        Err(error) => RowJson::Unreadable { id: &run.id, short_id, error: describe(error) },
        Ok(summary) => RowJson::Read(Box::new(run_json(run, summary, short_id))),
    }
}

fn run_json<'a>(run: &'a ListedRun, summary: &'a Summary, short_id: &'a str) -> RunJson<'a> {
    RunJson {
        id: &run.id,
        short_id,
        name: run.labels.name.as_deref(),
        tags: &run.labels.tags,
        status: &summary.status,
        started_at: &summary.started_at,
        verb: &summary.verb,
        target: summary.targets.first().map_or("", String::as_str),
        other_targets: summary.targets.get(1..).unwrap_or_default(),
        jobs: &summary.jobs,
        model: summary.model.as_deref(),
        host: summary.host.as_deref(),
        imported_at: run.labels.imported_at.as_deref(),
        rounds: summary.rounds,
        headline: summary.headline.as_deref(),
        exit_status: summary.exit_status,
        exit_reason: &summary.exit_reason,
    }
}
