//! The ways of making writes durable: a table, the answers to limits, and what it means.

use super::tables::{cell, table};
use super::{badge, element, escape, section};
use crate::view::{SYNC_COLUMNS, SYNC_LEGEND, SyncRow, SyncView};

pub(super) fn syncs(view: &SyncView) -> String {
    let names = SYNC_COLUMNS.map(|name| (name, class(name)));
    let bodies: String = view.rows.iter().map(line).collect();
    let of_all = table("plain", "Ways of making writes durable", &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    let goals: String = view.goals.iter().map(|(verdict, text)| format!("<p>{} {}</p>\n", badge(*verdict), escape(text))).collect();
    let says: String = view.says.iter().map(|text| element("li", "", text)).collect();
    section("Durable writes", &format!("{goals}{of_all}{}<ul>{says}</ul>\n", element("p", "", SYNC_LEGEND)))
}

/// Figures are flush right.
fn class(name: &str) -> &'static str {
    if name == "way" { "" } else { "n" }
}

fn line(row: &SyncRow) -> String {
    let cells: String = SYNC_COLUMNS.into_iter().zip(row.cells()).map(|(name, text)| cell(name, class(name), &escape(text))).collect();
    format!("<tr>{cells}</tr>\n")
}
