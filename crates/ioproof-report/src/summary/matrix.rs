//! The matrix of a sweep, a block a series, in the widest shape that the terminal has room for.

use super::{Style, heading};
use crate::layout::{Align, Cell, Table, Tone, labelled};
use crate::view::{MATRIX_COLUMNS, MatrixRow, MatrixView, View};

/// Sentences about a curve take no more lines than this each.
const LINES: usize = 2;

pub(super) fn matrices(view: &View, style: Style) -> Vec<String> {
    view.matrices.iter().flat_map(|matrix| block(matrix, style)).collect()
}

fn block(matrix: &MatrixView, style: Style) -> Vec<String> {
    let mut lines = heading(&matrix.title, style).to_vec();
    if !matrix.rows.is_empty() {
        let shapes = [wide as fn(&MatrixView) -> Table, narrow, narrowest];
        let fitting = shapes.into_iter().map(|shape| shape(matrix)).find(|table| table.width() <= style.width);
        lines.extend(fitting.unwrap_or_else(|| narrowest(matrix)).lines(style.color));
    }
    lines.extend(matrix.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

fn wide(matrix: &MatrixView) -> Table {
    table(matrix, MATRIX_COLUMNS.as_slice(), |row| row.cells().to_vec())
}

/// Without what the report has too.
fn narrow(matrix: &MatrixView) -> Table {
    table(matrix, &["IOPS", "MB/s", "mean", "p99", "max", "n", "note"], |row| {
        vec![&row.at, &row.iops_bare, &row.throughput, &row.mean, &row.p99, &row.max, &row.runs, &row.note]
    })
}

fn narrowest(matrix: &MatrixView) -> Table {
    table(matrix, &["IOPS", "mean", "note"], |row| vec![&row.at, &row.iops_bare, &row.mean, &row.note])
}

fn table<'a>(matrix: &'a MatrixView, columns: &[&str], cells: fn(&'a MatrixRow) -> Vec<&'a str>) -> Table {
    let right = columns.iter().map(|name| (*name, if *name == "note" { Align::Left } else { Align::Right }));
    let columns: Vec<(&str, Align)> = std::iter::once((matrix.axis, Align::Left)).chain(right).collect();
    let mut table = Table::new(2, &columns);
    for row in &matrix.rows {
        let cells = cells(row);
        let last = cells.len() - 1;
        let tone = |at: usize| if at == last { Tone::Dim } else { Tone::Plain };
        table.push(cells.into_iter().enumerate().map(|(at, text)| Cell::new(text, tone(at))).collect());
    }
    table
}
