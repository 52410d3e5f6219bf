//! CSV (RFC 4180): a tidy table, its numbers in base units and not rounded.

pub(super) mod comparison;

use crate::ReportError;
use crate::fleet::FleetReport;
use crate::tables::{Cell, Content, Table};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use std::io::Write;

pub(crate) fn write(record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    write_table(Table::ALL[0], record, judgement, out)
}

pub(crate) fn write_table(table: Table, record: &RunRecord, judgement: &Judgement, out: &mut dyn Write) -> Result<(), ReportError> {
    let content = Content::new(table, record, judgement);
    write_head(&content, out)?;
    write_rows(&content, out)
}

/// Writes a fleet, some drives at a time.
pub(crate) fn write_fleet(fleet: &FleetReport, out: &mut dyn Write) -> Result<(), ReportError> {
    for (at, content) in fleet.contents().enumerate() {
        if at == 0 {
            write_head(&content, out)?;
        }
        write_rows(&content, out)?;
    }
    Ok(())
}

fn write_head(content: &Content, out: &mut dyn Write) -> Result<(), ReportError> {
    let head: Vec<&str> = content.columns.iter().map(|column| column.name).collect();
    Ok(out.write_all((head.join(",") + "\r\n").as_bytes())?)
}

fn write_rows(content: &Content, out: &mut dyn Write) -> Result<(), ReportError> {
    for row in &content.rows {
        let cells: Vec<String> = row.iter().map(shown).collect();
        out.write_all((cells.join(",") + "\r\n").as_bytes())?;
    }
    Ok(())
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => quoted(text),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
    }
}

/// A text cell: quoted where RFC 4180 asks for it, and with an apostrophe before text that a spreadsheet would run as a formula.
fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_disarmed() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
    }
}
