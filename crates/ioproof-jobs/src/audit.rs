//! The audit of the jobs before they start, with the facts that are known of machine and files.
//!
//! The rules are `ioproof_core::method`'s and `ioproof_fio::audit`'s; here files become facts and findings become lines.

use super::named::named;
use super::request::FioRequest;
use super::subjob::{OpenFile, Subjob};
use anyhow::Result;
use ioproof_core::facts::{Layer, TargetKind};
use ioproof_core::finding::{Finding, Severity};
use ioproof_core::job::Span;
use ioproof_fio::audit::{AuditFacts, FileFacts, FileKind, Warning, audit};
use ioproof_process::complaint::complaint;
use ioproof_process::messages;
use ioproof_target::{System, TargetError};
use rustix::fs::{FileType, Stat};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Prints the mistakes in the jobs, a line each on standard error, the gravest first, and gives all findings for the record.
///
/// # Errors
/// With `--strict` or `--warnings-fatal`, when one of them is more than a remark.
pub fn say(system: &System, request: &FioRequest, subjobs: &[Subjob]) -> Result<Vec<Finding>> {
    let mut warnings = audit(&request.jobs, &request.schedule, &facts(system, request, subjobs));
    warnings.sort_by_key(|warning| warning.finding.severity);
    let strict = request.line.is_strict();
    let lines = lines(&warnings);
    for one in &lines {
        messages::with_weight(word(one.finding.severity, strict), &line(one, &warnings));
    }
    let mistakes = lines.iter().filter(|one| one.finding.severity < Severity::Info).count();
    if strict && mistakes > 0 {
        let what = if mistakes == 1 { "a mistake".into() } else { format!("{mistakes} mistakes") };
        return Err(complaint(
            format!("the audit found {what} in the jobs, and --strict was given"),
            "correct the jobs, or leave out --strict",
        ));
    }
    Ok(warnings.into_iter().map(|warning| warning.finding).collect())
}

/// The warnings that get a line: one for all jobs about which a rule speaks, and one for each option of the first of them.
fn lines(warnings: &[Warning]) -> Vec<&Warning> {
    let mut lines: Vec<&Warning> = Vec::new();
    for one in warnings {
        let before: Vec<&&Warning> = lines.iter().filter(|other| other.finding.rule == one.finding.rule).collect();
        let is_first_job = before.first().is_none_or(|first| first.job == one.job);
        if is_first_job && before.iter().all(|other| other.finding.title != one.finding.title) {
            lines.push(one);
        }
    }
    lines
}

fn word(severity: Severity, strict: bool) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Block | Severity::Warn if strict => "error",
        Severity::Block | Severity::Warn => "warning",
    }
}

/// The sentence about the first job, and the others about which the rule speaks too.
fn line(first: &Warning, all: &[Warning]) -> String {
    let others = all.iter().filter(|w| w.finding.rule == first.finding.rule && w.job != first.job).map(|w| w.job.as_str());
    let others: Vec<&str> = others.collect::<BTreeSet<&str>>().into_iter().collect();
    let also = if others.is_empty() { String::new() } else { format!(" [also {}]", named(&others)) };
    format!("{}: job {}: {} ({}){also}", first.place, first.job, first.finding.title, first.finding.remedy)
}

fn facts(system: &System, request: &FioRequest, subjobs: &[Subjob]) -> AuditFacts {
    let files = |subjob: &Subjob| match subjob.files.as_slice() {
        // In a dry run nothing is open.
        [] => subjob.instance.files.iter().map(|path| by_path(system, Path::new(path))).collect(),
        files => files.iter().map(open).collect(),
    };
    let (memory_bytes, cpus) = (request.context.memory_bytes, request.context.cpus);
    AuditFacts { memory_bytes, cpus, files: subjobs.iter().map(files).collect() }
}

/// Facts of a file that is open, with the bytes that were ever written by the filesystem's own map.
fn open(file: &OpenFile) -> FileFacts {
    let kind = match (file.facts.kind, file.facts.layer) {
        (TargetKind::BlockDevice, _) => FileKind::Device,
        (TargetKind::Generator, _) | (_, Layer::Generator) => FileKind::Endless,
        _ if file.facts.notes.iter().any(|note| note.contains("which is no drive")) => FileKind::Memory,
        _ => FileKind::Regular,
    };
    let size = file.content_bytes;
    let whole = Span { offset_bytes: 0, length_bytes: size };
    let unwritten = || ioproof_target::content(&file.handle, whole, 0, 0, &|| true).ok().and_then(|content| content.unwritten_bytes);
    let written_bytes = if kind == FileKind::Regular && size > 0 { unwritten().map(|none| size.saturating_sub(none)) } else { None };
    let drives = file.facts.stack.iter().flat_map(|stack| stack.drives()).map(|drive| drive.name.clone()).collect();
    FileFacts {
        kind,
        bytes: (kind != FileKind::Endless).then_some(size),
        written_bytes,
        drives,
        rotational: None,
        identity: identity(rustix::fs::fstat(&file.handle).ok()),
    }
}

/// Numbers of a device, or of a file on its filesystem.
fn identity(stat: Option<Stat>) -> Option<(u64, u64)> {
    stat.map(|stat| match FileType::from_raw_mode(stat.st_mode) {
        FileType::BlockDevice => (0, stat.st_rdev),
        _ => (stat.st_dev, stat.st_ino),
    })
}

fn by_path(system: &System, path: &Path) -> FileFacts {
    let plain = |kind, bytes| FileFacts { kind, bytes, identity: identity(rustix::fs::stat(path).ok()), ..FileFacts::default() };
    let kind = |meta: &Metadata| meta.file_type();
    match std::fs::metadata(path) {
        Ok(meta) if kind(&meta).is_char_device() => plain(FileKind::Endless, None),
        Ok(meta) if kind(&meta).is_block_device() => {
            plain(FileKind::Device, ioproof_target::resolve(system, path).ok().map(|target| target.facts.size_bytes))
        }
        Ok(meta) if matches!(ioproof_target::named(system, path), Err(TargetError::NoDrive { .. })) => {
            plain(FileKind::Memory, Some(meta.len()))
        }
        Ok(meta) => plain(FileKind::Regular, Some(meta.len())),
        Err(_) => plain(FileKind::Unknown, Some(0)),
    }
}
