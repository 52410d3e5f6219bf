//! All runs of all workloads at a glance: a dot a run, by its share of the claim, or of its own median where nothing was promised.

use super::plot::{WIDTH, even};
use super::{class, escape, section};
use crate::layout::clip;
use crate::view::{Chart, DatabaseView, RowView, View};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::units::rate;
use std::fmt::Write;

/// Lines of one figure, and the height of each.
const LINES: usize = 7;
const LINE: f64 = 31.0;
/// Columns of a name.
const NAME_COLUMNS: usize = 38;
/// Figures on a page.
const MOST: usize = 6;

pub(super) fn glance(view: &View) -> String {
    let databases = view.databases.measured.iter().filter_map(Dots::of_database);
    let lines: Vec<Dots> = view.rows.iter().filter_map(|row| Dots::of(row, view)).chain(databases).collect();
    let (claimed, other): (Vec<&Dots>, Vec<&Dots>) = lines.iter().partition(|dots| dots.is_claimed);
    let of = |dots: &[&Dots], title: &str| -> Vec<String> {
        dots.chunks(even(dots.len(), LINES)).map(|chunk| figure(chunk, title, view.judgement.threshold)).collect()
    };
    let mut figures = of(&claimed, "Each run, as a share of the claim");
    figures.extend(of(&other, "Each run, as a share of the median"));
    figures.truncate(MOST);
    if figures.is_empty() {
        return String::new();
    }
    let text =
        "<p>A dot is a run, the bar the interval. Further right is better; in shares of the median of a latency, further left.</p>\n";
    section("At a glance", &format!("{text}<div class=\"charts\">\n{}</div>\n", figures.concat()))
}

/// The runs of one row.
struct Dots {
    is_claimed: bool,
    name: String,
    median: String,
    class: &'static str,
    /// Low, median and high.
    ends: [f64; 3],
    /// Share and value of each run.
    runs: Vec<(f64, String)>,
}

impl Dots {
    fn of(row: &RowView, view: &View) -> Option<Self> {
        let chart: &Chart = view.charts.iter().find(|chart| Some(chart.job) == row.job)?;
        let measured = row.measured.filter(|e| e.runs > 1 && e.median > 0.0)?;
        // Of a percentile the figure is that of all runs together.
        if row.metric == Metric::Latency && row.statistic != Some(Statistic::Mean) {
            return None;
        }
        let share = |value: f64| match (row.claimed, row.metric) {
            (Some(claimed), Metric::Latency) => claimed / value,
            (Some(claimed), _) => value / claimed,
            (None, _) => value / measured.median,
        };
        let runs = chart.runs.iter().map(|run| run.of(row.metric)).map(|value| (share(value), row.metric.show(value)));
        Some(Self {
            is_claimed: row.claimed.is_some(),
            name: format!("{}, {}", row.short(), row.conditions.depth_formula().replace(' ', "")),
            median: row.metric.show(measured.median),
            class: class(row.verdict),
            ends: [measured.low, measured.median, measured.high].map(share),
            runs: runs.collect(),
        })
    }

    fn of_database(database: &DatabaseView) -> Option<Self> {
        let measured = Some(database.per_s).filter(|e| e.runs > 1 && e.median > 0.0)?;
        let shown = |per_s: f64| format!("{} a second", rate(per_s));
        Some(Self {
            is_claimed: false,
            name: database.name.clone(),
            median: shown(measured.median),
            class: class(None),
            ends: [measured.low, measured.median, measured.high].map(|per_s| per_s / measured.median),
            runs: database.turns.iter().map(|per_s| (per_s / measured.median, shown(*per_s))).collect(),
        })
    }
}

fn figure(lines: &[&Dots], title: &str, threshold: f64) -> String {
    let most =
        lines.iter().flat_map(|dots| dots.runs.iter().map(|(share, _)| *share)).filter(|share| share.is_finite()).fold(0.0, f64::max);
    let top = (most * 4.0).ceil().clamp(5.0, 8.0) / 4.0;
    let x = |share: f64| if share.is_finite() { 4.0 + share.clamp(0.0, top) / top * (WIDTH - 8.0) } else { 4.0 };
    let height = lines.len() as f64 * LINE + 18.0;
    let bottom = height - 16.0;
    let mut svg = format!("<path class=\"grid\" d=\"M{0:.1} 4V{bottom}M{1:.1} 4V{bottom}M{2:.1} 4V{bottom}\"/>", x(0.0), x(0.5), x(1.0));
    if lines.iter().any(|dots| dots.is_claimed) {
        let _ = write!(svg, "<path class=\"claim\" d=\"M{0:.1} 4V{bottom}\"/>", x(threshold));
    }
    for (share, label) in [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")] {
        let anchor = if share == 0.0 { "start" } else { "middle" };
        let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{label}</text>", x(share), height - 4.0);
    }
    for (n, dots) in lines.iter().enumerate() {
        svg += &line(dots, n as f64 * LINE, &x);
    }
    let described: Vec<String> = lines.iter().map(|dots| format!("{}: {}", dots.name, dots.median)).collect();
    let note = if lines.iter().any(|dots| dots.is_claimed) { "dashed: the threshold" } else { "nothing was promised" };
    format!(
        "<figure><figcaption><strong>{title}</strong> <span>{note}</span></figcaption>\
         <svg class=\"dots\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">{svg}</svg></figure>\n",
        escape(&described.join("; "))
    )
}

fn line(dots: &Dots, top: f64, x: &dyn Fn(f64) -> f64) -> String {
    let (words, y) = (top + 12.0, top + 22.0);
    let [low, median, high] = dots.ends.map(x);
    let (low, high) = (low.min(high), low.max(high));
    let mut svg = format!(
        "<text class=\"word\" x=\"4\" y=\"{words}\">{}</text><text class=\"word\" x=\"{:.1}\" y=\"{words}\" text-anchor=\"end\">{}</text>",
        escape(&clip(&dots.name, NAME_COLUMNS)),
        WIDTH - 4.0,
        escape(&dots.median)
    );
    let _ = write!(
        svg,
        "<g class=\"{}\"><path class=\"span\" d=\"M{low:.1} {y}H{high:.1}\"/><path class=\"middle\" d=\"M{median:.1} {:.1}V{:.1}\"/>",
        dots.class,
        y - 5.0,
        y + 5.0
    );
    for (n, (share, value)) in dots.runs.iter().enumerate() {
        let _ = write!(
            svg,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{y}\" r=\"2.8\" data-tip=\"run {}: {}\"/>",
            x(*share),
            n + 1,
            escape(value)
        );
    }
    svg + "</g>"
}
