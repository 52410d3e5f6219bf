//! Targets alone and all at once, in a table for each workload, as wide as the terminal has room for.

use super::{Style, heading};
use crate::layout::{Align, Cell, Table, clip, labelled};
use crate::view::{TOGETHER_COLUMNS, TogetherView, WorkloadView};

/// Lines of a sentence.
const LINES: usize = 3;
const GAP: usize = 2;
/// Columns that go where there is no room, the first named first.
const FIRST_TO_GO: [&str; 4] = ["or alone", "or at once", "n", "at once"];
/// A target's name is clipped to so many columns.
const MOST_NAME: usize = 24;

pub(super) fn together(view: &TogetherView, style: Style) -> Vec<String> {
    let mut lines = heading("Each alone and all at once", style).to_vec();
    lines.extend(view.workloads.iter().flat_map(|workload| table(workload, style)));
    lines.extend(view.says.iter().flat_map(|text| labelled("  ", text, style.width, LINES)));
    lines
}

fn table(workload: &WorkloadView, style: Style) -> Vec<String> {
    let head: Vec<(&str, Align)> = TOGETHER_COLUMNS.into_iter().map(|name| (name, Align::Right)).collect();
    let mut table = Table::new(GAP, &[&[("  target", Align::Left)], head.as_slice()].concat());
    for line in &workload.lines {
        let name = Cell::from(format!("  {}", clip(&line.name, MOST_NAME)));
        table.push(std::iter::once(name).chain(line.cells.iter().map(|cell| Cell::from(cell.as_str()))).collect());
    }
    let title = clip(&workload.title, style.width);
    std::iter::once(title).chain(table.lines_within(style.width, &FIRST_TO_GO, style.color)).collect()
}
