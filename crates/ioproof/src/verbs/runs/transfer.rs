//! `runs export` and `runs import`.

use crate::reports::write_run_file;
use crate::verbs::report::judgement;
use anyhow::Result;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_process::complaint::{self, complaint};
use ioproof_process::{messages, output};
use ioproof_store::Imported;
use ioproof_store::run_id::is_id;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The document of `runs export --json`.
#[derive(Serialize)]
struct ExportJson<'a> {
    id: &'a str,
    file: String,
    size_bytes: u64,
    left_out: Vec<&'a String>,
}

/// A file of `runs import --json`.
#[derive(Serialize)]
struct FileJson {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// `imported`, `known` or `refused`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_status: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub fn export(run: &str, to: Option<&Path>, as_json: bool) -> Result<u8> {
    if to == Some(Path::new("-")) {
        return Err(complaint("an export does not go to standard output", "name a file: -o run.json"));
    }
    let stored = ioproof_store::find(run)?;
    let id = &stored.record.id;
    if ioproof_store::folder_of(run).is_ok_and(|folder| ioproof_store::is_locked(&folder)) {
        return Err(complaint(format!("run {id} is still going on"), "wait until it has ended"));
    }
    if let Some(note) = ioproof_store::changed_record(&stored.record) {
        return Err(complaint(format!("run {id} is not exported: {note}"), "take the run from a copy"));
    }
    let path = match to {
        Some(path) => path.to_owned(),
        None if is_id(id) => PathBuf::from(format!("{id}.json")),
        None => return Err(complaint(format!("{run} has no id that ioproof gives"), "name the file: -o run.json")),
    };
    let size_bytes = write_run_file(&path, &stored.record, &judgement(&stored, false))?;
    let left_out: Vec<&String> = ioproof_store::damage(&stored.record).collect();
    left_out.iter().for_each(|why| messages::warning(&format!("left out: {why}")));
    let file = path.display().to_string();
    if as_json {
        return output::print_document(&ExportJson { id, file, size_bytes, left_out }).map(|()| 0);
    }
    let line = format!("{}: wrote {} ({})", visible(id), visible(&file), binary_size(size_bytes));
    output::print_lines([line]).map(|()| 0)
}

/// Takes files into the store, each whatever becomes of the others.
pub fn import(files: &[PathBuf], as_json: bool) -> Result<u8> {
    let mut rows = Vec::new();
    for file in files {
        let done = ioproof_store::import(file);
        if let Err(error) = &done {
            complaint::print(error);
        } else if let (Ok(done), false) = (&done, as_json) {
            output::print_lines([line(done)])?;
        }
        rows.push(row(file, done));
    }
    let status = if rows.iter().any(|row| row.error.is_some()) { 2 } else { 0 };
    if as_json {
        output::print_field("files", &rows)?;
    }
    Ok(status)
}

fn row(file: &Path, done: Result<Imported>) -> FileJson {
    let file = file.display().to_string();
    let row = |outcome, id, exit_status, error| FileJson { file, id, outcome, exit_status, error };
    match done {
        Ok(Imported::New(record, judgement)) => row("imported", Some(record.id), Some(judgement.exit_status), None),
        Ok(Imported::Known(id)) => row("known", Some(id), None, None),
        Err(error) => row("refused", None, None, Some(complaint::describe(&error))),
    }
}

fn line(done: &Imported) -> String {
    match done {
        Imported::Known(id) => format!("{}: it is in the store already", visible(id)),
        Imported::New(record, judgement) => described(record, judgement),
    }
}

/// `ID: verify of /dev/sda on box; judged again: 3 claims meet`.
fn described(record: &RunRecord, judgement: &Judgement) -> String {
    let target = record.targets.first().map_or_else(|| "no file".to_owned(), |target| visible(&target.facts.given));
    let host = record.host.name.as_ref().map(|name| format!(" on {}", visible(&name.value))).unwrap_or_default();
    let (id, verb) = (visible(&record.id), visible(&record.verb));
    format!(
        "{id}: imported: {verb} of {target}{host}; judged again: exit status {}, {}",
        judgement.exit_status,
        visible(&judgement.exit_reason)
    )
}
