//! Jobs in the context that rules need: each with its clones, their files, and the part of them that is used.

use super::facts::{AuditFacts, FileFacts};
use crate::jobs::FioJob;
use crate::region::{FilePlaces, places};
use crate::schedule::{Instance, Schedule};
use crate::settings::JobSettings;
use crate::values::{Mode, PerDirection, RW_WORDS};

#[derive(Debug)]
pub(super) struct AuditContext<'a> {
    pub(super) jobs: Vec<JobContext<'a>>,
    pub(super) schedule: &'a Schedule,
    pub(super) facts: &'a AuditFacts,
}

#[derive(Debug)]
pub(super) struct JobContext<'a> {
    pub(super) at: usize,
    pub(super) job: &'a FioJob,
    pub(super) set: &'a JobSettings,
    pub(super) clones: Vec<CloneContext<'a>>,
    pub(super) nobody_writes: bool,
}

#[derive(Debug)]
pub(super) struct CloneContext<'a> {
    pub(super) instance: &'a Instance,
    pub(super) files: Vec<FileFacts>,
    /// The parts of its files; `None`: not known before they are.
    pub(super) places: Option<FilePlaces>,
}

impl<'a> AuditContext<'a> {
    pub(super) fn new(jobs: &'a [FioJob], schedule: &'a Schedule, facts: &'a AuditFacts) -> Self {
        let nobody_writes = jobs.iter().all(|job| job.settings.access.rw.mode == Mode::Read);
        let of_job = |(at, job): (usize, &'a FioJob)| JobContext {
            at,
            job,
            set: &job.settings,
            clones: clones(at, job, schedule, facts),
            nobody_writes,
        };
        Self { jobs: jobs.iter().enumerate().map(of_job).collect(), schedule, facts }
    }
}

fn clones<'a>(at: usize, job: &FioJob, schedule: &'a Schedule, facts: &AuditFacts) -> Vec<CloneContext<'a>> {
    let own = schedule.clones.iter().enumerate().filter(|(_, instance)| instance.job == at);
    own.map(|(place, instance)| clone(&job.settings, instance, facts.files.get(place))).collect()
}

fn clone<'a>(settings: &JobSettings, instance: &'a Instance, known: Option<&Vec<FileFacts>>) -> CloneContext<'a> {
    let of_file = |(number, path): (usize, &String)| {
        let facts = known.and_then(|files| files.get(number)).cloned().unwrap_or_default();
        facts.or_by_path(path)
    };
    let files: Vec<FileFacts> = instance.files.iter().enumerate().map(of_file).collect();
    let existing: Vec<_> = files.iter().map(FileFacts::existing).collect();
    CloneContext { instance, places: places(settings, instance.clone, &existing, u64::from(instance.number)).ok(), files }
}

impl JobContext<'_> {
    pub(super) fn mode(&self) -> Mode {
        self.set.access.rw.mode
    }

    pub(super) fn reads(&self) -> bool {
        matches!(self.mode(), Mode::Read | Mode::ReadWrite)
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.mode(), Mode::Write | Mode::ReadWrite | Mode::TrimWrite)
    }

    pub(super) fn clone_count(&self) -> u64 {
        (self.clones.len() as u64).max(1)
    }

    pub(super) fn rw_word(&self) -> &'static str {
        let (mode, random) = (self.mode(), self.set.access.rw.random);
        RW_WORDS.into_iter().find(|(_, known, is_random)| (*known, *is_random) == (mode, random)).map_or("", |(word, ..)| word)
    }

    fn of_directions<'b, T>(&self, values: &'b PerDirection<T>) -> Vec<&'b T> {
        match self.mode() {
            Mode::Read => vec![&values.read],
            Mode::Write => vec![&values.write],
            Mode::Trim => vec![&values.trim],
            Mode::ReadWrite => vec![&values.read, &values.write],
            Mode::TrimWrite => vec![&values.trim, &values.write],
        }
    }

    /// All sizes of I/Os that the job has: of ranges both ends. Bytes.
    pub(super) fn block_sizes(&self) -> Vec<u64> {
        let blocks = &self.set.blocks;
        let (sizes, ranges) = (self.of_directions(&blocks.size), self.of_directions(&blocks.range));
        let splits = self.of_directions(&blocks.splits);
        let of = |at: usize| match (splits[at].as_slice(), ranges[at]) {
            ([], None) => vec![*sizes[at]],
            ([], Some((least, most))) => vec![*least, *most],
            (splits, _) => splits.iter().map(|split| split.bytes).collect(),
        };
        (0..sizes.len()).flat_map(of).collect()
    }

    /// Bytes that all clones move together when no time ends them; `None`: not known.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        let of = |clone: &CloneContext| clone.places.as_ref().map(|places| places.total_bytes);
        self.clones.iter().map(of).try_fold(0, |sum: u64, bytes| bytes.map(|bytes| sum.saturating_add(bytes)))
    }

    pub(super) fn typed(&self, option: &str) -> Option<&str> {
        let all = self.job.globals.iter().chain(&self.job.typed);
        all.filter(|(key, _)| key == option).map(|(_, value)| value.as_str()).next_back()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::jobs_of;
    use super::*;
    use crate::schedule::schedule;

    #[test]
    fn sizes_are_those_of_the_directions_that_the_job_has() {
        let sizes = |text: &str| {
            let jobs = jobs_of(text);
            let schedule = schedule(&jobs);
            AuditContext::new(&jobs, &schedule, &AuditFacts::default()).jobs[0].block_sizes()
        };
        assert_eq!(sizes("[a]\nrw=read\nbs=4k,8k\n"), [4096]);
        assert_eq!(sizes("[a]\nrw=rw\nbs=4k,8k\n"), [4096, 8192]);
        assert_eq!(sizes("[a]\nrw=write\nbsrange=4k-8k\n"), [4096, 8192]);
        assert_eq!(sizes("[a]\nrw=read\nbssplit=4k/50:64k/50\n"), [4096, 65536]);
    }
}
