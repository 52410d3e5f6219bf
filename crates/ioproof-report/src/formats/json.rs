//! JSON: the record and the judgement in their stored types, so that nothing is rounded or left out. The only format without the view.

use crate::ReportError;
use crate::fleet::FleetReport;
use ioproof_core::compare::Comparison;
use ioproof_core::compare::words::ComparisonWords;
use ioproof_core::fleet::{DriveRun, Fleet};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, SCHEMA_VERSION};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    run: &'a RunRecord,
    judgement: &'a Judgement,
    /// The run against its baseline, where it was held against one as it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

impl<'a> Document<'a> {
    fn new(run: &'a RunRecord, judgement: &'a Judgement) -> Self {
        Self { schema_version: SCHEMA_VERSION, run, judgement, comparison: None }
    }
}

/// The document of `--json`: `schema_version`, the `run` with its stages, and its `judgement`.
#[must_use]
pub fn json_document(record: &RunRecord, judgement: &Judgement) -> serde_json::Value {
    // By way of text, because a `Value` refuses the 128-bit sums of histograms that text can hold.
    let text = serde_json::to_string(&Document::new(record, judgement));
    text.and_then(|text| serde_json::from_str(&text)).unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }))
}

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    render_json(record, judgement, None, out)
}

/// Writes a run as JSON, with the comparison with its baseline where there is one.
///
/// # Errors
/// When `out` takes no more bytes.
pub fn render_json(
    record: &RunRecord,
    judgement: &Judgement,
    comparison: Option<&Comparison>,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    serde_json::to_writer(&mut *out, &Document { comparison, ..Document::new(record, judgement) })?;
    out.write_all(b"\n")?;
    Ok(())
}

/// Version of a fleet as JSON.
const FLEET_VERSION: u32 = 1;

/// A fleet's judgement and the facts of its drives, in their own types.
#[derive(Serialize)]
struct FleetDocument<'a> {
    schema_version: u32,
    fleet: &'a Fleet,
    drives: &'a [DriveRun],
}

pub(crate) fn write_fleet(report: &FleetReport, out: &mut dyn Write) -> Result<(), ReportError> {
    let document = FleetDocument { schema_version: FLEET_VERSION, fleet: report.fleet, drives: report.runs };
    serde_json::to_writer(&mut *out, &document)?;
    Ok(out.write_all(b"\n")?)
}

/// Version of a comparison as JSON.
const COMPARISON_VERSION: u32 = 1;

/// A comparison in its own types.
#[derive(Serialize)]
struct ComparisonDocument<'a> {
    schema_version: u32,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub(crate) fn write_comparison(view: &ComparisonWords, out: &mut dyn Write) -> Result<(), ReportError> {
    let document = ComparisonDocument { schema_version: COMPARISON_VERSION, comparison: view.comparison };
    Ok(out.write_all((serde_json::to_string_pretty(&document)? + "\n").as_bytes())?)
}
