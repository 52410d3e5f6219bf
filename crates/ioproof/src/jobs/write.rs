//! The results where they are wanted: formats on standard output or in a file, and logs beside.

mod epoch;
mod header;
mod logs;

use super::ask::Asked;
use super::clone::Clone;
use super::one::End;
use anyhow::Result;
use ioproof_core::fio::command_line::Format;
use ioproof_core::fio::results::Results;
use ioproof_report::fio::{TerseVersion, json, terse, text};

/// Looks whether results and logs can be written, before anything runs, so that a mistyped name is found in time.
///
/// # Errors
/// When a file cannot be written or holds something else.
pub fn open(asked: &Asked, clones: &[Clone]) -> Result<()> {
    logs::check(asked, clones)?;
    asked.sink.open(asked.line.general.output.as_deref())
}

/// Writes the lines before the first job, where fio's text is wanted.
///
/// # Errors
/// When they cannot be written.
pub fn begin(asked: &Asked, clones: &[Clone]) -> Result<()> {
    if asked.line.general.formats.contains(&Format::Normal) { asked.sink.begin(header::header(asked, clones)) } else { Ok(()) }
}

/// Writes results and logs; one of them also where the other cannot be written.
///
/// # Errors
/// When something cannot be written.
pub fn write(asked: &Asked, clones: &[Clone], ends: &[End], results: &Results) -> Result<()> {
    for note in &results.notes {
        eprintln!("note: {}", crate::plain::plain(note));
    }
    let written = asked.sink.put(&formats(asked, results)).map_err(|error| match &results.run_id {
        Some(run) => error.context(format!("the run is stored as {run}; `ioproof report {run}` shows it")),
        None => error,
    });
    logs::write(asked, clones, ends).and(written)
}

/// Every format that was asked for, in fio's order: terse, JSON, text.
pub fn formats(asked: &Asked, results: &Results) -> String {
    let general = &asked.line.general;
    let version = TerseVersion::of(general.terse_version.into()).unwrap_or(TerseVersion::V3);
    let wants = |format: Format| general.formats.contains(&format);
    let mut all = String::new();
    if wants(Format::Terse) {
        all.push_str(&terse(results, version));
    }
    if wants(Format::Json) || wants(Format::JsonPlus) {
        all.push_str(&json(results, wants(Format::JsonPlus)));
    }
    if wants(Format::Normal) {
        all.push_str(&text(results));
    }
    all
}
