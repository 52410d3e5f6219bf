//! fio's command line -> what to run, in fio's order.
//!
//! fio reads all options before the first file, wherever they stand: in `fio a.fio --bs=16k b.fio` the `--bs` comes first. Therefore:
//!
//! - An option before the first `--name` is a default. So are those after `--name=global`. Defaults count for the jobs of the command line that follow,
//!   and for the *first* job file alone, where its own `[global]` and jobs win. Every later file begins with fio's defaults.
//! - `--name=x` begins a job; the options after it are that job's alone and never a file's.
//! - The jobs of the command line run before the files, in one group with those of the first file. Each later file waits for the one before it.
//! - `--section` filters the sections of files, wherever it stands, and leaves the jobs of the command line alone.
//! - Values are taken as they are: no comments, no `${VAR}`. An empty one (`--bs=`) is an error.
//! - A flag (`group_reporting`) takes a value only after `=`: in `--group_reporting 0` the 0 is a job file.
//! - A single dash does for two (`-bs=8k`), and the beginning of a name for the name if only one begins so.
//!
//! [`CommandLine::parts`] stands in the order in which it is applied: defaults and jobs as typed, then the files.

mod general;
mod own;
#[cfg(test)]
mod tests;
mod words;

pub use general::{Eta, FLAGS, Flag, FlagTreatment, General, OutputFormat, Takes};
pub use own::{OWN, OwnFlags};

use super::complaint::{Complaint, SourcePlace};
use super::grammar::{JobSection, TypedOption};
use general::OptionOwner;
use words::ArgumentWord;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLine {
    pub general: General,
    pub own: OwnFlags,
    pub parts: Vec<CommandPart>,
}

impl CommandLine {
    pub fn is_strict(&self) -> bool {
        self.own.strict || self.general.warnings_fatal
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum CommandPart {
    Defaults(Vec<TypedOption>),
    File { name: String },
    Job(JobSection),
}

/// Reads the arguments after `fio` (or `ioproof run`). `options` are the names of all options of jobs, aliases too. All that is wrong comes at once.
pub fn parse(arguments: &[String], options: &[(&str, Takes)]) -> Result<CommandLine, Vec<Complaint>> {
    let mut reader = ArgumentReader { line: CommandLine::default(), files: Vec::new(), complaints: Vec::new() };
    for word in words::cut(arguments, options) {
        if let Err(complaint) = word.and_then(|word| reader.word(word)) {
            reader.complaints.push(complaint);
        }
    }
    reader.finish()
}

struct ArgumentReader {
    line: CommandLine,
    files: Vec<CommandPart>,
    complaints: Vec<Complaint>,
}

impl ArgumentReader {
    fn word(&mut self, word: ArgumentWord<'_>) -> Result<(), Complaint> {
        match word {
            ArgumentWord::File(name) => self.files.push(CommandPart::File { name: name.to_owned() }),
            ArgumentWord::Option(OptionOwner::General(flag), value) => {
                self.line.general.set(flag, value).map_err(|text| said(flag.name, &text))?
            }
            ArgumentWord::Option(OptionOwner::Own(name), value) => self.line.own.set(name, value),
            ArgumentWord::Option(OptionOwner::Job(name), value) => self.job_option(name, value),
        }
        Ok(())
    }

    fn job_option(&mut self, key: &str, value: Option<&str>) {
        let typed = TypedOption { key: key.to_owned(), value: value.map(str::to_owned), place: SourcePlace::command_line() };
        match (key, value, self.line.parts.last_mut()) {
            ("name", Some("global"), _) => self.line.parts.push(CommandPart::Defaults(Vec::new())),
            ("name", Some(name), _) => self.begin(name),
            (_, _, Some(CommandPart::Defaults(all))) => all.push(typed),
            (_, _, Some(CommandPart::Job(section))) => section.options.push(typed),
            _ => self.line.parts.push(CommandPart::Defaults(vec![typed])),
        }
    }

    fn begin(&mut self, name: &str) {
        self.line.parts.push(CommandPart::Job(JobSection {
            name: name.to_owned(),
            place: SourcePlace::command_line(),
            options: Vec::new(),
        }));
    }

    fn finish(mut self) -> Result<CommandLine, Vec<Complaint>> {
        self.line.parts.append(&mut self.files);
        if self.complaints.is_empty() { Ok(self.line) } else { Err(self.complaints) }
    }
}

fn said(name: &str, text: &str) -> Complaint {
    Complaint::at(&SourcePlace::command_line(), format!("--{name}: {text}"))
}
