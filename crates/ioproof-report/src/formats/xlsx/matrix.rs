//! The sheet `Matrix` of a sweep: a block a series under common headings, a line a cell.

use super::cells::{Look, Value, put};
use super::sheet::{self, Across, across};
use super::table::{Column, column, heading, lines};
use crate::view::{MatrixRow, MatrixView, View};
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::Axis;
use ioproof_core::workload::Workload;
use rust_xlsxwriter::{Color, ConditionalFormatDataBar, Worksheet, XlsxError};

/// Columns that charts are drawn of.
pub(super) const AT: u16 = 0;
pub(super) const IOPS: u16 = 2;
pub(super) const MIB: u16 = 3;
pub(super) const AVERAGE: u16 = 4;

/// The row of the headings.
const HEADINGS: u32 = 2;
const LAST: u16 = 11;
/// Width of all columns. Characters.
const WIDTH: usize = 186;
const NOTE: u16 = 10;
const BAR: Color = Color::RGB(0x9D_C3_E6);

/// A series, in the rows of its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Conditions that comparable series share, and those of this one alone.
    pub group: String,
    pub name: String,
    pub first: u32,
    pub last: u32,
}

/// The sheet, and the rows of each series that has a cell.
pub(super) fn sheet(view: &View) -> Result<(Worksheet, Vec<Block>), XlsxError> {
    let mut sheet = sheet::new("Matrix")?;
    let axis = view.matrices.first().map_or(Axis::Depth, |matrix| matrix.rises);
    sheet::line(&mut sheet, 0, &format!("Throughput and latency by {}: {}", axis.title(), view.heading), Look::Title)?;
    let grave = view.banners.iter().any(|banner| banner.grave);
    let look = if grave { Look::Warning } else { Look::Remark };
    across(&mut sheet, 1, &[Across { columns: (0, LAST), width: WIDTH, text: &remark(view), look }])?;
    let columns = columns(axis);
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let mut blocks = Vec::new();
    let mut row = HEADINGS + 1;
    for matrix in &view.matrices {
        let (behind, block) = series(&mut sheet, row, matrix, &columns)?;
        blocks.extend(block);
        row = behind + 1;
    }
    let bar = ConditionalFormatDataBar::new().set_fill_color(BAR).set_solid_fill(true);
    sheet.add_conditional_format(HEADINGS + 1, IOPS, row, IOPS, &bar)?;
    Ok((sheet, blocks))
}

/// Sentences that take weight from the numbers, then what the numbers are.
fn remark(view: &View) -> String {
    let grave = view.banners.iter().filter(|banner| banner.grave).map(|banner| banner.text.as_str());
    let methods = view.interval_methods().unwrap_or_else(|| "smallest and largest run".to_owned());
    let numbers = format!(
        "IOPS and MiB/s: medians over runs; average: of all I/Os; low and high of IOPS: {methods}; minimum and maximum: of single I/Os over all runs. Notes: floor, the \
         least average; knee, the greatest IOPS over average; full, from here more only queues; ceiling, the most IOPS; host, limited by the host and not by \
         the drive; left out, because cells before it showed that it would only queue."
    );
    grave.chain([numbers.as_str()]).collect::<Vec<_>>().join(" ")
}

fn columns(axis: Axis) -> [Column<MatrixRow>; LAST as usize + 1] {
    use Look::{Count, Figure, Text, Wrapped};
    let (name, value): (_, fn(&MatrixRow) -> Value) = match axis {
        Axis::Depth => ("queue depth per worker", |row| at(Axis::Depth, &row.cell.workload)),
        Axis::Workers => ("workers", |row| at(Axis::Workers, &row.cell.workload)),
        Axis::BlockSize => ("block size (KiB)", |row| at(Axis::BlockSize, &row.cell.workload)),
    };
    [
        column(name, 13, if axis == Axis::BlockSize { Look::Size } else { Count }, value),
        column("queue depth in total", 13, Count, |row| row.cell.workload.outstanding().into()),
        column("IOPS", 16, Count, |row| row.cell.iops.median.into()),
        column("MiB/s", 12, Figure, |row| (row.cell.bytes_per_s.median / f64::from(1 << 20)).into()),
        column("average (µs)", 14, Figure, |row| (row.cell.latency_ns.median / 1e3).into()),
        column("minimum (µs)", 14, Figure, |row| (row.cell.extremes_ns.0 as f64 / 1e3).into()),
        column("maximum (µs)", 14, Figure, |row| (row.cell.extremes_ns.1 as f64 / 1e3).into()),
        column("IOPS, low", 12, Count, |row| end(&row.cell.iops, |e| e.low)),
        column("IOPS, high", 12, Count, |row| end(&row.cell.iops, |e| e.high)),
        column("runs (n)", 8, Count, |row| row.cell.iops.runs.into()),
        column("note", 20, Text, |row| row.note.as_str().into()),
        column("limit of the host", 46, Wrapped, |row| row.cell.host_limit.as_deref().map(ioproof_core::text::visible).into()),
    ]
}

/// The place on the axis, block sizes in KiB.
fn at(axis: Axis, workload: &Workload) -> Value {
    let value = f64::from(axis.value(workload));
    if axis == Axis::BlockSize { (value / 1024.0).into() } else { value.into() }
}

/// An end of an interval; a single run has none.
fn end(estimate: &Estimate, of: fn(&Estimate) -> f64) -> Value {
    if estimate.runs < 2 { Value::Empty } else { of(estimate).into() }
}

/// The conditions, the cells, the cells that were left out, and what the curve shows; gives the row behind them.
fn series(
    sheet: &mut Worksheet,
    first: u32,
    matrix: &MatrixView,
    columns: &[Column<MatrixRow>],
) -> Result<(u32, Option<Block>), XlsxError> {
    let block = Look::Block.format();
    put(sheet, first, 0, &matrix.title.as_str().into(), &block)?;
    (1..=LAST).try_for_each(|column| put(sheet, first, column, &Value::Empty, &block))?;
    let mut row = lines(sheet, first + 1, columns, matrix.rows.iter())?;
    let found =
        (row > first + 1).then(|| Block { group: matrix.group.clone(), name: matrix.name.clone(), first: first + 1, last: row - 1 });
    for workload in &matrix.left_out {
        left_out(sheet, row, matrix.rises, workload)?;
        row += 1;
    }
    for said in &matrix.says {
        across(sheet, row, &[Across { columns: (0, LAST), width: WIDTH, text: said, look: Look::Remark }])?;
        row += 1;
    }
    Ok((row, found))
}

fn left_out(sheet: &mut Worksheet, row: u32, axis: Axis, workload: &Workload) -> Result<(), XlsxError> {
    let number = if axis == Axis::BlockSize { Look::Size } else { Look::Count };
    put(sheet, row, AT, &at(axis, workload), &number.format())?;
    put(sheet, row, AT + 1, &workload.outstanding().into(), &Look::Count.format())?;
    put(sheet, row, NOTE, &"left out".into(), &Look::Label.format())
}
