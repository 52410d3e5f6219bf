//! A document as its parts: commands, job files, outputs, words and tables, drives; and lines that nobody understands.

use crate::command::Command;
use crate::document::{Document, Line};
use crate::jobs::{self, JobFile};
use crate::measured::{Measured, Unfinished};
use crate::prose::Prose;
use crate::readers::{Context, READERS};
use ioproof_core::facts::DeviceFacts;
use ioproof_pages::paste;

/// Most job files of a document to which those of its outputs are added.
const JOB_FILES_MAX: usize = 500;

#[derive(Debug, Default)]
pub struct Reading {
    pub document: Document,
    pub commands: Vec<Command>,
    pub jobs: Vec<JobFile>,
    pub measured: Vec<Measured>,
    pub unfinished: Vec<Unfinished>,
    pub prose: Prose,
    /// Drives that other output in it names.
    pub drives: Vec<DeviceFacts>,
    /// Lines of outputs that no reader knows.
    pub unknown: Vec<u32>,
    /// Tools whose output was recognised, one entry an output.
    pub outputs: Vec<&'static str>,
}

impl Reading {
    #[must_use]
    pub fn new(file: &str, bytes: &[u8]) -> Self {
        let document = Document::new(file, bytes);
        let mut reading = Self::default();
        let mut words: Vec<&Line> = Vec::new();
        let mut at = 0;
        while at < document.lines.len() {
            at = reading.step(&document, at, &mut words);
        }
        reading.prose = Prose::new(&words);
        reading.drives = drives(&document);
        reading.document = document;
        reading.link();
        reading
    }

    /// Says that the document goes on after its last line.
    pub fn is_cut(&mut self) {
        let last = self.document.lines.last().map_or(0, |line| line.number);
        self.document.unread_from.get_or_insert(last.saturating_add(1));
    }

    /// Takes what begins at this line; gives the position after it.
    fn step<'a>(&mut self, document: &'a Document, at: usize, words: &mut Vec<&'a Line>) -> usize {
        if document.lines[at].text.trim().is_empty() {
            words.push(&document.lines[at]);
            return at + 1;
        }
        let context = Context { document, at, command: self.commands.last() };
        for reader in READERS {
            if let Some(mut output) = (reader.read)(&context) {
                let command =
                    self.commands.len().checked_sub(1).filter(|_| {
                        context.command.is_some_and(|command| reader.tool.starts_with(command.tool) && !command.tool.is_empty())
                    });
                output.measured.iter_mut().for_each(|measured| measured.command = command);
                self.unknown.extend(output.unknown.iter().map(|at| document.lines[*at].number));
                for job in output.measured.iter().filter_map(jobs::of_output) {
                    self.job_of_output(job);
                }
                if !output.measured.is_empty() {
                    self.outputs.push(reader.tool);
                }
                self.measured.extend(output.measured);
                self.unfinished.extend(output.unfinished);
                return output.end.max(at + 1);
            }
        }
        if let Some((file, end)) = jobs::read(document, at) {
            self.jobs.push(file);
            return end;
        }
        if let Some((command, end)) = Command::read(document, at) {
            self.jobs.extend(jobs::of_command(&command));
            self.commands.push(command);
            return end;
        }
        let line = &document.lines[at];
        if !line.is_code {
            words.push(line);
        } else if !Document::is_fence(&line.text)
            && self.commands.last().is_some_and(|command| is_measuring(command.tool))
            && is_text(&line.text)
        {
            self.unknown.push(line.number);
        }
        at + 1
    }

    /// Keeps the job that an output repeats, unless the text shows it already.
    fn job_of_output(&mut self, job: JobFile) {
        let names = |file: &JobFile| file.jobs.iter().any(|own| job.jobs.iter().any(|other| other.name == own.name));
        let is_known = |file: &JobFile| if file.is_output { file.arguments == job.arguments } else { names(file) };
        // What cannot be read of it would be read nowhere else either.
        let is_room = self.jobs.len() < JOB_FILES_MAX;
        if is_room && job.complaint.is_none() && !self.jobs.iter().any(is_known) {
            self.jobs.push(job);
        }
    }

    /// True where nothing can be judged: no output, job file or table was read. A command alone is not enough.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.measured.is_empty() && self.unfinished.is_empty() && self.jobs.is_empty() && self.prose.tables.is_empty()
    }

    /// Outputs take from the job file before them what they do not print.
    fn link(&mut self) {
        for index in 0..self.measured.len() {
            let Some((file, job)) = self.job_of(index) else { continue };
            let job = &self.jobs[file].jobs[job];
            let direct = job.settings.access.direct;
            let target = job.settings.files.names.first().cloned();
            let measured = &mut self.measured[index];
            measured.load.direct = measured.load.direct.or(Some(direct));
            if measured.target.is_empty() {
                measured.target = target.unwrap_or_default();
            }
        }
    }

    /// The job file and the job that an output of fio says it is of: the last one before it that has a job of its name.
    #[must_use]
    pub fn job_of(&self, index: usize) -> Option<(usize, usize)> {
        let measured = &self.measured[index];
        if measured.tool != "fio" {
            return None;
        }
        let before = self
            .jobs
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, file)| file.last < measured.first || file.is_output && file.last == measured.first);
        before.filter_map(|(at, file)| Some((at, file.jobs.iter().position(|job| job.name == measured.name)?))).next()
    }

    /// The drive of a target: by its name, else the only model of its kind.
    #[must_use]
    pub fn drive(&self, target: &str) -> Option<&DeviceFacts> {
        let name = target.trim_start_matches("/dev/");
        let by_name = self.drives.iter().find(|drive| {
            !drive.name.is_empty()
                && (drive.name == name || name.starts_with(&format!("{}n", drive.name)) || drive.name.starts_with(&format!("{name}n")))
        });
        let is_nvme = |name: &str| ["nvme", "nvd", "nda"].iter().any(|start| name.starts_with(start));
        let model = |drive: &DeviceFacts| drive.model.as_ref().map(|model| model.value.clone());
        let alike = || {
            let mut all = self.drives.iter().filter(|drive| is_nvme(&drive.name) && drive.capacity_bytes.value > 0);
            let first = all.next()?;
            let known = self.drives.iter().filter(|drive| is_nvme(&drive.name)).all(|drive| model(drive) == model(first));
            (is_nvme(name) && known).then_some(first)
        };
        by_name.or_else(alike)
    }

    /// Unread lines, job files with a mistake, and lines that no reader knows: the line, and the reason or the beginning of the line.
    pub fn not_understood(&self) -> impl Iterator<Item = (u32, String)> {
        const QUOTED_CHARS: usize = 60;
        let lines = &self.document.lines;
        let unread = self.document.unread_from.map(|line| (line, "from here on the document was not read: it is too long".to_owned()));
        let complaints = self.jobs.iter().filter_map(|file| Some((file.first, format!("job file not read: {}", file.complaint.as_ref()?))));
        let text = |number: u32| lines.binary_search_by_key(&number, |line| line.number).map_or("", |at| lines[at].text.trim());
        let unknown = self.unknown.iter().map(move |number| (*number, text(*number).chars().take(QUOTED_CHARS).collect()));
        unread.into_iter().chain(complaints).chain(unknown)
    }

    #[must_use]
    pub fn file(&self) -> &str {
        &self.document.file
    }

    /// A line as the place of a finding.
    pub(crate) fn at(&self, line: u32) -> (&str, u32) {
        (self.file(), line)
    }

    #[must_use]
    pub fn command_of(&self, measured: &Measured) -> Option<&Command> {
        measured.command.and_then(|at| self.commands.get(at))
    }
}

