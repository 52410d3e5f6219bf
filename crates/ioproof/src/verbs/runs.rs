//! `ioproof runs`: what is in the run store.

use crate::cli::Runs;
use crate::complaint::describe;
use crate::messages;
use crate::output;
use crate::store::{self, Summary};
use crate::verbs::columns::columns;
use crate::verbs::report::judgement;
use anyhow::Result;
use ioproof_core::record::RunStatus;
use ioproof_core::text::visible;
use serde::Serialize;

/// Runs the verb.
///
/// # Errors
/// When there is no such run.
pub fn run(action: &Runs) -> Result<u8> {
    match action {
        Runs::List { last, json } => list(last.map_or(usize::MAX, |n| n as usize), *json),
        Runs::Show { run, json } => {
            let stored = store::find(run)?;
            output::print_run(&stored.record, &judgement(&stored, false), *json)?;
            Ok(0)
        }
    }
}

fn list(most: usize, as_json: bool) -> Result<u8> {
    let runs = store::list(most)?;
    if as_json {
        let rows = runs.iter().map(|(id, run)| RowJson::of(id, run)).collect();
        output::print_json(&Document { schema_version: super::SCHEMA_VERSION, runs: rows })?;
        return Ok(0);
    }
    if runs.is_empty() {
        messages::say("no runs yet; `ioproof verify` makes one");
    }
    let rows: Vec<[String; 6]> = runs.iter().map(|(id, run)| row(id, run)).collect();
    output::print_lines(columns(&rows, None))?;
    Ok(0)
}

fn row(id: &str, run: &Result<Summary>) -> [String; 6] {
    match run {
        Err(e) => [visible(id), "unreadable".into(), String::new(), String::new(), String::new(), visible(&describe(e))],
        Ok(run) => {
            let drive = run.model.as_deref().unwrap_or_default();
            let verdicts = if run.status == RunStatus::Running { String::new() } else { verdicts(run) };
            [visible(id), status(&run.status).into(), target(run), jobs(&run.jobs), visible(drive), verdicts]
        }
    }
}

/// The document of `runs list --json`.
#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    runs: Vec<RowJson<'a>>,
}

/// A run of the document.
#[derive(Serialize)]
#[serde(untagged)]
enum RowJson<'a> {
    Read(Box<RunJson<'a>>),
    Unreadable { id: &'a str, error: String },
}

#[derive(Serialize)]
struct RunJson<'a> {
    id: &'a str,
    status: &'a RunStatus,
    started_at: &'a str,
    verb: &'a str,
    target: &'a str,
    other_targets: &'a [String],
    jobs: &'a [String],
    model: Option<&'a str>,
    rounds: usize,
    headline: Option<&'a str>,
    exit_status: u8,
    exit_reason: &'a str,
}

impl<'a> RowJson<'a> {
    fn of(id: &'a str, run: &'a Result<Summary>) -> Self {
        match run {
            Err(e) => Self::Unreadable { id, error: describe(e) },
            Ok(run) => Self::Read(Box::new(RunJson::of(id, run))),
        }
    }
}

impl<'a> RunJson<'a> {
    fn of(id: &'a str, run: &'a Summary) -> Self {
        Self {
            id,
            status: &run.status,
            started_at: &run.started_at,
            verb: &run.verb,
            target: run.targets.first().map_or("", String::as_str),
            other_targets: run.targets.get(1..).unwrap_or_default(),
            jobs: &run.jobs,
            model: run.model.as_deref(),
            rounds: run.rounds,
            headline: run.headline.as_deref(),
            exit_status: run.exit_status,
            exit_reason: &run.exit_reason,
        }
    }
}

/// The first file, and how many more there are.
fn target(run: &Summary) -> String {
    let first = run.targets.first().map_or_else(|| "no file".to_owned(), |target| visible(target));
    match run.targets.len().saturating_sub(1) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The names of the jobs of job files, as far as they fit a line.
fn jobs(names: &[String]) -> String {
    const MOST: usize = 3;
    let named = names.iter().take(MOST).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST) {
        0 if named.is_empty() => String::new(),
        0 => format!("[{named}]"),
        more => format!("[{named} and {more} more]"),
    }
}

fn status(status: &RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::Complete => "complete",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Hung { .. } => "hung",
        RunStatus::Failed { .. } => "failed",
    }
}

fn verdicts(run: &Summary) -> String {
    let counted: Vec<String> = run.verdicts.iter().map(|(verdict, count)| format!("{count} {}", verdict.title())).collect();
    if counted.is_empty() { visible(&run.exit_reason) } else { counted.join(", ") }
}
