//! Tables: columns with their names, widths and looks, and a line for each thing.

use super::cells::{Look, put};
use super::sheet::{self, heighten, lines_of};
use crate::tables::Cell;
use rust_xlsxwriter::{Format, Worksheet, XlsxError};

/// One column of a table of things.
pub(super) struct Column<T> {
    name: &'static str,
    width: u16,
    look: Look,
    format: Format,
    value: Source<T>,
}

/// Whatever gives a column's values.
enum Source<T> {
    Plain(fn(&T) -> Cell),
    Computed(Box<dyn Fn(&T) -> Cell>),
}

/// A column; its width is in characters.
pub(super) fn column<T>(name: &'static str, width: u16, look: Look, value: fn(&T) -> Cell) -> Column<T> {
    Column { name, width, look, format: look.format(), value: Source::Plain(value) }
}

/// A column whose value depends on more than the thing.
pub(super) fn computed<T>(name: &'static str, width: u16, look: Look, value: impl Fn(&T) -> Cell + 'static) -> Column<T> {
    Column { name, width, look, format: look.format(), value: Source::Computed(Box::new(value)) }
}

/// Width of all columns. Characters.
pub(super) fn total_width<T>(columns: &[Column<T>]) -> usize {
    columns.iter().map(|column| usize::from(column.width)).sum()
}

/// Sets the widths.
pub(super) fn widths<T>(sheet: &mut Worksheet, columns: &[Column<T>]) -> Result<(), XlsxError> {
    for (at, column) in (0..).zip(columns) {
        sheet.set_column_width(at, column.width)?;
    }
    Ok(())
}

/// Sets the widths and writes the names.
pub(super) fn heading<T>(sheet: &mut Worksheet, row: u32, columns: &[Column<T>]) -> Result<(), XlsxError> {
    widths(sheet, columns)?;
    let (text, number) = (Look::Heading.format(), Look::NumberHeading.format());
    for (at, column) in (0..).zip(columns) {
        put(sheet, row, at, &column.name.into(), if column.look.is_number() { &number } else { &text })?;
    }
    // Bold letters are wider.
    let lines = columns.iter().map(|column| lines_of(column.name, usize::from(column.width) * 3 / 4)).max();
    heighten(sheet, row, lines.unwrap_or(1))
}

/// A sheet with a line for each thing, a filter, and its headings and so many columns in sight.
pub(super) fn listed<'a, T: 'a>(
    name: &str,
    kept: u16,
    columns: &[Column<T>],
    things: impl Iterator<Item = &'a T>,
) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new(name)?;
    heading(&mut sheet, 0, columns)?;
    sheet::keep_headings(&mut sheet, 0, kept)?;
    let end = lines(&mut sheet, 1, columns, things)?;
    sheet.autofilter(0, 0, end.max(kept.into()) - 1, columns.len() as u16 - 1)?;
    Ok(sheet)
}

/// Writes a line for each thing, and gives the row behind them.
pub(super) fn lines<'a, T: 'a>(
    sheet: &mut Worksheet,
    first: u32,
    columns: &[Column<T>],
    things: impl Iterator<Item = &'a T>,
) -> Result<u32, XlsxError> {
    let mut row = first;
    for thing in things {
        let mut height = 1;
        for (at, column) in (0..).zip(columns) {
            let value = match &column.value {
                Source::Plain(value) => value(thing),
                Source::Computed(value) => value(thing),
            };
            put(sheet, row, at, &value, &column.format)?;
            if let Cell::Text(text) = &value
                && column.look == Look::Wrapped
            {
                height = height.max(lines_of(text, column.width.into()));
            }
        }
        heighten(sheet, row, height)?;
        row += 1;
    }
    Ok(row)
}
