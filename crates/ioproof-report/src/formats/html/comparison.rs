//! One page of several runs held against the first: what differs, the curves of sweeps over each other, and a table for each run with the rounds of both as dots.
//!
//! A run is told apart by its letter first, then by its colour and its dashes, so that paper and eyes that see no colours lose nothing.

mod curves;
mod dots;

use super::plot::LOOKS;
use super::tables::{cell, table};
use super::{STYLE, bars, document, element, escape, section, signed};
use crate::formats::comparison::view::{Block, ComparisonView, DifferingView, Line};
use crate::formats::comparison::ways::Ways;
use ioproof_core::compare::Answer;

/// The look of runs side by side, beside that of every page.
const COMPARED: &str = include_str!("comparison.css");

/// The page.
pub(in crate::formats) fn page(view: &ComparisonView) -> String {
    let body = [
        head(view),
        differing("Other conditions", "A difference may come of these, and is no sign of a better or worse drive.", &view.conditions, view),
        differing("What else differs", "", &view.facts, view),
        curves::curves(view),
        shares(view),
        view.blocks.iter().map(|block| against(view, block)).collect(),
        alone(view),
        legend(view),
        format!("<footer>{}</footer>\n", element("p", "", &format!("ioproof {}", env!("CARGO_PKG_VERSION")))),
    ];
    let title = escape(&format!("ioproof: {} runs compared", view.runs.len()));
    document(&title, &[STYLE, COMPARED].concat(), &body.concat())
}

/// The class by which a run has its colour; more runs than there are share them, and have their letters.
fn look(run: usize) -> String {
    format!("run-{}", run % LOOKS)
}

/// The sign of a run: its letter beside a piece of its line.
fn sign(run: usize, letter: &str) -> String {
    format!(
        "<span class=\"sign {}\"><svg viewBox=\"0 0 26 8\" width=\"26\" height=\"8\" aria-hidden=\"true\"><path class=\"line l{}\" d=\"M0 4H26\"/></svg> <strong>{}</strong></span>",
        look(run),
        run % LOOKS,
        escape(letter)
    )
}

fn head(view: &ComparisonView) -> String {
    let heading =
        format!("{} against {}", view.blocks.iter().map(|block| block.letter.as_str()).collect::<Vec<_>>().join(", "), view.runs[0].letter);
    let runs = view.runs.iter().enumerate().map(|(at, run)| {
        let id = element("code", "", &run.id);
        format!("<div><dt>{}</dt><dd>{id} {}</dd></div>\n", sign(at, &run.letter), escape(&run.about))
    });
    format!(
        "<header>\n<p class=\"kicker\">ioproof: runs compared</p>\n{}\n<dl class=\"brief\">\n{}</dl>\n</header>\n",
        element("h1", "", &heading),
        runs.collect::<String>()
    )
}

/// The share that is left at each layer, of all runs on one scale.
fn shares(view: &ComparisonView) -> String {
    let without_bar: String = view.without_bar.iter().map(|text| element("p", "about", text) + "\n").collect();
    let markup = bars::bars(&view.shares) + &without_bar;
    if markup.is_empty() { markup } else { section("Layers", &markup) }
}

fn differing(title: &str, remark: &str, facts: &[DifferingView], view: &ComparisonView) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let names: Vec<(&str, &str)> = [("Fact", "")].into_iter().chain(view.runs.iter().map(|run| (run.letter.as_str(), ""))).collect();
    let row = |one: &DifferingView| {
        let cells: String = view.runs.iter().zip(&one.values).map(|(run, value)| cell(&run.letter, "target", &escape(value))).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&one.name))
    };
    let bodies: String = facts.iter().map(row).collect();
    section(title, &table("plain", remark, &names, &format!("<tbody>\n{bodies}</tbody>\n")))
}

fn against(view: &ComparisonView, block: &Block) -> String {
    let mark = block.mark.iter().map(|mark| format!("<p class=\"banner grave\"><strong>Warning:</strong> {}</p>\n", escape(mark)));
    let mark: String = mark.collect();
    if block.groups.is_empty() {
        return section(&block.heading, &format!("{mark}<p>No figure in common.</p>\n"));
    }
    let says: String = block.says.iter().map(|text| element("p", "", text) + "\n").collect();
    let ways: String = block.ways.iter().map(ways).collect();
    let first = &view.runs[0].letter;
    let names = [("Figure", ""), (first, "n"), (&block.letter, "n"), ("Change", "n"), ("Interval", "n"), ("Runs", ""), ("Answer", "")];
    let groups = block.groups.iter().map(|group| {
        let title = format!("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n", names.len(), escape(&group.title));
        let lines: String = group.lines.iter().map(|line| row(first, &block.letter, line)).collect();
        format!("<tbody>\n{title}{lines}</tbody>\n")
    });
    let caption = format!("Dots: the runs of each workload, {first} above, {} below; marks: the figures.", block.letter);
    section(&block.heading, &(mark + &says + &ways + &table("claims compared", &caption, &names, &groups.collect::<String>())))
}

/// Durable writes side by side.
fn ways(ways: &Ways) -> String {
    let names: Vec<(&str, &str)> =
        ways.columns.iter().enumerate().map(|(at, name)| (name.as_str(), if at == 0 { "" } else { "n" })).collect();
    let line = |line: &Vec<String>| {
        let rest = ways.columns.iter().zip(line).skip(1).map(|(name, text)| cell(name, "n", &escape(text)));
        format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escape(&line[0]), rest.collect::<String>())
    };
    let body: String = ways.lines.iter().map(line).collect();
    table("plain", &format!("{}: medians.", ways.caption), &names, &format!("<tbody>\n{body}</tbody>\n"))
}

fn row(first: &str, letter: &str, line: &Line) -> String {
    let cells = [
        format!("<th scope=\"row\">{}</th>", line.figure),
        cell(first, "n", &escape(&line.first)),
        cell(letter, "n", &escape(&line.this)),
        cell("Change", "n", &escape(&line.change)),
        cell("Interval", "n", &escape(line.interval.as_deref().unwrap_or("-"))),
        cell("Runs", "", &dots::dots(line)),
        cell("Answer", "match", &format!("{}{}", badge(line.answer), remarks(line))),
    ];
    format!("<tr>{}</tr>\n", cells.concat())
}

/// An answer as a sign and its word.
fn badge(answer: Answer) -> String {
    let (class, sign) = match answer {
        Answer::Better => ("meets", "▲"),
        Answer::Worse => ("misses", "▼"),
        Answer::CannotTell => ("aside", "?"),
    };
    signed(class, sign, answer.title())
}

fn remarks(line: &Line) -> String {
    line.remarks().iter().map(|text| element("span", "ends remark", text)).collect()
}

fn alone(view: &ComparisonView) -> String {
    if view.alone.is_empty() {
        return String::new();
    }
    let items: String = view.alone.iter().map(|text| element("li", "", text)).collect();
    section("Not in all runs", &format!("<ul>{items}</ul>\n"))
}

fn legend(view: &ComparisonView) -> String {
    section("How to read this", &view.legend().into_iter().map(|text| element("p", "", text) + "\n").collect::<String>())
}
