//! The sheet of results of any kind: a line for each row with all figures and their ends, answers, and what it means.

use super::cells::{Look, Value};
use super::sheet::{self, Across, across};
use super::table::{Column, computed, heading, lines, total_width};
use crate::view::View;
use ioproof_core::results::{self, Figure, ResultTable, Unit};
use ioproof_core::stats::Estimate;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;

type Row = Vec<Figure>;

/// The sheet, and the first row below it.
pub(super) fn sheet(view: &View, results: &ResultTable, more: &[String]) -> Result<(Worksheet, u32), XlsxError> {
    let mut sheet = sheet::new(results.id)?;
    sheet::line(&mut sheet, 0, &format!("{}: {}", results.title, view.heading), Look::Title)?;
    let columns: Vec<Column<Row>> = results.columns.iter().enumerate().flat_map(|(at, column)| of_column(at, *column)).collect();
    let (last, width) = (columns.len() as u16 - 1, total_width(&columns));
    let remark = |text| [Across { columns: (0, last), width, text, look: Look::Remark }];
    across(&mut sheet, 1, &remark(results.legend))?;
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let mut row = lines(&mut sheet, HEADINGS + 1, &columns, results.rows.iter())? + 1;
    for text in results.answers.iter().map(|(_, text)| text).chain(&results.says).chain(more) {
        across(&mut sheet, row, &remark(text))?;
        row += 1;
    }
    Ok((sheet, row))
}

/// The column of medians and those of the ends; none where tables of numbers leave it out.
fn of_column(at: usize, of: results::Column) -> Vec<Column<Row>> {
    if of.number.is_empty() {
        return Vec::new();
    }
    let (look, width) = match of.unit {
        Unit::Text => (Look::Wrapped, if at == 0 { 38 } else { 24 }),
        Unit::Count => (Look::Count, 9),
        Unit::Block => (Look::Size, 9),
        _ => (Look::Figure, 11),
    };
    let made = |name, pick: fn(&Estimate) -> f64| computed(name, width, look, move |row: &Row| value(&row[at], of.unit, pick));
    let ends = of.ends.map(|[low, high]| [made(low, |e| e.low), made(high, |e| e.high)]);
    std::iter::once(made(of.number, |e| e.median)).chain(ends.into_iter().flatten()).collect()
}

fn value(figure: &Figure, unit: Unit, pick: fn(&Estimate) -> f64) -> Value {
    match figure {
        Figure::None => Value::Empty,
        Figure::Text(text) => text.as_str().into(),
        Figure::Number(number) => (number / unit.factor()).into(),
        Figure::Estimate(estimate) => (pick(estimate) / unit.factor()).into(),
    }
}
