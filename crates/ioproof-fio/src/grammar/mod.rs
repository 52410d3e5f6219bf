//! Text of a job file -> sections of options, each with its place.
//!
//! Mistakes over which fio 3.33 goes silently are complaints here: a section without its `]` (fio cuts the last character off the name), a line with a
//! byte of zero (fio drops the rest), a file that includes itself. A mark of byte order, blanks around an included file's name and lines of
//! more than 8 KiB, which fio refuses or breaks, are read. No line is ever continued on the next.

mod line;
mod reader;
#[cfg(test)]
mod tests;
mod variable;

use super::complaint::{Complaint, Place};

/// A `[name]` of a job file, or a job that `--name` started. `global` is a section like any other here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The name between the brackets.
    pub name: String,
    /// Where it begins.
    pub place: Place,
    /// Its options, in order, as typed.
    pub options: Vec<Typed>,
}

/// One option as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// The word before `=`.
    pub key: String,
    /// Text after `=` with `${VAR}` replaced, blanks before it kept; `None`: a bare word.
    pub value: Option<String>,
    /// Where it stands; in an included file, there.
    pub place: Place,
}

/// Source of included files and variables.
pub trait Loader {
    /// Text of the file `name`, included by the file `from`; the error says why it cannot be read. `name` is a path as it is: if it cannot be read, it
    /// is asked for again with the folder of `from` before it, as fio does.
    fn include(&self, name: &str, from: &str) -> Result<String, String>;
    /// Value of a variable of the environment; `None`: unset.
    fn variable(&self, name: &str) -> Option<String>;
    /// Told of each variable that is unset, with where it stands: nothing is put in its place, as in fio.
    fn unset(&self, _name: &str, _place: &Place) {}
}

/// A loader without files and variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Loader for Nothing {
    fn include(&self, name: &str, _from: &str) -> Result<String, String> {
        Err(format!("{name} cannot be included here"))
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Reads a job file. All that is wrong with it comes at once, each with its line.
///
/// `file_name` is for messages and for finding included files; text that is no UTF-8 is passed in with its foreign bytes replaced by U+FFFD.
pub fn parse(file_name: &str, text: &str, loader: &dyn Loader) -> Result<Vec<Section>, Vec<Complaint>> {
    let mut reader = reader::Reader::new(loader);
    reader.file(file_name, text);
    reader.finish()
}
