//! The table of findings, under the table of verdicts and in joined columns of it: of each rule the first at length, with the subjects of the others, which stand
//! on the sheet `Findings`.

use super::cells::{Look, put};
use super::sheet::{Across, across, line};
use super::table::{Column, column, listed};
use crate::view::{FindingGroup, FindingView, View};
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
    let groups = FindingGroup::of(&view.findings);
    for (at, group) in (first + 2..).zip(&groups) {
        write(sheet, at, group)?;
    }
    Ok(first + 2 + groups.len() as u32)
}

fn write(sheet: &mut Worksheet, at: u32, group: &FindingGroup) -> Result<(), XlsxError> {
    let (finding, subjects, evidence) = (group.first, group.subjects(), group.first.evidence_text());
    row(sheet, at, [finding.weight(), &subjects, &finding.title, &evidence, &finding.remedy, &finding.rule], Look::Wrapped)?;
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

/// The sheet `Findings`: every finding at length, a line each; none where the summary has all of them so.
pub(super) fn sheet(view: &View) -> Result<Option<Worksheet>, XlsxError> {
    if FindingGroup::of(&view.findings).iter().all(|group| group.others.is_empty()) {
        return Ok(None);
    }
    Ok(Some(listed("Findings", 1, &columns(), view.findings.iter())?))
}

fn columns() -> [Column<FindingView>; 7] {
    use Look::{Text, Wrapped};
    [
        column("severity", 10, Text, |finding| finding.weight().into()),
        column("rule", 22, Text, |finding| finding.rule.as_str().into()),
        column("subject", 40, Wrapped, |finding| finding.subject_in_full.as_str().into()),
        column("title", 60, Wrapped, |finding| finding.title.as_str().into()),
        column("evidence", 60, Wrapped, |finding| finding.evidence_text().into()),
        column("effect", 22, Wrapped, |finding| finding.effect_text().into()),
        column("remedy", 60, Wrapped, |finding| finding.remedy.as_str().into()),
    ]
}
