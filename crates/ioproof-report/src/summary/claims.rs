//! The table `claim | datasheet | measured | match | verdict`, in the widest shape that the terminal has room for.

use super::{Notes, Style, describe_special, verdict_tone};
use crate::layout::{Align, Cell, Table, Tone, elide, labelled, wrap};
use crate::view::{RowView, Scale, View, counted, share};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::finding::Effect;
use ioproof_core::judge::AVERAGE;
use ioproof_core::units::latency;
use ioproof_core::verdict::Verdict;

/// Degrees to which a table abbreviates, and the blanks between its columns.
#[derive(Debug, Clone, Copy)]
struct Shape {
    titles: Titles,
    gap: usize,
    /// True where the mean latency stands beside the rate.
    has_mean: bool,
    /// True where the limit has a column.
    has_limit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Titles {
    /// `random read 4 KiB  4 x 32 = 128`, and the unit with the median.
    Full,
    /// `rand read 4 KiB  4x32=128`, the unit in the datasheet's column only.
    Short,
    /// `rand read 4 KiB  32/128`.
    Shortest,
}

const fn shape(titles: Titles, gap: usize, has_mean: bool, has_limit: bool) -> Shape {
    Shape { titles, gap, has_mean, has_limit }
}

const SHAPES: [Shape; 9] = [
    shape(Titles::Full, 2, true, true),
    shape(Titles::Short, 2, true, true),
    shape(Titles::Full, 2, false, true),
    shape(Titles::Short, 2, false, true),
    shape(Titles::Short, 1, false, true),
    shape(Titles::Full, 2, false, false),
    shape(Titles::Short, 2, false, false),
    shape(Titles::Short, 1, false, false),
    shape(Titles::Shortest, 1, false, false),
];

/// A row of the table with its footnotes, and the mean latency of its I/Os where the figure is a rate.
struct Line<'a> {
    row: &'a RowView,
    marks: String,
    mean: Option<String>,
}

impl<'a> Line<'a> {
    fn new(row: &'a RowView, view: &View, notes: &mut Notes) -> Self {
        let of_job = view.latencies.iter().find(|latency| row.metric != Metric::Latency && Some(latency.job) == row.job);
        Self { row, marks: marks_of(row, view, notes), mean: of_job.and_then(|of| of.run_mean_ns).map(latency) }
    }
}

pub(super) fn claims(view: &View, notes: &mut Notes, style: Style) -> Vec<String> {
    let rows: Vec<&RowView> = view.rows.iter().filter(|row| !row.is_skipped() && !is_shown_elsewhere(row, view)).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let (claimed, other): (Vec<Line>, Vec<Line>) =
        rows.into_iter().map(|row| Line::new(row, view, notes)).partition(|line| line.row.claimed.is_some());
    let mut lines = vec![String::new()];
    let has_mean = claimed.iter().chain(&other).any(|line| line.mean.is_some());
    let has_limit = claimed.iter().chain(&other).any(|line| tells_limit(line.row));
    let is_of_use = |shape: &Shape| (has_mean || !shape.has_mean) && (has_limit || !shape.has_limit);
    let shape = SHAPES.into_iter().filter(is_of_use).find(|shape| fits(&claimed, &other, *shape, style));
    lines.extend(wrap(&legend(view, shape), style.width).into_iter().map(|line| Tone::Dim.paint(&line, style.color)));
    if !claimed.is_empty() {
        lines.extend(block(&claimed, shape, style, claim_table));
    }
    if !other.is_empty() {
        if !claimed.is_empty() {
            lines.push(Tone::Dim.paint("also measured, nothing was promised:", style.color));
        }
        lines.extend(block(&other, shape, style, other_table));
    }
    lines
}

fn fits(claimed: &[Line], other: &[Line], shape: Shape, style: Style) -> bool {
    let fits = |rows: &[Line], table: fn(&[Line], Shape) -> Table| rows.is_empty() || table(rows, shape).width() <= style.width;
    fits(claimed, claim_table) && fits(other, other_table)
}

fn block(rows: &[Line], shape: Option<Shape>, style: Style, table: fn(&[Line], Shape) -> Table) -> Vec<String> {
    match shape {
        Some(shape) => table(rows, shape).lines(style.color),
        None => rows.iter().flat_map(|line| stacked(line, style)).collect(),
    }
}

