//! The sheet `Layers`: a line for each layer with all of its figures and their ends, what it means, and the shares as bars.

use super::bars;
use super::cells::Look;
use super::sheet::{self, Across, across};
use super::table::{Column, column, heading, lines};
use crate::view::{LAYERS_LEGEND, LayerView, LayersView, View};
use ioproof_core::stats::Estimate;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;
const LAST: u16 = 18;
/// Width of all columns. Characters.
const WIDTH: usize = 240;

pub(super) fn sheet(view: &View, layers: &LayersView) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Layers")?;
    sheet::line(&mut sheet, 0, &format!("Layers: {}", view.heading), Look::Title)?;
    across(&mut sheet, 1, &[Across { columns: (0, LAST), width: WIDTH, text: LAYERS_LEGEND, look: Look::Remark }])?;
    let columns = columns();
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let behind = lines(&mut sheet, HEADINGS + 1, &columns, layers.rows.iter())? + 1;
    let says: Vec<&String> = layers.says.iter().chain(&layers.left_out).collect();
    for (row, text) in (behind..).zip(&says) {
        across(&mut sheet, row, &[Across { columns: (0, LAST), width: WIDTH, text, look: Look::Remark }])?;
    }
    bars::shares(&mut sheet, behind + says.len() as u32 + 1, &layers.shares)?;
    Ok(sheet)
}

fn columns() -> [Column<LayerView>; LAST as usize + 1] {
    use Look::{Count, Figure, Wrapped};
    [
        column("layer", 36, Wrapped, |row| row.title.as_str().into()),
        column("target", 24, Wrapped, |row| row.target.as_str().into()),
        column("each second", 11, Figure, |row| row.row.per_s.median.into()),
        column("low", 11, Figure, |row| row.row.per_s.low.into()),
        column("high", 11, Figure, |row| row.row.per_s.high.into()),
        column("of the layer below", 12, Figure, |row| median(row.row.share).into()),
        column("low", 11, Figure, |row| row.row.share.map(|share| share.low).into()),
        column("high", 11, Figure, |row| row.row.share.map(|share| share.high).into()),
        column("p50 (µs)", 11, Figure, |row| micros(row.row.latency.p50_ns).into()),
        column("p99 (µs)", 11, Figure, |row| micros(row.row.latency.p99_ns).into()),
        column("commit p50 (µs)", 11, Figure, |row| micros(row.row.commit.and_then(|times| times.p50_ns)).into()),
        column("commit p99 (µs)", 11, Figure, |row| micros(row.row.commit.and_then(|times| times.p99_ns)).into()),
        column("flushes per commit", 11, Figure, |row| median(row.row.flushes_per_commit).into()),
        column("bytes at the drive per commit", 12, Figure, |row| median(row.row.drive_bytes_per_commit).into()),
        column("low", 11, Figure, |row| row.row.drive_bytes_per_commit.map(|bytes| bytes.low).into()),
        column("high", 11, Figure, |row| row.row.drive_bytes_per_commit.map(|bytes| bytes.high).into()),
        column("bytes at the drive per byte", 12, Figure, |row| median(row.row.drive_bytes_per_byte).into()),
        column("CPU time of each (µs)", 11, Figure, |row| median(row.row.cpu_ns_each).map(|ns| ns / 1e3).into()),
        column("runs", 7, Count, |row| row.row.per_s.runs.into()),
    ]
}

fn median(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.median)
}

fn micros(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e3)
}
