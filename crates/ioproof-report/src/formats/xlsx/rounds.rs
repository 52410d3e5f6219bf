//! The sheet `Rounds`: the raw data, a line a round and a column a variable, with a filter.

use super::cells::{Look, Value};
use super::sheet;
use super::table::{Column, column, heading, lines};
use crate::view::{RoundView, View};
use ioproof_core::moment;
use rust_xlsxwriter::{Worksheet, XlsxError};

const LAST: u16 = 27;
/// A spreadsheet has 1,048,576 rows.
const MOST: usize = 1_000_000;

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Rounds")?;
    let columns = columns();
    heading(&mut sheet, 0, &columns)?;
    sheet::keep_headings(&mut sheet, 0, 1)?;
    let end = lines(&mut sheet, 1, &columns, view.rounds.iter().take(MOST))?;
    sheet.autofilter(0, 0, end - 1, LAST)?;
    Ok(sheet)
}

fn columns() -> [Column<RoundView>; LAST as usize + 1] {
    use Look::{Count, Figure, Moment, Seconds, Size, Text};
    [
        column("round", 8, Count, |round| (round.number as u64).into()),
        column("stage", 8, Count, |round| round.stage.into()),
        column("purpose", 13, Text, |round| round.purpose_text().into()),
        column("job", 14, Text, |round| round.conditions.job.clone().into()),
        column("targets", 16, Text, |round| round.conditions.targets.clone().into()),
        column("workload", 34, Text, |round| round.conditions.title.as_str().into()),
        column("pattern", 11, Text, |round| round.conditions.pattern.into()),
        column("reads (%)", 9, Count, |round| u32::from(round.conditions.read_percent).into()),
        column("block size (KiB)", 10, Size, |round| (f64::from(round.conditions.block_bytes) / 1024.0).into()),
        column("workers", 9, Count, |round| round.conditions.workers.into()),
        column("queue depth per worker", 10, Count, |round| round.conditions.depth.into()),
        column("queue depth in total", 10, Count, |round| round.conditions.outstanding.into()),
        column("repetition", 11, Count, |round| (u64::from(round.repetition) + 1).into()),
        column("started (UTC)", 19, Moment, started),
        column("elapsed (s)", 10, Seconds, |round| (round.elapsed_ns as f64 / 1e9).into()),
        column("warm-up in it (s)", 10, Seconds, |round| round.warm_up_ns.map(|ns| ns as f64 / 1e9).into()),
        column("I/Os", 13, Count, |round| round.ios.into()),
        column("IOPS", 12, Count, |round| round.iops.into()),
        column("MB/s", 10, Figure, |round| (round.bytes_per_s / 1e6).into()),
        column("mean latency (µs)", 11, Figure, |round| round.latency_mean_ns.map(|ns| ns / 1e3).into()),
        column("p99 latency (µs)", 11, Figure, |round| micros(round.latency_p99_ns)),
        column("maximum latency (µs)", 11, Figure, |round| micros(round.latency_max_ns)),
        column("outstanding on average", 12, Figure, |round| round.depth_mean.into()),
        column("errors", 8, Count, |round| round.errors.into()),
        column("outcome", 12, Text, |round| round.outcome.into()),
        column("drive after (°C)", 10, Size, |round| round.temperature_celsius.into()),
        column("before it", 20, Text, |round| round.previous.as_str().into()),
        column("first error", 30, Text, |round| round.error.as_str().into()),
    ]
}

fn micros(ns: Option<u64>) -> Value {
    ns.map(|ns| ns as f64 / 1e3).into()
}

/// A date where it is one, else what stands in the record.
fn started(round: &RoundView) -> Value {
    moment::serial(&round.started_at).map_or_else(|| round.started_at.as_str().into(), Value::from)
}
