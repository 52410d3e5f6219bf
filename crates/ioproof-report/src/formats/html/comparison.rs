//! One page of several runs held against the first: what differs, the curves of sweeps over each other, and a table for each run with the rounds of both as dots.
//!
//! A run is told apart by its letter first, then by its colour and its dashes, so that paper and eyes that see no colours lose nothing.

use super::plot::LOOKS;
use super::results::{list, of_part};
use super::tables::{cell, table};
use super::{STYLE, banner, bars, curves, document, element, escape, section, signed, version};
use ioproof_core::compare::Answer;
use ioproof_core::compare::words::{AgainstFirst, ComparedLine as Line, ComparisonWords, DifferingWords};
use ioproof_core::results::{Part, ResultTable};
use ioproof_core::sweep::SeriesLine;

/// The look of runs side by side, beside that of every page.
const COMPARED: &str = include_str!("comparison.css");

pub(crate) fn page(view: &ComparisonWords) -> String {
    let body = [
        head(view),
        differing("Other conditions", "A difference may come of these, and is no sign of a better or worse drive.", &view.conditions, view),
        differing("What else differs", "", &view.facts, view),
        of_curves(view),
        shares(view),
        view.blocks.iter().map(|block| against(view, block)).collect(),
        if view.alone.is_empty() { String::new() } else { section("Not in all runs", &list(&view.alone)) },
        section("How to read this", &view.legend().into_iter().map(|text| element("p", "", text) + "\n").collect::<String>()),
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
    let mark: String = block.mark.iter().map(|mark| banner("Warning", mark)).collect();
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
    let remarks: String = line.remarks().iter().map(|text| element("span", "ends remark", text)).collect();
    let cells = [
        format!("<th scope=\"row\">{}</th>", line.figure),
        cell(first, "n", &escape(&line.first)),
        cell(letter, "n", &escape(&line.this)),
        cell("Change", "n", &escape(&line.change)),
        cell("Interval", "n", &escape(line.interval.as_deref().unwrap_or("-"))),
        cell("Runs", "", &dots(line)),
        cell("Answer", "match", &(badge(line.answer) + &remarks)),
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

/// Size of the drawing of dots, and room at its sides for half a dot.
const DOTS_WIDTH: f64 = 170.0;
const DOTS_HEIGHT: f64 = 22.0;
const DOTS_SIDE: f64 = 4.0;

/// The rounds of two runs as dots on one scale, a row each, with a mark at the figure. The numbers beside them say the same, so readers skip it.
fn dots(line: &Line) -> String {
    let runs = [0, line.run];
    let figure = |run: usize| line.row.measured[run].map(|estimate| estimate.median);
    let values =
        || runs.into_iter().flat_map(|run| line.row.rounds[run].iter().copied().chain(figure(run))).filter(|value| value.is_finite());
    let (Some(least), Some(most)) = (values().reduce(f64::min), values().reduce(f64::max)) else { return "-".into() };
    let x = |value: f64| {
        if most > least { DOTS_SIDE + (value - least) / (most - least) * (DOTS_WIDTH - 2.0 * DOTS_SIDE) } else { DOTS_WIDTH / 2.0 }
    };
    let row = |(at, run): (usize, usize)| {
        let y = DOTS_HEIGHT * (0.25 + 0.5 * at as f64);
        let dots = line.row.rounds[run]
            .iter()
            .filter(|value| value.is_finite())
            .map(|value| format!("<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"2.2\"/>", x(*value)));
        let mark = figure(run).map(|value| format!("<path d=\"M{0:.1} {1:.1}V{2:.1}\"/>", x(value), y - 5.0, y + 5.0)).unwrap_or_default();
        format!("<g class=\"dots {}\">{}{mark}</g>", look(run), dots.collect::<String>())
    };
    let rows: String = runs.into_iter().enumerate().map(row).collect();
    format!(
        "<svg class=\"rounds-of\" viewBox=\"0 0 {DOTS_WIDTH} {DOTS_HEIGHT}\" width=\"{DOTS_WIDTH}\" height=\"{DOTS_HEIGHT}\" aria-hidden=\"true\">{rows}</svg>"
    )
}
