//! The sheet `Percentiles`: a line for each cell of a sweep, and for each operation of a job.

use super::cells::{Look, Value};
use super::sheet::{self, Across, across};
use super::table::{Column, column, heading, lines};
use crate::view::{Conditions, LatencyView, View};
use ioproof_core::claim::Statistic;
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::Cell;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;
const LAST: u16 = 18;
/// Width of all columns. Characters.
const WIDTH: usize = 241;

/// Latencies of one kind of I/O.
struct Line {
    conditions: Conditions,
    operation: String,
    samples: u64,
    mean_ns: Option<Estimate>,
    percentiles_ns: Vec<(Statistic, Option<u64>)>,
    min_ns: Option<u64>,
    max_ns: Option<u64>,
    cpu_ns: Option<f64>,
    iops: Option<f64>,
}

impl Line {
    fn of_cell(cell: &Cell) -> Self {
        Self {
            conditions: Conditions::new(&cell.workload),
            operation: "all I/O".into(),
            samples: cell.samples,
            mean_ns: Some(cell.latency_ns),
            percentiles_ns: cell.percentiles_ns.clone(),
            min_ns: Some(cell.extremes_ns.0),
            max_ns: Some(cell.extremes_ns.1),
            cpu_ns: cell.cpu_ns_per_io,
            iops: Some(cell.iops.median),
        }
    }

    fn of_job(row: &LatencyView) -> Self {
        Self {
            conditions: row.conditions.clone(),
            operation: row.operation.clone(),
            samples: row.samples,
            mean_ns: row.mean_ns,
            percentiles_ns: row.percentiles_ns.clone(),
            min_ns: None,
            max_ns: row.max_ns,
            cpu_ns: None,
            iops: row.iops,
        }
    }

    fn mean(&self) -> Value {
        self.mean_ns.map(|e| e.median / 1e3).into()
    }

    /// An end of the interval of the mean; a single run has none.
    fn end(&self, of: fn(&Estimate) -> f64) -> Value {
        self.mean_ns.as_ref().filter(|e| e.runs > 1).map(|e| of(e) / 1e3).into()
    }

    fn percentile(&self, wanted: Statistic) -> Value {
        let found = self.percentiles_ns.iter().find(|(statistic, _)| *statistic == wanted);
        micros(found.and_then(|(_, ns)| *ns))
    }
}

fn micros(ns: Option<u64>) -> Value {
    ns.map(|ns| ns as f64 / 1e3).into()
}

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Percentiles")?;
    sheet::line(&mut sheet, 0, &format!("Latency: {}", view.heading), Look::Title)?;
    let text = format!(
        "Mean: over all runs, with the ends of its interval ({}). Percentiles: of all runs together; empty where fewer than {} samples lie beyond, or where \
         nobody asked. CPU: time of the load generator.",
        view.interval_methods.clone().unwrap_or_else(|| "no interval of a single run".to_owned()),
        view.percentile_samples
    );
    across(&mut sheet, 1, &[Across { columns: (0, LAST), width: WIDTH, text: &text, look: Look::Remark }])?;
    let columns = columns();
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let cells = view.cells.iter().map(Line::of_cell);
    let all: Vec<Line> = cells.chain(view.latencies.iter().map(Line::of_job)).collect();
    lines(&mut sheet, HEADINGS + 1, &columns, all.iter())?;
    Ok(sheet)
}

fn columns() -> [Column<Line>; LAST as usize + 1] {
    use Look::{Count, Figure, Text};
    [
        column("workload", 42, Text, |line| line.conditions.full_title().into()),
        column("workers", 9, Count, |line| line.conditions.workers.into()),
        column("queue depth per worker", 9, Count, |line| line.conditions.depth.into()),
        column("queue depth in total", 9, Count, |line| line.conditions.outstanding.into()),
        column("operation", 18, Text, |line| line.operation.as_str().into()),
        column("samples", 13, Count, |line| line.samples.into()),
        column("mean (µs)", 11, Figure, |line| line.mean()),
        column("mean, low (µs)", 11, Figure, |line| line.end(|e| e.low)),
        column("mean, high (µs)", 11, Figure, |line| line.end(|e| e.high)),
        column("runs (n)", 7, Count, |line| line.mean_ns.map(|e| e.runs).into()),
        column("minimum (µs)", 11, Figure, |line| micros(line.min_ns)),
        column("p50 (µs)", 11, Figure, |line| line.percentile(Statistic::P50)),
        column("p99 (µs)", 11, Figure, |line| line.percentile(Statistic::P99)),
        column("p99.9 (µs)", 11, Figure, |line| line.percentile(Statistic::P999)),
        column("p99.99 (µs)", 11, Figure, |line| line.percentile(Statistic::P9999)),
        column("p99.999 (µs)", 11, Figure, |line| line.percentile(Statistic::P99999)),
        column("maximum (µs)", 12, Figure, |line| micros(line.max_ns)),
        column("CPU per I/O (µs)", 11, Figure, |line| line.cpu_ns.map(|ns| ns / 1e3).into()),
        column("IOPS", 11, Figure, |line| line.iops.into()),
    ]
}
