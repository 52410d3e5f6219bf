//! The ways of making writes durable, in the widest shape that the terminal has room for.

use super::{Style, heading, verdict_tone};
use crate::layout::{Align, Cell, Table, labelled, width, wrap};
use crate::view::{DASH_LEGEND, SPREAD_LEGEND, SYNC_COLUMNS, SyncRow, SyncView};

/// Lines of a sentence, so many that none is cut off.
const LINES: usize = 12;

pub(super) fn syncs(view: &SyncView, style: Style) -> Vec<String> {
    let mut lines = heading("Durable writes", style).to_vec();
    let table = ways(view, style);
    let legend = legend(&table);
    lines.extend(table);
    lines.extend(legend.into_iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    for goal in &view.judged {
        let told = labelled("  ", &goal.brief, style.width, LINES);
        lines.extend(told.into_iter().map(|line| verdict_tone(goal.result.verdict).paint(&line, style.color)));
    }
    lines.extend(view.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

/// The marks that stand in a table.
fn legend(table: &[String]) -> Vec<&'static str> {
    let has_dash = table.iter().any(|line| line.split_whitespace().any(|word| word == "-"));
    let has_spread = table.iter().any(|line| line.contains(" ["));
    [(has_dash, DASH_LEGEND), (has_spread, SPREAD_LEGEND)].into_iter().filter(|(has, _)| *has).map(|(_, text)| text).collect()
}

/// Columns behind the way.
type Shape = (&'static [&'static str], fn(&SyncRow) -> Vec<&str>);

/// From the widest on: everything; rates of writes without their interval; both rates with the medians of write and sync; commits with those medians, since
/// a write that is durable by itself has no sync; commits with the median of syncs.
const SHAPES: [Shape; 5] = [
    (SYNC_COLUMNS.split_at(1).1, |row| row.cells()[1..].to_vec()),
    (SYNC_COLUMNS.split_at(1).1, |row| {
        let mut cells = row.cells();
        cells[3] = &row.writes_bare;
        cells[1..].to_vec()
    }),
    (&["block", "writers", "writes/s", "commits/s", "write p50", "sync p50", "flushes", "n"], |row| {
        vec![&row.block, &row.writers, &row.writes_bare, &row.commits, &row.write_p50, &row.sync_p50, &row.flushes, &row.runs]
    }),
    (&["block", "writers", "commits/s", "write p50", "sync p50", "flushes", "n"], |row| {
        vec![&row.block, &row.writers, &row.commits_or_writes, &row.write_p50, &row.sync_p50, &row.flushes, &row.runs]
    }),
    NARROWEST,
];

const NARROWEST: Shape = (&["block", "writers", "commits/s", "sync p50", "flushes", "n"], |row| {
    vec![&row.block, &row.writers, &row.commits_or_writes, &row.sync_p50, &row.flushes, &row.runs]
});

/// A way's name is wrapped to no fewer columns.
const LEAST_NAME: usize = 16;
const GAP: usize = 2;
/// Left out where not even the narrowest shape fits, the first one first.
const FIRST_TO_GO: [&str; 5] = ["writers", "block", "n", "flushes", "sync p50"];

/// The widest shape that leaves the names of ways room.
fn ways(view: &SyncView, style: Style) -> Vec<String> {
    let longest = view.rows.iter().map(|row| width(&row.title)).max().unwrap_or(0);
    let room = |shape: &Shape| style.width.saturating_sub(table(view, shape, 0).width());
    let fits = |shape: &&Shape| room(shape) >= longest.min(LEAST_NAME);
    match SHAPES.iter().find(fits) {
        Some(shape) => table(view, shape, room(shape)).lines(style.color),
        None => table(view, &NARROWEST, LEAST_NAME).lines_within(style.width, &FIRST_TO_GO, style.color),
    }
}

/// The table with names wrapped to so many columns; of none without names.
fn table(view: &SyncView, (names, cells): &Shape, columns: usize) -> Table {
    let head: Vec<(&str, Align)> = std::iter::once((if columns == 0 { "" } else { "way" }, Align::Left))
        .chain(names.iter().map(|name| (*name, Align::Right)))
        .collect();
    let mut table = Table::new(GAP, &head);
    for row in &view.rows {
        let mut name = if columns == 0 { vec![] } else { wrap(&row.title, columns) }.into_iter();
        let first = Cell::from(name.next().unwrap_or_default());
        table.push(std::iter::once(first).chain(cells(row).into_iter().map(Cell::from)).collect());
        let blank = || names.iter().map(|_| Cell::from(""));
        name.for_each(|more| table.push(std::iter::once(Cell::from(more)).chain(blank()).collect()));
    }
    table
}
