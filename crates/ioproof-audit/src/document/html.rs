//! HTML as the text that a browser shows: tags removed, a row of a table on one line.

use super::Line;

/// True where a text is HTML, by tags that no other text has so.
pub(super) fn is_html(text: &str) -> bool {
    let mut end = text.len().min(8 << 10);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text[..end].to_ascii_lowercase();
    ["<!doctype html", "<html", "<body", "<p>", "<td>", "<div"].iter().any(|tag| head.contains(tag))
}

pub(super) fn without_tags(lines: Vec<Line>) -> Vec<Line> {
    let mut shown: Vec<Line> = Vec::with_capacity(lines.len());
    let mut row: Option<Line> = None;
    let mut hidden = None;
    for line in lines {
        for part in parts(&line.text, &mut hidden) {
            match part {
                Part::Row => row = Some(Line { text: "|".into(), ..line.clone() }),
                Part::RowEnd => shown.extend(row.take()),
                Part::CellEnd => row.iter_mut().for_each(|row| row.text.push_str(" |")),
                Part::Pre(tag) => shown.push(Line { text: tag.into(), ..line.clone() }),
                Part::Break => shown.push(Line { text: String::new(), ..line.clone() }),
                Part::Text(text) => match &mut row {
                    Some(row) if !text.trim().is_empty() && row.text.len() < super::LINE_BYTES_MAX => {
                        row.text.push(' ');
                        row.text.push_str(text.trim());
                    }
                    Some(_) => {}
                    None => shown.push(Line { text, ..line.clone() }),
                },
            }
        }
    }
    shown.extend(row);
    shown
}

enum Part {
    Text(String),
    Row,
    RowEnd,
    CellEnd,
    Pre(&'static str),
    Break,
}

#[rustfmt::skip]
const TAGS: &[&str] = &[
    "a", "abbr", "article", "aside", "b", "body", "button", "code", "div", "em", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "html", "i", "img", "kbd", "li", "link", "main", "meta", "nav", "ol", "p", "section", "small", "span", "strong",
    "sub", "sup", "table", "tbody", "tfoot", "thead", "title", "tt", "u", "ul", "!doctype", "center", "form", "input", "hr", "blockquote",
    "figure", "dl", "dt", "dd",
];

/// The parts of a line. `hidden` is the tag whose content is not shown, where one is open.
fn parts(text: &str, hidden: &mut Option<&'static str>) -> Vec<Part> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at);
        let Some((name, is_end, tail)) = tag(after) else {
            plain.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        if hidden.is_none() {
            plain.push_str(before);
        }
        rest = tail;
        let mut flush = |found: &mut Vec<Part>| {
            if !plain.is_empty() {
                found.push(Part::Text(entities(&std::mem::take(&mut plain))));
            }
        };
        match (name.as_str(), is_end) {
            ("script", false) => *hidden = Some("script"),
            ("style", false) => *hidden = Some("style"),
            ("script" | "style", true) => *hidden = None,
            ("tr", is_end) => {
                flush(&mut found);
                found.push(if is_end { Part::RowEnd } else { Part::Row });
            }
            ("td" | "th", true) => {
                flush(&mut found);
                found.push(Part::CellEnd);
            }
            ("pre", is_end) => {
                flush(&mut found);
                found.push(Part::Pre(if is_end { "</pre>" } else { "<pre>" }));
            }
            ("br", _) => flush(&mut found),
            ("p" | "h1" | "h2" | "h3" | "h4" | "table", _) => {
                flush(&mut found);
                found.push(Part::Break);
            }
            _ => {}
        }
    }
    if hidden.is_none() {
        plain.push_str(rest);
    }
    if !plain.is_empty() || found.is_empty() {
        found.push(Part::Text(entities(&plain)));
    }
    found
}

/// A tag of HTML at the beginning of the text: its name, true for an end, and the text after it.
fn tag(text: &str) -> Option<(String, bool, &str)> {
    let inner = &text[1..];
    let (inner, is_end) = inner.strip_prefix('/').map_or((inner, false), |rest| (rest, true));
    let length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '!')).unwrap_or(inner.len());
    let name = inner[..length].to_ascii_lowercase();
    let is_known = TAGS.contains(&name.as_str()) || ["tr", "td", "th", "pre", "br", "script", "style"].contains(&name.as_str());
    let end = inner.find('>')?;
    is_known.then(|| (name, is_end, &inner[end + 1..]))
}

fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&#x27;", "'"), ("&micro;", "µ"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
