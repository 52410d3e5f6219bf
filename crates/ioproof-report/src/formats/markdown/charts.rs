//! Charts of the Markdown page, as Mermaid (`xychart-beta`), which GitHub and GitLab draw. GitHub shows neither SVG within the text nor images as data, and a
//! page that is pasted into an issue has no files beside it. Where nobody draws them the code block has the numbers.
//!
//! Mermaid has no logarithmic axis, no gap in a line and no legend, so there is one chart a figure, of lines over what rises, and latency is left to the tables.

use crate::view::{Chart, Scale, View};
use ioproof_core::sweep::{Axis, SeriesLine};
use ioproof_core::units::three_digits;
use std::fmt::Write;

/// Points of a line over time, and charts of a page.
const POINTS: usize = 40;
const MOST: usize = 12;

/// Throughput of a sweep by what rises, else over time where a run has enough slices; empty where there is nothing to draw.
pub(super) fn charts(view: &View) -> String {
    let charts: Vec<String> = match view.curves().is_empty() {
        true => view.charts.iter().filter_map(over_time).take(MOST).collect(),
        false => view.curves().iter().filter_map(curve).take(MOST).collect(),
    };
    if charts.is_empty() {
        return String::new();
    }
    let summary = if view.curves().is_empty() { "Throughput over time" } else { "Throughput by what rises" };
    format!("<details><summary>{summary}, as charts</summary>\n\n{}</details>\n\n", charts.concat())
}

/// Takes from a title what would end its quotation or be read as markup.
fn plain(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '"' | '`' | '<' | '>' | '&' | '#' | ';' | '\\') || c.is_control() { ' ' } else { c }).collect()
}

fn curve(series: &SeriesLine) -> Option<String> {
    let values: Vec<f64> = series.points.iter().map(|point| point.rate).collect();
    let labels: Vec<String> = series.points.iter().map(|point| format!("\"{}\"", plain(&point.label))).collect();
    let scale = Scale::of(series.metric, values.iter().copied().fold(0.0, f64::max));
    let rises = if series.axis == Axis::BlockSize { "block size" } else { "I/Os outstanding in total" };
    (values.len() > 1).then(|| chart(&series.title, &format!("\"{rises}\" [{}]", labels.join(", ")), scale, &values))
}

/// Means of the slices in even steps of the measured time, all runs one beside the next.
fn over_time(data: &Chart) -> Option<String> {
    let line = &data.timeline;
    let step_s = line.length_s / POINTS as f64;
    let mean = |n: usize| {
        let here = line.moments.iter().filter(|moment| (f64::midpoint(moment.from_s, moment.to_s) / step_s) as usize == n);
        let rates: Vec<f64> = here.map(|moment| moment.rates.iter().sum()).collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    };
    let values: Vec<f64> = (0..POINTS).filter_map(mean).filter(|value| value.is_finite()).collect();
    // With holes the line would claim what nobody measured.
    (values.len() == POINTS).then(|| {
        let scale = Scale::of(data.metric, values.iter().copied().fold(0.0, f64::max));
        let title = format!("{}, QD {}", data.conditions.full_title(), data.conditions.depth_formula());
        chart(&title, &format!("\"seconds measured\" 0 --> {}", three_digits(line.length_s)), scale, &values)
    })
}

fn chart(title: &str, x_axis: &str, scale: Scale, values: &[f64]) -> String {
    let shown: Vec<String> = values.iter().map(|value| three_digits(value / scale.factor)).collect();
    let top = values.iter().copied().fold(0.0, f64::max) / scale.factor * 1.1;
    let mut text = String::from("```mermaid\nxychart-beta\n");
    let _ = writeln!(text, "  title \"{}\"", plain(title));
    let _ = writeln!(text, "  x-axis {x_axis}");
    let _ = writeln!(text, "  y-axis \"{}\" 0 --> {}", scale.unit, three_digits(top.max(1e-3)));
    let _ = writeln!(text, "  line [{}]\n```\n", shown.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_end_the_title_or_the_block() {
        assert_eq!(plain("a\"b```\n<c>&#35;"), "a b     c   35 ");
    }
}
