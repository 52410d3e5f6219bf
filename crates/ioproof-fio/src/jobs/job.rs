//! A job, and where job files come from.

use crate::complaint::SourcePlace;
use crate::grammar::Loader;
use crate::settings::JobSettings;

#[derive(Debug, Clone, PartialEq)]
pub struct FioJob {
    /// Its name in reports: `name=`, else the section's name. Clones after the first are called as the section is, as in fio.
    pub name: String,
    /// Name of its section; files that are made are called after it.
    pub section: String,
    pub place: SourcePlace,
    pub settings: JobSettings,
    /// Its own options under their first names, in fio's order; bare flags are not among them. Of a job of the command line `name` is.
    pub typed: Vec<(String, String)>,
    pub globals: Vec<(String, String)>,
    pub defaults: usize,
    /// Number of its job file, from 0; `None`: the command line.
    pub file_number: Option<u32>,
    pub notes: Vec<Note>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub place: SourcePlace,
    pub option: &'static str,
    pub text: String,
}

pub trait JobFileTexts: Loader {
    /// Text of a job file that the command line names; `-` is standard input. The error says why it cannot be read.
    fn job_file(&self, name: &str) -> Result<String, String>;
}
