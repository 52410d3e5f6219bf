//! The table of formats. A new one is a file here and a row in [`TABLE`]; `README.md` beside this file says how.

pub(crate) mod csv;
pub(crate) mod html;
pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod text;
pub(crate) mod xlsx;

use crate::ReportError;
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Judgement;
use std::io::Write;

/// A format in which a run can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everything, in the stored types.
    Json,
    /// For an issue or a wiki.
    Markdown,
    /// One table of raw numbers for a spreadsheet.
    Csv,
    /// One self-contained page with charts.
    Html,
    /// Plain text.
    Text,
    /// A workbook with charts.
    Xlsx,
}

/// Every accepted ending of a file name, with its dot.
pub const ENDINGS: &[&str] = &[".json", ".md", ".csv", ".html", ".htm", ".txt", ".xlsx"];

/// A format with its endings and its writer.
pub(crate) struct FormatRow {
    format: Format,
    endings: &'static [&'static str],
    pub(crate) write: fn(&RunRecord, &Judgement, &mut dyn Write) -> Result<(), ReportError>,
}

const TABLE: [FormatRow; 6] = [
    FormatRow { format: Format::Json, endings: &[".json"], write: json::write },
    FormatRow { format: Format::Markdown, endings: &[".md"], write: markdown::write },
    FormatRow { format: Format::Csv, endings: &[".csv"], write: csv::write },
    FormatRow { format: Format::Html, endings: &[".html", ".htm"], write: html::write },
    FormatRow { format: Format::Text, endings: &[".txt"], write: text::write },
    FormatRow { format: Format::Xlsx, endings: &[".xlsx"], write: xlsx::write },
];

impl Format {
    /// The format that a file name asks for by its ending, whatever its case; `None` for an unknown one.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Format> {
        let path = path.to_ascii_lowercase();
        TABLE.iter().find(|row| row.endings.iter().any(|ending| path.ends_with(ending))).map(|row| row.format)
    }

    /// Every accepted ending, with its dot, for help and error messages.
    #[must_use]
    pub fn endings() -> &'static [&'static str] {
        ENDINGS
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
        }
        let endings: Vec<_> = TABLE.iter().flat_map(|row| row.endings).copied().collect();
        assert_eq!(endings, ENDINGS);
    }
}
