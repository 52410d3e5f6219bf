//! The sheet `Summary`: what must be known before any number, the run, the table of verdicts, findings, facts.

use super::cells::Look;
use super::sheet::{self, Across, across};
use super::{findings, head, verdicts};
use crate::view::View;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Columns and their width of name, value and source.
const PARTS: [((u16, u16), usize); 3] = [((0, 1), 49), ((2, 13), 117), ((14, 16), 105)];

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Summary")?;
    sheet::line(&mut sheet, 0, &format!("ioproof: {}", view.heading), Look::Title)?;
    sheet::keep_headings(&mut sheet, 0, 0)?;
    let row = head::banners(&mut sheet, 1, view)?;
    let row = head::run(&mut sheet, row + 1, view)?;
    let row = verdicts::table(&mut sheet, row + 1, view)?;
    let row = findings::table(&mut sheet, row + 1, view)?;
    sections(&mut sheet, row + 1, view)?;
    Ok(sheet)
}

/// Everything known about targets, drives, host and method, each fact with its source.
fn sections(sheet: &mut Worksheet, first: u32, view: &View) -> Result<(), XlsxError> {
    let mut row = first;
    for section in &view.sections {
        sheet::line(sheet, row, &section.title, Look::Part)?;
        for fact in &section.facts {
            row += 1;
            let texts = [(fact.name.as_str(), Look::Label), (fact.value.as_str(), Look::Fact), (fact.source.as_str(), Look::Label)];
            let part = |((columns, width), (text, look))| Across { columns, width, text, look };
            across(sheet, row, &PARTS.into_iter().zip(texts).map(part).collect::<Vec<_>>())?;
        }
        row += 2;
    }
    Ok(())
}
