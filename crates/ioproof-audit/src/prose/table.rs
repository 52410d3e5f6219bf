//! Tables: Markdown's, and rows of words that end in the same count of numbers, as tables become when they are copied from a page.

use super::{Figure, Paragraph, figures};
use crate::document::Line;

#[derive(Debug, Clone, Default)]
pub struct Table {
    pub line: u32,
    /// Names of the columns. Of a table of words one text, which names them all.
    pub header: Vec<String>,
    pub rows: Vec<Row>,
    /// The heading above.
    pub heading: String,
    /// The paragraph above.
    pub caption: String,
}

#[derive(Debug, Clone, Default)]
pub struct Row {
    pub line: u32,
    /// The first cell.
    pub label: String,
    /// Figures of the cells after it, `None` where a cell has none or several.
    pub cells: Vec<Option<Figure>>,
}

/// The table that begins here, and the position after it.
pub(super) fn read(lines: &[&Line], at: usize, heading: &str, before: &Paragraph) -> Option<(Table, usize)> {
    let caption = if before.is_heading { String::new() } else { before.sentence(before.text.len()).to_owned() };
    let found = marked(lines, at).or_else(|| of_words(lines, at));
    found.map(|(table, end)| (Table { heading: heading.to_owned(), caption, ..table }, end))
}

fn cells(text: &str) -> Vec<String> {
    text.trim().trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('*').to_owned()).collect()
}

fn is_marked(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('|') && text.matches('|').count() >= 3 || text.matches(" | ").count() >= 2
}

fn marked(lines: &[&Line], at: usize) -> Option<(Table, usize)> {
    let rows: Vec<&&Line> = lines[at..].iter().take_while(|line| is_marked(&line.text)).take(10_000).collect();
    if rows.len() < 2 {
        return None;
    }
    let is_rule = |text: &str| text.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '=' | '+'));
    let body = rows.iter().skip(1).filter(|line| !is_rule(&line.text));
    let rows_of = |line: &&&Line| {
        let all = cells(&line.text);
        Row {
            line: line.number,
            label: all.first().cloned().unwrap_or_default(),
            cells: all.iter().skip(1).map(|cell| only(cell, line.number)).collect(),
        }
    };
    let table = Table { line: rows[0].number, header: cells(&rows[0].text), rows: body.map(rows_of).collect(), ..Table::default() };
    Some((table, at + rows.len()))
}

/// The figure of a cell that has one only.
fn only(cell: &str, line: u32) -> Option<Figure> {
    let mut all = figures(cell);
    let figure = all.pop().filter(|_| all.is_empty())?;
    Some(Figure { line, ..figure })
}

/// `Reading without fsync, MiB / s 5734.89 9028.86`
fn of_words(lines: &[&Line], at: usize) -> Option<(Table, usize)> {
    let count = |index: usize| lines.get(index).map_or(0, |line| numbers(&line.text).map_or(0, |(_, numbers)| numbers.len()));
    let columns = count(at + 1);
    let header = lines[at].text.trim();
    if columns < 2 || header.is_empty() || count(at) != 0 || header.ends_with(['.', ':', ';']) || header.len() > 120 {
        return None;
    }
    let length = (at + 1..lines.len()).take_while(|index| count(*index) == columns).take(1000).count();
    if length < 2 {
        return None;
    }
    let row = |index: usize| {
        let line = lines[index];
        let (label, numbers) = numbers(&line.text)?;
        let unit = unit(label);
        let cells = numbers.iter().map(|number| {
            let mut figure = figures(&format!("{number} {unit}")).into_iter().next()?;
            (*number).clone_into(&mut figure.text);
            Some(Figure { line: line.number, ..figure })
        });
        Some(Row { line: line.number, label: label.to_owned(), cells: cells.collect() })
    };
    let rows = (at + 1..=at + length).filter_map(row).collect();
    Some((Table { line: lines[at].number, header: vec![header.to_owned()], rows, ..Table::default() }, at + 1 + length))
}

/// The unit at the end of a label: `..., MiB / s`.
fn unit(label: &str) -> &str {
    label.rsplit_once(", ").map_or("", |(_, unit)| unit).trim_matches(['(', ')'])
}

/// The words of a line and the numbers that it ends in.
fn numbers(text: &str) -> Option<(&str, Vec<&str>)> {
    let text = text.trim();
    if text.len() > 200 {
        return None;
    }
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, word)) = rest.rsplit_once([' ', '\t']) {
        if word.is_empty()
            || !word.bytes().all(|c| c.is_ascii_digit() || c == b'.' || c == b',')
            || !word.starts_with(|c: char| c.is_ascii_digit())
            || word.ends_with(['.', ','])
        {
            break;
        }
        found.push(word);
        rest = before.trim_end();
    }
    found.reverse();
    let has_words = rest.chars().filter(|c| c.is_alphabetic()).count() >= 3;
    (has_words && !found.is_empty()).then_some((rest, found))
}
