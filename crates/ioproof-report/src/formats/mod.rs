//! The table of formats. A new one is a file here and a row in [`TABLE`]; `README.md` beside this file says how.

pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod openmetrics;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod text;
pub(crate) mod xlsx;

use crate::ReportError;
use crate::fleet::FleetReport;
use crate::tables::Table;
use ioproof_core::compare::words::ComparisonWords;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::ResultTable;
use std::io::Write;

/// A format in which a run can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everything, in the stored types.
    Json,
    /// For an issue or a wiki.
    Markdown,
    /// A table of raw numbers.
    Csv,
    /// One self-contained page with charts.
    Html,
    /// Plain text.
    Text,
    /// A workbook with charts.
    Xlsx,
    /// JUnit XML, for CI systems.
    Junit,
    /// OpenMetrics, for Prometheus and node_exporter.
    OpenMetrics,
    /// A table as Apache Parquet.
    Parquet,
}

/// Every accepted ending of a file name, with its dot.
pub const ENDINGS: &[&str] = &[".json", ".md", ".csv", ".html", ".htm", ".txt", ".xlsx", ".xml", ".prom", ".parquet"];

/// Writes a whole run.
type WriteRun = fn(&RunRecord, &Judgement, &mut dyn Write) -> Result<(), ReportError>;
/// Writes one table of it.
type WriteTable = fn(Table, &RunRecord, &Judgement, &mut dyn Write) -> Result<(), ReportError>;

/// Writes several runs held against the first.
type WriteComparison = fn(&ComparisonWords, &mut dyn Write) -> Result<(), ReportError>;

/// Writes a fleet.
type WriteFleet = fn(&FleetReport, &mut dyn Write) -> Result<(), ReportError>;
/// Writes tables that belong to no run, under a heading.
type WriteResults = fn(&str, &[ResultTable], &mut dyn Write) -> Result<(), ReportError>;

/// A format with its name, its endings and its writers.
pub(crate) struct FormatRow {
    format: Format,
    name: &'static str,
    endings: &'static [&'static str],
    /// True where people can read it on a terminal.
    is_text: bool,
    pub(crate) write: WriteRun,
    /// Where that is short, the one with everything.
    pub(crate) in_full: Option<WriteRun>,
    /// Where the format holds a table, not a document.
    pub(crate) table: Option<WriteTable>,
    /// Where the format is not one of single runs.
    pub(crate) comparison: Option<WriteComparison>,
    /// Where it can hold a fleet.
    pub(crate) fleet: Option<WriteFleet>,
    /// Where tables of results alone make a document.
    pub(crate) results: Option<WriteResults>,
}

const TABLE: [FormatRow; 9] = [
    FormatRow { fleet: Some(json::write_fleet), ..document(Format::Json, "json", &[".json"], json::write, Some(json::write_comparison)) },
    FormatRow {
        in_full: Some(markdown::write_in_full),
        results: Some(markdown::write_results),
        ..document(Format::Markdown, "markdown", &[".md"], markdown::write, Some(markdown::comparison::write))
    },
    FormatRow {
        table: Some(csv::write_table),
        fleet: Some(csv::write_fleet),
        ..document(Format::Csv, "csv", &[".csv"], csv::write, Some(csv::comparison::write))
    },
    FormatRow {
        fleet: Some(html::fleet::write),
        results: Some(html::write_results),
        ..document(Format::Html, "html", &[".html", ".htm"], html::write, Some(html::comparison::write))
    },
    FormatRow { fleet: Some(text::fleet::write), ..document(Format::Text, "text", &[".txt"], text::write, Some(text::comparison::write)) },
    FormatRow {
        is_text: false,
        fleet: Some(xlsx::fleet::write),
        ..document(Format::Xlsx, "xlsx", &[".xlsx"], xlsx::write, Some(xlsx::comparison::write))
    },
    document(Format::Junit, "junit", &[".xml"], junit::write, None),
    document(Format::OpenMetrics, "openmetrics", &[".prom"], openmetrics::write, None),
    FormatRow {
        is_text: false,
        table: Some(write_parquet_table),
        fleet: Some(write_parquet_fleet),
        ..document(Format::Parquet, "parquet", &[".parquet"], write_parquet, None)
    },
];

