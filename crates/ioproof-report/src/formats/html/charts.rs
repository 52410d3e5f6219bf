//! Small multiples, one a workload: latency by percentile, and throughput over time.

use super::svg::{Frame, Tick, band, chart, level, path, path_data, round_steps};
use super::{escape, section};
use crate::view::{Chart, Scale, View, counted, grouped};
use ioproof_core::units::{latency as latency_text, three_digits};

/// The percentiles that are marked, as -log10(1 - q).
const MARKED: [(f64, &str); 6] = [(0.301, "50 %"), (1.0, "90"), (2.0, "99"), (3.0, "99.9"), (4.0, "99.99"), (5.0, "99.999")];

pub(super) fn latency(view: &View) -> String {
    let drawn: Vec<&Chart> = view.charts.iter().filter(|chart| !chart.curve.is_empty()).collect();
    let Some(axes) = LatencyAxes::of(&drawn) else { return String::new() };
    let curves: Vec<String> = drawn.iter().map(|chart| path_data(chart.curve.iter().map(|p| axes.share(*p)))).collect();
    let figures: String = drawn.iter().enumerate().map(|(n, chart)| latency_figure(n, chart, &curves, &axes)).collect();
    let text = format!(
        "<p>All runs of a workload together, both axes logarithmic and the same in every chart; the other workloads are drawn pale. \
         A curve ends at the percentile beyond which {} I/Os lie.</p>\n",
        view.percentile_samples
    );
    section("Latency by percentile", &format!("{text}{}<div class=\"charts\">\n{figures}</div>\n", shared_curves(&curves)))
}

/// The curves of all workloads, defined once and drawn pale in every chart.
fn shared_curves(curves: &[String]) -> String {
    let paths: String = curves.iter().map(|data| path("pale", data)).collect();
    format!("<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"hidden\"><defs><g id=\"pale\">{paths}</g></defs></svg>\n")
}

/// Both axes of all latency charts.
struct LatencyAxes {
    nines: f64,
    /// Decades of nanoseconds.
    low: f64,
    high: f64,
}

impl LatencyAxes {
    fn of(charts: &[&Chart]) -> Option<Self> {
        let points = || charts.iter().flat_map(|chart| &chart.curve);
        let nines = points().map(|(x, _)| *x).reduce(f64::max)?;
        let decade = |ns: f64| ns.max(1.0).log10();
        let low = points().map(|(_, ns)| decade(*ns)).reduce(f64::min)?.floor();
        let high = points().map(|(_, ns)| decade(*ns)).reduce(f64::max)?.ceil();
        Some(Self { nines: nines.max(0.5), low, high: high.max(low + 1.0) })
    }

    fn share(&self, (x, ns): (f64, f64)) -> (f64, f64) {
        (x / self.nines, (ns.max(1.0).log10() - self.low) / (self.high - self.low))
    }

    fn x_ticks(&self) -> Vec<Tick> {
        let reached = MARKED.into_iter().filter(|(x, _)| *x <= self.nines);
        reached.map(|(x, label)| Tick { at: x / self.nines, label: label.into() }).collect()
    }

    fn y_ticks(&self) -> Vec<Tick> {
        let decades = (self.low as i32)..=(self.high as i32);
        decades.map(|d| Tick { at: self.share((0.0, 10f64.powi(d))).1, label: latency_text(10f64.powi(d)) }).collect()
    }
}

fn latency_figure(n: usize, data: &Chart, curves: &[String], axes: &LatencyAxes) -> String {
    let frame = Frame {
        id: format!("latency-{n}"),
        title: format!("Latency by percentile: {}", data.conditions.full_title()),
        description: describe_curve(data),
        x_name: "percentile of all I/Os",
        y_name: "service time".into(),
        x_ticks: axes.x_ticks(),
        y_ticks: axes.y_ticks(),
    };
    let drawing = format!("<use href=\"#pale\"/>{}", path("curve", &curves[n]));
    figure(data, &format!("{} I/Os", grouped(data.samples)), &chart(&frame, &drawing))
}

/// The marked percentiles in words, for those who do not see the curve.
fn describe_curve(data: &Chart) -> String {
    let at = |x: f64| data.curve.iter().find(|(at, _)| *at >= x - 1e-9).map(|(_, ns)| latency_text(*ns));
    let marked: Vec<String> =
        MARKED.into_iter().filter_map(|(x, label)| at(x).map(|ns| format!("{} % at {ns}", label.trim_end_matches(" %")))).collect();
    marked.join(", ")
}

