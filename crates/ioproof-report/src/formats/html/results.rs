//! Results of any kind: answers, tables with the charts before them, and what it means.

use super::tables::{cell, table};
use super::{badge, element, escape, section};
use ioproof_core::results::{Part, ResultTable};

/// The section of a table; `charts` gives the markup before its part at a position.
pub(super) fn results(results: &ResultTable, charts: impl Fn(usize) -> String) -> String {
    let answers: String = results.answers.iter().map(|(verdict, text)| format!("<p>{} {}</p>\n", badge(*verdict), escape(text))).collect();
    let tables: String = results.parts.iter().enumerate().map(|(at, part)| charts(at) + &of_part(results, part)).collect();
    let says: String = results.sentences("html").iter().map(|text| element("li", "", text)).collect();
    section(results.title, &format!("{answers}{tables}{}<ul>{says}</ul>\n", element("p", "", results.legend)))
}

/// A table whose figures are flush right.
fn of_part(results: &ResultTable, part: &Part) -> String {
    let names: Vec<(&str, &str)> = results.names(part).enumerate().map(|(at, name)| (name, if at == 0 { "" } else { "n" })).collect();
    let line = |cells: Vec<String>| {
        let cells: String = names.iter().zip(cells).map(|((name, class), text)| cell(name, class, &escape(&text))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let bodies: String = results.cells(part).into_iter().map(line).collect();
    table("plain", &part.caption, &names, &format!("<tbody>\n{bodies}</tbody>\n"))
}
