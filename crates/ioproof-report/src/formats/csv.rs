//! CSV (RFC 4180): a tidy table, its numbers in base units and not rounded.

use crate::tables::{Cell, Column, Content};

/// Tables of the same columns below each other.
pub(super) fn file(contents: impl Iterator<Item = Content>) -> Vec<u8> {
    let mut text = String::new();
    for content in contents {
        if text.is_empty() {
            text += &line(&content.columns, |column: &Column| column.name.to_owned());
        }
        content.rows.iter().for_each(|row| text += &line(row, shown));
    }
    text.into_bytes()
}

fn line<T>(cells: &[T], shown: fn(&T) -> String) -> String {
    cells.iter().map(shown).collect::<Vec<_>>().join(",") + "\r\n"
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
