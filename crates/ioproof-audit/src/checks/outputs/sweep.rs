//! Runs that differ in depth or workers only: the knee, the ceiling, and the points that only queue.

use crate::checks::{Findings, Measured, Reading, block_size, show};
use serde::Serialize;

const NAME: &str = "knee";
/// Share of the ceiling from which on a point is on it.
const CEILING: f64 = 0.9;
const POINTS_MIN: usize = 4;
const GROUPS_MAX: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    pub line: u32,
    pub workers: u64,
    /// I/Os outstanding of each worker.
    pub depth: u64,
    pub iops: f64,
    /// Mean latency in nanoseconds, by Little's law where it is not printed.
    pub latency_ns: f64,
}

impl Point {
    fn outstanding(&self) -> u64 {
        self.workers.saturating_mul(self.depth)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    pub tool: &'static str,
    pub load: String,
    /// Its points, by the count outstanding.
    pub points: Vec<Point>,
    /// Position of the knee: the highest rate by latency.
    pub knee: usize,
    /// Position of the highest rate.
    pub ceiling: usize,
    /// True where the points were run in ascending order, each once.
    pub ascending: bool,
}

#[must_use]
pub fn sweeps(reading: &Reading) -> Vec<Sweep> {
    let mut groups: Vec<(String, Vec<&Measured>)> = Vec::new();
    for measured in &reading.measured {
        let load = &measured.load;
        let key = format!("{} {} {:?} {:?} {}", measured.tool, load.word, load.block_bytes, load.engine, measured.target);
        match groups.iter().position(|(known, _)| *known == key) {
            Some(at) => groups[at].1.push(measured),
            None if groups.len() < GROUPS_MAX => groups.push((key, vec![measured])),
            None => {}
        }
    }
    groups.iter().filter_map(|(_, group)| sweep(group)).collect()
}

fn sweep(group: &[&Measured]) -> Option<Sweep> {
    let mut points: Vec<Point> = group.iter().filter_map(|measured| point(measured)).collect();
    let order: Vec<u64> = points.iter().map(Point::outstanding).collect();
    points.sort_by_key(Point::outstanding);
    // Of repeated points the last one counts, as the text shows its sweep after its trials.
    points.dedup_by(|later, kept| {
        let is_same = later.outstanding() == kept.outstanding();
        if is_same && later.line > kept.line {
            *kept = *later;
        }
        is_same
    });
    if points.len() < POINTS_MIN || group.first()?.tool == "pg_test_fsync" {
        return None;
    }
    let best = |of: fn(&Point) -> f64| (0..points.len()).max_by(|a, b| of(&points[*a]).total_cmp(&of(&points[*b])));
    let knee = best(|point| point.iops / point.latency_ns)?;
    let ceiling = best(|point| point.iops)?;
    let first = group.first()?;
    let load = &first.load;
    let words = [load.word.clone(), load.block_bytes.map_or(String::new(), block_size)].join(" ");
    Some(Sweep {
        tool: first.tool,
        load: words.trim().to_owned(),
        knee,
        ceiling,
        ascending: order.windows(2).filter(|pair| pair[0] > pair[1]).count() <= 1,
        points,
    })
}

fn point(measured: &Measured) -> Option<Point> {
    let iops = measured.total().0.filter(|iops| *iops > 0.0)?;
    let outstanding = measured.load.outstanding().filter(|outstanding| *outstanding > 0)?;
    let mean = measured.sides.iter().find(|side| side.iops.is_some())?.latency.mean;
    let latency_ns = mean.map_or(outstanding as f64 / iops * 1e9, |mean| mean.value);
    let (workers, depth) = (measured.load.workers?, measured.load.depth?);
    (latency_ns > 0.0).then_some(Point { line: measured.first, workers, depth, iops, latency_ns })
}

pub(super) fn check(reading: &Reading, findings: &mut Findings) {
    for sweep in sweeps(reading) {
        let (knee, ceiling) = (&sweep.points[sweep.knee], &sweep.points[sweep.ceiling]);
        let Some(last) = sweep.points.last() else { continue };
        let Some(full) = sweep.points.iter().find(|point| point.iops >= CEILING * ceiling.iops) else { continue };
        let place = reading.at(knee.line);
        let gain = |to: &Point| show::change(full.iops, to.iops);
        if last.outstanding() >= 2 * full.outstanding() {
            let title = format!(
                "{} {}: from {} outstanding on, more only queues: to {} {} IOPS for {:.1} times the latency",
                sweep.tool,
                sweep.load,
                full.outstanding(),
                last.outstanding(),
                gain(last),
                last.latency_ns / full.latency_ns
            );
            let because = format!(
                "knee at {} ({}, {}); {} at {} against {} at {}",
                knee.outstanding(),
                show::iops(knee.iops),
                show::time(knee.latency_ns),
                show::iops(full.iops),
                full.outstanding(),
                show::iops(last.iops),
                last.outstanding()
            );
            findings.note(NAME, place, title, because);
        }
        near(reading, &sweep, findings);
        order(reading, &sweep, findings);
    }
}

/// A peak that cannot be told from its neighbour.
fn near(reading: &Reading, sweep: &Sweep, findings: &mut Findings) {
    let peak = sweep.points[sweep.ceiling];
    let beside = sweep.points.iter().enumerate().filter(|(at, _)| at.abs_diff(sweep.ceiling) == 1).map(|(_, point)| point);
    let Some(other) = beside.max_by(|a, b| a.iops.total_cmp(&b.iops)) else { return };
    let off = peak.iops / other.iops - 1.0;
    if off < 0.02 {
        let title = format!(
            "the peak at {} outstanding and the rate at {} differ by {}, with one run each",
            peak.outstanding(),
            other.outstanding(),
            show::percent(off)
        );
        let because = format!("{} against {}", show::iops(peak.iops), show::iops(other.iops));
        findings.note("peak-within-noise", reading.at(peak.line), title, because);
    }
}

fn order(reading: &Reading, sweep: &Sweep, findings: &mut Findings) {
    if sweep.ascending {
        let title = format!(
            "the {} points of the sweep were run once each in ascending order: drift of the drive looks like an effect of the depth",
            sweep.points.len()
        );
        let points = sweep.points.iter().map(|point| point.outstanding().to_string()).collect::<Vec<_>>().join(", ");
        findings
            .note("ascending-order", reading.at(sweep.points[0].line), title, format!("outstanding: {points}"))
            .mend("repeat the points in random order");
    }
}
