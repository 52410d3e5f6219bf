//! A run as tidy tables: a figure a row, its conditions in columns, for CSV and Parquet alike. `docs/formats.md` lists the columns.
//!
//! Each table has a file. Columns are stable: new ones are added at the end. Deliberately absent: quoting and encoding, which are a format's own business.

mod columns;
mod fleet;
mod latency;
mod line;
mod notes;
mod results;
mod rounds;

pub(crate) use columns::Column;
#[cfg(feature = "parquet")]
pub(crate) use columns::Kind;
pub(crate) use line::Cell;

use crate::view::View;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use line::Line;

/// A table of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Figures of the run with claims and verdicts.
    Results,
    /// Latency of each operation over all rounds.
    Latency,
    /// Figures of each round, and counters of the stages.
    Rounds,
    /// Warnings, notes, findings, and claims that were not measured.
    Notes,
}

impl Table {
    /// All of them; the first stands for the run where there is room for one.
    pub const ALL: [Table; 4] = [Table::Results, Table::Latency, Table::Rounds, Table::Notes];

    /// The name of its file, without an ending.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Table::Results => "results",
            Table::Latency => "latency",
            Table::Rounds => "rounds",
            Table::Notes => "notes",
        }
    }
}

/// A table with its content.
pub(crate) struct Content {
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// Gives the rows of one table.
type Fill = for<'a> fn(&Lines<'a>, &View) -> Vec<Line<'a>>;

impl Content {
    pub(crate) fn new(table: Table, record: &RunRecord, judgement: &Judgement) -> Self {
        let (columns, fill): (_, Fill) = match table {
            Table::Results => (columns::results(), results::lines),
            Table::Latency => (columns::latency(), latency::lines),
            Table::Rounds => (columns::rounds(), rounds::lines),
            Table::Notes => (columns::notes(), notes::lines),
        };
        let rows = fill(&Lines { columns: &columns, judgement }, &View::new(record, judgement)).into_iter().map(Line::into_cells).collect();
        Self { columns, rows }
    }

    /// Each row as pairs of the column's name and its cell.
    pub(crate) fn named_rows(&self) -> impl Iterator<Item = Vec<(&'static str, &Cell)>> {
        let names = || self.columns.iter().map(|column| column.name);
        self.rows.iter().map(move |row| names().zip(row).collect())
    }
}

/// Begins lines of one table.
struct Lines<'a> {
    columns: &'a [Column],
    judgement: &'a Judgement,
}

impl<'a> Lines<'a> {
    fn of_run(&self, view: &View) -> Line<'a> {
        Line::of_run(self.columns, view)
    }

    fn of_job(&self, view: &View, job: Option<u32>) -> Line<'a> {
        Line::of_run(self.columns, view).of_job(view, job)
    }
}
