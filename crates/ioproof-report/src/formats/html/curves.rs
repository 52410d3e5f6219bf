//! The curves of a sweep, one series a chart beside the others drawn pale: throughput, and latency on a logarithmic axis, over what rises. Where more only
//! queues the ground is shaded.

use super::escape;
use super::svg::{Frame, Tick, band, chart, path, path_data, round_steps};
use crate::view::{MatrixPoint, MatrixView, Scale};
use ioproof_core::claim::Metric;
use ioproof_core::units::{latency, three_digits};

/// Labels of the lower axis are this far apart at least, as a share of it.
const APART: f64 = 0.12;

/// The charts of all series; none where no series has two cells.
pub(super) fn curves(matrices: &[MatrixView]) -> String {
    let drawn: Vec<&MatrixView> = matrices.iter().filter(|matrix| matrix.points.len() > 1).collect();
    let figures: String = [Side::Throughput, Side::Latency].into_iter().flat_map(|side| figures(&drawn, side)).collect();
    if figures.is_empty() { figures } else { format!("<div class=\"charts\">\n{figures}</div>\n") }
}

/// The figure that is drawn upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Throughput,
    Latency,
}

impl Side {
    fn of(self, point: &MatrixPoint) -> f64 {
        match self {
            Self::Throughput => point.throughput,
            Self::Latency => point.latency_ns,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Latency => "mean latency",
        }
    }
}

/// Both axes of all charts of a side, so that they can be compared.
struct Axes {
    side: Side,
    /// Powers of two of what rises.
    x: (f64, f64),
    /// Shares of the greatest round step, or decades of nanoseconds.
    y: (f64, f64),
    scale: Scale,
}

impl Axes {
    fn of(drawn: &[&MatrixView], side: Side) -> Option<Self> {
        let points = || drawn.iter().flat_map(|matrix| &matrix.points);
        let ends =
            |value: &dyn Fn(&MatrixPoint) -> f64| Some((points().map(value).reduce(f64::min)?, points().map(value).reduce(f64::max)?));
        let x = ends(&|point| point.at.max(1.0).log2())?;
        let (least, most) = ends(&|point| side.of(point))?;
        let scale = Scale::of(drawn.first()?.metric, most);
        let y = match side {
            Side::Throughput => (0.0, round_steps(most / scale.factor).last().copied().unwrap_or(1.0) * scale.factor),
            Side::Latency => (least.max(1.0).log10().floor(), most.max(1.0).log10().ceil()),
        };
        Some(Self { side, x: (x.0, x.1.max(x.0 + 1.0)), y: (y.0, if y.1 > y.0 { y.1 } else { y.0 + 1.0 }), scale })
    }

    fn at(&self, point: &MatrixPoint) -> f64 {
        (point.at.max(1.0).log2() - self.x.0) / (self.x.1 - self.x.0)
    }

    fn up(&self, value: f64) -> f64 {
        let value = if self.side == Side::Latency { value.max(1.0).log10() } else { value };
        (value - self.y.0) / (self.y.1 - self.y.0)
    }

    fn curve(&self, matrix: &MatrixView) -> String {
        path_data(matrix.points.iter().map(|point| (self.at(point), self.up(self.side.of(point)))))
    }

    fn x_ticks(&self, matrix: &MatrixView) -> Vec<Tick> {
        let mut ticks: Vec<Tick> = Vec::new();
        for point in &matrix.points {
            let at = self.at(point);
            if ticks.last().is_none_or(|last| at - last.at >= APART) {
                ticks.push(Tick { at, label: point.label.clone() });
            }
        }
        ticks
    }

    fn y_ticks(&self) -> Vec<Tick> {
        match self.side {
            Side::Throughput => {
                let steps = round_steps(self.y.1 / self.scale.factor);
                steps.into_iter().map(|step| Tick { at: self.up(step * self.scale.factor), label: three_digits(step) }).collect()
            }
            Side::Latency => {
                let decades = (self.y.0 as i32)..=(self.y.1 as i32);
                decades.map(|decade| Tick { at: self.up(10f64.powi(decade)), label: latency(10f64.powi(decade)) }).collect()
            }
        }
    }

    fn y_name(&self) -> String {
        if self.side == Side::Latency { "mean latency".into() } else { self.scale.unit.into() }
    }
}

fn figures(drawn: &[&MatrixView], side: Side) -> Vec<String> {
    let Some(axes) = Axes::of(drawn, side) else { return Vec::new() };
    drawn.iter().enumerate().map(|(number, matrix)| figure(number, matrix, drawn, &axes)).collect()
}

fn figure(number: usize, matrix: &MatrixView, drawn: &[&MatrixView], axes: &Axes) -> String {
    let name = axes.side.name();
    let frame = Frame {
        id: format!("sweep-{}-{number}", name.split(' ').next_back().unwrap_or(name)),
        title: format!("{name}: {}", matrix.title),
        description: describe(matrix, axes.side),
        x_name: if matrix.axis == "block size" { "block size" } else { "I/Os outstanding in total" },
        y_name: axes.y_name(),
        x_ticks: axes.x_ticks(matrix),
        y_ticks: axes.y_ticks(),
    };
    let full = matrix.full.and_then(|full| matrix.points.get(full));
    let mut drawing = full.map_or_else(String::new, |full| band(axes.at(full), 1.0));
    drawing.extend(drawn.iter().map(|other| path("pale", &axes.curve(other))));
    drawing += &path("curve", &axes.curve(matrix));
    let title = format!("<strong>{}</strong> <span>{name}</span>", escape(&matrix.title));
    format!("<figure><figcaption>{title}</figcaption>{}</figure>\n", chart(&frame, &drawing))
}

/// The points in words, for those who do not see the curve.
fn describe(matrix: &MatrixView, side: Side) -> String {
    let value = |point: &MatrixPoint| match side {
        Side::Throughput => matrix.metric.show(point.throughput),
        Side::Latency => Metric::Latency.show(point.latency_ns),
    };
    let points: Vec<String> = matrix.points.iter().map(|point| format!("{} at {}", value(point), point.label)).collect();
    points.join(", ")
}
