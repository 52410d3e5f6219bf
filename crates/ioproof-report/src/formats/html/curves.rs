//! The curves of a sweep, comparable series in one chart: throughput and latency over what rises, and latency over throughput. From where more only queues a
//! line is pale.

use super::plot::{Decades, LOOKS, Line, Panel, Plot, Point, Tick, round_steps};
use super::section;
use crate::view::{MatrixPoint, MatrixView, Scale};
use ioproof_core::units::{latency, three_digits};

/// Labels of the lower axis are this far apart at least, as a share of it.
const APART: f64 = 0.1;
const HEIGHT: f64 = 150.0;

/// The charts of all series; none where no series has two cells.
pub(super) fn curves(matrices: &[MatrixView]) -> String {
    let mut groups: Vec<(&str, Vec<&MatrixView>)> = Vec::new();
    for matrix in matrices.iter().filter(|matrix| matrix.points.len() > 1) {
        match groups.iter_mut().find(|(group, all)| *group == matrix.group && all.len() < LOOKS) {
            Some((_, all)) => all.push(matrix),
            None => groups.push((&matrix.group, vec![matrix])),
        }
    }
    let of = |(number, (group, all)): (usize, &(&str, Vec<&MatrixView>))| Chart::of(all).map(|chart| chart.figures(number, group, all));
    let figures: String = groups.iter().enumerate().filter_map(of).collect();
    if figures.is_empty() {
        return figures;
    }
    let text = "<p>Series that can be compared share a chart. A line turns pale where more I/Os at a time only wait longer.</p>\n";
    section("At a glance", &format!("{text}<div class=\"charts\">\n{figures}</div>\n"))
}

/// Axes that the series of a group share.
struct Chart {
    /// Powers of two of what rises.
    rises: (f64, f64),
    scale: Scale,
    top: f64,
    decades: Decades,
}

impl Chart {
    fn of(all: &[&MatrixView]) -> Option<Self> {
        let points = || all.iter().flat_map(|matrix| &matrix.points);
        let low = points().map(log).reduce(f64::min)?;
        let high = points().map(log).reduce(f64::max)?;
        let most = points().map(|point| point.throughput).fold(0.0, f64::max);
        let scale = Scale::of(all.first()?.metric, most);
        let top = round_steps(most / scale.factor).last().copied().unwrap_or(1.0) * scale.factor;
        Some(Self { rises: (low, high.max(low + 1.0)), scale, top, decades: Decades::of(points().map(|point| point.latency_ns))? })
    }

    fn figures(&self, number: usize, group: &str, all: &[&MatrixView]) -> String {
        let rises = if all.iter().any(|matrix| matrix.axis == "block size") { "block size" } else { "I/Os outstanding in total" };
        let steps = round_steps(self.top / self.scale.factor);
        let share = |step: f64| step * self.scale.factor / self.top;
        let ticks = || steps.iter().map(|step| Tick { at: share(*step), label: three_digits(*step) }).collect::<Vec<_>>();
        let figure = |side: &str, x_name: &str, x_ticks: Vec<Tick>, panel: Panel| {
            let plot = Plot {
                id: format!("sweep-{number}-{}", side.replace(' ', "-")),
                title: format!("{side}: {group}"),
                description: describe(all),
                x_name: x_name.to_owned(),
                x_ticks,
                x_span: None,
                panels: vec![panel],
            };
            plot.figure(group, side)
        };
        let panel = |name: &str, ticks, lines| Panel { name: name.to_owned(), height: HEIGHT, ticks, marks: Vec::new(), lines };
        let at = |point: &MatrixPoint| self.at(point);
        let rate = |point: &MatrixPoint| point.throughput / self.top;
        let slow = |point: &MatrixPoint| self.decades.up(point.latency_ns);
        let x_ticks = self.x_ticks(all);
        [
            figure("throughput", rises, x_ticks, panel(self.scale.unit, ticks(), lines(all, at, rate, false))),
            figure("mean latency", rises, self.x_ticks(all), panel("mean latency", self.decades.ticks(), lines(all, at, slow, true))),
            figure(
                "mean latency against throughput",
                self.scale.unit,
                ticks(),
                panel("mean latency", self.decades.ticks(), both(all, rate, slow)),
            ),
        ]
        .concat()
    }

    fn at(&self, point: &MatrixPoint) -> f64 {
        (log(point) - self.rises.0) / (self.rises.1 - self.rises.0)
    }

    fn x_ticks(&self, all: &[&MatrixView]) -> Vec<Tick> {
        let mut points: Vec<&MatrixPoint> = all.iter().flat_map(|matrix| &matrix.points).collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut ticks: Vec<Tick> = Vec::new();
        for point in points {
            let at = self.at(point);
            if ticks.last().is_none_or(|last| at - last.at >= APART) {
                ticks.push(Tick { at, label: point.label.clone() });
            }
        }
        ticks
    }
}

fn log(point: &MatrixPoint) -> f64 {
    point.at.max(1.0).log2()
}

/// A line a series over what rises, each point with its value.
fn lines(all: &[&MatrixView], x: impl Fn(&MatrixPoint) -> f64, y: impl Fn(&MatrixPoint) -> f64, is_latency: bool) -> Vec<Line> {
    let text = |matrix: &MatrixView, point: &MatrixPoint| {
        if is_latency { latency(point.latency_ns) } else { matrix.metric.show(point.throughput) }
    };
    all.iter().enumerate().map(|(look, matrix)| line(look, matrix, &x, &y, text)).collect()
}

/// The same over throughput, each point with both values.
fn both(all: &[&MatrixView], x: impl Fn(&MatrixPoint) -> f64, y: impl Fn(&MatrixPoint) -> f64) -> Vec<Line> {
    let text = |matrix: &MatrixView, point: &MatrixPoint| format!("{} with {} of {}", latency(point.latency_ns), matrix.axis, point.label);
    let rates = |matrix: &MatrixView| matrix.points.iter().map(|point| matrix.metric.show(point.throughput)).collect();
    all.iter().enumerate().map(|(look, matrix)| Line { labels: rates(matrix), ..line(look, matrix, &x, &y, text) }).collect()
}

fn line(
    look: usize,
    matrix: &MatrixView,
    x: &impl Fn(&MatrixPoint) -> f64,
    y: &impl Fn(&MatrixPoint) -> f64,
    text: impl Fn(&MatrixView, &MatrixPoint) -> String,
) -> Line {
    let point = |point: &MatrixPoint| Point { x: x(point), to: None, y: y(point), text: text(matrix, point), begins: false };
    Line {
        name: matrix.name.clone(),
        look,
        points: matrix.points.iter().map(point).collect(),
        pale_from: matrix.full,
        labels: matrix.points.iter().map(|point| point.label.clone()).collect(),
    }
}

/// The ends of each series in words, for those who do not see the curves; the tables have all.
fn describe(all: &[&MatrixView]) -> String {
    let end = |matrix: &MatrixView, point: &MatrixPoint| {
        format!("{} and {} at {}", matrix.metric.show(point.throughput), latency(point.latency_ns), point.label)
    };
    let ends = |matrix: &&MatrixView| {
        let (first, last) = (matrix.points.first()?, matrix.points.last()?);
        Some(format!("{}: {} to {}", matrix.name, end(matrix, first), end(matrix, last)))
    };
    all.iter().filter_map(ends).collect::<Vec<_>>().join("; ")
}
