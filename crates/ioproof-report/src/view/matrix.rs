//! The cells of a sweep as tables, one a series, with what its curve shows in words.

use super::number::Scale;
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::judgement::Judgement;
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::{Axis, Cell, Series, Sweep};
use ioproof_core::text::visible;
use ioproof_core::units::{block_size, iops, latency, throughput};
use ioproof_core::workload::Workload;

/// One series.
#[derive(Debug, Clone)]
pub(crate) struct MatrixView {
    /// Conditions that its cells share: `sequential write 4 KiB, 2 workers`.
    pub title: String,
    /// The part of the title that comparable series share: `sequential write 4 KiB`.
    pub group: String,
    /// The rest of it, by which a series is told from those: `2 workers`, `psync, 2 workers`.
    pub name: String,
    /// The backend of its cells, where the run has several.
    pub backend: Option<String>,
    /// Name of what rises: `queue depth`.
    pub axis: &'static str,
    /// The same as data.
    pub rises: Axis,
    pub rows: Vec<MatrixRow>,
    /// The cells as points of curves, in the order of the rows.
    pub points: Vec<MatrixPoint>,
    /// The metric of `throughput` of the points.
    pub metric: Metric,
    /// Position of the first cell from which on more only queues.
    pub full: Option<usize>,
    /// Conditions that were not measured.
    pub left_out: Vec<Workload>,
    /// The shape of the curve, a sentence each.
    pub says: Vec<String>,
}

/// One cell in the charts.
#[derive(Debug, Clone)]
pub(crate) struct MatrixPoint {
    /// I/Os outstanding in total, or the bytes of a block.
    pub at: f64,
    /// The same for people: `32`, `64 KiB`.
    pub label: String,
    /// In the stored unit of the matrix's metric.
    pub throughput: f64,
    pub latency_ns: f64,
}

/// One cell, each figure with its unit.
#[derive(Debug, Clone)]
pub(crate) struct MatrixRow {
    /// The raw figures.
    pub cell: Cell,
    /// `1 x 8 = 8`, or a block size.
    pub at: String,
    /// Rate with its interval.
    pub iops: String,
    /// The rate without it.
    pub iops_bare: String,
    pub throughput: String,
    pub mean: String,
    pub p50: String,
    pub p99: String,
    pub p999: String,
    pub max: String,
    /// CPU time of the load generator for one I/O.
    pub cpu: String,
    pub runs: String,
    /// `knee`, `ceiling`, `host`.
    pub note: String,
}

/// Names of the columns, in the order of [`MatrixRow::cells`]; the first is that of the axis.
pub(crate) const MATRIX_COLUMNS: [&str; 10] = ["IOPS", "MB/s", "mean", "p50", "p99", "p99.9", "max", "CPU/IO", "n", "note"];

impl MatrixRow {
    /// Everything in the order of the columns.
    pub(crate) fn cells(&self) -> [&str; 11] {
        [&self.at, &self.iops, &self.throughput, &self.mean, &self.p50, &self.p99, &self.p999, &self.max, &self.cpu, &self.runs, &self.note]
    }
}

/// The series of a sweep; none of other runs.
pub(super) fn matrices(judgement: &Judgement) -> Vec<MatrixView> {
    judgement.sweep.iter().flat_map(|sweep| sweep.series.iter().filter_map(|series| matrix(sweep, series))).collect()
}

fn matrix(sweep: &Sweep, series: &Series) -> Option<MatrixView> {
    let first = series.cells.first().map(|cell| &cell.workload).or(series.left_out.first())?;
    let rows = series.cells.iter().enumerate().map(|(at, cell)| row(sweep.axis, series, at, cell)).collect();
    let (group, rest) = parts_of_title(sweep.axis, &Workload { backend: None, ..first.clone() });
    Some(MatrixView {
        group,
        backend: first.backend_name(),
        name: first.backend_name().into_iter().chain([rest]).collect::<Vec<_>>().join(", "),
        title: title(sweep.axis, first),
        axis: axis(sweep.axis),
        rises: sweep.axis,
        rows,
        points: series.cells.iter().map(|cell| point(sweep.axis, cell)).collect(),
        metric: if sweep.axis == Axis::BlockSize { Metric::Throughput } else { Metric::Iops },
        full: series.shape.and_then(|shape| shape.full),
        left_out: series.left_out.clone(),
        says: says(sweep.axis, series),
    })
}

