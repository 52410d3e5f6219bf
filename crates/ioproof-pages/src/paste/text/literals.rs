//! Takes lines out of literals of programs: a list of strings (`stdout = ['a', 'b', ...]`), or a string that holds line ends
//! (`"stdout": "a\nb\n..."`, `b'a\nb\n...'`).
//!
//! Every line that comes out has the number of the line that held it. Deliberately absent: JSON objects, which `json` reads.

use std::borrow::Cow;
use std::iter::Peekable;
use std::str::CharIndices;

type NumberedLine<'a> = (usize, Cow<'a, str>);

/// Least line ends in a string, and least labelled lines in a list.
const LINES_MIN: usize = 3;
/// Lines that one list is at most wrapped into.
const WRAPPED_MAX: usize = 64;
/// Brackets of one line at which a list is looked for.
const TRIES_MAX: usize = 4;

pub(super) fn unpacked(lines: Vec<NumberedLine<'_>>) -> Vec<NumberedLine<'_>> {
    if !lines.iter().any(|(_, line)| may_hold(line)) {
        return lines;
    }
    let mut found = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let literals = if may_hold(&lines[at].1) { literals(&lines, at) } else { None };
        match literals {
            Some((own, taken)) => {
                found.extend(own);
                at += taken;
            }
            None => {
                found.extend(divided(lines[at].0, &lines[at].1).unwrap_or_else(|| vec![lines[at].clone()]));
                at += 1;
            }
        }
    }
    found
}

fn may_hold(line: &str) -> bool {
    let is_json_of_tool = line.contains("\"json_format_version\"");
    !is_json_of_tool && (line.matches("\\n").take(LINES_MIN).count() == LINES_MIN || list_start(line).is_some())
}

/// The lines of all literals of a line, with those before and behind them, and the number of lines that they take.
fn literals<'a>(lines: &[NumberedLine<'a>], at: usize) -> Option<(Vec<NumberedLine<'a>>, usize)> {
    let line = &*lines[at].1;
    if let Some(list) = first_list(lines, at) {
        let mut found = around(lines[at].0, &line[..list.start]);
        found.extend(list.lines);
        found.extend(around(lines[list.last].0, &lines[list.last].1[list.end..]));
        return Some((found, list.last - at + 1));
    }
    let strings = strings(line);
    let (first, last) = (strings.first()?, strings.last()?);
    let mut found = around(lines[at].0, &line[..first.0]);
    let mut before: Option<&str> = None;
    for (start, end) in &strings {
        let inner = &line[*start..*end];
        // A program may print one output twice.
        if before == Some(inner) {
            continue;
        }
        before = Some(inner);
        found.extend(unescaped(inner).split('\n').map(|own| (lines[at].0, Cow::Owned(own.to_owned()))));
    }
    found.extend(around(lines[at].0, &line[last.1..]));
    Some((found, 1))
}

/// The text beside a literal between empty lines; nothing where it is the rest of an object.
fn around<'a>(number: usize, text: &str) -> Vec<NumberedLine<'a>> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "[]{}\"',;".contains(c));
    let lines = match text {
        "" => vec![],
        _ if text.contains("\":") => vec![""],
        _ => vec!["", text, ""],
    };
    lines.into_iter().map(|text| (number, Cow::Owned(text.to_owned()))).collect()
}

struct StringList<'a> {
    start: usize,
    lines: Vec<NumberedLine<'a>>,
    /// Index of the line with its end, and the place in it.
    last: usize,
    end: usize,
}

fn list_start(line: &str) -> Option<usize> {
    ["['", "[\"", "[b'", "[u'", "[b\""].iter().filter_map(|mark| line.find(mark)).min()
}

/// The first list of the line whose strings look like output.
fn first_list<'a>(lines: &[NumberedLine<'a>], at: usize) -> Option<StringList<'a>> {
    let line = &*lines[at].1;
    let mut from = 0;
    for _ in 0..TRIES_MAX {
        let start = from + list_start(&line[from..])?;
        let found = list(lines, at, start + 1).filter(|found| is_output(&found.lines));
        if found.is_some() {
            return found;
        }
        from = start + 1;
    }
    None
}

fn is_output(lines: &[NumberedLine]) -> bool {
    let is_labelled = |line: &str| line.contains(": ") || line.ends_with(':') || line.starts_with("===");
    lines.iter().filter(|(_, line)| is_labelled(line)).count() >= LINES_MIN
}

/// The strings from behind a bracket on. A string that goes on in the next line is two lines, and one that the text cuts is left out.
fn list<'a>(lines: &[NumberedLine<'a>], at: usize, start: usize) -> Option<StringList<'a>> {
    let mut found = StringList { start: start - 1, lines: Vec::new(), last: at, end: start };
    let mut quote: Option<char> = None;
    for (last, (number, line)) in lines.iter().enumerate().skip(at).take(WRAPPED_MAX) {
        let from = if last == at { start } else { 0 };
        found.last = last;
        found.end = line.len();
        let mut piece = String::new();
        let mut chars = line[from..].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            match (quote, c) {
                (Some(mark), c) if c == mark => {
                    quote = None;
                    let own = std::mem::take(&mut piece);
                    let own = own.strip_suffix('\n').unwrap_or(&own);
                    found.lines.extend(own.split('\n').map(|own| (*number, Cow::Owned(own.to_owned()))));
                }
                (Some(_), '\\') => piece.push(escaped(&mut chars)),
                (Some(_), c) => piece.push(c),
                (None, '\'' | '"') => quote = Some(c),
                (None, ']') => {
                    found.end = from + offset + 1;
                    return Some(found);
                }
                (None, ',' | ' ' | 'b' | 'u') => {}
                (None, _) => return None,
            }
        }
        let goes_on = last + 1 < lines.len() && quote.is_some();
        if goes_on && !piece.trim().is_empty() {
            found.lines.push((*number, Cow::Owned(piece)));
        }
    }
    // The end of the text cut it.
    (found.last + 1 == lines.len()).then_some(found)
}

