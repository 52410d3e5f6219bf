//! Everything known about targets, drives, host and method, each fact with its source, at the end of the sheet `Summary`.

use super::cells::Look;
use super::sheet::{Across, across, line};
use crate::view::View;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Columns and their width of name, value and source.
const PARTS: [((u16, u16), usize); 3] = [((0, 1), 49), ((2, 13), 117), ((14, 16), 105)];

pub(super) fn sections(sheet: &mut Worksheet, first: u32, view: &View) -> Result<(), XlsxError> {
    let mut row = first;
    for section in &view.sections {
        line(sheet, row, &section.title, Look::Part)?;
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
