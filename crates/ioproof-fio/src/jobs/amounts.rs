//! Amounts that all jobs together ask for, held against the limits.

use super::job::FioJob;
use crate::complaint::Complaint;
use crate::limits::{CLONES, FILES, NAMES_BYTES, WAITS};

/// About the memory that the text of an option takes beside its bytes. Bytes.
const OVERHEAD_BYTES: usize = 64;

/// About the length of a name that is made, beside its format and the section's name. Bytes.
const MADE_NAME_BYTES: u64 = 64;

pub(super) fn kept_bytes<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> usize {
    options.map(|(key, value)| key.len() + value.len() + OVERHEAD_BYTES).sum()
}

pub(super) fn complaint(jobs: &[FioJob]) -> Option<Complaint> {
    let mut all = AskedAmounts::default();
    jobs.iter().enumerate().find_map(|(at, job)| {
        all = all.and(job, &jobs[..at]);
        all.too_much(job)
    })
}

#[derive(Debug, Clone, Copy, Default)]
struct AskedAmounts {
    clones: u64,
    files: u64,
    names_bytes: u64,
    waits: u64,
}

impl AskedAmounts {
    fn and(self, job: &FioJob, before: &[FioJob]) -> Self {
        let clones = u64::from(job.settings.start.clones.max(1));
        let (files, bytes) = of_a_clone(job);
        let awaited = job.settings.start.wait_for.as_ref().and_then(|name| before.iter().find(|other| other.name == *name));
        let waits = awaited.map_or(0, |other| clones.saturating_mul(other.settings.start.clones.max(1).into()));
        Self {
            clones: self.clones.saturating_add(clones),
            files: self.files.saturating_add(clones.saturating_mul(files)),
            names_bytes: self.names_bytes.saturating_add(clones.saturating_mul(bytes)),
            waits: self.waits.saturating_add(waits),
        }
    }

    fn too_much(self, job: &FioJob) -> Option<Complaint> {
        let (option, asked, most, what) = match () {
            () if self.clones > CLONES => ("numjobs", self.clones, CLONES, "clones"),
            () if self.files > FILES => ("nrfiles, filename", self.files, FILES, "files, those that clones share counted for each"),
            () if self.names_bytes > NAMES_BYTES => ("filename", self.names_bytes, NAMES_BYTES, "bytes of names of files"),
            () if self.waits > WAITS => ("wait_for", self.waits, WAITS, "pairs of clones of which one waits for the other"),
            () => return None,
        };
        let text = format!("with this job there are {asked} {what}, and {most} are the most ({option})");
        Some(Complaint::at(&job.place, text).with_hint("ask for fewer in a run, or run several after each other"))
    }
}

fn of_a_clone(job: &FioJob) -> (u64, u64) {
    let files = &job.settings.files;
    let directory = files.directories.iter().map(String::len).max().unwrap_or(0) as u64;
    let named: u64 = files.names.iter().map(|name| name.len() as u64).sum();
    let sections = files.format.matches("$jobname").count() * job.section.len();
    let made = (3 * files.format.len() + sections) as u64 + MADE_NAME_BYTES;
    match files.names.len() as u64 {
        0 => (files.count.max(1).into(), u64::from(files.count.max(1)).saturating_mul(made + directory)),
        count => (count, named + count.saturating_mul(directory)),
    }
}
