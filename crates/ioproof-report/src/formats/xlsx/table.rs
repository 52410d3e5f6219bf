//! Tables: columns with their names, widths and looks, and a line for each thing.

use super::cells::{Look, Value, put};
use super::sheet::{heighten, lines_of};
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
    Plain(fn(&T) -> Value),
    Computed(Box<dyn Fn(&T) -> Value>),
}

impl<T> Column<T> {
    fn value(&self, thing: &T) -> Value {
        match &self.value {
            Source::Plain(value) => value(thing),
            Source::Computed(value) => value(thing),
        }
    }

    /// Lines that a value takes.
    fn lines(&self, value: &Value) -> usize {
        match value {
            Value::Text(text) if self.look == Look::Wrapped => lines_of(text, self.width.into()),
            _ => 1,
        }
    }
}

/// A column; its width is in characters.
pub(super) fn column<T>(name: &'static str, width: u16, look: Look, value: fn(&T) -> Value) -> Column<T> {
    Column { name, width, look, format: look.format(), value: Source::Plain(value) }
}

/// A column whose value depends on more than the thing.
pub(super) fn computed<T>(name: &'static str, width: u16, look: Look, value: impl Fn(&T) -> Value + 'static) -> Column<T> {
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
            let value = column.value(thing);
            put(sheet, row, at, &value, &column.format)?;
            height = height.max(column.lines(&value));
        }
        heighten(sheet, row, height)?;
        row += 1;
    }
    Ok(row)
}