fn figure(data: &Chart, aside: &str, svg: &str) -> String {
    let c = &data.conditions;
    format!(
        "<figure><figcaption><strong>{}</strong> <span>QD {}, {}</span></figcaption>{svg}</figure>\n",
        escape(&c.full_title()),
        c.depth_formula(),
        escape(aside)
    )
}

pub(super) fn throughput(view: &View) -> String {
    let drawn = view.charts.iter().filter(|chart| chart.traces.iter().any(|trace| !trace.points.is_empty()));
    let figures: String = drawn.enumerate().map(|(n, chart)| throughput_figure(n, chart)).collect();
    if figures.is_empty() {
        return String::new();
    }
    let text = "<p>The measured seconds of each run, one run beside the next; what lay between them is left out. The axis begins at zero. \
                Dashed: the claim.</p>\n";
    section("Throughput over time", &format!("{text}<div class=\"charts\">\n{figures}</div>\n"))
}

/// Both axes of a chart in which the rounds of a job stand beside each other.
struct TimeAxes {
    starts_s: Vec<f64>,
    total_s: f64,
    top: f64,
    scale: Scale,
}

impl TimeAxes {
    fn of(data: &Chart) -> Self {
        let values = data.traces.iter().flat_map(|trace| &trace.points).map(|(_, value)| *value);
        let largest = values.chain(data.claimed).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let mut total_s = 0.0;
        let mut starts_s = Vec::with_capacity(data.traces.len());
        for trace in &data.traces {
            starts_s.push(total_s);
            total_s += trace.length_s;
        }
        let scale = Scale::of(data.metric, largest);
        let top = round_steps(largest / scale.factor).last().copied().unwrap_or(1.0) * scale.factor;
        Self { starts_s, total_s: total_s.max(1e-9), top, scale }
    }

    fn x(&self, s: f64) -> f64 {
        s / self.total_s
    }

    fn y(&self, value: f64) -> f64 {
        value / self.top
    }

    fn y_ticks(&self) -> Vec<Tick> {
        let steps = round_steps(self.top / self.scale.factor);
        steps.into_iter().map(|v| Tick { at: self.y(v * self.scale.factor), label: three_digits(v) }).collect()
    }

    fn x_ticks(&self) -> Vec<Tick> {
        let steps = round_steps(self.total_s).into_iter().filter(|s| *s <= self.total_s * 1.001);
        steps.map(|s| Tick { at: self.x(s), label: three_digits(s) }).collect()
    }
}

fn throughput_figure(n: usize, data: &Chart) -> String {
    let axes = TimeAxes::of(data);
    let frame = Frame {
        id: format!("time-{n}"),
        title: format!("Throughput over time: {}", data.conditions.full_title()),
        description: describe_traces(data),
        x_name: "seconds measured",
        y_name: axes.scale.unit.into(),
        x_ticks: axes.x_ticks(),
        y_ticks: axes.y_ticks(),
    };
    let mut drawing = String::new();
    for (trace, start) in data.traces.iter().zip(&axes.starts_s).skip(1).step_by(2) {
        drawing += &band(axes.x(*start), axes.x(start + trace.length_s));
    }
    for (trace, start) in data.traces.iter().zip(&axes.starts_s) {
        drawing += &path("curve", &path_data(steps(trace, &axes, *start).into_iter()));
    }
    if let Some(claimed) = data.claimed {
        drawing += &level("claim", axes.y(claimed), &format!("claim {}", data.metric.show(claimed)));
    }
    figure(data, &counted(data.traces.len() as u64, "run"), &chart(&frame, &drawing))
}

/// A slice is a mean over its length, so it is drawn as a step and not as a point.
fn steps(trace: &crate::view::Trace, axes: &TimeAxes, start_s: f64) -> Vec<(f64, f64)> {
    let mut from_s = 0.0;
    let mut points = Vec::with_capacity(trace.points.len() * 2);
    for (end_s, value) in &trace.points {
        points.push((axes.x(start_s + from_s), axes.y(*value)));
        points.push((axes.x(start_s + end_s), axes.y(*value)));
        from_s = *end_s;
    }
    points
}

fn describe_traces(data: &Chart) -> String {
    let values = || data.traces.iter().flat_map(|trace| &trace.points).map(|(_, value)| *value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let claimed = data.claimed.map(|claimed| format!("; the claim is {}", data.metric.show(claimed))).unwrap_or_default();
    let runs = counted(data.traces.len() as u64, "run");
    format!("{runs}, slices between {} and {}{claimed}", data.metric.show(low), data.metric.show(high))
}
