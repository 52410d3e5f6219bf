//! The measured time of each workload, one figure a workload: rate, latency, temperature and CPU above each other on one axis of time.
//!
//! Behind the latencies lies a heat map of all I/Os, where the record has their spread. What it does not have is not drawn.

use super::plot::{Decades, Line, Mark, Panel, Plot, Point, Tick, round_steps};
use super::section;
use crate::view::{Chart, Scale, View, counted};
use ioproof_core::claim::Metric;
use ioproof_core::record::SliceLatency;
use ioproof_core::timeline::{DIRECTIONS, Moment, RunSpan, Timeline};
use ioproof_core::units::{latency as latency_text, percent, three_digits};

/// Figures on a page; further workloads are in the tables.
const MOST: usize = 40;
/// Heights of the panels.
const RATE: f64 = 84.0;
const LATENCY: f64 = 104.0;
const STATE: f64 = 26.0;
/// Cells of a heat map from bottom to top, and the share of a moment's I/Os from which on a cell has each level.
const ROWS: f64 = 26.0;
const LEVELS: [f64; 5] = [0.0, 0.005, 0.03, 0.1, 0.3];
/// Share of the axis from which on time between two moments is seen, which nobody measured.
const GAP: f64 = 0.002;

pub(super) fn over_time(view: &View) -> String {
    let drawn: Vec<&Chart> = view.charts.iter().filter(|chart| !chart.timeline.moments.is_empty()).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let figures: String = drawn.iter().take(MOST).enumerate().map(|(n, chart)| figure(n, chart)).collect();
    let left_out = drawn.len().saturating_sub(MOST);
    let more =
        if left_out > 0 { format!(" {} more are in the tables alone.", counted(left_out as u64, "workload")) } else { String::new() };
    let text = format!("<p>{}{more}</p>\n", explain(&drawn));
    section("Over time", &format!("{text}<div class=\"charts\">\n{figures}</div>\n"))
}

/// A sentence for each thing that is drawn anywhere.
fn explain(drawn: &[&Chart]) -> String {
    let lines = || drawn.iter().map(|chart| &chart.timeline);
    let has_run = |of: fn(&RunSpan) -> bool| lines().flat_map(|line| &line.runs).any(of);
    let sentences = [
        (
            true,
            "The measured time of each workload: its runs one beside the next, every second one shaded; what lay between them is left out.",
        ),
        (drawn.iter().any(|chart| chart.claimed.is_some()), "Dashed: the claim."),
        (
            lines().flat_map(|line| &line.moments).any(|moment| !moment.spread.is_empty()),
            "Behind the latencies: all I/Os of each moment, the stronger the colour the more of them took so long; percentiles are within 7 %.",
        ),
        (has_run(|run| run.celsius.is_some()), "Temperature: that of the hottest drive of the workload, before and after each run."),
        (has_run(|run| run.cpu_busy.is_some()), "CPU: that of all of this machine, over all of each run."),
        (has_run(|run| run.throttled), "Red ground: a drive or a CPU slowed itself down because it was hot."),
    ];
    let said: Vec<&str> = sentences.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sentence)| sentence).collect();
    said.join(" ")
}

fn figure(n: usize, chart: &Chart) -> String {
    let line = &chart.timeline;
    let panels: Vec<Panel> = [Some(rates(chart)), latencies(line), temperature(line), cpu(line)].into_iter().flatten().collect();
    let c = &chart.conditions;
    let steps = round_steps(line.length_s).into_iter().filter(|s| *s <= line.length_s * 1.001);
    let x_ticks = steps.map(|s| Tick { at: x(line, s), label: three_digits(s) }).collect();
    let panels = panels.into_iter().map(|panel| shaded(panel, line)).collect();
    let title = format!("Over time: {}", c.full_title());
    let plot = Plot::new(format!("time-{n}"), title, describe(chart), ("seconds measured", x_ticks), panels);
    let plot = Plot { x_span: Some((line.length_s, "s")), ..plot };
    plot.figure(&c.full_title(), &format!("QD {}, {}", c.depth_formula(), counted(line.runs.len() as u64, "run")))
}

fn x(line: &Timeline, s: f64) -> f64 {
    s / line.length_s.max(1e-9)
}

/// The panel on the ground that tells runs apart.
fn shaded(mut panel: Panel, line: &Timeline) -> Panel {
    let band = |(n, run): (usize, &RunSpan)| {
        let class = if run.throttled { "hot" } else { "band" };
        (run.throttled || n % 2 == 1).then(|| Mark::Band(x(line, run.start_s), x(line, run.end_s), class))
    };
    let bands: Vec<Mark> = line.runs.iter().enumerate().filter_map(band).collect();
    panel.marks.splice(0..0, bands);
    panel
}

