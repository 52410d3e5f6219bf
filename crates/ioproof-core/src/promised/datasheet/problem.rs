//! Problems of a datasheet file, with their places. Deliberately without severities: a file with a problem is not used.

use crate::text::visible;
use std::fmt;

/// One thing that is wrong with a datasheet file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file as named by the caller.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The field, lists counted from 0: `claim[2].unit`; empty where the trouble is the file as a whole or its syntax.
    pub field: String,
    pub message: String,
    /// The way to mend it, where that is known.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    /// `file:line:column: field: message`, and the hint on a line of its own. Both quote the file, so all of it is made visible.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", visible(&self.file), self.line, self.column)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", visible(&self.field))?;
        }
        f.write_str(&visible(&self.message))?;
        self.hint.iter().try_for_each(|hint| write!(f, "\n  hint: {}", visible(hint)))
    }
}

impl std::error::Error for Problem {}

/// Problem of a value, before it is known where the value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub message: String,
    pub hint: Option<String>,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Fault { hint: Some(hint.into()), ..self }
    }

    pub fn maybe(self, hint: Option<String>) -> Self {
        Fault { hint, ..self }
    }
}

/// Gathers the problems of one file and turns byte offsets into lines.
pub(super) struct Sink<'a> {
    file: &'a str,
    text: &'a str,
    problems: Vec<Problem>,
    /// Problems beyond [`MOST_PROBLEMS`].
    untold: usize,
}

/// More problems are counted and not told: the place of each is looked up in the whole text.
const MOST_PROBLEMS: usize = 1000;

impl<'a> Sink<'a> {
    pub fn new(file: &'a str, text: &'a str) -> Self {
        Sink { file, text, problems: Vec::new(), untold: 0 }
    }

    /// The stem of the file's name: `acme-one` for `some/where/acme-one.toml`.
    pub fn stem(&self) -> &'a str {
        let base = self.file.rsplit(['/', '\\']).next().unwrap_or(self.file);
        base.strip_suffix(".toml").unwrap_or(base)
    }

    /// A problem at byte `at` of the text.
    pub fn add(&mut self, at: usize, field: impl Into<String>, fault: Fault) {
        if self.problems.len() == MOST_PROBLEMS {
            self.untold += 1;
            return;
        }
        let (line, column) = place(self.text, at);
        self.problems.push(Problem {
            file: self.file.to_owned(),
            line,
            column,
            field: field.into(),
            message: fault.message,
            hint: fault.hint,
        });
    }

    pub fn syntax(&mut self, error: &toml::de::Error) {
        let at = error.span().map_or(0, |span| span.start);
        self.add(at, "", Fault::new(format!("no valid TOML: {}", error.message())));
    }

    /// Number of problems so far.
    pub fn count(&self) -> usize {
        self.problems.len() + self.untold
    }

    /// In the order of lines; the sort is stable, so problems of one place stay as found.
    pub fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|p| (p.line, p.column));
        if let Some(last) = self.problems.last().filter(|_| self.untold > 0) {
            let message = format!("{} more problems of the file are not told", self.untold);
            self.problems.push(Problem { field: String::new(), message, hint: None, ..last.clone() });
        }
        self.problems
    }
}

fn place(text: &str, at: usize) -> (usize, usize) {
    let before = (0..=at.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The known word that a mistyped one is nearest to, where a third of it at most is wrong.
pub(super) fn suggest(word: &str, known: &[&str]) -> Option<String> {
    let far = |known: &str| distance(&word.to_lowercase(), &known.to_lowercase());
    let (wrong, best) = known.iter().map(|k| (far(k), *k)).min()?;
    (wrong <= best.chars().count().div_ceil(3)).then(|| format!("did you mean `{best}`?"))
}

/// Levenshtein's distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_count_characters() {
        assert_eq!(place("", 9), (1, 1));
        assert_eq!(place("a\nµß=", 6), (2, 3));
    }

    #[test]
    fn a_file_full_of_problems_is_told_in_part() {
        let mut sink = Sink::new("x.toml", "a\nb\n");
        (0..MOST_PROBLEMS + 7).for_each(|_| sink.add(2, "b", Fault::new("unknown field")));
        assert_eq!(sink.count(), MOST_PROBLEMS + 7);
        let told = sink.into_problems();
        assert_eq!(told.len(), MOST_PROBLEMS + 1);
        assert_eq!(told[MOST_PROBLEMS].to_string(), "x.toml:2:1: 7 more problems of the file are not told");
    }

    #[test]
    fn stems() {
        assert_eq!(Sink::new("a/b-c.toml", "").stem(), "b-c");
        assert_eq!(Sink::new("plain", "").stem(), "plain");
    }

    #[test]
    fn suggestions() {
        assert_eq!(suggest("blocksize", &["block_size", "pattern"]).unwrap(), "did you mean `block_size`?");
        assert_eq!(suggest("KIOPS", &["IOPS", "kIOPS"]).unwrap(), "did you mean `kIOPS`?");
        assert_eq!(suggest("zzz", &["mix", "unit"]), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    proptest! {
        #[test]
        fn distance_is_symmetric(a in ".{0,12}", b in ".{0,12}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        }
    }
}
