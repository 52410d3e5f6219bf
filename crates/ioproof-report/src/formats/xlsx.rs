//! XLSX: a workbook with what was found, the matrix of a sweep, percentiles, charts and every round. `README.md` beside this file lists its sheets.
//!
//! Numbers are numbers in the unit that the heading names, text is never a formula, and the same run gives the same bytes. `cells` and `table` know how a
//! cell is written, `sheet` how a page is printed, the other files hold a sheet or a part of one each.

mod bars;
mod cells;
mod charts;
pub(super) mod comparison;
mod curves;
mod findings;
pub(super) mod fleet;
mod over_time;
mod results;
mod rounds;
mod sheet;
mod summary;
mod table;
mod verdicts;

use crate::layout::elide;
use crate::view::View;
use ioproof_core::moment;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};

/// Columns of the document's title.
const TITLE_COLUMNS: usize = 200;

pub(super) fn workbook(view: &View) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&properties(view)?);
    workbook.push_worksheet(summary::sheet(view)?);
    let mut blocks = Vec::new();
    let grave: Vec<&str> = view.grave().collect();
    for results in &view.results {
        let (sheet, rows) = results::sheet(&view.heading, &grave, results)?;
        workbook.push_worksheet(sheet);
        if results.is_parted {
            blocks = rows;
        }
    }
    workbook.push_worksheet(results::sheet(&view.heading, &grave, &view.latency_table)?.0);
    let charts = if view.series.is_empty() { over_time::sheet(view)? } else { charts::sheet(view, &blocks)? };
    if let Some(charts) = charts {
        workbook.push_worksheet(charts);
    }
    workbook.push_worksheet(rounds::sheet(view)?);
    for listed in [findings::sheet(view)?, verdicts::cells(view)?].into_iter().flatten() {
        workbook.push_worksheet(listed);
    }
    workbook.save_to_buffer()
}

/// The document was made when the run began: the time of writing would make two files of one run differ.
fn properties(view: &View) -> Result<DocProperties, XlsxError> {
    let seconds = view.started_at.get(..19).filter(|_| view.started_at.ends_with('Z') && moment::serial(&view.started_at).is_some());
    let made = match seconds.and_then(|seconds| ExcelDateTime::parse_from_str(seconds).ok()) {
        Some(made) => made,
        None => ExcelDateTime::from_ymd(2000, 1, 1)?,
    };
    let title = format!("ioproof: {}", elide(&view.heading, TITLE_COLUMNS));
    let author = format!("ioproof {}", elide(&view.program_version, TITLE_COLUMNS));
    Ok(DocProperties::new().set_title(title).set_author(author).set_creation_datetime(&made))
}
