//! A row under way: cells by the names of their columns.

use super::columns::{Column, Kind};
use crate::view::Conditions;
use ioproof_core::results::{Tidy, coverage};
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

/// A number that is not finite counts as unknown.
impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Empty }
    }
}

impl From<u32> for Cell {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Text(text.to_owned()) }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(known: Option<T>) -> Self {
        known.map_or(Self::Empty, Into::into)
    }
}

/// A row.
#[derive(Clone)]
pub(super) struct Line<'a> {
    columns: &'a [Column],
    cells: Vec<Cell>,
}

impl<'a> Line<'a> {
    pub(super) fn new(columns: &'a [Column]) -> Self {
        Self { columns, cells: vec![Cell::Empty; columns.len()] }
    }

    pub(super) fn conditions(self, c: &Conditions) -> Self {
        self.put("job", c.job.as_deref())
            .put("workload", c.id.as_str())
            .put("op", c.op)
            .put("pattern", c.pattern)
            .put("read_percent", u32::from(c.read_percent))
            .put("trim_percent", u32::from(c.trim_percent))
            .put("block_size_bytes", c.block_bytes)
            .put("workers", c.workers)
            .put("queue_depth_per_worker", c.depth)
            .put("queue_depth_total", c.outstanding)
            .put("sync", c.durability.as_str())
            .put("special", c.special.as_str())
    }

    /// A figure that may not be known: the row stays without a value then.
    pub(super) fn figure(self, figure: Tidy, value: Option<f64>) -> Self {
        self.put("metric", figure.metric).put("statistic", figure.statistic).put("unit", figure.unit).put("value", value)
    }

    /// A figure with its ends.
    pub(super) fn estimate(self, figure: Tidy, estimate: Option<&Estimate>) -> Self {
        let line = self.figure(figure, estimate.map(|e| e.median));
        let Some(e) = estimate else { return line };
        let method = match e.method {
            IntervalMethod::Rank { .. } => "rank",
            IntervalMethod::Spread => "spread",
            IntervalMethod::Worst => "worst",
        };
        let line = line.put("low", e.low).put("high", e.high).put("runs", e.runs);
        line.put("interval_method", method).put("interval_coverage", coverage(e))
    }

    /// The row with this cell; one that is not known changes nothing.
    pub(super) fn put(mut self, column: &str, cell: impl Into<Cell>) -> Self {
        let (cell, at) = (cell.into(), self.columns.iter().position(|known| known.name == column));
        let kind = at.map(|at| self.columns[at].kind);
        debug_assert!(
            matches!(
                (&cell, kind),
                (Cell::Empty, Some(_))
                    | (Cell::Text(_), Some(Kind::Text))
                    | (Cell::Count(_), Some(Kind::Count))
                    | (Cell::Number(_), Some(Kind::Number))
            ),
            "no column {column} of that type"
        );
        if let Some(at) = at.filter(|_| cell != Cell::Empty) {
            self.cells[at] = cell;
        }
        self
    }

    pub(super) fn into_cells(self) -> Vec<Cell> {
        self.cells
    }
}