fn point(axis: Axis, cell: &Cell) -> MatrixPoint {
    let (at, label, throughput) = match axis {
        Axis::Depth | Axis::Workers => {
            let outstanding = cell.workload.outstanding();
            (outstanding, outstanding.to_string(), cell.iops.median)
        }
        Axis::BlockSize => (cell.workload.block_bytes, block_size(cell.workload.block_bytes.into()), cell.bytes_per_s.median),
    };
    MatrixPoint { at: at.into(), label, throughput, latency_ns: cell.latency_ns.median }
}

fn axis(axis: Axis) -> &'static str {
    match axis {
        Axis::Depth | Axis::Workers => "queue depth",
        Axis::BlockSize => "block size",
    }
}

/// The conditions that all cells share: `random read 4 KiB by psync, 2 workers`.
pub(crate) fn title(axis: Axis, workload: &Workload) -> String {
    let (load, concurrency) = parts_of_title(axis, workload);
    format!("{load}, {concurrency}")
}

/// The load, and the workers or the depth that all cells have.
fn parts_of_title(axis: Axis, workload: &Workload) -> (String, String) {
    let workers = if workload.workers == 1 { "1 worker".to_owned() } else { format!("{} workers", workload.workers) };
    match axis {
        Axis::Depth => (workload.title(), workers),
        Axis::Workers => (workload.title(), format!("queue depth {} each", workload.depth)),
        Axis::BlockSize => {
            let size = block_size(workload.block_bytes.into());
            (workload.title().replacen(&format!(" {size}"), "", 1), format!("queue depth {}", workload.concurrency()))
        }
    }
}

fn row(axis: Axis, series: &Series, at: usize, cell: &Cell) -> MatrixRow {
    let percentile = |wanted: Statistic| {
        let ns = cell.percentiles_ns.iter().find(|(statistic, _)| *statistic == wanted).and_then(|(_, ns)| *ns);
        ns.map_or_else(|| "-".to_owned(), |ns| latency(ns as f64))
    };
    MatrixRow {
        cell: cell.clone(),
        at: place(axis, &cell.workload),
        iops: figure(Metric::Iops, &cell.iops),
        iops_bare: iops(cell.iops.median),
        throughput: throughput(cell.bytes_per_s.median),
        mean: latency(cell.latency_ns.median),
        p50: percentile(Statistic::P50),
        p99: percentile(Statistic::P99),
        p999: percentile(Statistic::P999),
        max: latency(cell.extremes_ns.1 as f64),
        cpu: cell.cpu_ns_per_io.map_or_else(|| "-".to_owned(), latency),
        runs: cell.iops.runs.to_string(),
        note: notes(series, at, cell).join(", "),
    }
}

fn figure(metric: Metric, estimate: &Estimate) -> String {
    Scale::of(metric, estimate.median).short_interval(estimate)
}

/// `4 x 8 = 32`, or `16 KiB`.
fn place(axis: Axis, workload: &Workload) -> String {
    match axis {
        Axis::Depth | Axis::Workers => workload.concurrency(),
        Axis::BlockSize => block_size(workload.block_bytes.into()),
    }
}

fn notes(series: &Series, at: usize, cell: &Cell) -> Vec<&'static str> {
    let special = series.shape.iter().flat_map(|shape| {
        let full = shape.full.map(|full| (full, "full"));
        [Some((shape.floor, "floor")), Some((shape.knee, "knee")), full, Some((shape.ceiling, "ceiling"))]
    });
    let special = special.flatten().filter(|(of, _)| *of == at).map(|(_, word)| word);
    special.chain(cell.host_limit.as_ref().map(|_| "host")).collect()
}

/// Says that the queue depth was made of threads.
fn threads(series: &Series) -> Option<String> {
    let most = series.cells.iter().filter_map(|cell| cell.threads).max()?;
    let backend = series.cells.iter().find_map(|cell| cell.workload.backend_name());
    let backend = backend.unwrap_or_else(|| "the backend".to_owned());
    Some(format!("queue depth made of threads, up to {most}: {backend} keeps one I/O outstanding in each"))
}

/// The limits that held cells back that is not the drive, each with its cells.
fn held_back(axis: Axis, series: &Series) -> Vec<String> {
    let mut limits: Vec<(&str, Vec<String>)> = Vec::new();
    for cell in &series.cells {
        let Some(limit) = &cell.host_limit else { continue };
        let place = place(axis, &cell.workload);
        match limits.iter_mut().find(|(known, _)| *known == limit.as_str()) {
            Some((_, places)) => places.push(place),
            None => limits.push((limit, vec![place])),
        }
    }
    limits.into_iter().map(|(limit, places)| format!("host: {}, at {}", visible(limit), places.join(", "))).collect()
}

