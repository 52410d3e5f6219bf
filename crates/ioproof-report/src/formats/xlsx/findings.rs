//! The table of findings, under the table of verdicts and in joined columns of it.

use super::cells::{Look, put};
use super::sheet::{Across, across, line};
use crate::view::{FindingView, View};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Name, columns and their width of each part of a finding.
const PARTS: [(&str, (u16, u16), usize); 6] = [
    ("severity", (0, 0), 15),
    ("subject", (1, 1), 34),
    ("title", (2, 7), 63),
    ("evidence", (8, 13), 54),
    ("remedy", (14, 15), 69),
    ("rule", (16, 16), 36),
];

pub(super) fn table(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    line(sheet, first, "Findings", Look::Part)?;
    if view.findings.is_empty() {
        line(sheet, first + 1, "None.", Look::Fact)?;
        return Ok(first + 2);
    }
    row(sheet, first + 1, PARTS.map(|(name, ..)| name), Look::Heading)?;
    for (at, finding) in (first + 2..).zip(&view.findings) {
        write(sheet, at, finding)?;
    }
    Ok(first + 2 + view.findings.len() as u32)
}

fn write(sheet: &mut Worksheet, at: u32, finding: &FindingView) -> Result<(), XlsxError> {
    let (about, evidence) = (finding.about(), finding.evidence_text());
    row(sheet, at, [finding.weight(), &about, &finding.title, &evidence, &finding.remedy, &finding.rule], Look::Wrapped)?;
    let look = match finding.weight() {
        "invalid" => Look::Warning,
        "doubt" => Look::Note,
        _ => Look::Text,
    };
    put(sheet, at, 0, &finding.weight().into(), &look.format())
}

fn row(sheet: &mut Worksheet, at: u32, texts: [&str; PARTS.len()], look: Look) -> Result<(), XlsxError> {
    let part = |((_, columns, width), text)| Across { columns, width, text, look };
    across(sheet, at, &PARTS.into_iter().zip(texts).map(part).collect::<Vec<_>>())
}
