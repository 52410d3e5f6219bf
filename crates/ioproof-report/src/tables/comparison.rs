//! A comparison as a tidy table: a row for each figure of each run but the first, with both runs' raw figures in base units. The README of formats lists the columns.

use super::{Cell, Column, Content};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::compare::words::{ComparedLine as Line, ComparisonWords, is_per_second, letter};
use ioproof_core::compare::{Durable, Row};
use ioproof_core::text::visible;

/// A column: its name as in [`super::columns`], and its cell.
type Of = (&'static str, fn(&ComparisonWords, &Line) -> Cell);

const COLUMNS: [Of; 41] = [
    ("first_run_id", |view, _| view.runs[0].id.as_str().into()),
    ("run_id", |view, line| view.runs[line.run].id.as_str().into()),
    ("run", |_, line| letter(line.run).into()),
    ("other_conditions", |view, line| {
        let names: Vec<&str> = view.comparison.other_conditions(line.run).map(|one| one.name.as_str()).collect();
        names.join("; ").into()
    }),
    ("job", |_, line| line.row.name.as_deref().map(visible).into()),
    ("workload", |_, line| of_load(line, line.row.workload.id())),
    ("pattern", |_, line| of_load(line, format!("{:?}", line.row.workload.pattern).to_lowercase())),
    ("read_percent#", |_, line| of_load(line, u32::from(line.row.workload.read_percent))),
    ("block_size_bytes#", |_, line| line.row.workload.block_bytes.into()),
    ("workers#", |_, line| line.row.workload.workers.into()),
    ("queue_depth_per_worker#", |_, line| of_load(line, line.row.workload.depth)),
    ("queue_depth_total#", |_, line| line.row.workload.outstanding().into()),
    ("sync", |_, line| line.row.workload.durability.describe().into()),
    ("special", |_, line| line.row.workload.shape.describe().join("; ").into()),
    ("metric", |_, line| metric_name(line.row).into()),
    ("statistic", |_, line| line.row.statistic.map(Statistic::title).into()),
    ("unit", |_, line| if is_per_second(line.row) { "1/s" } else { line.row.metric.unit() }.into()),
    ("first.", |_, line| line.row.measured[0].map(|e| e.median).into()),
    ("first_low.", |_, line| line.row.interval(0).map(|(low, _)| low).into()),
    ("first_high.", |_, line| line.row.interval(0).map(|(_, high)| high).into()),
    ("first_runs#", |_, line| line.row.measured[0].map(|e| e.runs).into()),
    ("this.", |_, line| line.row.measured[line.run].map(|e| e.median).into()),
    ("this_low.", |_, line| line.row.interval(line.run).map(|(low, _)| low).into()),
    ("this_high.", |_, line| line.row.interval(line.run).map(|(_, high)| high).into()),
    ("this_runs#", |_, line| line.row.measured[line.run].map(|e| e.runs).into()),
    ("change.", |_, line| line.against.change.into()),
    ("change_low.", |_, line| line.against.interval.map(|interval| interval.0).into()),
    ("change_high.", |_, line| line.against.interval.map(|interval| interval.1).into()),
    ("p.", |_, line| line.against.p.into()),
    ("answer", |_, line| line.answer.title().into()),
    ("why", |_, line| line.against.why.map(|why| why.title()).into()),
    ("runs_needed#", |_, line| line.against.runs_needed.into()),
    ("doubts", |_, line| line.against.doubts.join("; ").into()),
    ("backend", |_, line| backend(line).into()),
    ("first_flushes_per_commit.", |_, line| line.row.flushes_per_commit.first().copied().flatten().into()),
    ("this_flushes_per_commit.", |_, line| line.row.flushes_per_commit.get(line.run).copied().flatten().into()),
    ("layer", |_, line| line.row.layer.as_ref().map(|layer| visible(&layer.title)).into()),
    ("first_drive_bytes_per_commit.", |_, line| line.row.drive_bytes_per_commit.first().copied().flatten().into()),
    ("this_drive_bytes_per_commit.", |_, line| line.row.drive_bytes_per_commit.get(line.run).copied().flatten().into()),
    ("first_share_of_layer_below.", |_, line| share(line, 0).into()),
    ("this_share_of_layer_below.", |_, line| share(line, line.run).into()),
];

impl Content {
    pub(crate) fn of_comparison(words: &ComparisonWords) -> Self {
        let row = |line: &Line| COLUMNS.iter().map(|(_, cell)| cell(words, line)).collect();
        Self { columns: COLUMNS.iter().map(|(name, _)| Column::new(name)).collect(), rows: words.lines().map(row).collect() }
    }
}

/// A condition of a load; a database has no such.
fn of_load(line: &Line, cell: impl Into<Cell>) -> Cell {
    if line.row.is_of_database() { Cell::Empty } else { cell.into() }
}

fn share(line: &Line, run: usize) -> Option<f64> {
    line.row.shares.get(run).copied().flatten().map(|share| share.median)
}

fn metric_name(row: &Row) -> &'static str {
    match row.metric {
        _ if row.durable == Some(Durable::Commits) => "commits",
        Metric::Iops if row.is_of_database() => "transactions",
        _ if row.is_of_database() && row.durable == Some(Durable::Sync) => "commit_latency",
        _ if row.durable == Some(Durable::Write) => "write_latency",
        _ if row.durable == Some(Durable::Sync) => "sync_latency",
        Metric::Iops => "iops",
        Metric::Throughput => "throughput",
        Metric::Latency => "latency",
    }
}

/// The backend that served both runs; where each has its own, that of the first and that of this run.
fn backend(line: &Line) -> String {
    let of = |run: usize| line.row.backends.get(run).cloned().flatten().map(|name| visible(&name));
    let mut both: Vec<String> = [of(0), of(line.run)].into_iter().flatten().collect();
    both.dedup();
    both.join("; ")
}
