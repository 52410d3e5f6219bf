//! Drawing by hand: the frame of a small chart with its axes, paths, and the gauge beside a match.
//!
//! Colours come from classes in `style.css`, so that a chart follows light, dark and paper.

use super::escape;
use ioproof_core::verdict::{Match, Verdict};
use std::fmt::Write;

/// Size of a chart in its own units, and of the plot in it.
pub(super) const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 36.0;

/// A labelled mark on an axis, at 0 to 1 of its length.
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// Position in the chart of a point given as shares of the axes.
pub(super) fn place(x: f64, y: f64) -> (f64, f64) {
    let clamp = |v: f64| if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 };
    (LEFT + clamp(x) * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - clamp(y) * (HEIGHT - TOP - BOTTOM))
}

/// The data of a path through points given as shares of the axes.
pub(super) fn path_data(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut data = String::new();
    for (n, (x, y)) in points.enumerate() {
        let (x, y) = place(x, y);
        let _ = write!(data, "{}{x:.1} {y:.1}", if n == 0 { 'M' } else { 'L' });
    }
    data
}

pub(super) fn path(class: &str, data: &str) -> String {
    format!("<path class=\"{class}\" d=\"{data}\"/>")
}

/// A line across the plot at a share of the vertical axis, with a word above it.
pub(super) fn level(class: &str, at: f64, label: &str) -> String {
    let ((x1, y), (x2, _)) = (place(0.0, at), place(1.0, at));
    let text = format!("<text class=\"{class}-label\" x=\"{x2:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", y - 4.0, escape(label));
    format!("<line class=\"{class}\" x1=\"{x1:.1}\" x2=\"{x2:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>{text}")
}

/// A band over the whole height between two shares of the horizontal axis.
pub(super) fn band(from: f64, to: f64) -> String {
    let ((x1, top), (x2, bottom)) = (place(from, 1.0), place(to, 0.0));
    format!("<rect class=\"band\" x=\"{x1:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>", x2 - x1, bottom - top)
}

/// Title, description and axes of a chart: all but its drawing.
pub(super) struct Frame {
    /// Unique on the page.
    pub id: String,
    pub title: String,
    pub description: String,
    pub x_name: &'static str,
    pub y_name: String,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
}

/// A chart: axes around a drawing.
pub(super) fn chart(frame: &Frame, drawing: &str) -> String {
    let id = &frame.id;
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>{}{drawing}</svg>",
        escape(&frame.title),
        escape(&frame.description),
        axes(frame)
    )
}

fn axes(frame: &Frame) -> String {
    let mut svg = String::new();
    let (left, bottom) = place(0.0, 0.0);
    let (right, top) = place(1.0, 1.0);
    for tick in &frame.y_ticks {
        let (_, y) = place(0.0, tick.at);
        let _ = write!(svg, "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>");
        let _ = write!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", left - 6.0, y + 3.5, escape(&tick.label));
    }
    for tick in &frame.x_ticks {
        let (x, _) = place(tick.at, 0.0);
        let _ = write!(svg, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{bottom}\" y2=\"{top}\"/>");
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", bottom + 14.0, escape(&tick.label));
    }
    let _ = write!(svg, "<line class=\"axis\" x1=\"{left}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\"/>");
    let _ = write!(svg, "<text class=\"name\" x=\"{right}\" y=\"{}\" text-anchor=\"end\">{}</text>", bottom + 29.0, escape(frame.x_name));
    let _ = write!(svg, "<text class=\"name\" x=\"2\" y=\"{}\">{}</text>", top - 10.0, escape(&frame.y_name));
    svg
}

/// Width of a gauge, and the share of a claim at its right end.
const GAUGE: (f64, f64) = (90.0, 1.15);

/// A match as a bar with its interval and a mark at the threshold. The number beside it says the same, so readers skip it.
pub(super) fn gauge(matched: Match, threshold: f64, verdict: Option<Verdict>) -> String {
    let x = |share: f64| if share.is_finite() { share.clamp(0.0, GAUGE.1) / GAUGE.1 * GAUGE.0 } else { 0.0 };
    let class = match verdict {
        Some(Verdict::Meets) => "meets",
        Some(Verdict::Misses) => "misses",
        Some(Verdict::CannotTell) => "doubt",
        Some(Verdict::Indicative) | None => "aside",
    };
    let (low, share, high, mark, all) = (x(matched.low), x(matched.share), x(matched.high), x(threshold), x(1.0));
    format!(
        "<svg class=\"gauge {class}\" viewBox=\"0 0 {w} 14\" width=\"{w}\" height=\"14\" aria-hidden=\"true\">\
         <rect class=\"track\" y=\"4\" width=\"{all:.1}\" height=\"6\" rx=\"1\"/><rect class=\"bar\" y=\"4\" width=\"{share:.1}\" height=\"6\" rx=\"1\"/>\
         <path class=\"whisker\" d=\"M{low:.1} 7H{high:.1}M{low:.1} 4V10M{high:.1} 4V10\"/><path class=\"mark\" d=\"M{mark:.1} 0V14\"/></svg>",
        w = GAUGE.0
    )
}

/// Round steps from 0 that reach `top`: 1, 2 or 5 times a power of ten, about four of them.
pub(super) fn round_steps(top: f64) -> Vec<f64> {
    if !top.is_finite() || top <= 0.0 {
        return vec![0.0, 1.0];
    }
    let power = 10f64.powf((top / 4.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| step * 4.0 >= top * 0.999).unwrap_or(top);
    (0..=((top / step).ceil() as u32).min(8)).map(|n| f64::from(n) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_reach_the_top() {
        assert_eq!(round_steps(450.0), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(round_steps(4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(round_steps(0.0), [0.0, 1.0]);
        assert_eq!(round_steps(f64::NAN), [0.0, 1.0]);
    }

    #[test]
    fn what_is_no_number_stays_in_the_plot() {
        assert_eq!(place(f64::NAN, f64::INFINITY), place(0.0, 0.0));
    }
}
