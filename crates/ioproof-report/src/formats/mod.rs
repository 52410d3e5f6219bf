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
use crate::tables::{Content, Table};
use crate::view::View;
use ioproof_core::compare::words::ComparisonWords;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_core::results::ResultTable;

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

/// The bytes of a file.
pub(crate) type Bytes = Result<Vec<u8>, ReportError>;

/// A format with its name, its endings and the files that it makes.
pub(crate) struct FormatRow {
    format: Format,
    name: &'static str,
    endings: &'static [&'static str],
    /// True where people can read it on a terminal.
    is_text: bool,
    /// True where a file holds one table of a run, not a document.
    has_tables: bool,
    pub(crate) run: Run,
    /// Where that is short, the one with everything.
    pub(crate) in_full: Option<fn(&View) -> String>,
    /// Several runs held against the first, where the format is not one of single runs.
    pub(crate) comparison: Option<fn(&ComparisonWords) -> Bytes>,
    /// Where it can hold a fleet.
    pub(crate) fleet: Option<fn(&FleetReport) -> Bytes>,
    /// Tables that belong to no run, under a heading, where they make a document.
    pub(crate) results: Option<fn(&str, &[ResultTable]) -> String>,
}

/// Makes a file of a run, or of a table of it.
type Run = fn(&RunRecord, &Judgement, Table) -> Bytes;

/// A document of text that holds a run alone.
const fn document(format: Format, name: &'static str, endings: &'static [&'static str], run: Run) -> FormatRow {
    let (is_text, has_tables) = (true, false);
    FormatRow { format, name, endings, is_text, has_tables, run, in_full: None, comparison: None, fleet: None, results: None }
}

const TABLE: [FormatRow; 9] = [
    FormatRow {
        comparison: Some(json::comparison),
        fleet: Some(json::fleet),
        ..document(Format::Json, "json", &[".json"], |record, judgement, _| json::run(record, judgement, None))
    },
    FormatRow {
        in_full: Some(markdown::page),
        comparison: Some(|words| Ok(markdown::comparison::page(words).into())),
        results: Some(markdown::of_results),
        ..document(Format::Markdown, "markdown", &[".md"], |record, judgement, _| {
            Ok(markdown::page_in_short(&View::new(record, judgement)).into())
        })
    },
    FormatRow {
        has_tables: true,
        comparison: Some(|words| Ok(csv::file(std::iter::once(Content::of_comparison(words))))),
        fleet: Some(|report| Ok(csv::file(report.contents()))),
        ..document(Format::Csv, "csv", &[".csv"], |record, judgement, table| {
            Ok(csv::file(std::iter::once(Content::new(table, record, judgement))))
        })
    },
    FormatRow {
        comparison: Some(|words| Ok(html::comparison::page(words).into())),
        fleet: Some(|report| Ok(html::fleet(report).into())),
        results: Some(html::of_results),
        ..document(Format::Html, "html", &[".html", ".htm"], |record, judgement, _| Ok(html::page(&View::new(record, judgement)).into()))
    },
    FormatRow {
        comparison: Some(|words| Ok(text::comparison::of_file(words).into())),
        fleet: Some(|report| Ok(text::fleet(report).into())),
        ..document(Format::Text, "text", &[".txt"], |record, judgement, _| Ok(text::text(record, judgement, None).into()))
    },
    FormatRow {
        is_text: false,
        comparison: Some(|words| Ok(xlsx::comparison::workbook(words)?)),
        fleet: Some(|report| Ok(xlsx::fleet::workbook(report)?)),
        ..document(Format::Xlsx, "xlsx", &[".xlsx"], |record, judgement, _| Ok(xlsx::workbook(&View::new(record, judgement))?))
    },
    document(Format::Junit, "junit", &[".xml"], |record, judgement, _| Ok(junit::document(&View::new(record, judgement)).into())),
    document(Format::OpenMetrics, "openmetrics", &[".prom"], |record, judgement, _| Ok(openmetrics::text(record, judgement).into())),
    FormatRow {
        is_text: false,
        has_tables: true,
        fleet: Some(|report| as_parquet(report.contents())),
        ..document(Format::Parquet, "parquet", &[".parquet"], |record, judgement, table| {
            as_parquet(std::iter::once(Content::new(table, record, judgement)))
        })
    },
];

#[cfg(feature = "parquet")]
fn as_parquet(contents: impl Iterator<Item = Content>) -> Bytes {
    Ok(parquet::file(contents)?)
}

#[cfg(not(feature = "parquet"))]
fn as_parquet(_: impl Iterator<Item = Content>) -> Bytes {
    Err(ReportError::NotBuilt("Parquet"))
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
        self.row().has_tables
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
