//! Output of `--showcmd`: each job file as one command line.
//!
//! fio repeats the defaults and the `[global]` sections so far before each further `[global]`, puts quotation marks around descriptions only, and shows no jobs
//! of the command line; so does this.

use super::command_line::{CommandLine, CommandPart};
use super::complaint::Complaint;
use super::grammar::{self, JobSection, TypedOption};
use super::jobs::JobFileTexts;
use super::jobs::order::in_file_order;
use super::options;
use super::values::{ValueContext, keywords};

/// A line for each job file, each with its line end. `$ncpus` and its like are shown as numbers where they stand in a file.
pub fn show(line: &CommandLine, context: &ValueContext, files: &dyn JobFileTexts) -> Result<String, Vec<Complaint>> {
    let mut defaults = Vec::new();
    let mut text = String::new();
    let mut wrong = Vec::new();
    for part in &line.parts {
        match part {
            CommandPart::Defaults(options) => defaults.extend_from_slice(options),
            CommandPart::File { name } => match read(name, files).and_then(|sections| calculated(sections, context)) {
                Ok(sections) => text.push_str(&of_file(&defaults, &sections, &line.general.sections)),
                Err(complaints) => wrong.extend(complaints),
            },
            CommandPart::Job(_) => {}
        }
    }
    if wrong.is_empty() { Ok(text) } else { Err(wrong) }
}

fn read(name: &str, files: &dyn JobFileTexts) -> Result<Vec<JobSection>, Vec<Complaint>> {
    let text = files.job_file(name).map_err(|error| vec![Complaint::general(format!("the job file {name} cannot be read: {error}"))])?;
    grammar::parse(name, &text, files)
}

/// The sections with `$ncpus` and its like replaced, as they are before an option is looked at.
fn calculated(mut sections: Vec<JobSection>, context: &ValueContext) -> Result<Vec<JobSection>, Vec<Complaint>> {
    let mut wrong = Vec::new();
    for typed in sections.iter_mut().flat_map(|section| &mut section.options) {
        let Some(value) = &typed.value else { continue };
        match keywords(value, context) {
            Ok(value) => typed.value = Some(value),
            Err(text) => wrong.push(Complaint::at(&typed.place, text)),
        }
    }
    if wrong.is_empty() { Ok(sections) } else { Err(wrong) }
}

fn of_file(defaults: &[TypedOption], sections: &[JobSection], wanted: &[String]) -> String {
    let mut globals: Vec<&TypedOption> = defaults.iter().collect();
    let mut line = String::from(if sections.is_empty() { "" } else { "fio " });
    let has_globals_first = sections.first().is_some_and(|section| section.name == "global");
    if !has_globals_first {
        globals.iter().for_each(|typed| line.push_str(&word(typed)));
    }
    for section in sections {
        if section.name == "global" {
            globals.iter().for_each(|typed| line.push_str(&word(typed)));
            globals.extend(in_file_order(&section.options));
        } else if wanted.is_empty() || wanted.contains(&section.name) {
            line.push_str(&format!("--name={} ", section.name));
        } else {
            continue;
        }
        in_file_order(&section.options).into_iter().for_each(|typed| line.push_str(&word(typed)));
    }
    line.push('\n');
    line
}

fn word(typed: &TypedOption) -> String {
    let name = options::find(&typed.key).map_or(typed.key.as_str(), |row| row.name);
    match &typed.value {
        None => format!("--{name} "),
        Some(value) if name == "description" => format!("--{name}=\"{value}\" "),
        Some(value) => format!("--{name}={value} "),
    }
}
