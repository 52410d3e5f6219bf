//! Latency by percentile: workloads of one kind of depth in one chart, both axes logarithmic and the same in every chart.

use super::plot::{Decades, LOOKS, Line, Panel, Plot, Point, Tick, even};
use super::section;
use crate::view::{Chart, View, grouped};
use ioproof_core::units::latency as latency_text;

/// The percentiles that are marked, as -log10(1 - q).
const MARKED: [(f64, &str); 6] = [(0.301, "50 %"), (1.0, "90"), (2.0, "99"), (3.0, "99.9"), (4.0, "99.99"), (5.0, "99.999")];
/// Lines that can still be told apart in one chart.
const MOST_LINES: usize = if LOOKS < 6 { LOOKS } else { 6 };
const HEIGHT: f64 = 160.0;
/// Charts on a page.
const MOST: usize = 16;

pub(super) fn percentiles(view: &View) -> String {
    let drawn: Vec<&Chart> = view.charts.iter().filter(|chart| !chart.curve.is_empty()).collect();
    let points = || drawn.iter().flat_map(|chart| &chart.curve);
    let (Some(nines), Some(decades)) = (points().map(|(x, _)| *x).reduce(f64::max), Decades::of(points().map(|(_, ns)| *ns))) else {
        return String::new();
    };
    let (alone, deep): (Vec<&Chart>, Vec<&Chart>) = drawn.iter().partition(|chart| chart.conditions.outstanding == 1);
    let groups = [("one I/O at a time", alone), ("several I/Os at a time", deep)];
    let of = |(title, charts): &(&'static str, Vec<&Chart>)| -> Vec<(&'static str, Vec<Line>)> {
        charts.chunks(even(charts.len(), MOST_LINES)).map(|chunk| (*title, lines(chunk, nines.max(0.5), &decades))).collect()
    };
    let all: Vec<(&str, Vec<Line>)> = groups.iter().flat_map(of).collect();
    let left_out = all.len().saturating_sub(MOST);
    let figures: String = all
        .into_iter()
        .take(MOST)
        .enumerate()
        .map(|(number, (title, lines))| figure(number, title, lines, nines.max(0.5), &decades))
        .collect();
    let more = if left_out > 0 { " Further workloads are in the table above." } else { "" };
    let text = format!(
        "<p>The share of I/Os (below) that took no longer than the time at the left; all runs of a workload together. Both axes are logarithmic \
         and the same in every chart. A line ends at the percentile beyond which {} I/Os lie.{more}</p>\n",
        view.record.policy.percentile_samples
    );
    section("Latency by percentile", &format!("{text}<div class=\"charts\">\n{figures}</div>\n"))
}

fn figure(number: usize, title: &str, lines: Vec<Line>, nines: f64, decades: &Decades) -> String {
    let reached = MARKED.into_iter().filter(|(x, _)| *x <= nines);
    let x_ticks = reached.map(|(x, label)| Tick { at: x / nines, label: label.into() }).collect();
    let described = lines.iter().map(|line| describe(line, nines)).collect::<Vec<_>>().join("; ");
    let panel = Panel { name: "service time".into(), height: HEIGHT, ticks: decades.ticks(), marks: Vec::new(), lines };
    let (id, name) = (format!("percentiles-{number}"), format!("Latency by percentile: {title}"));
    let plot = Plot::new(id, name, described, ("percentile of all I/Os", x_ticks), vec![panel]);
    plot.figure(title, "service time by percentile")
}

fn lines(charts: &[&Chart], nines: f64, decades: &Decades) -> Vec<Line> {
    let point = |(x, ns): &(f64, f64)| Point { x: x / nines, to: None, y: decades.up(*ns), text: latency_text(*ns), begins: false };
    let line = |(look, chart): (usize, &&Chart)| {
        let conditions = &chart.conditions;
        let name = format!("{}, QD {}, {} I/Os", conditions.full_title(), conditions.depth_formula(), grouped(chart.samples));
        let labels = chart.curve.iter().map(|(x, _)| percentile(*x)).collect();
        Line { labels, ..Line::new(name, look, chart.curve.iter().map(point).collect()) }
    };
    charts.iter().enumerate().map(line).collect()
}

/// `99.9 %`: as many digits as tell it from its neighbours.
fn percentile(nines: f64) -> String {
    let digits = (nines.floor() as usize).max(1);
    format!("{:.digits$} %", (1.0 - 10f64.powf(-nines)) * 100.0)
}

/// The marked percentiles in words, for those who do not see the curve.
fn describe(line: &Line, nines: f64) -> String {
    let at = |x: f64| line.points.iter().find(|point| point.x * nines >= x - 1e-9).map(|point| &point.text);
    let marked: Vec<String> =
        MARKED.into_iter().filter_map(|(x, label)| at(x).map(|text| format!("{} % at {text}", label.trim_end_matches(" %")))).collect();
    format!("{}: {}", line.name, marked.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_has_the_digits_that_it_needs() {
        assert_eq!([0.0, 1.0, 2.0, 3.0].map(percentile), ["0.0 %", "90.0 %", "99.00 %", "99.900 %"]);
    }
}
