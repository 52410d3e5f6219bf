//! Sheets: the way in which they are printed, and sentences across their columns.

use super::cells::{Look, clipped, put};
use crate::layout::wrap;
use crate::tables::Cell;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, Worksheet, XlsxError};

/// A4.
const PAPER: u8 = 9;
/// Height of a line. Points.
const LINE_POINTS: f64 = 15.0;
/// Letters in the room of a hundred digits, by which widths are counted.
const LETTERS_PERCENT: usize = 120;
/// A row is no higher than this. Points.
const MOST_POINTS: f64 = 400.0;

/// A sheet that is printed across a page, one page wide.
pub(super) fn new(name: &str) -> Result<Worksheet, XlsxError> {
    let mut sheet = Worksheet::new();
    sheet.set_name(name)?.set_landscape().set_paper_size(PAPER).set_print_fit_to_pages(1, 0);
    sheet.set_margins(0.4, 0.4, 0.5, 0.6, 0.3, 0.3).set_footer("&L&A&RPage &P of &N");
    Ok(sheet)
}

/// A workbook of this title; made of the same it has the same bytes.
pub(super) fn workbook(title: &str) -> Result<Workbook, XlsxError> {
    let mut workbook = Workbook::new();
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_title(title).set_author("ioproof").set_creation_datetime(&made));
    Ok(workbook)
}

/// A sheet of sentences: of each a label, the text and its look.
pub(super) fn of_facts(name: &str, title: &str, rows: impl Iterator<Item = (String, String, Look)>) -> Result<Worksheet, XlsxError> {
    let mut sheet = new(name)?;
    line(&mut sheet, 0, title, Look::Title)?;
    sheet.set_column_width(0, 26)?.set_column_width(1, 104)?;
    for (row, (label, text, look)) in (2..).zip(rows) {
        let label = Across { columns: (0, 0), width: 26, text: &label, look: Look::Label };
        across(&mut sheet, row, &[label, Across { columns: (1, 1), width: 104, text: &text, look }])?;
    }
    Ok(sheet)
}

/// Keeps the rows up to the headings in sight, on the screen and on paper.
pub(super) fn keep_headings(sheet: &mut Worksheet, row: u32, columns: u16) -> Result<(), XlsxError> {
    sheet.set_freeze_panes(row + 1, columns)?.set_repeat_rows(0, row)?;
    Ok(())
}

/// Text over several columns.
#[derive(Clone, Copy)]
pub(super) struct Across<'a> {
    pub columns: (u16, u16),
    /// Width of all of them together. Characters.
    pub width: usize,
    pub text: &'a str,
    pub look: Look,
}

/// Writes texts beside each other in a row that is high enough for all: not every program finds the height by itself.
pub(super) fn across(sheet: &mut Worksheet, row: u32, texts: &[Across]) -> Result<(), XlsxError> {
    for Across { columns: (first, last), text, look, .. } in texts {
        match first == last {
            true => put(sheet, row, *first, &(*text).into(), &look.format())?,
            false => drop(sheet.merge_range(row, *first, row, *last, &clipped(text), &look.format())?),
        }
    }
    heighten(sheet, row, texts.iter().map(|one| lines_of(one.text, one.width)).max().unwrap_or(1))
}

/// Lines that a text takes in a column.
pub(super) fn lines_of(text: &str, width: usize) -> usize {
    wrap(&clipped(text), width * LETTERS_PERCENT / 100).len().max(1)
}

/// Makes a row high enough for so many lines.
pub(super) fn heighten(sheet: &mut Worksheet, row: u32, lines: usize) -> Result<(), XlsxError> {
    if lines > 1 {
        sheet.set_row_height(row, (lines as f64 * LINE_POINTS).min(MOST_POINTS))?;
    }
    Ok(())
}

/// Writes the first line of a sheet or of a part of it.
pub(super) fn line(sheet: &mut Worksheet, row: u32, text: &str, look: Look) -> Result<(), XlsxError> {
    put(sheet, row, 0, &Cell::from(text), &look.format())
}
