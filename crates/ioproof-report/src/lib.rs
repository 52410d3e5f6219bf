//! A record and its judgement in, bytes out.
//!
//! Every format prints from one [`view`] of the numbers, so that no two reports of a run disagree; JSON alone prints the raw types.
//! `formats` holds one file a format, `tables` a run as rows and columns, `summary` the screen at the end of a run, `layout` columns and wrapping of plain
//! text. Deliberately absent: fio's own outputs (`ioproof-fio`), files, clocks, targets and drives. The caller opens the output and decides about colour.

#![forbid(unsafe_code)]

mod fleet;
mod formats;
mod layout;
mod summary;
mod tables;
mod view;

pub use fleet::FleetReport;
pub use formats::json::json_document;
pub use formats::openmetrics::drive_metrics;
pub use formats::text::comparison::comparison_text;
pub use formats::text::{fleet_text, text, text_of_unstored};
pub use formats::{ENDINGS, Format};
pub use summary::parts::findings_in_words;
pub use summary::{Style, summary, summary_of_unstored};
pub use tables::Table;

use ioproof_core::compare::Comparison;
use ioproof_core::compare::words::ComparisonWords;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::ResultTable;
use std::io::Write;
use view::View;

/// Failure to write a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The output took no more bytes.
    #[error("the report could not be written: {0}")]
    Write(#[from] std::io::Error),
    /// The record could not be turned into JSON.
    #[error("the record could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The workbook could not be put together.
    #[error("the report could not be written as a workbook: {0}")]
    Workbook(#[from] rust_xlsxwriter::XlsxError),
    /// The format holds no such content.
    #[error("{0} cannot be written as {1}")]
    NotHeld(&'static str, &'static str),
    /// The table could not be put together as Parquet.
    #[cfg(feature = "parquet")]
    #[error("the table could not be written as Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// The program was built without this format.
    #[error("this build cannot write {0}")]
    NotBuilt(&'static str),
}

/// Writes a report of the run in the given format.
///
/// # Errors
/// When `out` takes no more bytes.
pub fn render(format: Format, record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    render_table(format, Table::ALL[0], record, judgement, out)
}

/// Writes the same with everything, in a format that [`render`] keeps short.
///
/// # Errors
/// When `out` takes no more bytes.
pub fn render_in_full(format: Format, record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    match format.row().in_full {
        Some(page) => Ok(out.write_all(page(&View::new(record, judgement)).as_bytes())?),
        None => render(format, record, judgement, out),
    }
}

/// Writes one table of the run in the given format; the whole run in a format that has no tables.
///
/// # Errors
/// When `out` takes no more bytes.
pub fn render_table(
    format: Format,
    table: Table,
    record: &RunRecord,
    judgement: &Judgement,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    Ok(out.write_all(&(format.row().run)(record, judgement, table)?)?)
}

/// Writes tables of results that belong to no run, under a heading, in the given format.
///
/// # Errors
/// When `out` takes no more bytes, and for a format of runs.
pub fn render_results(format: Format, heading: &str, tables: &[ResultTable], out: &mut dyn Write) -> Result<(), ReportError> {
    let page = format.row().results.ok_or(ReportError::NotHeld("tables without a run", format.name()))?;
    Ok(out.write_all(page(heading, tables).as_bytes())?)
}

/// Writes several runs held against the first in the given format.
///
/// # Errors
/// When `out` takes no more bytes, and for a format of single runs.
pub fn render_comparison(format: Format, comparison: &Comparison, out: &mut dyn Write) -> Result<(), ReportError> {
    let file = format.row().comparison.ok_or(ReportError::NotHeld("a comparison", format.name()))?;
    Ok(out.write_all(&file(&ComparisonWords::new(comparison))?)?)
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
    Ok(out.write_all(&formats::json::run(record, judgement, comparison)?)?)
}

/// Writes a fleet in the given format.
///
/// # Errors
/// When `out` takes no more bytes, and for a format that holds none.
pub fn render_fleet(format: Format, fleet: &FleetReport, out: &mut dyn Write) -> Result<(), ReportError> {
    let file = format.row().fleet.ok_or(ReportError::NotHeld("a fleet", format.name()))?;
    Ok(out.write_all(&file(fleet)?)?)
}
