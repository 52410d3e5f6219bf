//! Differences from fio, each sentence once: with all options and all jobs that it is about.

use crate::named::named;
use crate::request::FioRequest;
use ioproof_fio::complaint::SourcePlace;
use ioproof_report::Format;
use std::collections::BTreeSet;

/// Sentences in the order in which they came up, each with whom it is about.
#[derive(Debug, Default)]
pub(crate) struct JobSentences(Vec<(String, Vec<String>)>);

impl JobSentences {
    pub(crate) fn about(&mut self, job: &str, text: &str) {
        let at = self.0.iter().position(|(other, _)| other == text).unwrap_or_else(|| {
            self.0.push((text.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let jobs = &mut self.0[at].1;
        if !jobs.iter().any(|other| other == job) {
            jobs.push(job.to_owned());
        }
    }

    pub(crate) fn lines(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(text, jobs)| format!("{}: {text}", named(&jobs)))
    }
}

/// Options of a job that share a sentence stand in one line; so do jobs that share an option.
pub(crate) fn of_options(request: &FioRequest) -> Vec<String> {
    let mut all: Vec<OfOptions> = Vec::new();
    for note in request.jobs.iter().flat_map(|job| &job.notes) {
        match all.iter_mut().find(|line| line.text == note.text) {
            Some(line) => line.add(note.option, &note.place),
            None => all.push(OfOptions::new(&note.text, note.option, &note.place)),
        }
    }
    all.iter().map(OfOptions::line).collect()
}

struct OfOptions<'a> {
    text: &'a str,
    place: &'a SourcePlace,
    options: Vec<&'a str>,
    seen: BTreeSet<(&'a str, &'a SourcePlace)>,
    others: Vec<String>,
}

impl<'a> OfOptions<'a> {
    fn new(text: &'a str, option: &'a str, place: &'a SourcePlace) -> Self {
        Self { text, place, options: vec![option], seen: [(option, place)].into(), others: Vec::new() }
    }

    fn add(&mut self, option: &'a str, place: &'a SourcePlace) {
        if !self.seen.insert((option, place)) {
            return;
        }
        if self.options.contains(&option) {
            // On the command line all places look alike.
            self.others.extend(Some(place.to_string()).filter(|_| !place.is_command_line()));
        } else {
            self.options.push(option);
        }
    }

    fn line(&self) -> String {
        let also = if self.others.is_empty() { String::new() } else { format!(" [also {}]", named(&self.others)) };
        format!("{}: {}: {}{also}", self.place, self.options.join(", "), self.text)
    }
}

/// The ending of a report on a file that gets fio's output.
pub fn of_ending(request: &FioRequest) -> Option<String> {
    let name = request.line.general.output.as_deref()?;
    let format = Format::from_path(name).filter(|format| !matches!(format, Format::Json | Format::Text | Format::Csv))?;
    Some(format!("--output: {name} gets fio's output; as {} it is written afterwards: ioproof report last -o FILE", format.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_about_several_options_or_jobs_is_one_line() {
        let places: Vec<SourcePlace> = (1..6).map(|line| SourcePlace::new("a.fio", line)).collect();
        let mut one = OfOptions::new("it differs", "latency_target", &places[0]);
        for (option, place) in [("latency_window", 1), ("latency_window", 1), ("latency_target", 3), ("latency_window", 4)] {
            one.add(option, &places[place]);
        }
        assert_eq!(one.line(), "a.fio:1: latency_target, latency_window: it differs [also a.fio:4, a.fio:5]");
    }

    #[test]
    fn jobs_that_share_a_sentence_are_named_together() {
        let mut all = JobSentences::default();
        for (job, text) in [("a", "x"), ("a", "x"), ("b", "y"), ("c", "x")] {
            all.about(job, text);
        }
        assert_eq!(all.lines().collect::<Vec<_>>(), ["a, c: x", "b: y"]);
    }
}
