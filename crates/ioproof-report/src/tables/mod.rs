//! A run as tidy tables: a figure a row, its conditions in columns, for CSV and Parquet alike. `docs/formats.md` lists the columns.
//!
//! Each table has a file. Columns are stable: new ones are added at the end. Deliberately absent: quoting and encoding, which are a format's own business.

mod columns;
mod comparison;
mod fleet;
mod line;
mod results;
mod rounds;

pub(crate) use columns::Column;
#[cfg(feature = "parquet")]
pub(crate) use columns::Kind;
pub(crate) use line::Cell;

use crate::view::{FindingView, LatencyView, View};
use ioproof_core::claim::{Metric, Statistic};
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

impl Content {
    pub(crate) fn new(table: Table, record: &RunRecord, judgement: &Judgement) -> Self {
        Self::of(table, &View::new(record, judgement))
    }

    pub(crate) fn of(table: Table, view: &View) -> Self {
        let columns = columns::of(table);
        let lines = Lines { columns: &columns, view };
        let rows = match table {
            Table::Results => results::lines(&lines),
            Table::Latency => view.latencies.iter().flat_map(|row| lines.of_operation(row)).collect(),
            Table::Rounds => rounds::lines(&lines),
            Table::Notes => lines.of_notes(),
        };
        let rows = rows.into_iter().map(Line::into_cells).collect();
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
    view: &'a View<'a>,
}

impl<'a> Lines<'a> {
    fn of_run(&self) -> Line<'a> {
        let grave: Vec<&str> = self.view.grave().collect();
        Line::new(self.columns)
            .put("run_id", self.view.run_id.as_str())
            .put("run_status", self.view.status)
            .put("started_at", self.view.started_at.as_str())
            .put("verb", self.view.verb.as_str())
            .put("host", self.view.host.as_str())
            .put("warnings", grave.join("; "))
    }

    /// With the names of a job's targets and drives; those of the run where no job answers.
    fn of_job(&self, job: Option<u32>) -> Line<'a> {
        let of = job.and_then(|job| self.view.identities.get(job as usize)).unwrap_or(&self.view.identity);
        self.of_run()
            .put("targets", of.targets.as_str())
            .put("drive", of.drive.as_str())
            .put("serial", of.serial.as_str())
            .put("firmware", of.firmware.as_str())
            .put("datasheet", of.datasheet.as_str())
            .put("backend", of.backend.as_str())
    }

    /// The mean of an operation, each percentile with enough samples beyond it, and the largest.
    fn of_operation(&self, row: &LatencyView) -> Vec<Line<'a>> {
        let start = self.of_job(Some(row.job)).conditions(&row.conditions).put("timed", row.operation.as_str()).put("samples", row.samples);
        let of = |statistic: Statistic| results::figure(Metric::Latency, statistic.title());
        let mean = row.mean_ns.map(|e| start.clone().estimate(of(Statistic::Mean), Some(&e)));
        let single = row.percentiles_ns.iter().copied().chain([(Statistic::Max, row.max_ns)]);
        let single = single.filter_map(|(statistic, ns)| ns.map(|ns| start.clone().figure(of(statistic), Some(ns as f64))));
        mean.into_iter().chain(single).collect()
    }

    /// Whatever takes weight from the figures or must be known, findings, and claims that were not measured.
    fn of_notes(&self) -> Vec<Line<'a>> {
        let note = |kind: &str, text: &str| self.of_run().put("kind", kind).put("text", text);
        let banners = self.view.banners.iter().map(|banner| note(if banner.grave { "warning" } else { "note" }, &banner.text));
        let finding = |finding: &FindingView| {
            note("finding", &finding.title)
                .put("severity", finding.weight())
                .put("subject", finding.subject_in_full.as_str())
                .put("rule", finding.rule.as_str())
                .put("evidence", finding.evidence_text())
                .put("effect", finding.effect_text())
                .put("remedy", finding.remedy.as_str())
        };
        let skipped = self.view.skipped.iter().map(|skipped| note("not measured", &skipped.claim).put("evidence", skipped.reason));
        banners.chain(self.view.findings.iter().map(finding)).chain(skipped).collect()
    }
}
