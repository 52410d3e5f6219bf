//! The sheet `Summary`: what must be known before any number, the run, the table of verdicts, findings, facts.

use super::cells::Look;
use super::{facts, findings, head, sheet, verdicts};
use crate::view::View;
use rust_xlsxwriter::{Worksheet, XlsxError};

pub(super) fn sheet(view: &View) -> Result<Worksheet, XlsxError> {
    let mut sheet = sheet::new("Summary")?;
    sheet::line(&mut sheet, 0, &format!("ioproof: {}", view.heading), Look::Title)?;
    sheet::keep_headings(&mut sheet, 0, 0)?;
    let row = head::banners(&mut sheet, 1, view)?;
    let row = head::run(&mut sheet, row + 1, view)?;
    let row = verdicts::table(&mut sheet, row + 1, view)?;
    let row = findings::table(&mut sheet, row + 1, view)?;
    facts::sections(&mut sheet, row + 1, view)?;
    Ok(sheet)
}
