//! Results of any kind: answers, tables with the charts before them, and what it means.

use super::tables::{cell, table};
use super::{badge, bars, element, escape, lines, section, strips};
use ioproof_core::results::{Answer, Part, ResultTable, Unit};

/// The section of a table.
pub(super) fn results(results: &ResultTable) -> String {
    let answer = |answer: &Answer| format!("<p>{} {}</p>\n", badge(answer.verdict), escape(&answer.text));
    let answers: String = results.separate_answers().map(answer).collect();
    let tables: String =
        results.parts.iter().map(|part| charts(part) + &of_part(results, part, &part.caption) + &list(&part.says)).collect();
    let legend = if results.legend.is_empty() { String::new() } else { element("p", "", results.legend) };
    let title = if results.is_parted { results.id } else { &results.title };
    section(title, &format!("{answers}{tables}{legend}{}", list(&results.sentences("html"))))
}

pub(super) fn list(texts: &[String]) -> String {
    let items: String = texts.iter().map(|text| element("li", "", text)).collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>\n") }
}

fn charts(part: &Part) -> String {
    let without_bar: String = part.without_bar.iter().map(|text| element("p", "about", text) + "\n").collect();
    bars::bars(&part.charts) + &without_bar + &lines::lines(&part.lines) + &strips::strips(&part.strips)
}

/// A table whose figures are flush right.
pub(super) fn of_part(results: &ResultTable, part: &Part, caption: &str) -> String {
    let is_text = |at: usize| at == 0 || results.columns[part.columns[at]].unit == Unit::Note;
    let class = |at: usize, name: &str| match () {
        () if name == "queue depth" => "depth",
        () if is_text(at) => "",
        () => "n",
    };
    let names: Vec<(&str, &str)> = results.names(part).enumerate().map(|(at, name)| (name, class(at, name))).collect();
    let line = |cells: Vec<String>| {
        let figures: String = names.iter().zip(&cells).skip(1).map(|((name, class), text)| cell(name, class, &escape(text))).collect();
        format!("<tr><th scope=\"row\">{}</th>{figures}</tr>\n", escape(&cells[0]))
    };
    let bodies: String = results.cells(part).into_iter().map(line).collect();
    table("plain", caption, &names, &format!("<tbody>\n{bodies}</tbody>\n"))
}
