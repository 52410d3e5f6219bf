//! Reads a file and what it includes, and gathers sections and complaints.

use super::line::{self, JobFileLine};
use super::section::{JobSection, Loader, TypedOption};
use super::variable;
use crate::complaint::{Complaint, SourcePlace, shortened};
use crate::limits::{COMPLAINTS, LINE_BYTES, OPTIONS, SECTIONS, TEXT_BYTES};

/// Included files of one job file in all, so that files that include each other twice come to an end.
const MOST_INCLUDES: u32 = 1000;

const MOST_DEPTH: usize = 64;

pub(super) struct JobFileReader<'a> {
    loader: &'a dyn Loader,
    sections: Vec<JobSection>,
    complaints: Vec<Complaint>,
    open: Vec<String>,
    includes: u32,
    bytes: usize,
    options: usize,
    is_over: bool,
}

impl<'a> JobFileReader<'a> {
    pub(super) fn new(loader: &'a dyn Loader) -> Self {
        Self { loader, sections: Vec::new(), complaints: Vec::new(), open: Vec::new(), includes: 0, bytes: 0, options: 0, is_over: false }
    }

    pub(super) fn finish(self) -> Result<Vec<JobSection>, Vec<Complaint>> {
        if self.complaints.is_empty() { Ok(self.sections) } else { Err(self.complaints) }
    }

    pub(super) fn file(&mut self, name: &str, text: &str) {
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > TEXT_BYTES {
            let text = format!("with it there are more than {} MiB of text, so it is no job file", TEXT_BYTES >> 20);
            return self.end(&SourcePlace::new(name, 1), text);
        }
        self.open.push(name.to_owned());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, raw) in (1_u32..).zip(text.split('\n')) {
            if self.is_over {
                break;
            }
            let place = SourcePlace::new(name, number);
            if raw.len() > LINE_BYTES {
                self.end(&place, format!("the line is longer than {} KiB, so this is no job file", LINE_BYTES >> 10));
                continue;
            }
            match line::read(raw) {
                Ok(line) => self.line(line, &place),
                Err(problem) => self.broken(raw, &place, problem),
            }
        }
        self.open.pop();
    }

    /// A line that cannot be read. The options below a broken head are not to be complained about for that.
    fn broken(&mut self, raw: &str, place: &SourcePlace, problem: String) {
        self.complain(place, problem);
        if raw.trim_start_matches(line::is_blank).starts_with('[') {
            self.head("", place);
        }
    }

    fn line(&mut self, line: JobFileLine<'_>, place: &SourcePlace) {
        match line {
            JobFileLine::Nothing => {}
            JobFileLine::Head(name) => self.head(name, place),
            JobFileLine::Include(name) => self.include(name, place),
            JobFileLine::Option(key, value) => self.option(key, value, place),
        }
    }

    fn head(&mut self, name: &str, place: &SourcePlace) {
        if self.open.len() > 1 {
            self.complain(place, format!("an included file has no sections of its own, and here is [{}]", shortened(name)));
        } else if self.sections.len() == SECTIONS {
            self.end(place, format!("there are more than {SECTIONS} sections"));
        } else {
            self.sections.push(JobSection { name: name.to_owned(), place: place.clone(), options: Vec::new() });
        }
    }

    fn option(&mut self, key: &str, value: Option<&str>, place: &SourcePlace) {
        self.options += 1;
        if self.options > OPTIONS {
            return self.end(place, format!("there are more than {OPTIONS} options"));
        }
        let typed_bytes = value.map_or(0, str::len);
        let value = match value.map(|value| variable::replace(value, place, self.loader)).transpose() {
            Ok(value) => value,
            Err(problem) => return self.complain(place, format!("{}: {problem}", shortened(key))),
        };
        self.bytes = self.bytes.saturating_add(value.as_ref().map_or(0, String::len).saturating_sub(typed_bytes));
        if self.bytes > TEXT_BYTES {
            return self.end(place, format!("with variables replaced there are more than {} MiB of text", TEXT_BYTES >> 20));
        }
        let typed = TypedOption { key: key.to_owned(), value, place: place.clone() };
        match self.sections.last_mut() {
            Some(section) => section.options.push(typed),
            None => self.outside(key, place),
        }
    }

    fn outside(&mut self, what: &str, place: &SourcePlace) {
        let complaint = Complaint::at(place, format!("{} stands before the first section", shortened(what)));
        self.complaints.push(complaint.with_hint("put [global] or the [name] of a job above it"));
        self.is_over |= self.complaints.len() >= COMPLAINTS;
    }

    fn include(&mut self, name: &str, place: &SourcePlace) {
        if self.sections.is_empty() {
            return self.outside("include", place);
        }
        self.includes += 1;
        if self.includes > MOST_INCLUDES || self.open.len() > MOST_DEPTH {
            return self.complain(place, format!("{}: too many files include each other", shortened(name)));
        }
        match self.load(name, &place.file) {
            Ok((found, _)) if self.open.contains(&found) => self.complain(place, format!("{} includes itself", shortened(name))),
            Ok((found, text)) => self.file(&found, &text),
            Err(problem) => self.complain(place, problem),
        }
    }

    /// The name as it is, then beside the file that includes it: the one that can be read, and its text.
    fn load(&self, name: &str, from: &str) -> Result<(String, String), String> {
        let beside = from.rsplit_once('/').filter(|_| !name.starts_with('/')).map(|(folder, _)| format!("{folder}/{name}"));
        match (self.loader.include(name, from), beside) {
            (Ok(text), _) => Ok((name.to_owned(), text)),
            (Err(first), None) => Err(first),
            (Err(first), Some(other)) => self.loader.include(&other, from).map(|text| (other, text)).map_err(|_| first),
        }
    }

    fn end(&mut self, place: &SourcePlace, text: String) {
        self.complain(place, text);
        self.is_over = true;
    }

    fn complain(&mut self, place: &SourcePlace, text: String) {
        if !self.is_over {
            self.complaints.push(Complaint::at(place, text));
        }
        self.is_over |= self.complaints.len() >= COMPLAINTS;
    }
}
