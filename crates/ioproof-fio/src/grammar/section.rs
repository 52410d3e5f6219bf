//! Sections of options, and where a job file's further text comes from.

use crate::complaint::SourcePlace;

/// A `[name]` of a job file, or a job that `--name` started. `global` is a section like any other here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSection {
    pub name: String,
    pub place: SourcePlace,
    pub options: Vec<TypedOption>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedOption {
    pub key: String,
    /// Text after `=` with `${VAR}` replaced, blanks before it kept; `None`: a bare word.
    pub value: Option<String>,
    /// Where it stands; in an included file, there.
    pub place: SourcePlace,
}

pub trait Loader {
    /// Text of the file `name`, included by the file `from`; the error says why it cannot be read. `name` is a path as it is: if it cannot be read, it
    /// is asked for again with the folder of `from` before it, as fio does.
    fn include(&self, name: &str, _from: &str) -> Result<String, String> {
        Err(format!("{name} cannot be included here"))
    }

    /// Value of a variable of the environment; `None`: unset.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// Told of each variable that is unset, with where it stands: nothing is put in its place, as in fio.
    fn unset(&self, _name: &str, _place: &SourcePlace) {}
}
