//! `ioproof runs`: what is in the run store.

use crate::cli::Runs;
use crate::complaint::describe;
use crate::messages;
use crate::output;
use crate::store::{self, Stored};
use crate::verbs::columns::columns;
use crate::verbs::report::judgement;
use anyhow::Result;
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::text::visible;
use ioproof_core::verdict::{Judgement, Verdict};
use serde::Serialize;
use std::io::{Write, stdout};

/// Runs the verb.
///
/// # Errors
/// When there is no such run.
pub fn run(action: &Runs) -> Result<u8> {
    match action {
        Runs::List { last, json } => list(last.map_or(usize::MAX, |n| n as usize), *json),
        Runs::Show { run, json } => {
            let stored = store::find(run)?;
            output::print(&stored.record, &judgement(&stored, false), *json, true)?;
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
    let mut out = stdout().lock();
    for line in columns(&rows, None) {
        writeln!(out, "{line}")?;
    }
    Ok(0)
}

fn row(id: &str, run: &Result<Stored>) -> [String; 6] {
    match run {
        Err(e) => [visible(id), "unreadable".into(), String::new(), String::new(), String::new(), visible(&describe(e))],
        Ok(stored) => {
            let record = &stored.record;
            let drive = record.drive().and_then(|d| d.model.as_ref()).map_or("", |m| m.value.as_str());
            let verdicts = if record.status == RunStatus::Running { String::new() } else { verdicts(&judgement(stored, false)) };
            [visible(id), status(&record.status).into(), target(record), jobs(&names(record)), visible(drive), verdicts]
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
    other_targets: Vec<&'a str>,
    jobs: Vec<String>,
    model: Option<&'a str>,
    rounds: usize,
    exit_status: u8,
    exit_reason: String,
}

impl<'a> RowJson<'a> {
    fn of(id: &'a str, run: &'a Result<Stored>) -> Self {
        match run {
            Err(e) => Self::Unreadable { id, error: describe(e) },
            Ok(stored) => Self::Read(Box::new(RunJson::of(id, stored))),
        }
    }
}

impl<'a> RunJson<'a> {
    fn of(id: &'a str, stored: &'a Stored) -> Self {
        let (record, judgement) = (&stored.record, judgement(stored, false));
        Self {
            id,
            status: &record.status,
            started_at: &record.started_at,
            verb: &record.verb,
            target: record.target().map_or("", |target| target.facts.given.as_str()),
            other_targets: record.targets.iter().skip(1).map(|target| target.facts.given.as_str()).collect(),
            jobs: names(record),
            model: record.drive().and_then(|d| d.model.as_ref()).map(|m| m.value.as_str()),
            rounds: record.stages.len(),
            exit_status: judgement.exit_status,
            exit_reason: judgement.exit_reason,
        }
    }
}

/// Names of the jobs of a job file, each once; none of a plan.
fn names(record: &RunRecord) -> Vec<String> {
    let mut names: Vec<String> = record.jobs.iter().filter_map(|job| job.name.clone()).collect();
    names.dedup();
    names
}

/// The first file, and how many more there are.
fn target(record: &RunRecord) -> String {
    let first = record.target().map_or_else(|| "no file".to_owned(), |target| visible(&target.facts.given));
    match record.targets.len().saturating_sub(1) {
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

fn verdicts(judgement: &Judgement) -> String {
    let all = [Verdict::Meets, Verdict::Misses, Verdict::CannotTell, Verdict::Indicative];
    let counted: Vec<String> =
        all.iter().map(|v| (judgement.count(*v), v.title())).filter(|(n, _)| *n > 0).map(|(n, t)| format!("{n} {t}")).collect();
    if counted.is_empty() { visible(&judgement.exit_reason) } else { counted.join(", ") }
}