fn write_parquet(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    write_parquet_table(Table::ALL[0], record, judgement, out)
}

#[cfg(feature = "parquet")]
use parquet::{write_fleet as write_parquet_fleet, write_table as write_parquet_table};

#[cfg(not(feature = "parquet"))]
fn write_parquet_fleet(_: &FleetReport, _: &mut dyn Write) -> Result<(), ReportError> {
    Err(ReportError::NotBuilt("Parquet"))
}

#[cfg(not(feature = "parquet"))]
fn write_parquet_table(_: Table, _: &RunRecord, _: &Judgement, _: &mut dyn Write) -> Result<(), ReportError> {
    Err(ReportError::NotBuilt("Parquet"))
}

/// A document of text.
const fn document(
    format: Format,
    name: &'static str,
    endings: &'static [&'static str],
    write: WriteRun,
    comparison: Option<WriteComparison>,
) -> FormatRow {
    FormatRow { format, name, endings, is_text: true, write, in_full: None, table: None, comparison, fleet: None, results: None }
}

impl Format {
    /// All of them.
    pub const ALL: [Format; TABLE.len()] = {
        let mut all = [Format::Json; TABLE.len()];
        let mut at = 0;
        while at < TABLE.len() {
            all[at] = TABLE[at].format;
            at += 1;
        }
        all
    };

    /// The format that a file name asks for by its ending, whatever its case; `None` for an unknown one.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Format> {
        let path = path.to_ascii_lowercase();
        TABLE.iter().find(|row| row.endings.iter().any(|ending| path.ends_with(ending))).map(|row| row.format)
    }

    /// The format of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// Every accepted ending, with its dot, for help and error messages.
    #[must_use]
    pub fn endings() -> &'static [&'static str] {
        ENDINGS
    }

    /// The name behind `--format`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The usual ending of a file, with its dot.
    #[must_use]
    pub fn ending(self) -> &'static str {
        self.row().endings[0]
    }

    /// True where people can read it on a terminal.
    #[must_use]
    pub fn is_text(self) -> bool {
        self.row().is_text
    }

    /// True where a file of it holds one table of a run.
    #[must_use]
    pub fn has_tables(self) -> bool {
        self.row().table.is_some()
    }

    /// True where this build can write it.
    #[must_use]
    pub fn is_built(self) -> bool {
        self != Self::Parquet || cfg!(feature = "parquet")
    }

    /// True where a comparison of runs can be written as it.
    #[must_use]
    pub fn has_comparisons(self) -> bool {
        self.row().comparison.is_some()
    }

    /// True where a fleet can be written as it.
    #[must_use]
    pub fn has_fleets(self) -> bool {
        self.row().fleet.is_some()
    }

    /// True where tables of results can be written as it without a run.
    #[must_use]
    pub fn has_results_alone(self) -> bool {
        self.row().results.is_some()
    }

    pub(crate) fn row(self) -> &'static FormatRow {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_chosen_by_its_ending() {
        assert_eq!(Format::from_path("out/run.html"), Some(Format::Html));
        assert_eq!(Format::from_path("RUN.HTM"), Some(Format::Html));
        assert_eq!(Format::from_path("a.csv.md"), Some(Format::Markdown));
        assert_eq!(Format::from_path("a.XLSX"), Some(Format::Xlsx));
        assert_eq!(Format::from_path("a.xls"), None);
        assert_eq!(Format::from_path("json"), None);
    }

    #[test]
    fn table_and_enum_and_endings_agree() {
        for (position, row) in TABLE.iter().enumerate() {
            assert_eq!(row.format as usize, position);
            assert_eq!(Format::from_name(row.name), Some(row.format));
        }
        let endings: Vec<_> = TABLE.iter().flat_map(|row| row.endings).copied().collect();
        assert_eq!(endings, ENDINGS);
    }
}
