//! A row under way: cells by the names of their columns.

use super::columns::{Column, Kind};
use crate::view::{Conditions, View};
use ioproof_core::stats::{Estimate, IntervalMethod};

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Does not apply, or is not known.
    Empty,
    Text(String),
    Count(u64),
    Number(f64),
}

impl Cell {
    fn fits(&self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (Self::Empty, _) | (Self::Text(_), Kind::Text) | (Self::Count(_), Kind::Count) | (Self::Number(_), Kind::Number)
        )
    }
}

/// A row.
#[derive(Clone)]
pub(super) struct Line<'a> {
    columns: &'a [Column],
    cells: Vec<Cell>,
}

/// The name of a figure.
#[derive(Clone, Copy)]
pub(super) struct Figure<'a> {
    pub metric: &'a str,
    pub statistic: &'a str,
    pub unit: &'a str,
}

impl<'a> Line<'a> {
    pub(super) fn new(columns: &'a [Column]) -> Self {
        Self { columns, cells: vec![Cell::Empty; columns.len()] }
    }

    pub(super) fn of_run(columns: &'a [Column], view: &View) -> Self {
        let grave: Vec<&str> = view.banners.iter().filter(|banner| banner.grave).map(|banner| banner.text.as_str()).collect();
        Self::new(columns)
            .text("run_id", &view.run_id)
            .text("run_status", &view.status)
            .text("started_at", &view.started_at)
            .text("verb", &view.verb)
            .text("host", &view.host)
            .text("warnings", &grave.join("; "))
    }

    /// The names of a job's targets and drives; those of the run where no job answers.
    pub(super) fn of_job(self, view: &View, job: Option<u32>) -> Self {
        let of = job.and_then(|job| view.identities.get(job as usize)).unwrap_or(&view.identity);
        self.text("targets", &of.targets)
            .text("drive", &of.drive)
            .text("serial", &of.serial)
            .text("firmware", &of.firmware)
            .text("datasheet", &of.datasheet)
            .text("backend", &of.backend)
    }

    pub(super) fn conditions(self, c: &Conditions) -> Self {
        self.text("job", c.job.as_deref().unwrap_or_default())
            .text("workload", &c.id)
            .text("op", c.op)
            .text("pattern", c.pattern)
            .count("read_percent", c.read_percent)
            .count("trim_percent", c.trim_percent)
            .count("block_size_bytes", c.block_bytes)
            .count("workers", c.workers)
            .count("queue_depth_per_worker", c.depth)
            .count("queue_depth_total", c.outstanding)
            .text("sync", &c.durability)
            .text("special", &c.special)
    }

    /// A figure that may not be known: the row stays without a value then.
    pub(super) fn figure(self, figure: Figure, value: Option<f64>) -> Self {
        self.text("metric", figure.metric).text("statistic", figure.statistic).text("unit", figure.unit).optional("value", value)
    }

    /// A figure with its ends.
    pub(super) fn estimate(self, figure: Figure, estimate: Option<&Estimate>) -> Self {
        let line = self.figure(figure, estimate.map(|e| e.median));
        let Some(e) = estimate else { return line };
        let (method, coverage) = match e.method {
            IntervalMethod::Rank { coverage, .. } => ("rank", Some(coverage)),
            IntervalMethod::Spread => ("spread", None),
            IntervalMethod::Worst => ("worst", None),
        };
        let line = line.number("low", e.low).number("high", e.high).count("runs", e.runs);
        line.text("interval_method", method).optional("interval_coverage", coverage)
    }

    pub(super) fn text(self, column: &str, text: &str) -> Self {
        if text.is_empty() { self } else { self.put(column, Cell::Text(text.to_owned())) }
    }

    pub(super) fn count(self, column: &str, count: impl Into<u64>) -> Self {
        self.put(column, Cell::Count(count.into()))
    }

    /// A number as it is stored; nothing for one that is none.
    pub(super) fn number(self, column: &str, number: f64) -> Self {
        if number.is_finite() { self.put(column, Cell::Number(number)) } else { self }
    }

    pub(super) fn optional(self, column: &str, number: Option<f64>) -> Self {
        match number {
            Some(number) => self.number(column, number),
            None => self,
        }
    }

    fn put(mut self, column: &str, cell: Cell) -> Self {
        let at = self.columns.iter().position(|known| known.name == column);
        debug_assert!(at.is_some_and(|at| cell.fits(self.columns[at].kind)), "no column {column} of that type");
        if let Some(at) = at {
            self.cells[at] = cell;
        }
        self
    }

    pub(super) fn into_cells(self) -> Vec<Cell> {
        self.cells
    }
}