fn is_measuring(tool: &str) -> bool {
    !matches!(tool, "" | "cat" | "nvmecontrol")
}

fn is_text(text: &str) -> bool {
    let text = text.trim();
    let is_preamble = text.starts_with("Linux ")
        || text.starts_with("avg-cpu")
        || text.starts_with("/dev/") && text.ends_with(':')
        || text.contains("records in")
        || text.contains("records out")
        || ["sysbench ", "Creating file", "Removing test", "WARNING: "].iter().any(|start| text.starts_with(start))
        || text.contains(" files, ");
    let has_words = text.chars().any(char::is_alphabetic);
    has_words && !is_preamble && text != "[...]" && !text.starts_with("real ") && !text.starts_with("user ") && !text.starts_with("sys ")
}

/// Drives by other output in the document; nothing where there is none, and nothing in a text too long to be read twice.
fn drives(document: &Document) -> Vec<DeviceFacts> {
    const LINES_MAX: usize = 50_000;
    if document.lines.len() > LINES_MAX {
        return Vec::new();
    }
    let text: String = document.lines.iter().map(|line| format!("{}\n", line.text)).collect();
    let Ok(pages) = paste::read(&text) else { return Vec::new() };
    paste::drives(&pages).iter().filter_map(|pages| paste::facts(pages)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_alone_is_nothing_to_judge() {
        let is_empty = |text: &str| Reading::new("a", text.as_bytes()).is_empty();
        assert!(is_empty("$ fio job.fio\n\nIt went well.\n") && is_empty("words"));
        assert!(!is_empty("$ fio --name=a --rw=read --filename=/dev/sdb\n"), "a job");
        assert!(!is_empty("1048576000 bytes (1.0 GB) copied, 2.0 s, 524 MB/s\n"));
        assert!(!is_empty("$ sysbench fileio run\nFATAL: Cannot open file 'test_file.0' errno = 2\n"), "a run that failed");
    }
}
