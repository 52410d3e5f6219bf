//! Curves over what rises: of comparable series of a sweep, or of one series in several runs. From where more only queues a line is pale.

use super::plot::{Decades, LOOKS, Line, Panel, Plot, Point, Tick, round_steps};
use super::section;
use crate::view::Scale;
use ioproof_core::sweep::{Axis, LinePoint, SeriesLine};
use ioproof_core::units::{latency, three_digits};

/// Labels of the lower axis are this far apart at least, as a share of it.
const APART: f64 = 0.1;
const HEIGHT: f64 = 150.0;

/// The charts of all series of a sweep; none where no series has two cells.
pub(super) fn curves(all: &[SeriesLine]) -> String {
    let mut groups: Vec<Vec<&SeriesLine>> = Vec::new();
    for series in all.iter().filter(|series| series.points.len() > 1) {
        match groups.iter_mut().find(|group| group[0].group == series.group && group.len() < LOOKS) {
            Some(group) => group.push(series),
            None => groups.push(vec![series]),
        }
    }
    let figures: String = groups.iter().enumerate().map(|(number, group)| figures(&format!("sweep-{number}"), group, 3)).collect();
    if figures.is_empty() {
        return figures;
    }
    let text = "<p>Series that can be compared share a chart. A line turns pale where more I/Os at a time only wait longer.</p>\n";
    section("At a glance", &format!("{text}<div class=\"charts\">\n{figures}</div>\n"))
}

/// As many of the charts of one group: throughput and latency over what rises, and latency over throughput.
pub(super) fn figures(id: &str, all: &[&SeriesLine], most: usize) -> String {
    Axes::of(all).map_or_else(String::new, |axes| axes.figures(id, all, most))
}

/// Axes that the series of a group share.
struct Axes {
    /// Powers of two of what rises.
    rises: (f64, f64),
    scale: Scale,
    top: f64,
    decades: Decades,
}

/// A place on an axis, as a share of it.
type Share<'a> = &'a dyn Fn(&LinePoint) -> f64;
/// The words of a point.
type Words<'a> = &'a dyn Fn(&SeriesLine, &LinePoint) -> String;

impl Axes {
    fn of(all: &[&SeriesLine]) -> Option<Self> {
        let points = || all.iter().flat_map(|series| &series.points);
        let low = points().map(log).reduce(f64::min)?;
        let high = points().map(log).reduce(f64::max)?;
        let most = points().map(|point| point.rate).fold(0.0, f64::max);
        let scale = Scale::of(all.first()?.metric, most);
        let top = round_steps(most / scale.factor).last().copied().unwrap_or(1.0) * scale.factor;
        Some(Self { rises: (low, high.max(low + 1.0)), scale, top, decades: Decades::of(points().map(|point| point.latency_ns))? })
    }

    fn figures(&self, id: &str, all: &[&SeriesLine], most: usize) -> String {
        let rises = if all.iter().any(|series| series.axis == Axis::BlockSize) { "block size" } else { "I/Os outstanding in total" };
        let (at, rate, slow): (Share, Share, Share) =
            (&|point| self.at(point), &|point| point.rate / self.top, &|point| self.decades.up(point.latency_ns));
        let show_rate: Words = &|series, point| series.metric.show(point.rate);
        let show_latency: Words = &|_, point| latency(point.latency_ns);
        let show_both: Words = &|series, point| format!("{} with {} of {}", latency(point.latency_ns), series.axis.name(), point.label);
        let label: Words = &|_, point| point.label.clone();
        let lines = |x, y, text, labels| all.iter().enumerate().map(|(look, series)| line(look, series, x, y, text, labels)).collect();
        let panel = |name: &str, ticks, lines| Panel { name: name.to_owned(), height: HEIGHT, ticks, marks: Vec::new(), lines };
        let slow_panel = |lines| panel("mean latency", self.decades.ticks(), lines);
        let figure = |side: &str, x_name: &str, x_ticks, panel| {
            let (id, title) = (format!("{id}-{}", side.replace(' ', "-")), format!("{side}: {}", all[0].group));
            let plot = Plot::new(id, title, describe(all), (x_name, x_ticks), vec![panel]);
            plot.figure(&all[0].group, side)
        };
        let charts = [
            figure("throughput", rises, self.x_ticks(all), panel(self.scale.unit, self.rates(), lines(at, rate, show_rate, label))),
            figure("mean latency", rises, self.x_ticks(all), slow_panel(lines(at, slow, show_latency, label))),
            figure("mean latency against throughput", self.scale.unit, self.rates(), slow_panel(lines(rate, slow, show_both, show_rate))),
        ];
        charts[..most].concat()
    }

    fn rates(&self) -> Vec<Tick> {
        let share = |step: f64| step * self.scale.factor / self.top;
        round_steps(self.top / self.scale.factor).into_iter().map(|step| Tick { at: share(step), label: three_digits(step) }).collect()
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

fn line(look: usize, series: &SeriesLine, x: Share, y: Share, text: Words, label: Words) -> Line {
    let point = |point: &LinePoint| Point { x: x(point), to: None, y: y(point), text: text(series, point), begins: false };
    Line {
        pale_from: series.full,
        labels: series.points.iter().map(|point| label(series, point)).collect(),
        ..Line::new(series.name.clone(), look, series.points.iter().map(point).collect())
    }
}

/// The points in words, for those who do not see the curves.
fn describe(all: &[&SeriesLine]) -> String {
    let of = |series: &&SeriesLine| {
        let point = |point: &LinePoint| format!("{} and {} at {}", series.metric.show(point.rate), latency(point.latency_ns), point.label);
        format!("{}: {}", series.name, series.points.iter().map(point).collect::<Vec<_>>().join(", "))
    };
    all.iter().map(of).collect::<Vec<_>>().join("; ")
}