/// Explanation of the columns, above the table.
fn legend(view: &View, shape: Option<Shape>) -> String {
    let depth = match shape.map(|shape| shape.titles) {
        Some(Titles::Shortest) => "QD: queue depth per worker/in total.",
        _ => "QD: workers x queue depth per worker = in total.",
    };
    let is_unsure = shape.is_some_and(|shape| shape.has_limit) && view.rows.iter().any(|row| row.limit_short.ends_with('?'));
    let limit = if is_unsure { " limit: what held the figure back; drive? is likely, ? is not known." } else { "" };
    format!("{depth} {}{limit}", view.interval_legend())
}

/// True where the table of latencies, or the matrix of a sweep, shows the same figure.
fn is_shown_elsewhere(row: &RowView, view: &View) -> bool {
    if view.is_in_own_table(row) {
        return true;
    }
    let mean = row.metric == Metric::Latency && matches!(row.statistic, None | Some(Statistic::Mean));
    mean && row.claimed.is_none() && view.latencies_in_short().any(|known| Some(known.job) == row.job)
}

/// The footnotes of a row: the conditions that differ, and the limit at length where a claim is missed. Findings have lines of their own.
fn marks_of(row: &RowView, view: &View, notes: &mut Notes) -> String {
    let is_missed = row.verdict == Some(Verdict::Misses) && !row.limited_by.is_empty();
    let limit = is_missed.then(|| format!("limit: {}", row.limited_by));
    let found = |about: &str| view.findings.iter().any(|finding| finding.rule == about);
    let bears = row.reasons.iter().filter(|reason| (reason.effect != Effect::None || reason.about == AVERAGE) && !found(&reason.about));
    let reasons = bears.map(|reason| reason.sentence());
    let special = (!row.conditions.special.is_empty()).then(|| describe_special(&row.conditions));
    let marks: Vec<String> = special.into_iter().chain(reasons).chain(limit).map(|text| notes.mark(text).to_string()).collect();
    marks.join(",")
}

fn claim_table(rows: &[Line], shape: Shape) -> Table {
    use Align::{Left, Right};
    let mean = if shape.has_mean { [("mean latency", Right)].as_slice() } else { &[] };
    let before = [("QD", Left), ("datasheet", Right), ("measured", Left)];
    let behind = [("n", Right), ("match", Right), ("verdict", Left)];
    let limit = limit_column(shape);
    let see = see(rows);
    let mut table = Table::new(shape.gap, &[&leading("claim", rows), before.as_slice(), mean, behind.as_slice(), limit, see].concat());
    for line in rows {
        let row = line.row;
        let mut cells = leading_cells(row, rows, shape);
        cells.extend([depth(row, shape).into(), row.claimed_text().unwrap_or_else(dash).into(), measured(row, shape).into()]);
        cells.extend(mean_cell(line, shape));
        cells.extend([runs(row).into(), share(row.matched).unwrap_or_else(dash).into(), verdict(row)]);
        cells.extend(shape.has_limit.then(|| row.limit_short.as_str().into()));
        cells.extend((!see.is_empty()).then(|| Cell::new(line.marks.as_str(), Tone::Dim)));
        table.push(cells);
    }
    table
}

fn other_table(rows: &[Line], shape: Shape) -> Table {
    use Align::{Left, Right};
    let mean = if shape.has_mean { [("mean latency", Right)].as_slice() } else { &[] };
    let (before, behind, limit) = ([("QD", Left), ("measured", Left)], [("n", Right)], limit_column(shape));
    let see = see(rows);
    let mut table =
        Table::new(shape.gap.max(2), &[&leading("workload", rows), before.as_slice(), mean, behind.as_slice(), limit, see].concat());
    for line in rows {
        let row = line.row;
        let measured = row.measured_text().unwrap_or_else(|| "not measured".into());
        let measured = if row.is_invalid() { Cell::new(format!("{measured} INVALID"), Tone::Bad) } else { measured.into() };
        let mut cells = leading_cells(row, rows, shape);
        cells.extend([depth(row, shape).into(), measured]);
        cells.extend(mean_cell(line, shape));
        cells.push(runs(row).into());
        cells.extend(shape.has_limit.then(|| row.limit_short.as_str().into()));
        cells.extend((!see.is_empty()).then(|| Cell::new(line.marks.as_str(), Tone::Dim)));
        table.push(cells);
    }
    table
}

