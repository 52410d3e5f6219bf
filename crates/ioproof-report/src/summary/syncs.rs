//! The ways of making writes durable, in the widest shape that the terminal has room for.

use super::{Style, heading, verdict_tone};
use crate::layout::{Align, Table, labelled, width, wrap};
use crate::view::{SPREAD_LEGEND, SyncView};
use ioproof_core::results::{Figure, Part, ResultTable};

/// Lines of a sentence, so many that none is cut off.
const LINES: usize = 12;

/// The meaning of a dash alone.
const DASH_LEGEND: &str = "A dash: does not apply, was not counted, or has too few samples. Where each write is a commit, commits/s are the \
                           writes/s too; a write that is durable by itself has no sync.";

pub(super) fn syncs(view: &SyncView, style: Style) -> Vec<String> {
    let mut lines = heading(view.table.title, style).to_vec();
    let table = view.table.parts.iter().flat_map(|part| ways(&view.table, part, style)).collect::<Vec<_>>();
    let legend = legend(&table);
    lines.extend(table);
    lines.extend(legend.into_iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    for goal in &view.judged {
        let told = labelled("  ", &goal.brief, style.width, LINES);
        lines.extend(told.into_iter().map(|line| verdict_tone(goal.result.verdict).paint(&line, style.color)));
    }
    lines.extend(view.table.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

/// The marks that stand in a table.
fn legend(table: &[String]) -> Vec<&'static str> {
    let has_dash = table.iter().any(|line| line.split_whitespace().any(|word| word == "-"));
    let has_spread = table.iter().any(|line| line.contains(" ["));
    [(has_dash, DASH_LEGEND), (has_spread, SPREAD_LEGEND)].into_iter().filter(|(has, _)| *has).map(|(_, text)| text).collect()
}

/// Positions among the columns of the text table behind the way, and how its rates are printed.
type Shape = (&'static [usize], Rates);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rates {
    Whole,
    /// Writes without their interval.
    Short,
    /// Commits; of a way that commits nothing its writes: `36200 writes`.
    One,
}

const WRITES: usize = 3;
const COMMITS: usize = 4;

/// From the widest on: everything; rates of writes without their interval; both rates with the medians of write and sync; commits with those medians, since
/// a write that is durable by itself has no sync; commits with the median of syncs.
const SHAPES: [Shape; 5] = [
    (&[1, 2, WRITES, COMMITS, 5, 6, 7, 8, 9, 10], Rates::Whole),
    (&[1, 2, WRITES, COMMITS, 5, 6, 7, 8, 9, 10], Rates::Short),
    (&[1, 2, WRITES, COMMITS, 5, 7, 9, 10], Rates::Short),
    (&[1, 2, COMMITS, 5, 7, 9, 10], Rates::One),
    NARROWEST,
];

const NARROWEST: Shape = (&[1, 2, COMMITS, 7, 9, 10], Rates::One);

/// A way's name is wrapped to no fewer columns.
const LEAST_NAME: usize = 16;
const GAP: usize = 2;
/// Left out where not even the narrowest shape fits, the first one first.
const FIRST_TO_GO: [&str; 5] = ["writers", "block", "n", "flushes", "sync p50"];

/// The widest shape that leaves the names of ways room.
fn ways(of: &ResultTable, part: &Part, style: Style) -> Vec<String> {
    let longest = of.cells(part).iter().map(|cells| width(&cells[0])).max().unwrap_or(0);
    let room = |shape: &Shape| style.width.saturating_sub(table(of, part, *shape, 0).width());
    let fits = |shape: &&Shape| room(shape) >= longest.min(LEAST_NAME);
    match SHAPES.iter().find(fits) {
        Some(shape) => table(of, part, *shape, room(shape)).lines(style.color),
        None => table(of, part, NARROWEST, LEAST_NAME).lines_within(style.width, &FIRST_TO_GO, style.color),
    }
}

/// The table with names wrapped to so many columns; of none without names.
fn table(of: &ResultTable, part: &Part, (shape, rates): Shape, columns: usize) -> Table {
    let names: Vec<&str> = of.names(part).collect();
    let first = if columns == 0 { "" } else { names[0] };
    let head = std::iter::once((first, Align::Left)).chain(shape.iter().map(|at| (names[*at], Align::Right))).collect::<Vec<_>>();
    let mut table = Table::new(GAP, &head);
    for (row, mut cells) in of.rows.iter().zip(of.cells(part)) {
        let writes = of.columns[part.columns[WRITES]].median_text(&row[part.columns[WRITES]]);
        if rates == Rates::One && row[part.columns[COMMITS]] == Figure::None {
            cells[COMMITS] = format!("{writes} writes");
        }
        if rates == Rates::Short {
            cells[WRITES] = writes;
        }
        let name = if columns == 0 { vec![] } else { wrap(&cells[0], columns) };
        table.push_named(name, shape.iter().map(|at| cells[*at].clone()));
    }
    table
}
