//! Latencies in words and units.

use super::{Conditions, Scale};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::judge::{self, BesideLatency};
use ioproof_core::judgement::{Judgement, LatencyRow};
use ioproof_core::record::RunRecord;
use ioproof_core::results::{Figure, Part, ResultRow, ResultTable, Unit, column};
use ioproof_core::stats::Estimate;
use ioproof_core::sweep::Cell;
use ioproof_core::text::visible;
use ioproof_core::units;

/// Latency of one operation of a job.
pub(crate) struct LatencyView {
    /// Position of its job.
    pub job: u32,
    pub conditions: Conditions,
    pub operation: String,
    pub samples: u64,
    /// Operations per second, all of them over all measured time, as the latencies are of all.
    pub iops: Option<f64>,
    pub mean_ns: Option<Estimate>,
    /// Median of the runs' means, to stand beside a median of their rates. Nanoseconds.
    pub run_mean_ns: Option<f64>,
    pub percentiles_ns: Vec<(Statistic, Option<u64>)>,
    min_ns: Option<u64>,
    pub max_ns: Option<u64>,
    /// CPU time of the load generator for one I/O.
    cpu_ns: Option<f64>,
    /// True where the user named the workload, or one I/O is outstanding: of others the rate is what is looked for.
    is_told: bool,
}

impl LatencyView {
    fn new(row: &LatencyRow, beside: BesideLatency, record: &RunRecord) -> Self {
        Self {
            iops: beside.per_s,
            run_mean_ns: beside.run_mean_ns,
            is_told: record.is_asked() || row.workload.is_unloaded(),
            job: row.job,
            conditions: Conditions::of_job(row.job, record).unwrap_or_else(|| Conditions::new(&row.workload)),
            operation: visible(&row.operation),
            samples: row.samples,
            mean_ns: row.mean_ns,
            percentiles_ns: row.percentiles_ns.clone(),
            min_ns: None,
            max_ns: row.max_ns,
            cpu_ns: None,
        }
    }

    fn of_cell(cell: &Cell) -> Self {
        Self {
            iops: Some(cell.iops.median),
            is_told: false,
            job: cell.job,
            conditions: Conditions::new(&cell.workload),
            operation: "all I/O".into(),
            samples: cell.samples,
            mean_ns: Some(cell.latency_ns),
            run_mean_ns: None,
            percentiles_ns: cell.percentiles_ns.clone(),
            min_ns: Some(cell.extremes_ns.0),
            max_ns: Some(cell.extremes_ns.1),
            cpu_ns: cell.cpu_ns_per_io,
        }
    }

    pub(crate) fn percentile(&self, statistic: Statistic) -> Option<u64> {
        self.percentiles_ns.iter().find(|(s, _)| *s == statistic).and_then(|(_, ns)| *ns)
    }

    /// True for one direction of a mix, which has a row for both together.
    pub(crate) fn is_side_of_mix(&self) -> bool {
        ["read", "write"].contains(&self.operation.as_str()) && (1..100).contains(&self.conditions.read_percent)
    }

    /// True where a screen has room for it.
    pub(crate) fn is_in_short(&self) -> bool {
        self.is_told && !self.is_side_of_mix()
    }

    /// The rate without an interval.
    pub(crate) fn iops_text(&self) -> Option<String> {
        self.iops.map(units::iops)
    }

    fn figures(&self, percentiles: &[(Statistic, &str)]) -> Vec<Figure> {
        let c = &self.conditions;
        let known: [Figure; 12] = [
            c.full_title().into(),
            c.workers.into(),
            c.depth.into(),
            c.outstanding.into(),
            self.operation.as_str().into(),
            c.depth_formula().into(),
            self.samples.into(),
            self.iops_text().into(),
            self.mean_ns.map(|e| Scale::of(Metric::Latency, e.median).with_interval(&e)).into(),
            self.mean_ns.into(),
            self.mean_ns.map(|e| e.runs).into(),
            self.min_ns.into(),
        ];
        let percentiles = percentiles.iter().map(|(of, _)| self.percentile(*of).into());
        known.into_iter().chain(percentiles).chain([self.max_ns.into(), self.cpu_ns.into(), self.iops.into()]).collect()
    }
}

/// Percentiles that tables of numbers have.
const PERCENTILES: [(Statistic, &str); 5] = [
    (Statistic::P50, "p50 (µs)"),
    (Statistic::P99, "p99 (µs)"),
    (Statistic::P999, "p99.9 (µs)"),
    (Statistic::P9999, "p99.99 (µs)"),
    (Statistic::P99999, "p99.999 (µs)"),
];

/// A row for each operation of a job, and before them for tables of numbers one for each cell of a sweep.
pub(super) fn table(latencies: &[LatencyView], cells: &[Cell], number_legend: String) -> ResultTable {
    let asked: Vec<Statistic> = latencies.first().map(|of| of.percentiles_ns.iter().map(|(s, _)| *s).collect()).unwrap_or_default();
    let further = asked.iter().filter(|of| PERCENTILES.iter().all(|(known, _)| known != *of)).map(|of| (*of, ""));
    let percentiles: Vec<(Statistic, &str)> = PERCENTILES.into_iter().chain(further).collect();
    let mut columns = vec![
        column("workload", "workload", Unit::Note),
        column("", "workers", Unit::Count),
        column("", "queue depth per worker", Unit::Count),
        column("", "queue depth in total", Unit::Count),
        column("operation", "operation", Unit::Note),
        column("queue depth", "", Unit::Note),
        column("samples", "samples", Unit::Count),
        column("IOPS", "", Unit::Text),
        column("mean (interval)", "", Unit::Text),
        column("", "mean (µs)", Unit::Time).with_ends("mean, low (µs)", "mean, high (µs)"),
        column("", "runs (n)", Unit::Count),
        column("", "minimum (µs)", Unit::Time),
    ];
    let first = columns.len();
    columns.extend(percentiles.iter().map(|(statistic, number)| column(statistic.title(), number, Unit::Time)));
    let last = [("max", "maximum (µs)", Unit::Time), ("", "CPU per I/O (µs)", Unit::Time), ("", "IOPS", Unit::PerSecond)];
    columns.extend(last.map(|(name, number, unit)| column(name, number, unit)));
    let places = asked.iter().filter_map(|of| percentiles.iter().position(|(known, _)| known == of)).map(|at| first + at);
    let part = Part {
        columns: [0, 4, 5, 6, 7, 8].into_iter().chain(places).chain([columns.len() - 3]).collect(),
        rows: cells.len()..cells.len() + latencies.len(),
        ..Part::default()
    };
    let of_cells: Vec<LatencyView> = cells.iter().map(LatencyView::of_cell).collect();
    let row = |of: &LatencyView| ResultRow { figures: of.figures(&percentiles), ..ResultRow::default() };
    ResultTable {
        id: "Percentiles",
        title: "Latency".into(),
        rows: of_cells.iter().chain(latencies).map(row).collect(),
        columns,
        parts: vec![part],
        number_legend: Some(number_legend),
        ..ResultTable::default()
    }
}

pub(super) fn latencies(record: &RunRecord, judgement: &Judgement) -> Vec<LatencyView> {
    judge::latencies(record, judgement).iter().map(|(row, rate)| LatencyView::new(row, *rate, record)).collect()
}
