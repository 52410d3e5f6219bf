//! The jobs as rules see them: each with its clones, their files, and the part of them that is used.

use super::facts::{AuditFacts, FileFacts, FileKind};
use crate::jobs::Job;
use crate::region::{Places, places};
use crate::schedule::{Instance, Schedule};
use crate::settings::{EngineName, OpenSync, Settings};
use crate::values::{Mode, PerDirection};

/// All jobs.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub(super) views: Vec<View<'a>>,
    pub(super) schedule: &'a Schedule,
    pub(super) facts: &'a AuditFacts,
}

/// One job.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// Its place in the list of jobs.
    pub(super) at: usize,
    pub(super) job: &'a Job,
    pub(super) set: &'a Settings,
    pub(super) clones: Vec<CloneView<'a>>,
    /// Whether no job of the run writes or trims.
    pub(super) nobody_writes: bool,
    /// Memory of the machine; `None`: not known. Bytes.
    pub(super) memory_bytes: Option<u64>,
}

/// One clone of a job.
#[derive(Debug)]
pub(super) struct CloneView<'a> {
    pub(super) instance: &'a Instance,
    pub(super) files: Vec<FileFacts>,
    /// What it does with its files; `None`: not to be told before they are known.
    pub(super) places: Option<Places>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(jobs: &'a [Job], schedule: &'a Schedule, facts: &'a AuditFacts) -> Self {
        let nobody_writes = jobs.iter().all(|job| job.settings.access.rw.mode == Mode::Read);
        let memory_bytes = (facts.memory_bytes > 0).then_some(facts.memory_bytes);
        let view = |(at, job): (usize, &'a Job)| {
            let clones = clones(at, job, schedule, facts);
            View { at, job, set: &job.settings, clones, nobody_writes, memory_bytes }
        };
        Self { views: jobs.iter().enumerate().map(view).collect(), schedule, facts }
    }
}

fn clones<'a>(at: usize, job: &Job, schedule: &'a Schedule, facts: &AuditFacts) -> Vec<CloneView<'a>> {
    let own = schedule.clones.iter().enumerate().filter(|(_, instance)| instance.job == at);
    own.map(|(place, instance)| clone(&job.settings, instance, facts.files.get(place))).collect()
}

fn clone<'a>(settings: &Settings, instance: &'a Instance, known: Option<&Vec<FileFacts>>) -> CloneView<'a> {
    let of_file = |(number, path): (usize, &String)| {
        let facts = known.and_then(|files| files.get(number)).copied().unwrap_or_default();
        facts.or_by_path(path)
    };
    let files: Vec<FileFacts> = instance.files.iter().enumerate().map(of_file).collect();
    let existing: Vec<_> = files.iter().map(|file| file.existing()).collect();
    CloneView { instance, places: places(settings, instance.clone, &existing, u64::from(instance.number)).ok(), files }
}

