//! A run in one file: its report as JSON, with a digest of all that stands before.

use crate::layout::{MOST_BYTES, check_version};
use crate::load::StoredRun;
use crate::record_room::RecordRoom;
use anyhow::{Context, Result};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunHead, RunRecord, version_of};
use ioproof_process::complaint::complaint;
use ioproof_process::stamp::FileStamp;
use ioproof_target::read_regular;
use std::path::Path;

pub const STAMP: FileStamp = FileStamp { before: ",\"ioproof_stamp\":\"", after: "\"", end: "}\n" };

/// The document of `ioproof_report`.
#[derive(serde::Deserialize)]
struct Document {
    run: RunRecord,
    judgement: Judgement,
    /// Missing from what was printed (`--json`).
    ioproof_stamp: Option<String>,
}

/// Reads a run file, or a report that was printed.
///
/// # Errors
/// When it is no report of a run as JSON, or does not fit its digest.
pub(crate) fn read_report(path: &Path) -> Result<StoredRun> {
    let bytes = read_regular(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    let Document { run, judgement, .. } = checked(path, &bytes)?;
    Ok(StoredRun { record: run, judgement: Some(judgement) })
}

/// Reads a run file of unknown origin, if its digest fits and it has room in memory.
///
/// # Errors
/// When it is none, has no digest, was changed, or would take too much memory.
pub(crate) fn read_sealed(path: &Path) -> Result<RunRecord> {
    let bytes = read_regular(path, MOST_BYTES)?;
    RecordRoom::of_host().take(&bytes)?;
    let Document { run, ioproof_stamp, .. } = checked(path, &bytes)?;
    match ioproof_stamp {
        Some(_) => Ok(run),
        None => Err(complaint("it has no digest", "`ioproof runs export RUN -o run.json` writes one")),
    }
}

/// The document without its load and its stages, which are passed over and never in memory.
#[derive(serde::Deserialize)]
struct HeadDocument {
    schema_version: u32,
    run: RunHead,
    judgement: Judgement,
    ioproof_stamp: Option<String>,
}

/// Most bytes of a run file that is read for its head alone.
const MOST_HEAD_BYTES: u64 = 256 << 20;

/// Reads who and what a run file is of, and how it was judged.
///
/// # Errors
/// When it is no run file, does not fit its digest or has none, or is of another version.
pub fn read_head(path: &Path) -> Result<(RunHead, Judgement)> {
    let bytes = read_regular(path, MOST_HEAD_BYTES)?;
    let no_report =
        |error: &dyn std::fmt::Display| complaint(format!("it is damaged or cut off, or no report of a run as JSON: {error}"), COLLECT);
    let document: serde_json::Result<HeadDocument> = serde_json::from_slice(&bytes);
    let version = document.as_ref().ok().map(|of| of.schema_version).or_else(|| version_of(&bytes).ok());
    version.map_or(Ok(()), |version| check_version(path, version))?;
    let document = document.map_err(|error| no_report(&error))?;
    match (document.ioproof_stamp, STAMP.fits(&bytes)) {
        (Some(_), true) => Ok((document.run, document.judgement)),
        (Some(_), false) => Err(complaint("it was changed or damaged: it does not fit its SHA-256", COLLECT)),
        (None, _) => Err(complaint("it has no digest, so damage could not be told", "`-o run.json` writes one")),
    }
}

const COLLECT: &str = "collect it again from its node";

fn checked(path: &Path, bytes: &[u8]) -> Result<Document> {
    let no_report = |error: &dyn std::fmt::Display| {
        complaint(format!("{} is no report of a run as JSON: {error}", path.display()), "`ioproof report RUN -o run.json` writes one")
    };
    check_version(path, version_of(bytes).map_err(|error| no_report(&error))?)?;
    let document: Document = serde_json::from_slice(bytes).map_err(|error| no_report(&error))?;
    if document.ioproof_stamp.is_some() && !STAMP.fits(bytes) {
        let text = format!("{} was changed or damaged: it does not fit its SHA-256", path.display());
        return Err(complaint(text, "write it again from the run; a change on purpose leaves `ioproof_stamp` out"));
    }
    Ok(document)
}
