//! The sheet `At once`: a line for each target of each workload and one for their sum, with both rates and their ends, and what it means.

use super::cells::Look;
use super::sheet::{self, Across, across};
use super::table::{Column, column, heading, lines};
use crate::view::{LineView, TOGETHER_LEGEND, TogetherView, View};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The row of the headings.
const HEADINGS: u32 = 2;
const LAST: u16 = 17;
/// Width of all columns. Characters.
const WIDTH: usize = 240;

/// A line with the workload that it is of.
struct Line<'a> {
    workload: &'a str,
    line: &'a LineView,
}

pub(super) fn sheet(view: &View, together: &TogetherView) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("At once")?;
    sheet::line(&mut sheet, 0, &format!("Each alone and all at once: {}", view.heading), Look::Title)?;
    across(&mut sheet, 1, &[Across { columns: (0, LAST), width: WIDTH, text: TOGETHER_LEGEND, look: Look::Remark }])?;
    let columns = columns();
    heading(&mut sheet, HEADINGS, &columns)?;
    sheet::keep_headings(&mut sheet, HEADINGS, 1)?;
    let of_workload = |workload| move |line| Line { workload, line };
    let all: Vec<Line> = together.workloads.iter().flat_map(|of| of.lines.iter().map(of_workload(of.title.as_str()))).collect();
    let behind = lines(&mut sheet, HEADINGS + 1, &columns, all.iter())? + 1;
    for (row, text) in (behind..).zip(&together.says) {
        across(&mut sheet, row, &[Across { columns: (0, LAST), width: WIDTH, text, look: Look::Remark }])?;
    }
    Ok(sheet)
}

fn columns<'a>() -> [Column<Line<'a>>; LAST as usize + 1] {
    use Look::{Count, Figure, Wrapped};
    const MB: f64 = 1e6;
    [
        column("workload", 36, Wrapped, |row| row.workload.into()),
        column("target", 24, Wrapped, |row| row.line.name.as_str().into()),
        column("IOPS alone", 11, Figure, |row| row.line.alone.iops.median.into()),
        column("low", 11, Figure, |row| row.line.alone.iops.low.into()),
        column("high", 11, Figure, |row| row.line.alone.iops.high.into()),
        column("MB/s alone", 11, Figure, |row| (row.line.alone.bytes_per_s.median / MB).into()),
        column("low", 11, Figure, |row| (row.line.alone.bytes_per_s.low / MB).into()),
        column("high", 11, Figure, |row| (row.line.alone.bytes_per_s.high / MB).into()),
        column("IOPS at once", 11, Figure, |row| row.line.together.iops.median.into()),
        column("low", 11, Figure, |row| row.line.together.iops.low.into()),
        column("high", 11, Figure, |row| row.line.together.iops.high.into()),
        column("MB/s at once", 11, Figure, |row| (row.line.together.bytes_per_s.median / MB).into()),
        column("low", 11, Figure, |row| (row.line.together.bytes_per_s.low / MB).into()),
        column("high", 11, Figure, |row| (row.line.together.bytes_per_s.high / MB).into()),
        column("at once / alone", 11, Figure, |row| row.line.share.median.into()),
        column("low", 11, Figure, |row| row.line.share.low.into()),
        column("high", 11, Figure, |row| row.line.share.high.into()),
        column("turns", 7, Count, |row| row.line.share.runs.into()),
    ]
}
