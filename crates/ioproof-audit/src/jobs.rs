//! Job files of fio inside a document, and jobs on its command lines, with the mistakes that a job shows before it runs.

use crate::command::Command;
use crate::document::Document;
use crate::measured::Measured;
use ioproof_fio::audit::{AuditFacts, FileFacts, FileKind, Warning, audit};
use ioproof_fio::command_line::{self, CommandLine, CommandPart};
use ioproof_fio::complaint::{Complaint, SourcePlace};
use ioproof_fio::grammar::{Loader, TypedOption};
use ioproof_fio::jobs::{FioJob, JobFileTexts, jobs};
use ioproof_fio::options;
use ioproof_fio::schedule::schedule;
use ioproof_fio::values::ValueContext;

/// Most lines of a job file; a longer one is no part of a document.
const LINES_MAX: usize = 2000;

/// A job file as shown, or the jobs of a command line.
#[derive(Debug, Clone, Default)]
pub struct JobFile {
    pub first: u32,
    pub last: u32,
    /// Its text; empty for a command line.
    pub text: String,
    /// Arguments of the command line; empty for a file.
    pub arguments: Vec<String>,
    /// True where an output repeats the options of its job.
    pub is_output: bool,
    /// Its jobs; empty where it cannot be read.
    pub jobs: Vec<FioJob>,
    pub complaint: Option<String>,
}

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

impl JobFileTexts for Text<'_> {
    fn job_file(&self, _name: &str) -> Result<String, String> {
        if self.0.is_empty() { Err("it is not shown".into()) } else { Ok(self.0.to_owned()) }
    }
}

/// The job file that begins at this line, and the position after it.
pub(crate) fn read(document: &Document, at: usize) -> Option<(JobFile, usize)> {
    let lines = &document.lines;
    if !is_section(&lines[at].text) || !lines[at + 1..].iter().take(6).any(|line| is_option(&line.text)) {
        return None;
    }
    let mut end = at;
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate().skip(at).take(LINES_MAX) {
        let trimmed = line.text.trim();
        let is_part = trimmed.is_empty()
            || trimmed.starts_with([';', '#']) && Command::read(document, index).is_none()
            || is_section(trimmed)
            || is_option(trimmed)
            || is_flag(trimmed);
        if !is_part {
            break;
        }
        text.push_str(trimmed);
        text.push('\n');
        if !trimmed.is_empty() {
            end = index;
        }
    }
    let mut file = JobFile { first: lines[at].number, last: lines[end].number, text, ..JobFile::default() };
    // What follows the last line of the file are empty lines and comments.
    file.jobs = read_jobs(&file, None).unwrap_or_else(|wrong| {
        file.complaint = wrong.first().map(|first| first.to_string().replace("job file:", "line of the job file "));
        Vec::new()
    });
    Some((file, end + 1))
}

/// The jobs of a command line that has some.
pub(crate) fn of_command(command: &Command) -> Option<JobFile> {
    let has_job = command.tool == "fio" && command.arguments.iter().any(|word| word.trim_start_matches('-').starts_with("name"));
    has_job.then(|| of_arguments(command.line, command.arguments.clone(), false))
}

/// The job whose options an output repeats.
pub(crate) fn of_output(measured: &Measured) -> Option<JobFile> {
    (!measured.options.is_empty()).then(|| of_arguments(measured.first, measured.options.clone(), true))
}

fn of_arguments(line: u32, arguments: Vec<String>, is_output: bool) -> JobFile {
    let mut file = JobFile { first: line, last: line, arguments, is_output, ..JobFile::default() };
    file.jobs = read_jobs(&file, None).unwrap_or_else(|wrong| {
        file.complaint = wrong.first().map(ToString::to_string);
        Vec::new()
    });
    file
}

fn is_section(text: &str) -> bool {
    let text = text.trim();
    text.len() > 2
        && text.starts_with('[')
        && text.ends_with(']')
        && !text.contains("](")
        && !text.contains("[..")
        && text.matches('[').count() == 1
}

fn is_option(text: &str) -> bool {
    let Some((key, value)) = text.trim().split_once('=') else { return false };
    let key = key.trim();
    !key.is_empty() && key.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_') && !value.trim().is_empty()
}

fn is_flag(text: &str) -> bool {
    text.len() > 3 && text.len() < 24 && text.bytes().all(|c| c.is_ascii_lowercase() || c == b'_' || c.is_ascii_digit())
}

fn read_jobs(file: &JobFile, filename: Option<&str>) -> Result<Vec<FioJob>, Vec<Complaint>> {
    if !file.arguments.is_empty() {
        let line = command_line::parse(&file.arguments, &options::names())?;
        return jobs(&line, &ValueContext::default(), &Text(""));
    }
    let option = |name: &str| {
        let typed = TypedOption { key: "filename".into(), value: Some(name.into()), place: SourcePlace::command_line() };
        CommandPart::Defaults(vec![typed])
    };
    let parts = filename.map(option).into_iter().chain([CommandPart::File { name: "job file".into() }]).collect();
    jobs(&CommandLine { parts, ..CommandLine::default() }, &ValueContext::default(), &Text(&file.text))
}

/// The mistakes of a job file when it is run on a target of this size (0: not known), each with its line in the document.
pub(crate) fn warnings(file: &JobFile, filename: Option<&str>, bytes: u64) -> Vec<(u32, Warning)> {
    let Ok(jobs) = read_jobs(file, filename) else { return Vec::new() };
    let schedule = schedule(&jobs);
    let of_path = |path: &String| {
        let is_device = path.starts_with("/dev/") && bytes > 0;
        if is_device { FileFacts { kind: FileKind::Device, bytes: Some(bytes), ..FileFacts::default() } } else { FileFacts::default() }
    };
    let files = schedule.clones.iter().map(|clone| clone.files.iter().map(of_path).collect()).collect();
    let warnings = audit(&jobs, &schedule, &AuditFacts { files, ..AuditFacts::default() });
    let line =
        |warning: &Warning| if warning.place.is_command_line() { file.first } else { file.first + warning.place.line.saturating_sub(1) };
    warnings.into_iter().map(|warning| (line(&warning), warning)).collect()
}
