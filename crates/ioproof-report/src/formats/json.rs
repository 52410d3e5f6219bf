//! JSON: the record and the judgement in their stored types, so that nothing is rounded or left out. The only format without the view.

use super::Bytes;
use crate::fleet::FleetReport;
use ioproof_core::compare::Comparison;
use ioproof_core::compare::words::ComparisonWords;
use ioproof_core::fleet::{DriveRun, Fleet};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, SCHEMA_VERSION};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    run: &'a RunRecord,
    judgement: &'a Judgement,
    /// The run against its baseline, where it was held against one as it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

/// The document of `--json`: `schema_version`, the `run` with its stages, and its `judgement`.
#[must_use]
pub fn json_document(record: &RunRecord, judgement: &Judgement) -> serde_json::Value {
    // By way of text, because a `Value` refuses the 128-bit sums of histograms that text can hold.
    let text = serde_json::to_string(&Document { schema_version: SCHEMA_VERSION, run: record, judgement, comparison: None });
    text.and_then(|text| serde_json::from_str(&text)).unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }))
}

pub(crate) fn run(record: &RunRecord, judgement: &Judgement, comparison: Option<&Comparison>) -> Bytes {
    line(serde_json::to_vec(&Document { schema_version: SCHEMA_VERSION, run: record, judgement, comparison })?)
}

fn line(mut json: Vec<u8>) -> Bytes {
    json.push(b'\n');
    Ok(json)
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

pub(super) fn fleet(report: &FleetReport) -> Bytes {
    line(serde_json::to_vec(&FleetDocument { schema_version: FLEET_VERSION, fleet: report.fleet, drives: report.runs })?)
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

pub(super) fn comparison(words: &ComparisonWords) -> Bytes {
    line(serde_json::to_vec_pretty(&ComparisonDocument { schema_version: COMPARISON_VERSION, comparison: words.comparison })?)
}