/// The rate, and with several directions each of them.
fn rates(chart: &Chart) -> Panel {
    let line = &chart.timeline;
    let total = |moment: &Moment| moment.rates.iter().sum::<f64>();
    let largest = line.moments.iter().map(total).chain(chart.claimed).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let scale = Scale::of(chart.metric, largest);
    let steps = round_steps(largest / scale.factor);
    let top = steps.last().copied().unwrap_or(1.0) * scale.factor;
    let curve = |name: &str, look, of: &dyn Fn(&Moment) -> f64| {
        let text = |moment: &Moment| Some((of(moment) / top, chart.metric.show(of(moment))));
        curve(line, name.to_owned(), look, text)
    };
    let used = line.directions();
    let mut lines = vec![curve(if used.len() > 1 { "all" } else { "rate" }, 0, &total)];
    if used.len() > 1 {
        lines.extend(used.iter().map(|n| curve(DIRECTIONS[*n], n + 1, &|moment: &Moment| moment.rates[*n])));
    }
    let claim = chart.claimed.map(|claimed| Mark::Level(claimed / top, format!("claim {}", chart.metric.show(claimed))));
    let ticks = steps.iter().map(|step| Tick { at: step * scale.factor / top, label: three_digits(*step) }).collect();
    Panel { name: scale.unit.to_owned(), height: RATE, ticks, marks: claim.into_iter().collect(), lines }
}

/// Steps through the moments that have a value; a run begins anew.
fn curve(line: &Timeline, name: String, look: usize, of: impl Fn(&Moment) -> Option<(f64, String)>) -> Line {
    let mut points: Vec<Point> = Vec::new();
    let mut last = None;
    for (n, moment) in line.moments.iter().enumerate() {
        let Some((y, text)) = of(moment) else { continue };
        let begins = last != Some((n.wrapping_sub(1), moment.run));
        last = Some((n, moment.run));
        points.push(Point { x: x(line, moment.from_s), to: Some(x(line, moment.to_s)), y, text, begins });
    }
    Line::new(name, look, points)
}

/// A statistic of a direction's latency, with its name and its look.
struct Told {
    direction: usize,
    name: String,
    look: usize,
    of: fn(&SliceLatency) -> Option<u64>,
}

/// The lines of latency: median, or the mean where too few I/Os are in a slice to tell it, 99 %, and of a load of one direction the largest.
fn told(line: &Timeline, used: &[usize]) -> Vec<Told> {
    let mut all = Vec::new();
    for (n, &direction) in used.iter().enumerate() {
        let has_median = line.moments.iter().any(|moment| moment.latency[direction].as_ref().is_some_and(|l| l.p50_ns.is_some()));
        let name = |what: &str| if used.len() > 1 { format!("{} {what}", DIRECTIONS[direction]) } else { what.to_owned() };
        let looks = [[4, 5], [7, 3], [6, 0]][n.min(2)];
        all.push(match has_median {
            true => Told { direction, name: name("median"), look: looks[0], of: |l| l.p50_ns },
            false => Told { direction, name: name("mean"), look: looks[0], of: |l| Some(l.mean_ns) },
        });
        all.push(Told { direction, name: name("99 %"), look: looks[1], of: |l| l.p99_ns });
        all.extend((used.len() == 1).then(|| Told { direction, name: name("largest"), look: 6, of: |l| l.max_ns }));
    }
    all
}

fn latencies(line: &Timeline) -> Option<Panel> {
    let used: Vec<usize> = line.directions().into_iter().filter(|n| line.moments.iter().any(|m| m.latency[*n].is_some())).collect();
    let told = told(line, &used);
    let value = |moment: &Moment, told: &Told| moment.latency[told.direction].as_ref().and_then(told.of);
    let values = told.iter().flat_map(|told| line.moments.iter().filter_map(move |moment| value(moment, told)));
    let spread = line.moments.iter().filter(|moment| !moment.spread.is_empty());
    let ends = spread.flat_map(|moment| {
        let all = moment.spread.histogram();
        [all.quantile_ns(0.0), all.quantile_ns(1.0)].into_iter().flatten()
    });
    let decades = Decades::of(values.chain(ends).map(|ns| ns as f64))?;
    let lines = told.iter().map(|told| {
        let text = |moment: &Moment| value(moment, told).map(|ns| (decades.up(ns as f64), latency_text(ns as f64)));
        curve(line, told.name.clone(), told.look, text)
    });
    let lines: Vec<Line> = lines.filter(|line| !line.points.is_empty()).collect();
    let heat = Mark::Heat(heat(line, &decades));
    Some(Panel { name: "service time".into(), height: LATENCY, ticks: decades.ticks(), marks: vec![heat], lines })
}

