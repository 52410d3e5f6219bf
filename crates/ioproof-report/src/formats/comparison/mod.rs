//! Several runs held against the first, in every format: a document of its own beside that of a run.
//!
//! `view` has the words and figures that all formats share, `ways` those of durable writes side by side, `layers` those of layers; each other file is one format. Pages and workbooks stand with those of runs
//! (`formats/html/comparison.rs`, `formats/xlsx/comparison.rs`), whose parts they are made of.

mod csv;
mod layers;
mod markdown;
pub(crate) mod text;
pub(super) mod view;
pub(super) mod ways;

use crate::{Format, ReportError};
use ioproof_core::compare::Comparison;
use serde::Serialize;
use std::io::Write;

/// Version of the document as JSON.
const SCHEMA_VERSION: u32 = 1;

/// The document as JSON: the comparison in its own types.
#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// Writes a comparison in the given format.
///
/// # Errors
/// When `out` takes no more bytes.
pub fn render_comparison(format: Format, comparison: &Comparison, out: &mut dyn Write) -> Result<(), ReportError> {
    let view = view::ComparisonView::new(comparison);
    let bytes = match format {
        Format::Json => json(comparison)?.into_bytes(),
        Format::Markdown => markdown::page(&view).into_bytes(),
        Format::Csv => csv::table(&view).into_bytes(),
        Format::Html => super::html::comparison::page(&view).into_bytes(),
        Format::Text => text::whole(&view).into_bytes(),
        Format::Xlsx => super::xlsx::comparison::workbook(&view)?,
        Format::Junit | Format::OpenMetrics | Format::Parquet => return Err(ReportError::NoComparison(format.name())),
    };
    Ok(out.write_all(&bytes)?)
}

fn json(comparison: &Comparison) -> Result<String, ReportError> {
    Ok(serde_json::to_string_pretty(&Document { schema_version: SCHEMA_VERSION, comparison })? + "\n")
}
