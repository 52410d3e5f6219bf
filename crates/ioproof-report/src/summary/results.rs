//! Results of any kind, in tables as wide as the terminal has room for.

use super::{Style, heading, verdict_tone};
use crate::layout::{Align, Cell, Table, Tone, labelled, width, wrap};
use ioproof_core::results::{Part, ResultTable, Unit};

/// The mark of a spread, for tables without words for it.
const SPREAD_LEGEND: &str = "In square brackets: the smallest and the largest of too few runs for an interval.";
/// Lines of a sentence, so many that none is cut off.
const LINES: usize = 12;
/// A row's name is wrapped to no fewer columns.
const LEAST_NAME: usize = 16;
const GAP: usize = 2;

pub(crate) fn results(of: &ResultTable, style: Style) -> Vec<String> {
    let mut lines = if of.is_parted { Vec::new() } else { heading(&of.title, style).to_vec() };
    let sentence = |text: &String| labelled("  ", text, style.width, LINES);
    for part in &of.parts {
        lines.extend((!part.heading.is_empty()).then(|| heading(&part.heading, style)).into_iter().flatten());
        lines.extend(table(of, part, style));
        lines.extend(part.says.iter().flat_map(sentence));
    }
    // The marks that stand in the tables.
    let has_dash = lines.iter().any(|line| line.split_whitespace().any(|word| word == "-"));
    let has_spread = lines.iter().any(|line| line.contains(" ["));
    let marks = [(has_dash && !of.dash.is_empty(), of.dash), (has_spread, SPREAD_LEGEND)];
    lines.extend(marks.into_iter().filter(|(has, _)| *has).flat_map(|(_, text)| labelled("  ", text, style.width, LINES)));
    for answer in of.separate_answers() {
        let told = labelled("  ", &answer.brief, style.width, LINES);
        lines.extend(told.into_iter().map(|line| verdict_tone(answer.verdict).paint(&line, style.color)));
    }
    lines.extend(of.says.iter().flat_map(sentence));
    lines
}

/// A part with the most columns that leave the names of rows room.
pub(crate) fn table(of: &ResultTable, part: &Part, style: Style) -> Vec<String> {
    let Some(longest) = of.rows[part.rows.clone()].iter().map(|row| width(&of.texts(row, &part.columns[..1])[0])).max() else {
        return Vec::new();
    };
    let room = |columns: &[usize]| style.width.saturating_sub(made(of, part, columns, 0).width());
    let shapes = || std::iter::once(&part.columns).chain(&part.narrower);
    match shapes().find(|columns| room(columns) >= longest.min(LEAST_NAME)) {
        Some(columns) => made(of, part, columns, room(columns)).lines(style.color),
        None => {
            let narrowest = shapes().last().unwrap_or(&part.columns);
            let first_to_go: Vec<&str> = part.first_to_go.iter().map(|at| of.columns[*at].name.as_str()).collect();
            made(of, part, narrowest, LEAST_NAME).lines_within(style.width, &first_to_go, style.color)
        }
    }
}

/// The table with names wrapped to `room`, each target above its rows; without names where there is none.
fn made(of: &ResultTable, part: &Part, columns: &[usize], room: usize) -> Table {
    let is_note = |at: &usize| of.columns[*at].unit == Unit::Note;
    let figures = columns[1..].iter().map(|at| (of.columns[*at].name.as_str(), if is_note(at) { Align::Left } else { Align::Right }));
    let name = if room == 0 { "" } else { &of.columns[columns[0]].name };
    let head: Vec<(&str, Align)> = std::iter::once((name, Align::Left)).chain(figures).collect();
    let cell = |(at, text): (&usize, &String)| Cell::new(text.as_str(), if is_note(at) { Tone::Dim } else { Tone::Plain });
    let named = |text: &str| if room == 0 { vec![] } else { wrap(text, room) };
    let (mut table, mut target) = (Table::new(GAP, &head), "");
    for row in &of.rows[part.rows.clone()] {
        if of.has_targets && room > 0 && target != row.target {
            table.push_named(wrap(&row.target, room), columns[1..].iter().map(|_| Cell::from("")));
        }
        target = &row.target;
        let cells = of.texts(row, columns);
        table.push_named(named(&cells[0]), columns.iter().zip(&cells).skip(1).map(cell));
    }
    table
}
