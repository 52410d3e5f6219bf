//! The cells of a sweep as a table, a part for each series, with what its curve shows in words.

use super::line::series_title;
use super::paths;
use super::words::says;
use super::{Axis, Cell, Series, Sweep};
use crate::claim::{Metric, Statistic};
use crate::results::scale::Scale;
use crate::results::table::{Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::stats::Estimate;
use crate::text::visible;
use crate::units::iops;
use crate::workload::Workload;

fn columns(axis: Axis) -> Vec<Column> {
    let at = match axis {
        Axis::Depth => column("", "queue depth per worker", Unit::Count),
        Axis::Workers => column("", "workers", Unit::Count),
        Axis::BlockSize => column("", "block size (KiB)", Unit::Block),
    };
    vec![
        at,
        column("", "queue depth in total", Unit::Count),
        column("", "IOPS", Unit::Count).tidy("iops", "IOPS"),
        column("MB/s", "MB/s", Unit::Throughput),
        column("mean", "average (µs)", Unit::Time),
        column("p50", "p50 (µs)", Unit::Time),
        column("p99", "p99 (µs)", Unit::Time),
        column("p99.9", "p99.9 (µs)", Unit::Time),
        column("", "minimum (µs)", Unit::Time),
        column("max", "maximum (µs)", Unit::Time),
        column("", "IOPS, low", Unit::Count),
        column("", "IOPS, high", Unit::Count),
        column("n", "runs (n)", Unit::Count),
        column("note", "note", Unit::Note),
        column("", "limit of the host", Unit::Text),
        column("", "IOPS - low", Unit::Count),
        column("", "high - IOPS", Unit::Count),
        column(axis.name(), "", Unit::Text),
        column("IOPS", "", Unit::Text),
        column("IOPS", "", Unit::Text),
        column("", "", Unit::Throughput).tidy("throughput", "B/s"),
        column("", "", Unit::Time).tidy_as("latency", "mean", "ns"),
        column("CPU/IO", "", Unit::Time).tidy_as("cpu_time_per_io", "mean", "ns"),
    ]
}

/// Positions of the columns. Charts of workbooks are drawn of the first ones, and of the lengths of whiskers.
#[derive(Clone, Copy)]
enum At {
    Throughput = 3,
    Mean,
    P50,
    P99,
    P999,
    Max = 9,
    Runs = 12,
    Note,
    Place = 17,
    IopsWithInterval,
    Iops,
    Cpu = 22,
}

const COLUMNS: usize = At::Cpu as usize + 1;

fn wide() -> Vec<usize> {
    use At::{Cpu, IopsWithInterval, Max, Mean, Note, P50, P99, P999, Place, Runs, Throughput};
    [Place, IopsWithInterval, Throughput, Mean, P50, P99, P999, Max, Cpu, Runs, Note].map(|at| at as usize).to_vec()
}

/// Without what the report has too.
fn narrower() -> Vec<Vec<usize>> {
    use At::{Iops, Max, Mean, Note, P99, Place, Runs, Throughput};
    let narrow = [Place, Iops, Throughput, Mean, P99, Max, Runs, Note];
    vec![narrow.map(|at| at as usize).to_vec(), [Place, Iops, Mean, Note].map(|at| at as usize).to_vec()]
}

impl Sweep {
    /// A row for each cell, also for those that were left out; `methods` are those that gave the ends of intervals.
    pub fn table(&self, methods: &str) -> ResultTable {
        let mut table = ResultTable {
            id: "Matrix",
            title: format!("Throughput and latency by {}", self.axis.title()),
            row_name: "cell",
            is_parted: true,
            replaces_rows: true,
            columns: columns(self.axis),
            number_legend: Some(number_legend(methods)),
            ..ResultTable::default()
        };
        for series in &self.series {
            let Some(first) = series.first_workload() else { continue };
            let (title, rows) = (series_title(self.axis, first), table.rows.len()..table.rows.len() + series.cells.len());
            table.rows.extend(series.cells.iter().enumerate().map(|(at, cell)| row(self.axis, series, at, cell)));
            table.rows.extend(series.left_out.iter().map(|workload| left_out(self.axis, workload)));
            table.parts.push(Part {
                caption: title.clone(),
                heading: title,
                columns: wide(),
                narrower: narrower(),
                rows,
                says: says(self.axis, series).into_iter().chain(paths::says(self, series)).collect(),
                ..Part::default()
            });
        }
        table
    }
}

fn number_legend(methods: &str) -> String {
    format!(
        "IOPS and MB/s: medians over runs; average and percentiles: of all I/Os; low and high of IOPS: {methods}; minimum and maximum: of single I/Os over all runs. Notes: floor, the \
         least average; knee, the greatest IOPS over average; full, from here more only queues; ceiling, the most IOPS; host, limited by the host and not by \
         the drive; left out, because cells before it showed that it would only queue."
    )
}

fn row(axis: Axis, series: &Series, at: usize, cell: &Cell) -> ResultRow {
    let note = notes(series, at, cell).join(", ");
    ResultRow {
        job: Some(cell.job).filter(|_| !cell.is_of_program()),
        title: cell.workload.title(),
        workload: Some(cell.workload.clone()),
        figures: figures(axis, cell, &note),
        note,
        ..ResultRow::default()
    }
}

fn figures(axis: Axis, cell: &Cell, note: &str) -> Vec<Figure> {
    let percentile = |wanted| cell.percentiles_ns.iter().find(|(statistic, _)| *statistic == wanted).and_then(|(_, ns)| *ns).into();
    // A single run has no interval.
    let end = |of: fn(&Estimate) -> f64| Some(of(&cell.iops)).filter(|_| cell.iops.runs > 1).into();
    vec![
        axis.value(&cell.workload).into(),
        cell.workload.outstanding().into(),
        cell.iops.into(),
        cell.bytes_per_s.median.into(),
        cell.latency_ns.median.into(),
        percentile(Statistic::P50),
        percentile(Statistic::P99),
        percentile(Statistic::P999),
        cell.extremes_ns.0.into(),
        cell.extremes_ns.1.into(),
        end(|e| e.low),
        end(|e| e.high),
        cell.iops.runs.into(),
        note.into(),
        cell.host_limit.as_deref().map(visible).into(),
        end(|e| e.median - e.low),
        end(|e| e.high - e.median),
        axis.place(&cell.workload).into(),
        Scale::of(Metric::Iops, cell.iops.median).short_interval(&cell.iops).into(),
        iops(cell.iops.median).into(),
        cell.bytes_per_s.into(),
        cell.latency_ns.into(),
        cell.cpu_ns_per_io.into(),
    ]
}

/// A cell that was not measured, for tables of numbers.
fn left_out(axis: Axis, workload: &Workload) -> ResultRow {
    let known: [Figure; 2] = [axis.value(workload).into(), workload.outstanding().into()];
    let mut figures: Vec<Figure> = known.into_iter().chain(std::iter::repeat_n(Figure::None, COLUMNS - 2)).collect();
    figures[At::Note as usize] = "left out".into();
    ResultRow { title: workload.title(), workload: Some(workload.clone()), figures, ..ResultRow::default() }
}

/// The words of a cell's place on its curve: `knee`, `ceiling`, `host`.
fn notes(series: &Series, at: usize, cell: &Cell) -> Vec<&'static str> {
    let special = series.shape.iter().flat_map(|shape| {
        let full = shape.full.map(|full| (full, "full"));
        [Some((shape.floor, "floor")), Some((shape.knee, "knee")), full, Some((shape.ceiling, "ceiling"))]
    });
    let special = special.flatten().filter(|(of, _)| *of == at).map(|(_, word)| word);
    special.chain(cell.host_limit.as_ref().map(|_| "host")).collect()
}
