//! One page of several runs held against the first: what differs, the curves of sweeps over each other, and a table for each run with the rounds of both as dots.
//!
//! A run is told apart by its letter first, then by its colour and its dashes, so that paper and eyes that see no colours lose nothing.

mod dots;

use super::plot::LOOKS;
use super::results::{list, of_part};
use super::tables::{cell, table};
use super::{STYLE, bars, curves, document, element, escape, section, signed, version};
use crate::ReportError;
use ioproof_core::compare::Answer;
use ioproof_core::compare::words::{AgainstFirst, ComparedLine as Line, ComparisonWords, DifferingWords};
use ioproof_core::results::{Part, ResultTable};
use ioproof_core::sweep::SeriesLine;
use std::io::Write;

/// The look of runs side by side, beside that of every page.
const COMPARED: &str = include_str!("comparison.css");

pub(crate) fn write(view: &ComparisonWords, out: &mut dyn Write) -> Result<(), ReportError> {
    Ok(out.write_all(page(view).as_bytes())?)
}

fn page(view: &ComparisonWords) -> String {
    let body = [
        head(view),
        differing("Other conditions", "A difference may come of these, and is no sign of a better or worse drive.", &view.conditions, view),
        differing("What else differs", "", &view.facts, view),
        of_curves(view),
        shares(view),
        view.blocks.iter().map(|block| against(view, block)).collect(),
        alone(view),
        legend(view),
        version(),
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

fn head(view: &ComparisonWords) -> String {
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

/// The curves of sweeps over each other; none where no two runs are sweeps.
fn of_curves(view: &ComparisonWords) -> String {
    let figures =
        |(number, lines): (usize, Vec<SeriesLine>)| curves::figures(&format!("curve-{number}"), &lines.iter().collect::<Vec<_>>(), 2);
    let figures: String = view.comparison.curves.iter().map(ioproof_core::compare::Curve::lines).enumerate().map(figures).collect();
    if figures.is_empty() {
        return figures;
    }
    let signs = view.runs.iter().enumerate().map(|(at, run)| format!("<span>{} {}</span> ", sign(at, &run.letter), escape(&run.id)));
    let signs: String = signs.collect();
    section("Curves", &format!("<p class=\"signs\">{signs}</p>\n<div class=\"charts wider\">\n{figures}</div>\n"))
}

/// The share that is left at each layer, of all runs on one scale.
fn shares(view: &ComparisonWords) -> String {
    let without_bar: String = view.without_bar.iter().map(|text| element("p", "about", text) + "\n").collect();
    let markup = bars::bars(&view.shares) + &without_bar;
    if markup.is_empty() { markup } else { section("Layers", &markup) }
}

fn differing(title: &str, remark: &str, facts: &[DifferingWords], view: &ComparisonWords) -> String {
    if facts.is_empty() {
        return String::new();
    }
    let names: Vec<(&str, &str)> = [("Fact", "")].into_iter().chain(view.runs.iter().map(|run| (run.letter.as_str(), ""))).collect();
    let row = |one: &DifferingWords| {
        let cells: String = view.runs.iter().zip(&one.values).map(|(run, value)| cell(&run.letter, "target", &escape(value))).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&one.name))
    };
    let bodies: String = facts.iter().map(row).collect();
    section(title, &table("plain", remark, &names, &format!("<tbody>\n{bodies}</tbody>\n")))
}

fn against(view: &ComparisonWords, block: &AgainstFirst) -> String {
    let mark = block.mark.iter().map(|mark| format!("<p class=\"banner grave\"><strong>Warning:</strong> {}</p>\n", escape(mark)));
    let mark: String = mark.collect();
    if block.groups.is_empty() {
        return section(&block.heading, &format!("{mark}<p>No figure in common.</p>\n"));
    }
    let says: String = block.says.iter().map(|text| element("p", "", text) + "\n").collect();
    let beside: String = block.beside.iter().map(beside).collect();
    let first = &view.runs[0].letter;
    let names = [("Figure", ""), (first, "n"), (&block.letter, "n"), ("Change", "n"), ("Interval", "n"), ("Runs", ""), ("Answer", "")];
    let groups = block.groups.iter().map(|group| {
        let title = format!("<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n", names.len(), escape(&group.title));
        let lines: String = group.lines.iter().map(|line| row(first, &block.letter, line)).collect();
        format!("<tbody>\n{title}{lines}</tbody>\n")
    });
    let caption = format!("Dots: the runs of each workload, {first} above, {} below; marks: the figures.", block.letter);
    section(&block.heading, &(mark + &says + &beside + &table("claims compared", &caption, &names, &groups.collect::<String>())))
}

/// Durable writes or layers side by side.
fn beside(beside: &ResultTable) -> String {
    let part = |part: &Part| of_part(beside, part, &format!("{}: medians.", part.caption));
    beside.parts.iter().map(part).collect()
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

fn alone(view: &ComparisonWords) -> String {
    if view.alone.is_empty() { String::new() } else { section("Not in all runs", &list(&view.alone)) }
}

fn legend(view: &ComparisonWords) -> String {
    section("How to read this", &view.legend().into_iter().map(|text| element("p", "", text) + "\n").collect::<String>())
}
