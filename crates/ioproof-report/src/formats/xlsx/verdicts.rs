//! The table of verdicts: measured against claimed, a line a figure, and the claims that were not measured.

use super::cells::Look;
use super::sheet::{self, Across, across, line};
use super::table::{Column, column, heading, lines, widths};
use crate::tables::Cell;
use crate::view::{RowView, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::verdict::Verdict;
use rust_xlsxwriter::{Color, ConditionalFormatCell, ConditionalFormatCellRule, Format, Worksheet, XlsxError};

/// The last column of the sheet.
pub(super) const LAST: u16 = 16;
/// Width of all columns but the first. Characters.
pub(super) const WIDTH: usize = 252;

/// Word, fill and font of each verdict.
const COLORS: [(Verdict, u32, u32); 4] = [
    (Verdict::Meets, 0xC6_EF_CE, 0x00_61_00),
    (Verdict::Misses, 0xFF_C7_CE, 0x9C_00_06),
    (Verdict::CannotTell, 0xFF_EB_9C, 0x9C_57_00),
    (Verdict::Indicative, 0xDD_EB_F7, 0x1F_4E_78),
];

fn columns<'a>() -> [Column<RowView<'a>>; LAST as usize + 1] {
    use Look::{Count, Figure, Share, Text, Wrapped};
    [
        column("verdict", 15, Text, verdict),
        column("workload", 34, Wrapped, |row| row.conditions.full_title().into()),
        column("workers", 9, Count, |row| row.conditions.workers.into()),
        column("queue depth per worker", 9, Count, |row| row.conditions.depth.into()),
        column("queue depth in total", 9, Count, |row| row.conditions.outstanding.into()),
        column("figure", 14, Text, |row| figure(row).into()),
        column("claimed", 11, Figure, |row| scaled(row, row.claimed)),
        column("measured", 11, Figure, |row| scaled(row, row.measured.map(|e| e.median))),
        column("low", 11, Figure, |row| end(row, |e| e.low)),
        column("high", 11, Figure, |row| end(row, |e| e.high)),
        column("unit", 7, Text, |row| unit(row.metric).1.into()),
        column("runs (n)", 6, Count, |row| row.measured.map(|e| e.runs).into()),
        column("coverage of low to high", 10, Share, |row| row.measured.map_or(Cell::Empty, coverage)),
        column("match", 9, Share, |row| row.matched.map(|m| m.share).into()),
        column("limited by", 33, Wrapped, |row| row.limited_by.as_str().into()),
        column("reasons", 36, Wrapped, |row| row.sentences().join("; ").into()),
        column("conditions and source of the claim", 36, Wrapped, |row| row.claim.as_str().into()),
    ]
}

pub(super) fn table(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    line(sheet, first, "Figures and verdicts", Look::Part)?;
    let (cells, listed): (Vec<&RowView>, Vec<&RowView>) = view.rows.iter().partition(|row| view.is_in_own_table(row));
    widths(sheet, &columns())?;
    let mut end = first + 1;
    if cells.is_empty() || !listed.is_empty() {
        end = with_heading(sheet, end, &listed)?;
    }
    if !cells.is_empty() {
        // Their reasons would be repeated cell by cell.
        let (row, own) = view.results.iter().find(|own| own.replaces_rows).map_or(("", ""), |own| (own.row_name, own.id));
        let text = format!("The figures of each {row} are on the sheet {own}; what limits each, and what bears on it, on the sheet Cells.");
        across(sheet, end, &[Across { columns: (0, LAST), width: WIDTH, text: &text, look: Look::Remark }])?;
        end += 1;
    }
    skipped(sheet, end, view)
}

fn with_heading(sheet: &mut Worksheet, first: u32, rows: &[&RowView]) -> Result<u32, XlsxError> {
    let columns = columns();
    heading(sheet, first, &columns)?;
    let end = lines(sheet, first + 1, &columns, rows.iter().copied())?;
    for (verdict, fill, font) in COLORS {
        let colored = Format::new().set_background_color(Color::RGB(fill)).set_font_color(Color::RGB(font));
        let rule = ConditionalFormatCell::new().set_rule(ConditionalFormatCellRule::EqualTo(verdict.title())).set_format(colored);
        sheet.add_conditional_format(first + 1, 0, end.max(first + 2) - 1, 0, &rule)?;
    }
    Ok(end)
}

/// The sheet `Cells` of a sweep: what limits each cell, and the reasons of each; none of other runs, whose figures are in the table above.
pub(super) fn cells(view: &View) -> Result<Option<Worksheet>, XlsxError> {
    let cells: Vec<&RowView> = view.rows.iter().filter(|row| view.is_in_own_table(row)).collect();
    if cells.is_empty() {
        return Ok(None);
    }
    let mut sheet = sheet::new("Cells")?;
    sheet::keep_headings(&mut sheet, 0, 2)?;
    let end = with_heading(&mut sheet, 0, &cells)?;
    sheet.autofilter(0, 0, end - 1, LAST)?;
    Ok(Some(sheet))
}

fn verdict(row: &RowView) -> Cell {
    match row.verdict {
        Some(verdict) => verdict.title().into(),
        None if row.measured.is_none() => "not measured".into(),
        None => Cell::Empty,
    }
}

/// `IOPS`, `throughput`, `latency p99`.
fn figure(row: &RowView) -> String {
    match row.metric {
        Metric::Iops => "IOPS".to_owned(),
        Metric::Throughput => "throughput".to_owned(),
        Metric::Latency => format!("latency {}", row.statistic.map_or("", Statistic::title)),
    }
}

/// Stored units in one printed unit, the same for all figures of a metric, and its name.
pub(super) fn unit(metric: Metric) -> (f64, &'static str) {
    match metric {
        Metric::Iops => (1.0, "IOPS"),
        Metric::Throughput => (1e6, "MB/s"),
        Metric::Latency => (1e3, "µs"),
    }
}

fn scaled(row: &RowView, value: Option<f64>) -> Cell {
    value.map(|value| value / unit(row.metric).0).into()
}

/// An end of the interval; a single run has none.
fn end(row: &RowView, of: fn(&Estimate) -> f64) -> Cell {
    scaled(row, row.measured.as_ref().filter(|e| e.runs > 1).map(of))
}

/// The probability with which the ends enclose the median, or a word for ends that promise nothing.
fn coverage(estimate: Estimate) -> Cell {
    match estimate.method {
        _ if estimate.runs < 2 => Cell::Empty,
        IntervalMethod::Rank { coverage, .. } => coverage.into(),
        IntervalMethod::Spread => "spread".into(),
        IntervalMethod::Worst => "the worst".into(),
    }
}

/// The claims that have no line of their own.
fn skipped(sheet: &mut Worksheet, first: u32, view: &View) -> Result<u32, XlsxError> {
    let mut row = first;
    for skipped in &view.skipped {
        line(sheet, row, "not measured", Look::Text)?;
        let text = format!("{}: {}", skipped.claim, skipped.reason);
        across(sheet, row, &[Across { columns: (1, LAST), width: WIDTH, text: &text, look: Look::Wrapped }])?;
        row += 1;
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_a_color() {
        assert!(crate::view::VERDICTS.iter().all(|verdict| COLORS.iter().any(|(colored, ..)| colored == verdict)));
    }
}
