//! The machine and the files that the examples run on: 16 GiB of memory, 8 processors, a drive of 1 TB, and some files.

use crate::audit::{AuditFacts, FileFacts, FileKind, Warning, audit};
use crate::command_line::{CommandLine, CommandPart};
use crate::complaint::Complaint;
use crate::grammar::{Loader, TypedOption};
use crate::jobs::{FioJob, JobFileTexts, jobs};
use crate::schedule::{Schedule, schedule};
use crate::values::ValueContext;

const GIB: u64 = 1 << 30;

struct Text<'a>(&'a str);

impl Loader for Text<'_> {}

impl JobFileTexts for Text<'_> {
    fn job_file(&self, _name: &str) -> Result<String, String> {
        Ok(self.0.to_owned())
    }
}

pub(in crate::audit) fn jobs_of(text: &str) -> Vec<FioJob> {
    jobs_with(text, None)
}

pub(super) fn jobs_with(text: &str, file_name: Option<&str>) -> Vec<FioJob> {
    try_jobs(text, file_name).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
}

fn try_jobs(text: &str, file_name: Option<&str>) -> Result<Vec<FioJob>, Vec<Complaint>> {
    let place = crate::complaint::SourcePlace::command_line();
    let option =
        |name: &str| CommandPart::Defaults(vec![TypedOption { key: "filename".into(), value: Some(name.into()), place: place.clone() }]);
    let parts = file_name.map(option).into_iter().chain([CommandPart::File { name: "a.fio".into() }]).collect();
    let line = CommandLine { parts, ..CommandLine::default() };
    jobs(&line, &ValueContext::default(), &Text(text))
}

pub(in crate::audit) fn facts_of(schedule: &Schedule) -> AuditFacts {
    let files = schedule.clones.iter().map(|clone| clone.files.iter().map(|path| file(path)).collect()).collect();
    AuditFacts { memory_bytes: 16 * GIB, cpus: 8, files }
}

fn file(path: &str) -> FileFacts {
    let of = |kind, bytes, written_bytes| FileFacts { kind, bytes, written_bytes, ..FileFacts::default() };
    match path {
        "/dev/nvme0n1" => of(FileKind::Device, Some(953_870 << 20), None),
        "/dev/nvd7" => of(FileKind::Device, Some(3_907_029_168 * 512), None),
        "/dev/da11" => of(FileKind::Device, Some(1_562_824_368 * 512), None),
        "/dev/sdb" => of(FileKind::Device, Some(480_103_981_056), None),
        "/data/sparse" => of(FileKind::Regular, Some(64 * GIB), Some(GIB)),
        "/data/full" => of(FileKind::Regular, Some(64 * GIB), Some(64 * GIB)),
        _ => FileFacts::default(),
    }
}

pub(super) fn warnings_with(text: &str, file_name: Option<&str>) -> Vec<Warning> {
    let jobs = jobs_with(text, file_name);
    let schedule = schedule(&jobs);
    audit(&jobs, &schedule, &facts_of(&schedule))
}

pub(super) fn warnings_if_read(text: &str) -> Option<Vec<Warning>> {
    let jobs = try_jobs(text, None).ok()?;
    let schedule = schedule(&jobs);
    Some(audit(&jobs, &schedule, &facts_of(&schedule)))
}

pub(super) fn warnings_of(text: &str) -> Vec<Warning> {
    warnings_with(text, None)
}

pub(super) fn rules_of(text: &str) -> Vec<String> {
    warnings_of(text).into_iter().map(|warning| warning.finding.rule).collect()
}
