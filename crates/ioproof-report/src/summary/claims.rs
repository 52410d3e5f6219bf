//! The table `claim | datasheet | measured | match | verdict`, in the widest shape that the terminal has room for.

use super::{Notes, Style, describe_special, verdict_tone};
use crate::layout::{Align, Cell, Column, Table, Tone, elide, labelled, wrap};
use crate::view::{ReasonView, RowView, Scale, View, counted, share};
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
    row: &'a RowView<'a>,
    marks: String,
    mean: Option<String>,
}

impl<'a> Line<'a> {
    fn new(row: &'a RowView<'a>, view: &View, notes: &mut Notes) -> Self {
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
    let fits = |rows: &[Line], shape| rows.is_empty() || table(rows, shape).width() <= style.width;
    let shape = SHAPES.into_iter().filter(is_of_use).find(|shape| fits(&claimed, *shape) && fits(&other, *shape));
    lines.extend(wrap(&legend(view, shape), style.width).into_iter().map(|line| Tone::Dim.paint(&line, style.color)));
    if !claimed.is_empty() {
        lines.extend(block(&claimed, shape, style));
    }
    if !other.is_empty() {
        if !claimed.is_empty() {
            lines.push(Tone::Dim.paint("also measured, nothing was promised:", style.color));
        }
        lines.extend(block(&other, shape, style));
    }
    lines
}

fn block(rows: &[Line], shape: Option<Shape>, style: Style) -> Vec<String> {
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
    let reasons = bears.map(ReasonView::sentence);
    let special = (!row.conditions.special.is_empty()).then(|| describe_special(&row.conditions));
    let marks: Vec<String> = special.into_iter().chain(reasons).chain(limit).map(|text| notes.mark(text).to_string()).collect();
    marks.join(",")
}

/// Rows with a claim, or such that nothing was promised of; with their targets where the run has several.
fn table(rows: &[Line], shape: Shape) -> Table {
    use Align::{Left, Right};
    let any = |is: fn(&Line) -> bool| rows.iter().any(is);
    let (is_claimed, has_targets) = (any(|line| line.row.claimed.is_some()), any(|line| line.row.conditions.targets.is_some()));
    let (name, gap) = if is_claimed { ("claim", shape.gap) } else { ("workload", shape.gap.max(2)) };
    let columns: [Column<Line>; 11] = [
        (name, Left, true, &|line| title(line.row, shape).into()),
        ("target", Left, has_targets, &|line| {
            line.row.conditions.targets.as_ref().map_or_else(dash, |of| elide(of, target_columns(shape))).into()
        }),
        ("QD", Left, true, &|line| depth(line.row, shape).into()),
        ("datasheet", Right, is_claimed, &|line| line.row.claimed_text().unwrap_or_else(dash).into()),
        ("measured", Left, true, &|line| measured(line.row, shape)),
        ("mean latency", Right, shape.has_mean, &|line| line.mean.clone().unwrap_or_else(dash).into()),
        ("n", Right, true, &|line| line.row.measured.map_or_else(dash, |e| e.runs.to_string()).into()),
        ("match", Right, is_claimed, &|line| share(line.row.matched).unwrap_or_else(dash).into()),
        ("verdict", Left, is_claimed, &|line| verdict(line.row)),
        ("limit", Left, shape.has_limit, &|line| line.row.limit_short.as_str().into()),
        ("see", Left, any(|line| !line.marks.is_empty()), &|line| Cell::new(line.marks.as_str(), Tone::Dim)),
    ];
    Table::of(gap, &columns, rows)
}

fn target_columns(shape: Shape) -> usize {
    match shape.titles {
        Titles::Full => 32,
        Titles::Short => 20,
        Titles::Shortest => 13,
    }
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

fn measured(row: &RowView, shape: Shape) -> Cell {
    match (row.measured, row.claimed) {
        (None, _) => "not measured".into(),
        (Some(e), Some(claimed)) if shape.titles != Titles::Full => Scale::of(row.metric, claimed).bare_interval(&e).into(),
        (Some(e), claimed) => {
            let text = Scale::of(row.metric, e.median).with_interval(&e);
            if claimed.is_none() && row.is_invalid() { Cell::new(format!("{text} INVALID"), Tone::Bad) } else { text.into() }
        }
    }
}

fn verdict(row: &RowView) -> Cell {
    row.verdict.map_or_else(|| dash().into(), |verdict| Cell::new(verdict.title(), verdict_tone(verdict)))
}
