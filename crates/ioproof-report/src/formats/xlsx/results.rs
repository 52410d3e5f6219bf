//! The sheet of results of any kind: a line for each row with all figures and their ends, answers, what it means, and shares as bars.

use super::bars;
use super::cells::{Look, Value};
use super::sheet::{self, Across, across};
use super::table::{Column, computed, heading, lines, total_width};
use crate::view::View;
use ioproof_core::results::{self, BarChart, Figure, ResultRow, ResultTable, Unit};
use ioproof_core::stats::Estimate;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;

pub(super) fn sheet(view: &View, results: &ResultTable) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new(results.id)?;
    sheet::line(&mut sheet, 0, &format!("{}: {}", results.title, view.heading), Look::Title)?;
    let columns: Vec<Column<ResultRow>> = results.columns.iter().enumerate().flat_map(|(at, column)| of_column(at, *column)).collect();
    let (last, width) = (columns.len() as u16 - 1, total_width(&columns));
    let remark = |text| [Across { columns: (0, last), width, text, look: Look::Remark }];
    across(&mut sheet, 1, &remark(results.legend))?;
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let mut row = lines(&mut sheet, HEADINGS + 1, &columns, results.rows.iter())? + 1;
    let without_bar = results.parts.iter().filter_map(|part| part.without_bar.as_ref());
    for text in results.unsaid().map(|answer| &answer.text).chain(&results.says).chain(without_bar) {
        across(&mut sheet, row, &remark(text))?;
        row += 1;
    }
    let charts: Vec<&BarChart> = results.parts.iter().flat_map(|part| &part.charts).filter(|chart| chart.is_of_shares).collect();
    bars::shares(&mut sheet, row + 1, results.id, &charts)?;
    Ok(sheet)
}

/// The column of medians and those of the ends; none where tables of numbers leave it out.
fn of_column(at: usize, of: results::Column) -> Vec<Column<ResultRow>> {
    if of.number.is_empty() {
        return Vec::new();
    }
    let (look, width) = match of.unit {
        Unit::Text => (Look::Wrapped, if at == 0 { 38 } else { 24 }),
        Unit::Count => (Look::Count, 9),
        Unit::Block => (Look::Size, 9),
        _ => (Look::Figure, 11),
    };
    let made =
        |name, pick: fn(&Estimate) -> f64| computed(name, width, look, move |row: &ResultRow| value(&row.figures[at], of.unit, pick));
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
