//! Sections and command line -> jobs, in the order in which fio has them.
//!
//! Jobs of the command line come first, whatever stands around them, then those of each file. A `[global]` section bears on the sections below it in its own
//! file, the options before the first `--name` on everything. Within a section the last of two equal options wins, except that `filename` adds to what is there.

mod amounts;
mod build;
mod job;
pub(super) mod order;
#[cfg(test)]
mod tests;

pub use job::{FioJob, JobFileTexts, Note};

use super::command_line::{CommandLine, CommandPart};
use super::complaint::{Complaint, SourcePlace};
use super::grammar::{self, JobSection, TypedOption};
use super::limits;
use super::values::ValueContext;
use build::Base;

/// All jobs of a command line and its files. Everything that is wrong comes at once.
pub fn jobs(line: &CommandLine, context: &ValueContext, files: &dyn JobFileTexts) -> Result<Vec<FioJob>, Vec<Complaint>> {
    let mut wrong = Vec::new();
    let defaults = Base::new(context).with_defaults(&defaults(line), &mut wrong);
    let mut taken = TakenOver::default();
    let mut jobs = of_command_line(line, &defaults, &mut taken, &mut wrong);
    let mut there = Vec::new();
    for (number, name) in (0..).zip(file_names(line)) {
        if taken.jobs > limits::SECTIONS {
            break;
        }
        match read(name, files) {
            Ok(sections) => {
                jobs.extend(of_file(line, number, &sections, &defaults, &mut taken, &mut wrong));
                there.extend(sections.into_iter().map(|section| section.name).filter(|name| name != "global"));
            }
            Err(complaints) => wrong.extend(complaints),
        }
    }
    wrong.extend(waits_for_nothing(&jobs));
    wrong.extend(amounts::complaint(&jobs));
    // As fio reads it: a file that holds options for others to include is well formed.
    let only_read = line.general.parse_only && line.general.sections.is_empty();
    if jobs.is_empty() && wrong.is_empty() && !only_read {
        wrong.push(no_job(&line.general.sections, &there));
    }
    if wrong.is_empty() { Ok(jobs) } else { Err(wrong) }
}

/// The options that reports show as common to all jobs: of one file what its jobs took over, of several files what the last one has in `[global]`, as in fio.
pub fn globals_shown(jobs: &[FioJob]) -> Vec<(String, String)> {
    let last = jobs.iter().rfind(|job| job.file_number.is_some()).or(jobs.last());
    last.map_or_else(Vec::new, |job| {
        let first = if job.file_number.is_some_and(|number| number > 0) { job.defaults } else { 0 };
        job.globals[first..].to_vec()
    })
}

fn defaults(line: &CommandLine) -> Vec<TypedOption> {
    let one = |part: &CommandPart| if let CommandPart::Defaults(options) = part { options.clone() } else { Vec::new() };
    line.parts.iter().flat_map(one).collect()
}

fn file_names(line: &CommandLine) -> impl Iterator<Item = &String> {
    line.parts.iter().filter_map(|part| if let CommandPart::File { name } = part { Some(name) } else { None })
}

#[derive(Debug, Default)]
struct TakenOver {
    jobs: usize,
    bytes: usize,
}

impl TakenOver {
    /// Counts one more job, with the options that it has and takes over.
    ///
    /// # Errors
    /// When it is one too many. Nothing was made of it then.
    fn job(&mut self, section: &JobSection, base: &Base<'_>) -> Result<(), Complaint> {
        let own = section.options.iter().map(|typed| (typed.key.as_str(), typed.value.as_deref().unwrap_or_default()));
        self.jobs += 1;
        self.bytes = self.bytes.saturating_add(base.kept_bytes() + amounts::kept_bytes(own));
        let text = match () {
            () if self.jobs > limits::SECTIONS => format!("there are more than {} jobs", limits::SECTIONS),
            () if self.bytes > limits::TAKEN_BYTES => {
                format!("the options of all jobs, with those of [global] in each, take more than {} MiB", limits::TAKEN_BYTES >> 20)
            }
            () => return Ok(()),
        };
        Err(Complaint::at(&section.place, text).with_hint("run several job files with fewer jobs after each other"))
    }
}

fn of_command_line(line: &CommandLine, defaults: &Base<'_>, taken: &mut TakenOver, wrong: &mut Vec<Complaint>) -> Vec<FioJob> {
    let sections = line.parts.iter().filter_map(|part| if let CommandPart::Job(section) = part { Some(section) } else { None });
    let mut jobs = Vec::new();
    for section in sections {
        if let Err(complaint) = taken.job(section, defaults) {
            wrong.push(complaint);
            break;
        }
        jobs.push(defaults.command_line_job(section, wrong));
    }
    jobs
}

fn of_file(
    line: &CommandLine,
    number: u32,
    sections: &[JobSection],
    defaults: &Base<'_>,
    taken: &mut TakenOver,
    wrong: &mut Vec<Complaint>,
) -> Vec<FioJob> {
    let mut base = defaults.clone();
    let mut jobs = Vec::new();
    for section in sections {
        if section.name == "global" {
            base = base.with_globals(section, wrong);
        } else if line.general.sections.is_empty() || line.general.sections.contains(&section.name) {
            if let Err(complaint) = taken.job(section, &base) {
                wrong.push(complaint);
                break;
            }
            jobs.push(base.file_job(section, number, wrong));
        }
    }
    if let Some(first) = jobs.first_mut().filter(|_| number > 0) {
        first.settings.start.stonewall = true;
    }
    jobs
}

fn no_job(wanted: &[String], there: &[String]) -> Complaint {
    const MOST_SHOWN: usize = 20;
    if wanted.is_empty() || there.is_empty() {
        return Complaint::general("no job is defined").with_hint("a job file needs a section such as [job], or give --name=job");
    }
    let more = if there.len() > MOST_SHOWN { format!(" and {} more", there.len() - MOST_SHOWN) } else { String::new() };
    let shown = there.iter().take(MOST_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    let text = format!("--section={}: there is no such section", wanted.join(" --section="));
    Complaint::at(&SourcePlace::command_line(), text).with_hint(format!("the sections are {shown}{more}"))
}

fn read(name: &str, files: &dyn JobFileTexts) -> Result<Vec<JobSection>, Vec<Complaint>> {
    let text = files.job_file(name).map_err(|error| vec![Complaint::general(format!("the job file {name} cannot be read: {error}"))])?;
    grammar::parse(name, &text, files)
}

/// Mistakes between jobs.
fn waits_for_nothing(jobs: &[FioJob]) -> Vec<Complaint> {
    jobs.iter().enumerate().filter_map(|(at, job)| wait_for(job, &jobs[..at])).collect()
}

fn wait_for(job: &FioJob, before: &[FioJob]) -> Option<Complaint> {
    let awaited = job.settings.start.wait_for.as_ref()?;
    if *awaited == job.name {
        return Some(Complaint::at(&job.place, format!("the job {awaited} cannot wait for itself")));
    }
    match before.iter().filter(|other| other.name == *awaited).count() {
        0 => {
            let text = format!("the job {} waits for {awaited}, but no job of this name comes before it", job.name);
            Some(Complaint::at(&job.place, text))
        }
        1 => None,
        count => {
            Some(Complaint::at(&job.place, format!("the job {} waits for {awaited}, but {count} jobs before it have this name", job.name)))
        }
    }
}
