//! Horizontal bars on one scale: a name and a figure above each, a whisker for its interval, and a dashed mark across a group where policy asks for so much.

use super::plot::{WIDTH, round_steps};
use super::{class, escape};
use crate::layout::clip;
use ioproof_core::results::{Bar, BarChart, BarGroup, top_of_shares};
use ioproof_core::units::three_digits;
use std::fmt::Write;

/// Left end of a bar, and the right one of the longest; behind it there is room for a figure.
const LEFT: f64 = 4.0;
const RIGHT: f64 = 214.0;
/// Heights: of the place above a group, of a bar with its name, and of the labels of the scale.
const PLACE: f64 = 15.0;
const LINE: f64 = 31.0;
const LABELS: f64 = 18.0;
/// Between groups.
const GAP: f64 = 7.0;
/// Columns of a name, and of the bold one of a place.
const NAME_COLUMNS: usize = 56;
const PLACE_COLUMNS: usize = 48;
/// Bars of one figure, and figures of one kind.
const BARS: usize = 14;
const FIGURES: usize = 12;

/// A wide interval makes a scale at most so many times as long as its longest bar.
const MOST_OF_BARS: f64 = 2.0;

/// A scale from zero, with its labels.
struct Scale {
    top: f64,
    ticks: Vec<(f64, String)>,
}

/// Shares, all charts on one scale, or figures, each chart on a scale of its own.
pub(super) fn bars(charts: &[BarChart]) -> String {
    let top = top_of_shares(&charts.iter().collect::<Vec<_>>());
    let scales: Vec<Scale> = charts.iter().map(|chart| if chart.is_of_shares { Scale::of_shares(top) } else { Scale::of(chart) }).collect();
    let id = if charts.iter().any(|chart| chart.is_of_shares) { "shares" } else { "costs" };
    figures(id, charts.iter().zip(&scales))
}

impl Scale {
    fn of_shares(top: f64) -> Self {
        let ticks = (0..=4).map(|half| f64::from(half) / 2.0).filter(|share| *share <= top);
        Self { top, ticks: ticks.map(|share| (share, format!("{:.0} %", share * 100.0))).collect() }
    }

    fn of(chart: &BarChart) -> Self {
        let bars = || chart.groups.iter().flat_map(|group| &group.bars);
        let most = bars().map(|bar| bar.value).fold(0.0, f64::max);
        let steps = round_steps(bars().map(Bar::reach).fold(0.0, f64::max).min(most * MOST_OF_BARS));
        Self { top: steps.last().copied().unwrap_or(1.0), ticks: steps.into_iter().map(|step| (step, three_digits(step))).collect() }
    }

    fn x(&self, value: f64) -> f64 {
        let share = if value.is_finite() { (value / self.top).clamp(0.0, 1.0) } else { 0.0 };
        LEFT + share * (RIGHT - LEFT)
    }
}

fn figures<'a>(id: &str, charts: impl Iterator<Item = (&'a BarChart, &'a Scale)>) -> String {
    let parts = charts.flat_map(|(chart, scale)| parted(&chart.groups).into_iter().map(move |groups| (chart, groups, scale)));
    let all: Vec<String> =
        parts.enumerate().map(|(at, (chart, groups, scale))| figure(&format!("{id}-{at}"), chart, groups, scale)).collect();
    if all.is_empty() {
        return String::new();
    }
    let more = all.len().saturating_sub(FIGURES);
    let rest = if more > 0 { "<p>More bars than there is room for: the tables have all figures.</p>\n" } else { "" };
    format!("<div class=\"charts\">\n{}</div>\n{rest}", all[..all.len() - more].concat())
}

/// The groups in parts of about as many bars as a figure has room for; a group is not divided.
fn parted(groups: &[BarGroup]) -> Vec<&[BarGroup]> {
    let (mut parts, mut first, mut bars) = (Vec::new(), 0, 0);
    for (at, group) in groups.iter().enumerate() {
        if bars > 0 && bars + group.bars.len() > BARS {
            parts.push(&groups[first..at]);
            (first, bars) = (at, 0);
        }
        bars += group.bars.len();
    }
    parts.push(&groups[first..]);
    parts
}

fn figure(id: &str, chart: &BarChart, groups: &[BarGroup], scale: &Scale) -> String {
    let (mut top, mut body) = (0.0, String::new());
    for group in groups {
        let (below, svg) = group_svg(group, top, scale);
        body += &svg;
        top = below + GAP;
    }
    let bottom = top - GAP + 4.0;
    let about = format!("{}{}", chart.about, legend(groups, scale));
    format!(
        "<figure><figcaption><strong>{title}</strong> <span>{about}</span></figcaption>\
         <svg class=\"bars\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{title}: {about}</title><desc id=\"{id}-d\">{described}</desc>{grid}{body}</svg></figure>\n",
        title = escape(chart.title),
        about = escape(&about),
        height = bottom + LABELS,
        described = escape(&described(groups)),
        grid = grid(scale, bottom),
    )
}

