//! The sheet `Rounds`: the raw data, a line a round and a column a variable, with a filter.

use super::cells::Look;
use super::table::{Column, column, listed};
use crate::tables::Cell;
use crate::view::{RoundView, View};
use ioproof_core::moment;
use ioproof_core::text::visible;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// A spreadsheet has 1,048,576 rows.
const MOST: usize = 1_000_000;

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    listed("Rounds", 1, &columns(), view.rounds.iter().take(MOST))
}

fn columns<'a>() -> [Column<RoundView<'a>>; 28] {
    use Look::{Count, Figure, Moment, Seconds, Size, Text};
    [
        column("round", 8, Count, |round| (round.number as u64).into()),
        column("stage", 8, Count, |round| round.stage.index.into()),
        column("purpose", 13, Text, |round| round.stage.purpose.title().into()),
        column("job", 14, Text, |round| round.conditions.job.clone().into()),
        column("targets", 16, Text, |round| round.conditions.targets.clone().into()),
        column("workload", 34, Text, |round| round.conditions.title.as_str().into()),
        column("pattern", 11, Text, |round| round.conditions.pattern.into()),
        column("reads (%)", 9, Count, |round| u32::from(round.conditions.read_percent).into()),
        column("block size (KiB)", 10, Size, |round| (f64::from(round.conditions.block_bytes) / 1024.0).into()),
        column("workers", 9, Count, |round| round.conditions.workers.into()),
        column("queue depth per worker", 10, Count, |round| round.conditions.depth.into()),
        column("queue depth in total", 10, Count, |round| round.conditions.outstanding.into()),
        column("repetition", 11, Count, |round| (u64::from(round.stage.repetition) + 1).into()),
        column("started (UTC)", 19, Moment, |round| started(&visible(&round.stage.started_at))),
        column("elapsed (s)", 10, Seconds, |round| (round.elapsed_ns as f64 / 1e9).into()),
        column("warm-up in it (s)", 10, Seconds, |round| round.warm_up_ns().map(|ns| ns as f64 / 1e9).into()),
        column("I/Os", 13, Count, |round| round.ios().into()),
        column("IOPS", 12, Count, |round| round.iops().into()),
        column("MB/s", 10, Figure, |round| (round.bytes_per_s() / 1e6).into()),
        column("mean latency (µs)", 11, Figure, |round| round.latency_mean_ns.map(|ns| ns / 1e3).into()),
        column("p99 latency (µs)", 11, Figure, |round| round.latency_p99_ns.map(|ns| ns / 1e3).into()),
        column("maximum latency (µs)", 11, Figure, |round| round.latency_max_ns.map(|ns| ns / 1e3).into()),
        column("outstanding on average", 12, Figure, |round| round.depth_mean.into()),
        column("errors", 8, Count, |round| round.errors.total().into()),
        column("outcome", 12, Text, |round| round.outcome.title().into()),
        column("drive after (°C)", 10, Size, |round| round.celsius().into()),
        column("before it", 20, Text, |round| round.previous().into()),
        column("first error", 30, Text, |round| round.error().into()),
    ]
}

/// A date where it is one, else what stands in the record.
pub(super) fn started(moment: &str) -> Cell {
    moment::serial(moment).map_or_else(|| moment.into(), Cell::from)
}
