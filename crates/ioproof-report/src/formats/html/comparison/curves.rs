//! The curves of sweeps over each other, two charts a series: throughput, and mean latency on a logarithmic axis, over what rises. A line bears the letter of its run.

use super::super::plot::{Line, Panel, Plot, Point, Tick, round_steps};
use super::{section, sign};
use crate::formats::comparison::view::{ComparisonView, letter};
use crate::formats::html::escape;
use crate::view::Scale;
use ioproof_core::claim::Metric;
use ioproof_core::compare::{Curve, CurvePoint};
use ioproof_core::sweep::{Axis, series_title};
use ioproof_core::text::visible;
use ioproof_core::units::{block_size, latency, three_digits};

/// Labels of the lower axis are this far apart at least, as a share of it.
const APART: f64 = 0.12;
const HEIGHT: f64 = 150.0;

/// The charts of all series; none where no two runs are sweeps.
pub(super) fn curves(view: &ComparisonView) -> String {
    let figures =
        view.comparison.curves.iter().enumerate().flat_map(|(at, curve)| [Side::Rate, Side::Latency].map(|side| figure(at, curve, side)));
    let figures: String = figures.collect();
    if figures.is_empty() {
        return figures;
    }
    let signs = view.runs.iter().enumerate().map(|(at, run)| format!("<span>{} {}</span> ", sign(at, &run.letter), escape(&run.id)));
    let signs: String = signs.collect();
    section("Curves", &format!("<p class=\"signs\">{signs}</p>\n<div class=\"charts wider\">\n{figures}</div>\n"))
}

/// The figure that is drawn upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Rate,
    Latency,
}

impl Side {
    fn of(self, point: &CurvePoint) -> f64 {
        match self {
            Self::Rate => point.rate,
            Self::Latency => point.latency_ns,
        }
    }

    fn show(self, curve: &Curve, point: &CurvePoint) -> String {
        match self {
            Self::Rate => curve.metric.show(point.rate),
            Self::Latency => Metric::Latency.show(point.latency_ns),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Rate => "throughput",
            Self::Latency => "mean latency",
        }
    }
}

/// Both axes of a chart: powers of two of what rises, and shares of the greatest round step or decades of nanoseconds.
struct Axes {
    side: Side,
    x: (f64, f64),
    y: (f64, f64),
    scale: Scale,
}

impl Axes {
    fn of(curve: &Curve, side: Side) -> Self {
        let points = || curve.points.iter().flatten();
        let powers = || points().map(|point| power(curve.axis, point));
        let (least, most) = (powers().fold(f64::INFINITY, f64::min), powers().fold(0.0, f64::max));
        let values = || points().map(|point| side.of(point));
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        let scale = Scale::of(curve.metric, high);
        let y = match side {
            Side::Rate => (0.0, round_steps(high / scale.factor).last().copied().unwrap_or(1.0) * scale.factor),
            Side::Latency => (low.max(1.0).log10().floor(), high.max(1.0).log10().ceil()),
        };
        Self { side, x: (least, most.max(least + 1.0)), y: (y.0, if y.1 > y.0 { y.1 } else { y.0 + 1.0 }), scale }
    }

    fn up(&self, value: f64) -> f64 {
        let value = if self.side == Side::Latency { value.max(1.0).log10() } else { value };
        (value - self.y.0) / (self.y.1 - self.y.0)
    }

    fn at(&self, axis: Axis, point: &CurvePoint) -> (f64, f64) {
        ((power(axis, point) - self.x.0) / (self.x.1 - self.x.0), self.up(self.side.of(point)))
    }

    fn y_ticks(&self) -> Vec<Tick> {
        match self.side {
            Side::Rate => {
                let steps = round_steps(self.y.1 / self.scale.factor);
                steps.into_iter().map(|step| Tick { at: self.up(step * self.scale.factor), label: three_digits(step) }).collect()
            }
            Side::Latency => {
                let decades = (self.y.0 as i32)..=(self.y.1 as i32);
                decades.map(|decade| Tick { at: self.up(10f64.powi(decade)), label: latency(10f64.powi(decade)) }).collect()
            }
        }
    }

    /// A label for each place that a point has, as far as they fit.
    fn x_ticks(&self, curve: &Curve) -> Vec<Tick> {
        let mut points: Vec<&CurvePoint> = curve.points.iter().flatten().collect();
        points.sort_by_key(|point| point.at);
        let mut ticks: Vec<Tick> = Vec::new();
        for point in points {
            let (at, _) = self.at(curve.axis, point);
            if ticks.last().is_none_or(|last| at - last.at >= APART) {
                ticks.push(Tick { at, label: label(curve.axis, point) });
            }
        }
        ticks
    }
}

fn power(axis: Axis, point: &CurvePoint) -> f64 {
    f64::from(if axis == Axis::BlockSize { point.at } else { point.outstanding }).max(1.0).log2()
}

fn label(axis: Axis, point: &CurvePoint) -> String {
    if axis == Axis::BlockSize { block_size(point.at.into()) } else { point.outstanding.to_string() }
}

fn figure(number: usize, curve: &Curve, side: Side) -> String {
    let (axes, title) = (Axes::of(curve, side), visible(&series_title(curve.axis, &curve.workload)));
    let name = if side == Side::Latency { side.name() } else { axes.scale.unit };
    let lines = curve.points.iter().enumerate().map(|(run, points)| line(run, points, curve, &axes)).collect();
    let plot = Plot {
        id: format!("curve-{number}-{}", if side == Side::Rate { "rate" } else { "latency" }),
        title: format!("{}: {title}", side.name()),
        description: describe(curve, side),
        x_name: if curve.axis == Axis::BlockSize { "block size".into() } else { "I/Os outstanding in total".into() },
        x_ticks: axes.x_ticks(curve),
        x_span: None,
        panels: vec![Panel { name: name.to_owned(), height: HEIGHT, ticks: axes.y_ticks(), marks: Vec::new(), lines }],
    };
    plot.figure(&title, side.name())
}

fn line(run: usize, points: &[CurvePoint], curve: &Curve, axes: &Axes) -> Line {
    let point = |of: &CurvePoint| {
        let (x, y) = axes.at(curve.axis, of);
        Point { x, to: None, y, text: axes.side.show(curve, of), begins: false }
    };
    Line {
        name: letter(run),
        look: run,
        points: points.iter().map(point).collect(),
        pale_from: None,
        labels: points.iter().map(|point| label(curve.axis, point)).collect(),
    }
}

/// The points in words, for those who do not see the curves.
fn describe(curve: &Curve, side: Side) -> String {
    let of = |(run, points): (usize, &Vec<CurvePoint>)| {
        let points: Vec<String> =
            points.iter().map(|point| format!("{} at {}", side.show(curve, point), label(curve.axis, point))).collect();
        format!("{}: {}", letter(run), points.join(", "))
    };
    curve.points.iter().enumerate().map(of).collect::<Vec<_>>().join("; ")
}
