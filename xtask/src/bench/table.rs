//! Medians, spreads and the cells of a table.

use super::Row;

const TITLE_WIDTH: usize = 50;
const CELL_WIDTH: usize = 20;

pub fn heading(name: &str, columns: &[&str]) -> String {
    let cells: String = columns.iter().map(|c| format!(" {c:>CELL_WIDTH$} |")).collect();
    let rule = format!("{}:|", "-".repeat(CELL_WIDTH + 1)).repeat(columns.len());
    format!("| {name:<TITLE_WIDTH$} |{cells}\n|{}|{rule}", "-".repeat(TITLE_WIDTH + 2))
}

pub fn row(title: &str, row: &Row) -> String {
    let cells = match row {
        Row::Cells(cells) => cells.iter().map(|c| format!(" {c:>CELL_WIDTH$} |")).collect(),
        Row::Without(reason) => format!(" left out: {} |", reason.lines().next().unwrap_or_default()),
    };
    format!("| {title:<TITLE_WIDTH$} |{cells}")
}

/// A word for an aim that was reached or missed.
pub fn mark(reached: bool) -> &'static str {
    if reached { "reached" } else { "missed" }
}

/// An upper limit and whether the value keeps it: `50 reached`; `-` without one.
pub fn most(value: f64, limit: Option<f64>, digits: usize) -> String {
    limit.map_or("-".into(), |limit| format!("{limit:.digits$} {}", mark(value <= limit)))
}

/// A lower limit and whether the value keeps it; `-` without one.
pub fn least(value: f64, limit: Option<f64>, digits: usize) -> String {
    limit.map_or("-".into(), |limit| format!("{limit:.digits$} {}", mark(value >= limit)))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// The middle one; NaN of nothing.
pub fn median(values: &[f64]) -> f64 {
    sorted(values).get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `2059 (1988-2110)`: median, smallest and largest.
pub fn spread(values: &[f64]) -> String {
    match sorted(values).as_slice() {
        [] => "-".into(),
        all @ [first, ..] => format!("{:.0} ({first:.0}-{:.0})", median(values), all[all.len() - 1]),
    }
}
