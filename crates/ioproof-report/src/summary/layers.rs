//! Layers held against one another, in two tables, as wide as the terminal has room for.

use super::{Style, heading};
use crate::layout::{Align, Cell, Table, labelled, width, wrap};
use crate::view::{COST_COLUMNS, LayerView, LayersView, SPEED_COLUMNS, SPREAD_LEGEND};

const DASH_LEGEND: &str = "A dash: does not apply, was not counted, or has too few samples.";
/// Lines of a sentence.
const LINES: usize = 3;
/// A layer's name is wrapped to no fewer columns.
const LEAST_NAME: usize = 14;
const GAP: usize = 2;

pub(super) fn layers(view: &LayersView, style: Style) -> Vec<String> {
    let mut lines = heading("Layers", style).to_vec();
    lines.extend(table(view, &SPEED_COLUMNS, |row| &row.speed, &["commit p50", "p99", "p50", "of the layer below", "n"], style));
    lines.extend(heading("What a commit costs", style));
    lines.extend(table(view, &COST_COLUMNS, |row| &row.cost, &["CPU (µs)", "for each byte", "written (KiB)"], style));
    if lines.iter().any(|line| line.contains(" [")) {
        lines.extend(labelled("  ", SPREAD_LEGEND, style.width, LINES));
    }
    if lines.iter().any(|line| line.split_whitespace().any(|word| word == "-")) {
        lines.extend(labelled("  ", DASH_LEGEND, style.width, LINES));
    }
    lines.extend(view.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

/// A table whose names have what room the figures leave; where that is too little, columns go, the first named first.
fn table(view: &LayersView, names: &[&str], cells: fn(&LayerView) -> &[String], first_to_go: &[&str], style: Style) -> Vec<String> {
    let bare = made(view, names, cells, 0).width();
    let longest = view.rows.iter().map(|row| width(&row.title)).max().unwrap_or(0);
    let room = style.width.saturating_sub(bare + GAP).clamp(LEAST_NAME, longest.max(LEAST_NAME));
    made(view, names, cells, room).lines_within(style.width, first_to_go, style.color)
}

fn made(view: &LayersView, names: &[&str], cells: fn(&LayerView) -> &[String], columns: usize) -> Table {
    let head: Vec<(&str, Align)> = std::iter::once(("layer", Align::Left)).chain(names.iter().map(|name| (*name, Align::Right))).collect();
    let mut table = Table::new(GAP, &head);
    let blank = || names.iter().map(|_| Cell::from(""));
    let mut target = "";
    for row in &view.rows {
        if view.has_targets && columns > 0 && target != row.target {
            let lines = wrap(&row.target, columns).into_iter();
            lines.for_each(|line| table.push(std::iter::once(Cell::from(line)).chain(blank()).collect()));
        }
        target = &row.target;
        let mut name = if columns == 0 { vec![] } else { wrap(&row.title, columns) }.into_iter();
        let first = Cell::from(name.next().unwrap_or_default());
        table.push(std::iter::once(first).chain(cells(row).iter().map(|cell| Cell::from(cell.as_str()))).collect());
        name.for_each(|more| table.push(std::iter::once(Cell::from(more)).chain(blank()).collect()));
    }
    table
}