impl View<'_> {
    pub(super) fn mode(&self) -> Mode {
        self.set.access.rw.mode
    }

    pub(super) fn is_random(&self) -> bool {
        self.set.access.rw.random
    }

    pub(super) fn reads(&self) -> bool {
        matches!(self.mode(), Mode::Read | Mode::ReadWrite)
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.mode(), Mode::Write | Mode::ReadWrite | Mode::TrimWrite)
    }

    /// Whether data goes to or comes from something that stands for a drive.
    pub(super) fn on_drive(&self) -> bool {
        self.set.engine.name != EngineName::Null && self.has(&[FileKind::Regular, FileKind::Device])
    }

    pub(super) fn on_device(&self) -> bool {
        self.set.engine.name != EngineName::Null && self.has(&[FileKind::Device])
    }

    /// Whether one of its files is of one of these kinds.
    pub(super) fn has(&self, kinds: &[FileKind]) -> bool {
        self.clones.iter().flat_map(|clone| &clone.files).any(|file| kinds.contains(&file.kind))
    }

    /// Whether I/O goes through the page cache. What is mapped into memory does, whatever `direct` says.
    pub(super) fn is_buffered(&self) -> bool {
        self.on_drive() && (!self.set.access.direct || self.set.engine.name == EngineName::Mmap)
    }

    /// Whether the program waits until each write is durable.
    pub(super) fn syncs_each_write(&self) -> bool {
        let syncs = &self.set.syncs;
        syncs.open != OpenSync::None || syncs.fsync_every == 1 || syncs.fdatasync_every == 1
    }

    /// I/Os that one clone really keeps outstanding.
    pub(super) fn depth(&self) -> u64 {
        let one = self.set.engine.name.is_synchronous() || self.mode() == Mode::Trim;
        if one { 1 } else { u64::from(self.set.submission.depth.max(1)) }
    }

    pub(super) fn clone_count(&self) -> u64 {
        (self.clones.len() as u64).max(1)
    }

    /// Whether it is there to find wrong data, not to measure.
    pub(super) fn verifies(&self) -> bool {
        self.set.verify.method.is_some()
    }

    /// Of each direction, what is for the directions that the job has.
    pub(super) fn of_directions<'b, T>(&self, values: &'b PerDirection<T>) -> Vec<&'b T> {
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

    /// Bytes that are used, each counted once however many clones use it; `None`: not to be told.
    pub(super) fn data_bytes(&self) -> Option<u64> {
        let mut parts: Vec<(&str, u64, u64)> = Vec::new();
        for clone in &self.clones {
            let spans = &clone.places.as_ref()?.spans;
            let part = |(path, span): (_, &ioproof_core::job::Span)| {
                (path, span.offset_bytes, span.offset_bytes.saturating_add(span.length_bytes))
            };
            parts.extend(clone.instance.files.iter().map(String::as_str).zip(spans).map(part));
        }
        Some(union(parts))
    }

    /// Bytes that all clones move together when no time ends them; `None`: not to be told.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        let of = |clone: &CloneView| clone.places.as_ref().map(|places| places.total_bytes);
        self.clones.iter().map(of).try_fold(0, |sum: u64, bytes| bytes.map(|bytes| sum.saturating_add(bytes)))
    }

    /// The last value that was typed for an option, in its own section or in what it took over.
    pub(super) fn typed(&self, option: &str) -> Option<&str> {
        let all = self.job.globals.iter().chain(&self.job.typed);
        all.filter(|(key, _)| key == option).map(|(_, value)| value.as_str()).next_back()
    }
}

/// Length of all parts together, overlaps counted once.
fn union(mut parts: Vec<(&str, u64, u64)>) -> u64 {
    parts.sort_unstable();
    let mut sum: u64 = 0;
    let mut last: Option<(&str, u64)> = None;
    for (path, start, end) in parts {
        let from = last.filter(|(known, _)| *known == path).map_or(start, |(_, done)| done.max(start));
        sum = sum.saturating_add(end.saturating_sub(from));
        last = Some((path, end.max(from)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::tests::{facts_of, jobs_of};
    use super::*;
    use crate::schedule::schedule;

    fn data_bytes(text: &str) -> Option<u64> {
        let jobs = jobs_of(text);
        let schedule = schedule(&jobs);
        let facts = facts_of(&schedule);
        Scene::new(&jobs, &schedule, &facts).views[0].data_bytes()
    }

    #[test]
    fn what_several_clones_use_counts_once() {
        let mib = Some(1 << 20);
        assert_eq!(data_bytes("[a]\nfilename=/data/x\nsize=1m\nnumjobs=4\n"), mib);
        assert_eq!(data_bytes("[a]\nfilename=/data/x\nsize=512k\nnumjobs=2\noffset_increment=512k\n"), mib);
        assert_eq!(data_bytes("[a]\nfilename=/data/x\nsize=768k\nnumjobs=2\noffset_increment=256k\n"), mib);
        assert_eq!(data_bytes("[a]\ndirectory=/data\nsize=256k\nnumjobs=4\n"), mib);
        assert_eq!(data_bytes("[a]\nfilename=/data/x:/data/y\nsize=1m\n"), mib);
        assert_eq!(data_bytes("[a]\nfilename=/data/new\n"), None);
    }

    #[test]
    fn sizes_are_those_of_the_directions_that_the_job_has() {
        let sizes = |text: &str| {
            let jobs = jobs_of(text);
            let schedule = schedule(&jobs);
            Scene::new(&jobs, &schedule, &AuditFacts::default()).views[0].block_sizes()
        };
        assert_eq!(sizes("[a]\nrw=read\nbs=4k,8k\n"), [4096]);
        assert_eq!(sizes("[a]\nrw=rw\nbs=4k,8k\n"), [4096, 8192]);
        assert_eq!(sizes("[a]\nrw=write\nbsrange=4k-8k\n"), [4096, 8192]);
        assert_eq!(sizes("[a]\nrw=read\nbssplit=4k/50:64k/50\n"), [4096, 65536]);
    }
}
