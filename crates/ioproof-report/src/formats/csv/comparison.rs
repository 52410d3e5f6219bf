//! A comparison as CSV (RFC 4180): a line for each figure of each run but the first, with both runs' raw figures in base units. The README of the folder above lists the columns.

use super::quoted;
use crate::ReportError;
use ioproof_core::claim::Metric;
use ioproof_core::compare::words::{ComparedLine as Line, ComparisonWords, is_per_second, letter};
use ioproof_core::compare::{Durable, Row};
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use std::io::Write;

/// A column: its name, and its cell.
type Column = (&'static str, fn(&ComparisonWords, &Line) -> String);

const COLUMNS: [Column; 41] = [
    ("first_run_id", |view, _| quoted(&view.runs[0].id)),
    ("run_id", |view, line| quoted(&view.runs[line.run].id)),
    ("run", |_, line| letter(line.run)),
    ("other_conditions", |view, line| {
        let names: Vec<&str> = view.comparison.other_conditions(line.run).map(|one| one.name.as_str()).collect();
        quoted(&names.join("; "))
    }),
    ("job", |_, line| quoted(&visible(line.row.name.as_deref().unwrap_or_default()))),
    ("workload", |_, line| of_load(line, || quoted(&line.row.workload.id()))),
    ("pattern", |_, line| of_load(line, || quoted(&format!("{:?}", line.row.workload.pattern).to_lowercase()))),
    ("read_percent", |_, line| of_load(line, || line.row.workload.read_percent.to_string())),
    ("block_size_bytes", |_, line| line.row.workload.block_bytes.to_string()),
    ("workers", |_, line| line.row.workload.workers.to_string()),
    ("queue_depth_per_worker", |_, line| of_load(line, || line.row.workload.depth.to_string())),
    ("queue_depth_total", |_, line| line.row.workload.outstanding().to_string()),
    ("sync", |_, line| quoted(&line.row.workload.durability.describe())),
    ("special", |_, line| quoted(&line.row.workload.shape.describe().join("; "))),
    ("metric", |_, line| metric_name(line.row).to_owned()),
    ("statistic", |_, line| line.row.statistic.map_or("", |statistic| statistic.title()).to_owned()),
    ("unit", |_, line| if is_per_second(line.row) { "1/s" } else { line.row.metric.unit() }.to_owned()),
    ("first", |_, line| estimate(line, 0, |e| e.median)),
    ("first_low", |_, line| number(line.row.interval(0).map(|(low, _)| low))),
    ("first_high", |_, line| number(line.row.interval(0).map(|(_, high)| high))),
    ("first_runs", |_, line| estimate(line, 0, |e| e.runs.into())),
    ("this", |_, line| estimate(line, line.run, |e| e.median)),
    ("this_low", |_, line| number(line.row.interval(line.run).map(|(low, _)| low))),
    ("this_high", |_, line| number(line.row.interval(line.run).map(|(_, high)| high))),
    ("this_runs", |_, line| estimate(line, line.run, |e| e.runs.into())),
    ("change", |_, line| number(Some(line.against.change))),
    ("change_low", |_, line| number(line.against.interval.map(|interval| interval.0))),
    ("change_high", |_, line| number(line.against.interval.map(|interval| interval.1))),
    ("p", |_, line| number(line.against.p)),
    ("answer", |_, line| line.answer.title().to_owned()),
    ("why", |_, line| quoted(line.against.why.map_or("", |why| why.title()))),
    ("runs_needed", |_, line| line.against.runs_needed.map(|runs| runs.to_string()).unwrap_or_default()),
    ("doubts", |_, line| quoted(&line.against.doubts.join("; "))),
    ("backend", |_, line| quoted(&backend(line))),
    ("first_flushes_per_commit", |_, line| number(line.row.flushes_per_commit.first().copied().flatten())),
    ("this_flushes_per_commit", |_, line| number(line.row.flushes_per_commit.get(line.run).copied().flatten())),
    ("layer", |_, line| quoted(&line.row.layer.as_ref().map_or_else(String::new, |layer| visible(&layer.title)))),
    ("first_drive_bytes_per_commit", |_, line| number(line.row.drive_bytes_per_commit.first().copied().flatten())),
    ("this_drive_bytes_per_commit", |_, line| number(line.row.drive_bytes_per_commit.get(line.run).copied().flatten())),
    ("first_share_of_layer_below", |_, line| number(share(line, 0))),
    ("this_share_of_layer_below", |_, line| number(share(line, line.run))),
];

pub(crate) fn write(view: &ComparisonWords, out: &mut dyn Write) -> Result<(), ReportError> {
    out.write_all((COLUMNS.map(|(name, _)| name).join(",") + "\r\n").as_bytes())?;
    for line in view.lines() {
        out.write_all((COLUMNS.map(|(_, cell)| cell(view, line)).join(",") + "\r\n").as_bytes())?;
    }
    Ok(())
}

/// A condition of a load; a database has no such.
fn of_load(line: &Line, cell: impl Fn() -> String) -> String {
    if line.row.is_of_database() { String::new() } else { cell() }
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

fn estimate(line: &Line, run: usize, of: fn(&Estimate) -> f64) -> String {
    number(line.row.measured[run].as_ref().map(of))
}

/// A number as it is stored; nothing for one that is none.
fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map(|value| value.to_string()).unwrap_or_default()
}
