//! `runs export` and `runs import`.

use anyhow::Result;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_core::units::binary_size;
use ioproof_process::complaint::{self, complaint};
use ioproof_process::messages;
use ioproof_process::output;
use ioproof_report::Format;
use ioproof_store::transfer::{self, Imported};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The document of `runs export --json`.
#[derive(Serialize)]
struct ExportJson<'a> {
    schema_version: u32,
    id: &'a str,
    file: String,
    size_bytes: u64,
    left_out: &'a [String],
}

/// The document of `runs import --json`.
#[derive(Serialize)]
struct ImportJson {
    schema_version: u32,
    files: Vec<FileJson>,
}

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
    if let Some(report) = to.filter(|to| Format::from_path(&to.to_string_lossy()).is_some()) {
        let text = format!("{} has the ending of a report, and an export is none", report.display());
        return Err(complaint(text, format!("name it RUN.ioproof, or write a report: ioproof report {run} -o {}", report.display())));
    }
    let done = transfer::export(&folder_of(run)?, to)?;
    done.left_out.iter().for_each(|why| messages::warning(&format!("left out: {why}")));
    let file = done.file.display().to_string();
    if as_json {
        let (id, left_out) = (done.id.as_str(), done.left_out.as_slice());
        let document =
            ExportJson { schema_version: ioproof_process::output::SCHEMA_VERSION, id, file, size_bytes: done.size_bytes, left_out };
        return output::print_json(&document).map(|()| 0);
    }
    let line = format!("{}: wrote {} ({})", visible(&done.id), visible(&file), binary_size(done.size_bytes));
    output::print_lines([line]).map(|()| 0)
}

/// The folder of a run. A report as JSON has the record alone, and not the files beside it of which an export is made.
fn folder_of(run: &str) -> Result<PathBuf> {
    ioproof_store::folder_of(run).map_err(|error| {
        if !Path::new(run).is_file() {
            return error;
        }
        let Ok(stored) = ioproof_store::find(run) else { return error };
        let text = format!("{run} is a report, and an export is made of a run of the store or its folder");
        let id = visible(&stored.record.id);
        let hint = if ioproof_store::folder_of(&id).is_ok() {
            format!("ioproof runs export {id}")
        } else {
            format!("export run {id} where it was measured; a report needs no export: `ioproof runs show`, `report` and `compare` read it as it is")
        };
        complaint(text, hint)
    })
}

/// Takes files into the store, each whatever becomes of the others.
pub fn import(files: &[PathBuf], as_json: bool) -> Result<u8> {
    let mut rows = Vec::new();
    for file in files {
        let done = transfer::import(file);
        if let Err(error) = &done {
            complaint::print(error);
        } else if let (Ok(done), false) = (&done, as_json) {
            output::print_lines([line(done)])?;
        }
        rows.push(row(file, done));
    }
    let status = if rows.iter().any(|row| row.error.is_some()) { 2 } else { 0 };
    if as_json {
        output::print_json(&ImportJson { schema_version: ioproof_process::output::SCHEMA_VERSION, files: rows })?;
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
