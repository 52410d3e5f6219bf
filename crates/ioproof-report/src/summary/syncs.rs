//! The ways of making writes durable, in the widest shape that the terminal has room for.

use super::{Style, heading, verdict_tone};
use crate::layout::{Align, Cell, Table, labelled};
use crate::view::{SYNC_COLUMNS, SyncRow, SyncView};

/// Lines of a sentence.
const LINES: usize = 3;

pub(super) fn syncs(view: &SyncView, style: Style) -> Vec<String> {
    let mut lines = heading("Durable writes", style).to_vec();
    let shapes = [wide as fn(&SyncView) -> Table, narrow];
    let fitting = shapes.into_iter().map(|shape| shape(view)).find(|table| table.width() <= style.width);
    lines.extend(fitting.unwrap_or_else(|| narrow(view)).lines(style.color));
    for (verdict, text) in &view.goals {
        let told = labelled("  ", text, style.width, LINES);
        lines.extend(told.into_iter().map(|line| verdict_tone(*verdict).paint(&line, style.color)));
    }
    lines.extend(view.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

fn wide(view: &SyncView) -> Table {
    table(view, &SYNC_COLUMNS, |row| row.cells().to_vec())
}

/// Without what the report has too.
fn narrow(view: &SyncView) -> Table {
    table(view, &["way", "block", "writers", "commits/s", "sync p50", "p99", "flushes"], |row| {
        vec![&row.title, &row.block, &row.writers, &row.commits_bare, &row.sync_p50, &row.sync_p99, &row.flushes]
    })
}

fn table<'a>(view: &'a SyncView, columns: &[&str], cells: fn(&'a SyncRow) -> Vec<&'a str>) -> Table {
    let columns: Vec<(&str, Align)> = columns.iter().map(|name| (*name, if *name == "way" { Align::Left } else { Align::Right })).collect();
    let mut table = Table::new(2, &columns);
    view.rows.iter().for_each(|row| table.push(cells(row).into_iter().map(Cell::from).collect()));
    table
}