/// Words on all that is drawn beside plain bars.
fn legend(groups: &[BarGroup], scale: &Scale) -> String {
    let any = |is: &dyn Fn(&Bar) -> bool| groups.iter().flat_map(|group| &group.bars).any(is);
    let parts = [
        (groups.iter().any(|group| group.mark.is_some()), "; dashed: the least that policy asks of the filesystem"),
        (any(&Bar::is_pale), "; pale: too few turns for an interval"),
        (any(&|bar| bar.reach() > scale.top), "; arrow: further than the scale"),
    ];
    parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, text)| text).collect()
}

/// All figures in words, for readers who do not see them.
fn described(groups: &[BarGroup]) -> String {
    let of_group = |group: &BarGroup| {
        let place = if group.place.is_empty() { String::new() } else { format!("{}: ", group.place) };
        let bars: Vec<String> = group.bars.iter().map(|bar| format!("{} {}", bar.name, bar.text)).collect();
        let asked = group.mark.map_or_else(String::new, |mark| format!(", {} asked", ioproof_core::units::percent(mark)));
        format!("{place}{}{asked}", bars.join(", "))
    };
    groups.iter().map(of_group).collect::<Vec<_>>().join("; ")
}

fn grid(scale: &Scale, bottom: f64) -> String {
    let (mut lines, mut labels) = (String::new(), String::new());
    for (at, label) in &scale.ticks {
        let anchor = if *at == 0.0 { "start" } else { "middle" };
        let x = scale.x(*at);
        let _ = write!(lines, "M{x:.1} 2V{bottom:.1}");
        let _ = write!(labels, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>", bottom + 13.0, escape(label));
    }
    format!("<path class=\"grid\" d=\"{lines}\"/>{labels}")
}

/// The drawing of a group from `top` on, and the place below it.
fn group_svg(group: &BarGroup, top: f64, scale: &Scale) -> (f64, String) {
    let mut svg = String::new();
    let mut first = top;
    if !group.place.is_empty() {
        let place = escape(&clip(&group.place, PLACE_COLUMNS));
        let _ = write!(svg, "<text class=\"word place\" x=\"{LEFT}\" y=\"{:.1}\">{place}</text>", top + 12.0);
        first += PLACE;
    }
    for (n, bar) in group.bars.iter().enumerate() {
        svg += &bar_svg(bar, class(group.verdict), first + n as f64 * LINE, scale);
    }
    let below = first + group.bars.len() as f64 * LINE;
    if let Some(mark) = group.mark {
        let _ = write!(svg, "<path class=\"claim\" d=\"M{:.1} {:.1}V{below:.1}\"/>", scale.x(mark), first + 15.0);
    }
    (below, svg)
}

fn bar_svg(bar: &Bar, class: &str, top: f64, scale: &Scale) -> String {
    let (y, end) = (top + 22.0, scale.x(bar.value));
    let look = match (bar.is_whole, bar.is_pale()) {
        (true, _) => "track",
        (false, true) => "bar faint",
        (false, false) => "bar",
    };
    let mut svg = format!(
        "<text class=\"word\" x=\"{LEFT}\" y=\"{:.1}\">{}</text><g class=\"{class}\"><rect class=\"{}\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\" rx=\"1\"/>",
        top + 12.0,
        escape(&clip(&bar.name, NAME_COLUMNS)),
        look,
        y - 5.0,
        end - LEFT,
    );
    svg += &whisker(bar, y, scale);
    let _ = write!(
        svg,
        "</g><text class=\"word\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        WIDTH - 2.0,
        y + 4.0,
        escape(&bar.text)
    );
    svg
}

/// The interval of a bar with a cap at each end; where the scale ends before, an arrow.
fn whisker(bar: &Bar, y: f64, scale: &Scale) -> String {
    let beyond = if bar.reach() > scale.top { format!("M{:.1} {:.1}l4 4l-4 4", RIGHT - 1.0, y - 4.0) } else { String::new() };
    let (up, down) = (y - 3.0, y + 3.0);
    let span = bar.ends.filter(|(low, _)| *low <= scale.top).map(|(low, high)| {
        let cap = if high <= scale.top { format!("M{0:.1} {up:.1}V{down:.1}", scale.x(high)) } else { String::new() };
        format!("M{low:.1} {y:.1}H{high:.1}M{low:.1} {up:.1}V{down:.1}{cap}", low = scale.x(low), high = scale.x(high))
    });
    let path = span.unwrap_or_default() + &beyond;
    if path.is_empty() { path } else { format!("<path class=\"whisker\" d=\"{path}\"/>") }
}
