//! The sheet `Durable writes`: a line for each way of making writes durable, the answers to limits, and what it means.

use super::cells::Look;
use super::sheet::{self, Across, across};
use super::table::{Column, column, heading, lines};
use crate::view::{SYNC_LEGEND, SyncRow, SyncView, View};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;
const LAST: u16 = 15;
/// Width of all columns. Characters.
const WIDTH: usize = 212;

pub(super) fn sheet(view: &View, syncs: &SyncView) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Durable writes")?;
    sheet::line(&mut sheet, 0, &format!("Durable writes: {}", view.heading), Look::Title)?;
    across(&mut sheet, 1, &[Across { columns: (0, LAST), width: WIDTH, text: SYNC_LEGEND, look: Look::Remark }])?;
    let columns = columns();
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let behind = lines(&mut sheet, HEADINGS + 1, &columns, syncs.rows.iter())? + 1;
    for (row, text) in (behind..).zip(syncs.goals.iter().map(|(_, text)| text).chain(&syncs.says)) {
        across(&mut sheet, row, &[Across { columns: (0, LAST), width: WIDTH, text, look: Look::Remark }])?;
    }
    Ok(sheet)
}

fn columns() -> [Column<SyncRow>; LAST as usize + 1] {
    use Look::{Count, Figure, Size, Wrapped};
    [
        column("way", 40, Wrapped, |row| row.title.as_str().into()),
        column("block (KiB)", 9, Size, |row| (f64::from(row.way.workload.block_bytes) / 1024.0).into()),
        column("writers", 9, Count, |row| row.way.workload.workers.into()),
        column("queue depth per writer", 11, Count, |row| row.way.workload.depth.into()),
        column("writes/s", 11, Figure, |row| writes_apart(row).into()),
        column("commits/s", 11, Figure, |row| row.way.commits_per_s.map(|rate| rate.median).into()),
        column("commits/s, low", 11, Figure, |row| row.way.commits_per_s.map(|rate| rate.low).into()),
        column("commits/s, high", 11, Figure, |row| row.way.commits_per_s.map(|rate| rate.high).into()),
        column("write p50 (µs)", 11, Figure, |row| micros(row.way.write.p50_ns).into()),
        column("write p99 (µs)", 11, Figure, |row| micros(row.way.write.p99_ns).into()),
        column("sync p50 (µs)", 11, Figure, |row| micros(row.way.sync.and_then(|times| times.p50_ns)).into()),
        column("sync p99 (µs)", 11, Figure, |row| micros(row.way.sync.and_then(|times| times.p99_ns)).into()),
        column("sync p99.9 (µs)", 11, Figure, |row| micros(row.way.sync.and_then(|times| times.p999_ns)).into()),
        column("longest sync (µs)", 11, Figure, |row| micros(row.way.sync.and_then(|times| times.max_ns)).into()),
        column("flushes per commit", 11, Figure, |row| row.way.flushes_per_commit.into()),
        column("runs", 7, Count, |row| row.way.writes_per_s.runs.into()),
    ]
}

/// The rate of writes where it is another figure than that of commits.
fn writes_apart(row: &SyncRow) -> Option<f64> {
    let is_commit = row.way.commits_per_s.is_some() && row.way.workload.durability.is_of_each_write();
    (!is_commit).then_some(row.way.writes_per_s.median)
}

fn micros(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e3)
}