/// The cells of all moments; those beside each other with one level are one.
fn heat(line: &Timeline, decades: &Decades) -> Vec<([f64; 4], u8)> {
    let mut cells: Vec<([f64; 4], u8, usize)> = Vec::new();
    for (n, moment) in line.moments.iter().enumerate().filter(|(_, moment)| !moment.spread.is_empty()) {
        let all = moment.spread.histogram();
        let mut rows: Vec<(usize, u64)> = Vec::new();
        for (ns, _, count) in all.counted() {
            let row = (decades.up(ns as f64).clamp(0.0, 0.999) * ROWS) as usize;
            match rows.last_mut().filter(|(last, _)| *last == row) {
                Some((_, sum)) => *sum += count,
                None => rows.push((row, count)),
            }
        }
        let (left, right) = (x(line, moment.from_s), x(line, moment.to_s));
        for (row, count) in rows {
            let share = count as f64 / all.count() as f64;
            let level = LEVELS.iter().filter(|least| share > **least).count() as u8;
            let (bottom, top) = (row as f64 / ROWS, (row + 1) as f64 / ROWS);
            let joins =
                |(cell, of, last): &&mut ([f64; 4], u8, usize)| *of == level && cell[2] == bottom && *last + 1 == n && left - cell[1] < GAP;
            match cells.iter_mut().rev().take(4 * ROWS as usize).find(joins) {
                Some((cell, _, last)) => (cell[1], *last) = (right, n),
                None => cells.push(([left, right, bottom, top], level, n)),
            }
        }
    }
    cells.into_iter().map(|(cell, level, _)| (cell, level)).collect()
}

/// Degrees before and after each run, on an axis around them.
fn temperature(line: &Timeline) -> Option<Panel> {
    let known = || line.runs.iter().filter_map(|run| run.celsius);
    let low = known().map(|(a, b)| a.min(b)).reduce(f64::min)?;
    let high = known().map(|(a, b)| a.max(b)).reduce(f64::max)?;
    let (low, high) = ((low / 10.0).floor() * 10.0, ((high / 10.0).ceil() * 10.0).max((low / 10.0).floor() * 10.0 + 10.0));
    let up = |celsius: f64| (celsius - low) / (high - low);
    let points = state(line, |run| run.celsius, |celsius| (up(celsius), format!("{celsius:.0} °C")));
    let ticks = [low, high].map(|celsius| Tick { at: up(celsius), label: format!("{celsius:.0}") });
    Some(of_state("°C", "temperature", 7, ticks.into(), points))
}

fn cpu(line: &Timeline) -> Option<Panel> {
    line.runs.iter().find_map(|run| run.cpu_busy)?;
    let points = state(line, |run| run.cpu_busy.map(|busy| (busy, busy)), |busy| (busy, percent(busy)));
    let ticks = [0.0, 1.0].map(|share: f64| Tick { at: share, label: format!("{:.0}", share * 100.0) });
    Some(of_state("CPU busy, %", "CPU busy", 6, ticks.into(), points))
}

fn of_state(name: &str, line: &str, look: usize, ticks: Vec<Tick>, points: Vec<Point>) -> Panel {
    Panel { name: name.to_owned(), height: STATE, ticks, marks: Vec::new(), lines: vec![Line::new(line.to_owned(), look, points)] }
}

/// A line from the beginning to the end of each run that has a reading.
fn state(line: &Timeline, of: impl Fn(&RunSpan) -> Option<(f64, f64)>, show: impl Fn(f64) -> (f64, String)) -> Vec<Point> {
    let point = |s: f64, value: f64, begins: bool| {
        let (y, text) = show(value);
        Point { x: x(line, s), to: None, y, text, begins }
    };
    let ends = |run: &RunSpan| of(run).map(|(before, after)| [point(run.start_s, before, true), point(run.end_s, after, false)]);
    line.runs.iter().filter_map(ends).flatten().collect()
}

fn describe(chart: &Chart) -> String {
    let values = || chart.timeline.moments.iter().map(|moment| moment.rates.iter().sum::<f64>());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let claimed = chart.claimed.map(|claimed| format!("; the claim is {}", chart.metric.show(claimed))).unwrap_or_default();
    let runs = counted(chart.timeline.runs.len() as u64, "run");
    let show = |value: f64| if chart.metric == Metric::Latency { latency_text(value) } else { chart.metric.show(value) };
    format!("{runs}, between {} and {}{claimed}", show(low), show(high))
}
