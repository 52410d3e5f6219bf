//! The matrix of a sweep, a table a series, with what its curve shows below it.

use super::tables::{cell, table};
use super::{element, escape, section};
use crate::view::{MATRIX_COLUMNS, MatrixRow, MatrixView, View};

pub(super) fn matrices(view: &View) -> String {
    if view.matrices.is_empty() {
        return String::new();
    }
    let blocks: String = view.matrices.iter().map(block).collect();
    section("Matrix", &blocks)
}

fn block(matrix: &MatrixView) -> String {
    let names: Vec<(&str, &str)> = std::iter::once((matrix.axis, "")).chain(MATRIX_COLUMNS.map(|name| (name, class(name)))).collect();
    let bodies: String = matrix.rows.iter().map(|row| line(matrix.axis, row)).collect();
    let says: String = matrix.says.iter().map(|text| element("li", "", text)).collect();
    let of_all = table("plain", &matrix.title, &names, &format!("<tbody>\n{bodies}</tbody>\n"));
    format!("{of_all}<ul>{says}</ul>\n")
}

/// Figures are flush right.
fn class(name: &str) -> &'static str {
    if name == "note" { "" } else { "n" }
}

fn line(axis: &str, row: &MatrixRow) -> String {
    let names = std::iter::once(axis).chain(MATRIX_COLUMNS);
    let cells: String =
        names.zip(row.cells()).map(|(name, text)| cell(name, if name == axis { "" } else { class(name) }, &escape(text))).collect();
    format!("<tr>{cells}</tr>\n")
}
