//! JSON as it is pasted: cut off at the end, wrapped inside a word, with quotes that a mail program bent, with `...` where somebody shortened it.
//!
//! A library would refuse such text and would not say on which line a value stands, so this reads it by itself: into leaves with their path and line. It never fails; what
//! was wrong is a problem beside the leaves.

use crate::health::ENDS_EARLY;

#[cfg(test)]
mod tests;

/// Deeper than any tool's output; keeps hostile text from growing paths.
const DEPTH_MAX: usize = 12;
/// Longer keys are cut: no tool has one.
const KEY_CHARS_MAX: usize = 64;
const LEAVES_MAX: usize = 20_000;
/// So many unexpected characters mean that it is no JSON.
const FAULTS_MAX: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub path: String,
    pub text: String,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct JsonDocument {
    pub leaves: Vec<Leaf>,
    pub length: usize,
    pub problem: Option<(usize, String)>,
}

impl JsonDocument {
    pub fn get(&self, path: &str) -> Option<&str> {
        self.leaves.iter().find(|leaf| leaf.path == path).map(|leaf| leaf.text.as_str())
    }

    pub fn has(&self, key: &str) -> bool {
        self.leaves.iter().any(|leaf| leaf.path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    }
}

pub(crate) fn document(text: &str) -> JsonDocument {
    let mut reader =
        JsonCursor { rest: text, line: 1, levels: Vec::new(), expected: ExpectedToken::Value, faults: 0, found: JsonDocument::default() };
    while reader.step() {}
    reader.found.length = text.len() - reader.rest.len();
    reader.found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedToken {
    Value,
    Key,
    Colon,
    Comma,
}

struct Level {
    is_list: bool,
    index: usize,
    key: String,
}

struct JsonCursor<'a> {
    rest: &'a str,
    line: usize,
    levels: Vec<Level>,
    expected: ExpectedToken,
    faults: usize,
    found: JsonDocument,
}

impl JsonCursor<'_> {
    fn step(&mut self) -> bool {
        self.skip_blanks();
        let Some(next) = self.rest.chars().next() else {
            self.problem(&format!("{ENDS_EARLY}, before its last brace"));
            return false;
        };
        match (self.expected, next) {
            (ExpectedToken::Value, '{') => self.open(false),
            (ExpectedToken::Value, '[') => self.open(true),
            (ExpectedToken::Value | ExpectedToken::Key | ExpectedToken::Comma, '}' | ']') => self.close(),
            (ExpectedToken::Key, '"' | '“' | '”' | '„') => self.key(),
            (ExpectedToken::Colon, ':') => self.take(next, ExpectedToken::Value),
            (ExpectedToken::Comma | ExpectedToken::Key, ',') => self.comma(),
            (ExpectedToken::Value, '"' | '“' | '”' | '„') => {
                let line = self.line;
                let text = self.string();
                self.value(text, line)
            }
            (ExpectedToken::Value, c) if c.is_ascii_alphanumeric() || matches!(c, '-' | '+') => {
                let text = self.bare();
                self.value(text, self.line)
            }
            _ => self.fault(next),
        }
    }

    fn skip_blanks(&mut self) {
        let trimmed = self.rest.trim_start();
        let skipped = &self.rest[..self.rest.len() - trimmed.len()];
        self.line += skipped.matches('\n').count();
        self.rest = trimmed;
    }

    fn take(&mut self, c: char, expected: ExpectedToken) -> bool {
        self.rest = &self.rest[c.len_utf8()..];
        self.expected = expected;
        true
    }

    fn open(&mut self, is_list: bool) -> bool {
        if self.levels.len() == DEPTH_MAX {
            self.problem("is nested deeper than any tool's output");
            return false;
        }
        self.levels.push(Level { is_list, index: 0, key: String::new() });
        self.take('{', if is_list { ExpectedToken::Value } else { ExpectedToken::Key })
    }

    fn close(&mut self) -> bool {
        self.levels.pop();
        self.take('}', ExpectedToken::Comma);
        !self.levels.is_empty()
    }

    fn comma(&mut self) -> bool {
        let in_list = self.levels.last_mut().is_some_and(|level| {
            level.index += 1;
            level.is_list
        });
        self.take(',', if in_list { ExpectedToken::Value } else { ExpectedToken::Key })
    }

    fn key(&mut self) -> bool {
        let key = self.string().chars().take(KEY_CHARS_MAX).collect();
        self.levels.iter_mut().next_back().into_iter().for_each(|level| level.key.clone_from(&key));
        self.expected = ExpectedToken::Colon;
        true
    }

    /// A string; a line break inside is a blank, since it was one before the text was wrapped.
    fn string(&mut self) -> String {
        let straight = self.rest.starts_with('"');
        let mut chars = self.rest.char_indices().skip(1);
        let mut text = String::new();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' if straight => end = at,
                '“' | '”' if !straight => end = at,
                '\\' => text.extend(chars.next().map(|(_, escaped)| unescaped(escaped))),
                '\n' => text.push(' '),
                c => text.push(c),
            }
            if end < self.rest.len() {
                break;
            }
        }
        let closing = self.rest[end..].chars().next().map_or(0, char::len_utf8);
        self.line += self.rest[..end].matches('\n').count();
        self.rest = &self.rest[end + closing..];
        text
    }

    fn bare(&mut self) -> String {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.rest = rest;
        number_text(text)
    }

    /// A value with which the text ends may have been cut, and is none.
    fn value(&mut self, text: String, line: usize) -> bool {
        if !self.rest.is_empty() {
            return self.leaf(text, line);
        }
        self.expected = ExpectedToken::Comma;
        true
    }

    fn leaf(&mut self, text: String, line: usize) -> bool {
        if self.found.leaves.len() == LEAVES_MAX {
            self.problem("has more values than any tool's output");
            return false;
        }
        self.found.leaves.push(Leaf { path: self.path(), text, line });
        self.expected = ExpectedToken::Comma;
        true
    }

    fn path(&self) -> String {
        let step = |level: &Level| if level.is_list { level.index.to_string() } else { level.key.clone() };
        self.levels.iter().map(step).collect::<Vec<_>>().join(".")
    }

    /// Skips what is not expected up to the end of its line. What was left out there is unknown, so a value or a key may follow.
    fn fault(&mut self, next: char) -> bool {
        self.problem(&format!("`{next}` is not expected there"));
        self.faults += 1;
        let length = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = &self.rest[length..];
        self.expected = if self.levels.last().is_some_and(|level| level.is_list) { ExpectedToken::Value } else { ExpectedToken::Key };
        self.faults < FAULTS_MAX && !self.levels.is_empty()
    }

    fn problem(&mut self, text: &str) {
        if self.found.problem.is_none() {
            self.found.problem = Some((self.line, text.to_owned()));
        }
    }
}

fn unescaped(escaped: char) -> char {
    match escaped {
        'n' | 't' | 'r' | 'b' | 'f' => ' ',
        other => other,
    }
}

/// Some versions print whole numbers with a fraction or an exponent; a fraction of three digits gets a fourth, since it would read as a group of thousands.
fn number_text(text: &str) -> String {
    let number = text.contains(['.', 'e', 'E']).then(|| text.parse::<f64>().ok()).flatten();
    let printed = number.map(|number| number.to_string());
    match printed {
        Some(printed) if printed.rsplit_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) => printed + "0",
        Some(printed) => printed,
        None => text.to_owned(),
    }
}
