//! The curves of a sweep, comparable series in one chart: throughput and latency over what rises, and latency over throughput. From where more only queues a
//! line is pale.

use super::plot::{Decades, LOOKS, Line, Panel, Plot, Point, Tick, round_steps};
use super::section;
use crate::view::Scale;
use ioproof_core::sweep::{Axis, LinePoint, SeriesLine};
use ioproof_core::units::{latency, three_digits};

/// Labels of the lower axis are this far apart at least, as a share of it.
const APART: f64 = 0.1;
const HEIGHT: f64 = 150.0;

/// The charts of all series; none where no series has two cells.
pub(super) fn curves(all: &[SeriesLine]) -> String {
    let mut groups: Vec<(&str, Vec<&SeriesLine>)> = Vec::new();
    for series in all.iter().filter(|series| series.points.len() > 1) {
        match groups.iter_mut().find(|(group, all)| *group == series.group && all.len() < LOOKS) {
            Some((_, all)) => all.push(series),
            None => groups.push((&series.group, vec![series])),
        }
    }
    let of = |(number, (group, all)): (usize, &(&str, Vec<&SeriesLine>))| Chart::of(all).map(|chart| chart.figures(number, group, all));
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
    fn of(all: &[&SeriesLine]) -> Option<Self> {
        let points = || all.iter().flat_map(|series| &series.points);
        let low = points().map(log).reduce(f64::min)?;
        let high = points().map(log).reduce(f64::max)?;
        let most = points().map(|point| point.rate).fold(0.0, f64::max);
        let scale = Scale::of(all.first()?.metric, most);
        let top = round_steps(most / scale.factor).last().copied().unwrap_or(1.0) * scale.factor;
        Some(Self { rises: (low, high.max(low + 1.0)), scale, top, decades: Decades::of(points().map(|point| point.latency_ns))? })
    }

    fn figures(&self, number: usize, group: &str, all: &[&SeriesLine]) -> String {
        let rises = if all.iter().any(|series| series.axis == Axis::BlockSize) { "block size" } else { "I/Os outstanding in total" };
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
        let at = |point: &LinePoint| self.at(point);
        let rate = |point: &LinePoint| point.rate / self.top;
        let slow = |point: &LinePoint| self.decades.up(point.latency_ns);
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

    fn at(&self, point: &LinePoint) -> f64 {
        (log(point) - self.rises.0) / (self.rises.1 - self.rises.0)
    }

    fn x_ticks(&self, all: &[&SeriesLine]) -> Vec<Tick> {
        let mut points: Vec<&LinePoint> = all.iter().flat_map(|series| &series.points).collect();
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

fn log(point: &LinePoint) -> f64 {
    point.at.max(1.0).log2()
}

/// A line a series over what rises, each point with its value.
fn lines(all: &[&SeriesLine], x: impl Fn(&LinePoint) -> f64, y: impl Fn(&LinePoint) -> f64, is_latency: bool) -> Vec<Line> {
    let text = |series: &SeriesLine, point: &LinePoint| {
        if is_latency { latency(point.latency_ns) } else { series.metric.show(point.rate) }
    };
    all.iter().enumerate().map(|(look, series)| line(look, series, &x, &y, text)).collect()
}

/// The same over throughput, each point with both values.
fn both(all: &[&SeriesLine], x: impl Fn(&LinePoint) -> f64, y: impl Fn(&LinePoint) -> f64) -> Vec<Line> {
    let text =
        |series: &SeriesLine, point: &LinePoint| format!("{} with {} of {}", latency(point.latency_ns), series.axis.name(), point.label);
    let rates = |series: &SeriesLine| series.points.iter().map(|point| series.metric.show(point.rate)).collect();
    all.iter().enumerate().map(|(look, series)| Line { labels: rates(series), ..line(look, series, &x, &y, text) }).collect()
}

fn line(
    look: usize,
    series: &SeriesLine,
    x: &impl Fn(&LinePoint) -> f64,
    y: &impl Fn(&LinePoint) -> f64,
    text: impl Fn(&SeriesLine, &LinePoint) -> String,
) -> Line {
    let point = |point: &LinePoint| Point { x: x(point), to: None, y: y(point), text: text(series, point), begins: false };
    Line {
        name: series.name.clone(),
        look,
        points: series.points.iter().map(point).collect(),
        pale_from: series.full,
        labels: series.points.iter().map(|point| point.label.clone()).collect(),
    }
}

/// The ends of each series in words, for those who do not see the curves; the tables have all.
fn describe(all: &[&SeriesLine]) -> String {
    let end = |series: &SeriesLine, point: &LinePoint| {
        format!("{} and {} at {}", series.metric.show(point.rate), latency(point.latency_ns), point.label)
    };
    let ends = |series: &&SeriesLine| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        Some(format!("{}: {} to {}", series.name, end(series, first), end(series, last)))
    };
    all.iter().filter_map(ends).collect::<Vec<_>>().join("; ")
}
