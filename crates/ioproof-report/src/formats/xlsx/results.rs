//! The sheet of results of any kind: a line for each row with all figures and their ends, answers, what it means, and shares as bars.

use super::bars;
use super::cells::{Look, put};
use super::charts::IOPS;
use super::curves;
use super::sheet::{self, Across, across};
use super::table::{self, Column, computed, lines, total_width};
use crate::tables::Cell;
use ioproof_core::results::{self, BarChart, Figure, ResultRow, ResultTable, Unit};
use ioproof_core::stats::Estimate;
use rust_xlsxwriter::{Color, ConditionalFormatDataBar, Worksheet, XlsxError};

const BAR: Color = Color::RGB(0x9D_C3_E6);
/// The row of the headings.
const HEADINGS: u32 = 2;

/// The sheet, and the first and the last row of each part that stands for itself.
pub(super) fn sheet(heading: &str, grave: &[&str], results: &ResultTable) -> Result<(Worksheet, Vec<(u32, u32)>), XlsxError> {
    let mut sheet = sheet::new(results.id)?;
    sheet::line(&mut sheet, 0, &format!("{}: {heading}", results.title), Look::Title)?;
    let columns: Vec<Column<ResultRow>> = results.columns.iter().enumerate().flat_map(|(at, of)| of_column(at, of)).collect();
    let whole = Across { columns: (0, columns.len() as u16 - 1), width: total_width(&columns), text: "", look: Look::Remark };
    let (legend, look) = legend(grave, results);
    across(&mut sheet, 1, &[Across { text: &legend, look, ..whole }])?;
    table::heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let (row, parts) = match results.is_parted {
        true => series(&mut sheet, results, &columns, &whole)?,
        false => (lines(&mut sheet, HEADINGS + 1, &columns, results.rows.iter())? + 1, Vec::new()),
    };
    let without_bar = results.parts.iter().filter_map(|part| part.without_bar.as_ref());
    let row =
        remarks(&mut sheet, row, &whole, results.separate_answers().map(|answer| &answer.text).chain(&results.says).chain(without_bar))?;
    let charts: Vec<&BarChart> = results.parts.iter().flat_map(|part| &part.charts).filter(|chart| chart.is_of_shares).collect();
    bars::shares(&mut sheet, row + 1, results.id, &charts)?;
    if charts.is_empty() {
        curves::draw(&mut sheet, row + 1, results.id, results.parts.iter().flat_map(|part| &part.lines))?;
    }
    Ok((sheet, parts))
}

/// Sentences that take weight from the numbers, then what the numbers are.
fn legend(grave: &[&str], results: &ResultTable) -> (String, Look) {
    let look = if grave.is_empty() { Look::Remark } else { Look::Warning };
    (grave.iter().copied().chain([results.number_legend.as_deref().unwrap_or(results.legend)]).collect::<Vec<_>>().join(" "), look)
}

fn remarks<'a>(sheet: &mut Worksheet, first: u32, whole: &Across, texts: impl Iterator<Item = &'a String>) -> Result<u32, XlsxError> {
    let mut row = first;
    for text in texts {
        across(sheet, row, &[Across { text, ..*whole }])?;
        row += 1;
    }
    Ok(row)
}

/// A block for each part under common headings, its own heading above and what it means below; gives the row behind them, and the rows of each.
fn series(
    sheet: &mut Worksheet,
    results: &ResultTable,
    columns: &[Column<ResultRow>],
    whole: &Across,
) -> Result<(u32, Vec<(u32, u32)>), XlsxError> {
    let (mut row, mut found, block) = (HEADINGS + 1, Vec::new(), Look::Block.format());
    for (at, part) in results.parts.iter().enumerate() {
        put(sheet, row, 0, &part.heading.as_str().into(), &block)?;
        (1..=whole.columns.1).try_for_each(|column| put(sheet, row, column, &Cell::Empty, &block))?;
        found.push((row + 1, row + part.rows.len() as u32));
        let next = results.parts.get(at + 1).map_or(results.rows.len(), |next| next.rows.start);
        row = lines(sheet, row + 1, columns, results.rows[part.rows.start..next].iter())?;
        row = remarks(sheet, row, whole, part.says.iter())? + 1;
    }
    let bar = ConditionalFormatDataBar::new().set_fill_color(BAR).set_solid_fill(true);
    sheet.add_conditional_format(HEADINGS + 1, IOPS, row, IOPS, &bar)?;
    Ok((row, found))
}

/// The column of medians and those of the ends; none where tables of numbers leave it out.
fn of_column(at: usize, of: &results::Column) -> Vec<Column<ResultRow>> {
    if of.number.is_empty() {
        return Vec::new();
    }
    let (look, width) = match of.unit {
        Unit::Note => (Look::Text, if at == 0 { 42 } else { 20 }),
        Unit::Text => (Look::Wrapped, if at == 0 { 38 } else { 24 }),
        Unit::Count => (Look::Count, 11),
        Unit::Block => (Look::Size, 9),
        _ => (Look::Figure, 11),
    };
    let unit = of.unit;
    let made = |name, pick: fn(&Estimate) -> f64| computed(name, width, look, move |row: &ResultRow| value(&row.figures[at], unit, pick));
    let ends = of.ends.map(|[low, high]| [made(low, |e| end(e, e.low)), made(high, |e| end(e, e.high))]);
    std::iter::once(made(of.number, |e| e.median)).chain(ends.into_iter().flatten()).collect()
}

/// An end of an interval; of a single run, which has none, no number.
fn end(of: &Estimate, end: f64) -> f64 {
    if of.runs > 1 { end } else { f64::NAN }
}

fn value(figure: &Figure, unit: Unit, pick: fn(&Estimate) -> f64) -> Cell {
    match figure {
        Figure::None => Cell::Empty,
        Figure::Text(text) => text.as_str().into(),
        Figure::Number(number) => (number / unit.factor()).into(),
        Figure::Estimate(estimate) => (pick(estimate) / unit.factor()).into(),
    }
}
