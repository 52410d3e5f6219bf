//! The series of a sweep as lines for charts.

use super::{Axis, Cell, Series, Sweep};
use crate::claim::Metric;
use crate::units::block_size;
use crate::workload::Workload;

/// A series as a line.
#[derive(Debug, Clone)]
pub struct SeriesLine {
    /// Conditions that its cells share: `sequential write 4 KiB, 2 workers`.
    pub title: String,
    /// The part of the title that comparable series share: `sequential write 4 KiB`.
    pub group: String,
    /// Name within the group: `2 workers`, `psync, 2 workers`.
    pub name: String,
    /// The backend of its cells, where the run has several.
    pub backend: Option<String>,
    pub axis: Axis,
    pub points: Vec<LinePoint>,
    /// The metric of `rate` of the points.
    pub metric: Metric,
    /// Position of the first point from which on more only queues.
    pub full: Option<usize>,
}

/// One cell of it.
#[derive(Debug, Clone)]
pub struct LinePoint {
    /// I/Os outstanding in total, or the bytes of a block.
    pub at: f64,
    /// The same for people: `32`, `64 KiB`.
    pub label: String,
    pub rate: f64,
    pub latency_ns: f64,
}

impl Sweep {
    /// A line for each series.
    pub fn lines(&self) -> Vec<SeriesLine> {
        self.series.iter().filter_map(|series| line(self.axis, series)).collect()
    }
}

fn line(axis: Axis, series: &Series) -> Option<SeriesLine> {
    let first = series.first_workload()?;
    let (group, rest) = parts_of_title(axis, &Workload { backend: None, ..first.clone() });
    Some(SeriesLine {
        group,
        backend: first.backend_name(),
        name: first.backend_name().into_iter().chain([rest]).collect::<Vec<_>>().join(", "),
        title: series_title(axis, first),
        axis,
        points: series.cells.iter().map(|cell| point(axis, cell)).collect(),
        metric: if axis == Axis::BlockSize { Metric::Throughput } else { Metric::Iops },
        full: series.shape.and_then(|shape| shape.full),
    })
}

fn point(axis: Axis, cell: &Cell) -> LinePoint {
    let rate = if axis == Axis::BlockSize { cell.bytes_per_s } else { cell.iops }.median;
    let (at, label) = axis.along(cell.workload.block_bytes, cell.workload.outstanding());
    LinePoint { at, label, rate, latency_ns: cell.latency_ns.median }
}

impl Axis {
    /// The place of a point on it, of a block size and the I/Os outstanding in total.
    pub fn along(self, block_bytes: u32, outstanding: u32) -> (f64, String) {
        match self {
            Self::Depth | Self::Workers => (outstanding.into(), outstanding.to_string()),
            Self::BlockSize => (block_bytes.into(), block_size(block_bytes.into())),
        }
    }

    /// The same in a word or two, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Depth | Self::Workers => "queue depth",
            Self::BlockSize => "block size",
        }
    }

    /// A cell's place on it: `4 x 8 = 32`, or `16 KiB`.
    pub fn place(self, workload: &Workload) -> String {
        match self {
            Self::Depth | Self::Workers => workload.concurrency(),
            Self::BlockSize => block_size(workload.block_bytes.into()),
        }
    }
}

/// The conditions that all cells share: `random read 4 KiB by psync, 2 workers`.
pub fn series_title(axis: Axis, workload: &Workload) -> String {
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