/// Says that the shape rests on cells of too few runs for an interval.
fn caveat(series: &Series) -> Option<String> {
    series.shape.as_ref()?;
    let runs = || series.cells.iter().map(|cell| cell.iops.runs);
    let without = series.cells.iter().filter(|cell| !cell.iops.is_interval()).count();
    let (fewest, all) = (runs().min()?, series.cells.len());
    let words = if fewest == 1 { "1 run".to_owned() } else { format!("{fewest} runs") };
    (without > 0).then(|| format!("uncertain: {without} of {all} cells have too few runs for an interval (down to {words}): another sweep may place these elsewhere; a longer --time gives more"))
}

/// Ends of an interval.
type Range = (f64, f64);

/// The cells that could be in the place of the named one, since its interval and theirs overlap; empty for none, and where it has too few runs for an interval.
fn doubtful(axis: Axis, cells: &[Cell], named: usize, range: impl Fn(&Cell) -> Range) -> String {
    let (low, high) = range(&cells[named]);
    let overlaps = |(of_low, of_high): Range| of_low <= high && low <= of_high;
    let others = cells.iter().enumerate().filter(|(at, cell)| *at != named && overlaps(range(cell)));
    let places: Vec<String> = others.map(|(_, cell)| place(axis, &cell.workload)).collect();
    if places.is_empty() || !cells[named].iops.is_interval() {
        return String::new();
    }
    format!("; uncertain: by their intervals it may as well be at {}", places.join(", "))
}

/// The shape of the curve in words, and what was left out.
fn says(axis: Axis, series: &Series) -> Vec<String> {
    let mut says = Vec::new();
    if let Some(shape) = &series.shape {
        let (floor, knee, ceiling) = (&series.cells[shape.floor], &series.cells[shape.knee], &series.cells[shape.ceiling]);
        let doubt = |named: usize, range: fn(&Cell) -> Range| doubtful(axis, &series.cells, named, range);
        let of_floor = doubt(shape.floor, |cell| (cell.latency_ns.low, cell.latency_ns.high));
        says.push(format!("floor: {} at {}{of_floor}", latency(floor.latency_ns.median), place(axis, &floor.workload)));
        let is_last = shape.knee + 1 == series.cells.len();
        let beyond = if is_last {
            "throughput for the latency is still the greatest there"
        } else {
            "beyond it latency grows faster than throughput"
        };
        let (rate, at, takes) = (iops(knee.iops.median), place(axis, &knee.workload), latency(knee.latency_ns.median));
        let of_knee =
            doubt(shape.knee, |cell| (cell.iops.low / cell.latency_ns.high.max(1.0), cell.iops.high / cell.latency_ns.low.max(1.0)));
        says.push(format!("knee: {rate} at {at}, with {takes}; {beyond}{of_knee}"));
        let still = if shape.ceiling + 1 == series.cells.len() && shape.full.is_none() { "; it still rises there" } else { "" };
        let of_ceiling = doubt(shape.ceiling, |cell| (cell.iops.low, cell.iops.high));
        says.push(format!("ceiling: {} at {}{still}{of_ceiling}", iops(ceiling.iops.median), place(axis, &ceiling.workload)));
        says.extend(shape.full.map(|full| {
            let cell = &series.cells[full];
            let from = format!("from {} on more only queues", place(axis, &cell.workload));
            // Held against itself the ceiling is no news.
            let is_itself = full == shape.ceiling;
            if is_itself { from } else { format!("{from}: {} there cannot be told from the ceiling", iops(cell.iops.median)) }
        }));
    }
    says.extend(caveat(series));
    if series.shape.is_none() && axis != Axis::BlockSize && !series.cells.is_empty() {
        says.push("fewer than three cells, too few for a floor, a knee or a ceiling".into());
    }
    says.extend(threads(series));
    says.extend(held_back(axis, series));
    if !series.left_out.is_empty() {
        let places: Vec<String> = series.left_out.iter().map(|workload| place(axis, workload)).collect();
        says.push(format!(
            "not measured: {}; nothing more was to be expected there, or the run ended (--full measures all)",
            places.join(", ")
        ));
    }
    says
}