fn limit_column(shape: Shape) -> &'static [(&'static str, Align)] {
    if shape.has_limit { &[("limit", Align::Left)] } else { &[] }
}

/// The column of footnotes, where a row has some.
fn see(rows: &[Line]) -> &'static [(&'static str, Align)] {
    if rows.iter().all(|line| line.marks.is_empty()) { &[] } else { &[("see", Align::Left)] }
}

fn mean_cell(line: &Line, shape: Shape) -> Option<Cell> {
    shape.has_mean.then(|| line.mean.clone().unwrap_or_else(dash).into())
}

/// The columns that name a row: its title, and its targets where the run has several.
fn leading<'a>(title: &'a str, rows: &[Line]) -> Vec<(&'a str, Align)> {
    let targets = has_targets(rows).then_some(("target", Align::Left));
    [(title, Align::Left)].into_iter().chain(targets).collect()
}

fn leading_cells(row: &RowView, rows: &[Line], shape: Shape) -> Vec<Cell> {
    let columns = match shape.titles {
        Titles::Full => 32,
        Titles::Short => 20,
        Titles::Shortest => 13,
    };
    let targets = || row.conditions.targets.as_ref().map_or_else(dash, |targets| elide(targets, columns));
    [Some(title(row, shape)), has_targets(rows).then(targets)].into_iter().flatten().map(Cell::from).collect()
}

fn has_targets(rows: &[Line]) -> bool {
    rows.iter().any(|line| line.row.conditions.targets.is_some())
}

/// The row as a few lines, where no table has room.
fn stacked(line: &Line, style: Style) -> Vec<String> {
    let (row, marks) = (line.row, &line.marks);
    let targets = row.conditions.targets.as_ref().map(|targets| format!(" on {targets}")).unwrap_or_default();
    let mut lines = wrap(&format!("{}, QD {}{targets}", row.plain_title(), row.conditions.depth_formula()), style.width);
    let measured = row.measured_text().map_or_else(
        || "not measured".into(),
        |text| format!("measured {text}, {}", counted(row.measured.map_or(0, |e| e.runs.into()), "run")),
    );
    let claimed = row.claimed_text().map(|text| format!("datasheet {text}, ")).unwrap_or_default();
    let mean = line.mean.as_ref().map(|mean| format!(", {mean} an I/O")).unwrap_or_default();
    lines.extend(labelled("  ", &format!("{claimed}{measured}{mean}"), style.width, 3));
    let matched = share(row.matched).map(|share| format!("{share}, ")).unwrap_or_default();
    let marks = if marks.is_empty() { String::new() } else { format!(" {marks}") };
    if let Some(verdict) = row.verdict {
        lines.push(format!("  {matched}{}{marks}", verdict_tone(verdict).paint(verdict.title(), style.color)));
    } else if !marks.is_empty() {
        lines.push(format!("  note{marks}"));
    }
    if tells_limit(row) {
        lines.push(format!("  limit {}", row.limit_short));
    }
    lines
}

fn tells_limit(row: &RowView) -> bool {
    !["-", "?"].contains(&row.limit_short.as_str())
}

fn dash() -> String {
    "-".into()
}

fn title(row: &RowView, shape: Shape) -> String {
    if shape.titles == Titles::Full { row.plain_title() } else { row.short() }
}

fn depth(row: &RowView, shape: Shape) -> String {
    match shape.titles {
        Titles::Full => row.conditions.depth_formula(),
        Titles::Short => row.conditions.depth_formula().replace(' ', ""),
        Titles::Shortest => format!("{}/{}", row.conditions.depth, row.conditions.outstanding),
    }
}

fn measured(row: &RowView, shape: Shape) -> String {
    match (row.measured, row.claimed) {
        (None, _) => "not measured".into(),
        (Some(e), Some(claimed)) if shape.titles != Titles::Full => Scale::of(row.metric, claimed).bare_interval(&e),
        (Some(e), _) => Scale::of(row.metric, e.median).with_interval(&e),
    }
}

fn runs(row: &RowView) -> String {
    row.measured.map_or_else(dash, |e| e.runs.to_string())
}

fn verdict(row: &RowView) -> Cell {
    row.verdict.map_or_else(|| dash().into(), |verdict| Cell::new(verdict.title(), verdict_tone(verdict)))
}
