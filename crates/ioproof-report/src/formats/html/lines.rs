//! Lines of results over rounds: values, the window that counts as a band, and the levels that bound it.

use super::charts;
use super::plot::{Line, Mark, Panel, Plot, Point, Tick, round_steps};
use crate::view::Scale;
use ioproof_core::results::{ChartLine, ChartNames, LineChart};

const HEIGHT: f64 = 150.0;
/// Labels of the lower axis at most.
const MOST_LABELS: u32 = 12;

/// The charts side by side.
pub(super) fn lines(all: &[LineChart]) -> String {
    let figures: String = all.iter().map(|chart| figure(chart) + &matrix(chart)).collect();
    charts(&figures)
}

fn figure(chart: &LineChart) -> String {
    let values = || chart.lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value);
    let most = values().chain(chart.levels.iter().map(|(level, _)| *level)).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let scale = Scale::of(chart.metric, most);
    let steps = round_steps(most / scale.factor);
    let top = steps.last().copied().unwrap_or(1.0) * scale.factor;
    let ticks = steps.iter().map(|step| Tick { at: step * scale.factor / top, label: scale.number(step * scale.factor) }).collect();
    let across = |round: f64| round / f64::from(chart.rounds + 1);
    // From the middle between two rounds to the middle between two rounds.
    let window = chart.window.map(|(first, last)| Mark::Band(across(f64::from(first) - 0.5), across(f64::from(last) + 0.5), "window"));
    let levels = chart.levels.iter().map(|(level, name)| Mark::Level(level / top, (*name).to_owned()));
    let panel = Panel {
        name: scale.unit.to_owned(),
        height: HEIGHT,
        ticks,
        marks: window.into_iter().chain(levels).collect(),
        lines: chart.lines.iter().enumerate().map(|(look, of)| line(look, of, chart, (top, &across))).collect(),
    };
    let every = chart.rounds.div_ceil(MOST_LABELS).max(1);
    let x_name = chart.names.as_ref().map_or("round", |names| names.axis);
    let x_ticks = (1..=chart.rounds).step_by(every as usize).map(|n| Tick { at: across(n.into()), label: place(chart, n) }).collect();
    let plot = Plot::new(chart.id.clone(), chart.title.clone(), described(chart), (x_name, x_ticks), vec![panel]);
    plot.figure(&chart.title, chart.about)
}

fn line(look: usize, of: &ChartLine, chart: &LineChart, (top, across): (f64, &dyn Fn(f64) -> f64)) -> Line {
    let point =
        |(round, value): &(f64, f64)| Point { x: across(*round), to: None, y: value / top, text: chart.metric.show(*value), begins: false };
    let label = |(at, _): &(f64, f64)| if chart.names.is_some() { place(chart, *at as u32) } else { format!("round {at}") };
    let labels = of.points.iter().map(label).collect();
    Line { labels, ..Line::new(of.name.clone(), look, of.points.iter().map(point).collect()) }
}

/// The name of a place of the axis, from 1.
fn place(chart: &LineChart, at: u32) -> String {
    let name = chart.names.as_ref().and_then(|names| names.places.get(at as usize - 1));
    name.map_or_else(|| at.to_string(), |name| name.trim_end_matches(" KiB").to_owned())
}

/// Levels of a heat map.
const LEVELS: f64 = 5.0;

/// The matrix of lines over names as a heat map, a row each: the darker the more, by ratio. Nothing of lines over rounds.
fn matrix(chart: &LineChart) -> String {
    let Some(ChartNames { axis, lines: of_lines, places }) = &chart.names else { return String::new() };
    let values = || chart.lines.iter().flat_map(|line| &line.points).map(|(_, value)| value.ln()).filter(|log| log.is_finite());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let level = |value: f64| {
        let share = if high > low { (value.ln() - low) / (high - low) } else { 1.0 };
        (share.clamp(0.0, 0.999) * LEVELS) as u8 + 1
    };
    let (width, height) = (1.0 / places.len().max(1) as f64, 1.0 / chart.lines.len().max(1) as f64);
    let cell = |row: usize, (at, value): &(f64, f64)| {
        let (left, bottom) = ((at - 1.0) * width, row as f64 * height);
        ([left, left + width, bottom, bottom + height], level(*value))
    };
    let cells = chart.lines.iter().enumerate().flat_map(|(row, line)| line.points.iter().map(move |point| cell(row, point)));
    let row = |(row, line): (usize, &ChartLine)| Tick { at: (row as f64 + 0.5) * height, label: line.name.clone() };
    let panel = Panel {
        name: (*of_lines).into(),
        height: HEIGHT,
        ticks: chart.lines.iter().enumerate().map(row).collect(),
        marks: vec![Mark::Heat(cells.collect())],
        lines: Vec::new(),
    };
    let x_ticks = (1..=chart.rounds).map(|n| Tick { at: (f64::from(n) - 0.5) * width, label: place(chart, n) }).collect();
    let plot = Plot::new(format!("{}-heat", chart.id), chart.title.clone(), described(chart), (axis, x_ticks), vec![panel]);
    plot.figure(&chart.title, "the darker, the larger")
}

/// All values in words, for readers who do not see the lines.
fn described(chart: &LineChart) -> String {
    let of = |line: &ChartLine| {
        let values: Vec<String> = line.points.iter().map(|(_, value)| chart.metric.show(*value)).collect();
        format!("{}: {}", line.name, values.join(", "))
    };
    let window = chart.window.map(|(first, last)| format!("measurement window: rounds {first} to {last}"));
    chart.lines.iter().map(of).chain(window).collect::<Vec<_>>().join("; ")
}
