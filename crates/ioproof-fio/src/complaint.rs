//! Mistakes in a job file or a command line, with their places.
//!
//! Whoever reads fio's language gathers complaints instead of stopping at the first, so that a file is mended in one go.

use std::borrow::Cow;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourcePlace {
    /// Name of the file as it was given; `-` is standard input. Empty on the command line.
    pub file: String,
    /// Number of the line, from 1; 0 is the command line.
    pub line: u32,
}

impl SourcePlace {
    pub fn new(file: &str, line: u32) -> Self {
        Self { file: file.to_owned(), line }
    }

    pub fn command_line() -> Self {
        Self::default()
    }

    pub fn is_command_line(&self) -> bool {
        self.line == 0
    }
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str("command line"),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// Longest part of a name or a value that a message repeats, in characters.
const MOST_SHOWN: usize = 60;

pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub place: Option<SourcePlace>,
    pub text: String,
    pub hint: Option<String>,
}

impl Complaint {
    pub fn at(place: &SourcePlace, text: impl Into<String>) -> Self {
        Self { place: Some(place.clone()), text: text.into(), hint: None }
    }

    pub fn general(text: impl Into<String>) -> Self {
        Self { place: None, text: text.into(), hint: None }
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.text)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_their_place() {
        let of_file = Complaint::at(&SourcePlace::new("a.fio", 3), "bs is none").with_hint("write 4k");
        assert_eq!(of_file.to_string(), "a.fio:3: bs is none (write 4k)");
        assert_eq!(Complaint::at(&SourcePlace::command_line(), "no").to_string(), "command line: no");
        assert_eq!(Complaint::general("no job").to_string(), "no job");
        assert!(SourcePlace::command_line().is_command_line() && !SourcePlace::new("-", 1).is_command_line());
    }
}