fn escaped(chars: &mut Peekable<CharIndices>) -> char {
    match chars.next() {
        Some((_, 'n')) => '\n',
        Some((_, 't' | 'r')) | None => ' ',
        Some((_, other)) => other,
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        plain.push(if c == '\\' { escaped(&mut chars) } else { c });
    }
    plain
}

/// Places of the strings that hold several lines, without their quotation marks.
fn strings(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut ends = 0;
    let mut before = ' ';
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match open {
            Some(_) if c == '\\' => ends += usize::from(chars.next().is_some_and(|(_, next)| next == 'n')),
            Some((start, mark)) if c == mark => {
                if ends >= LINES_MIN {
                    found.push((start, at));
                }
                open = None;
            }
            None if c == '"' || c == '\'' && " [(=:,bu".contains(before) => {
                open = Some((at + 1, c));
                ends = 0;
            }
            _ => {}
        }
        before = c;
    }
    found
}

/// Separator of a list of strings that is all of the line: `', '` or `", "`.
fn list_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let marks = [("['", "', '"), ("[\"", "\", \"")];
    marks.iter().find(|(start, mark)| line.starts_with(start) && line.matches(mark).count() >= LINES_MIN).map(|(_, mark)| *mark)
}

/// The parts of a line that is a list, or has line ends in it, with or without its quotation marks.
fn divided<'a>(number: usize, line: &str) -> Option<Vec<NumberedLine<'a>>> {
    let holds_ends = line.matches("\\n").take(LINES_MIN).count() == LINES_MIN;
    if line.trim_start().starts_with('{') || !holds_ends && list_mark(line).is_none() {
        return None;
    }
    let whole = line.trim().trim_start_matches('[').trim_end_matches(']').trim_matches(['"', '\'']).replace("\\t", " ");
    let mark = list_mark(line).unwrap_or("\\n");
    Some(whole.split(mark).map(|part| (number, Cow::Owned(part.trim_end_matches("\\n").to_owned()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, Cow::Borrowed(line))).collect();
        unpacked(lines).into_iter().map(|(_, line)| line.into_owned()).filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn a_list_in_a_sentence_gives_its_strings() {
        let wanted = ["rc = 4. stdout =", "smartctl 7.4 [x]", "", "a: 1", "b: it's", "c: 3", ". stderr = ['"].map(str::to_owned);
        let wanted: Vec<_> = wanted.into_iter().filter(|line| !line.is_empty()).collect();
        let read = texts("rc = 4. stdout = ['smartctl 7.4 [x]', '', 'a: 1', \"b: it's\", 'c: 3\\n']. stderr = ['']");
        assert_eq!((&read[..5], read.len()), (&wanted[..5], 6));
        assert_eq!(texts("x = [b'a: 1', b'b: 2', b'c: 3']"), ["x =", "a: 1", "b: 2", "c: 3"]);
    }

    #[test]
    fn a_string_that_was_wrapped_is_two_lines_and_one_that_was_cut_is_none() {
        assert_eq!(texts("x = ['a: 1', 'b: 2', 'Name \nof c: 3', 'd: 4'"), ["x =", "a: 1", "b: 2", "Name ", "of c: 3", "d: 4"]);
        assert_eq!(texts("x = ['a: 1', 'b: 2', 'c: 3', 'Serial: 12"), ["x =", "a: 1", "b: 2", "c: 3"]);
    }

    #[test]
    fn strings_with_line_ends_are_lines() {
        assert_eq!(texts("{\"rc\": 0, \"stdout\": \"a: 1\\nb\\t\\\"2\\\"\\nc: 3\\nd\"}"), ["a: 1", "b \"2\"", "c: 3", "d"]);
        assert_eq!(texts("out = b'a: 1\\nb: 2\\nc: 3\\n'"), ["out = b", "a: 1", "b: 2", "c: 3"]);
        assert_eq!(texts("{\"a\": \"x\\ny\\nz\\n\", \"b\": \"x\\ny\\nz\\n\"}"), ["x", "y", "z"]);
    }

    #[test]
    fn what_is_no_output_stays() {
        for text in [
            "\"argv\": [\"smartctl\", \"-a\", \"-j\", \"/dev/sda\"],",
            "{\"json_format_version\": [1, 0], \"output\": [\"a: 1\", \"b: 2\", \"c: 3\"]}",
            "see ['a: 1', 2, 'b: 2', 'c: 3']",
            "nvme0: <INTEL x> C:\\n a\\nb",
        ] {
            assert_eq!(texts(text), [text]);
        }
    }
}
