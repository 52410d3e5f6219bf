//! The audit of the jobs before they start, with what is known of machine and files.

use super::request::FioRequest;
use super::subjob::Subjob;
use super::named::named;
use crate::complaint::complaint;
use crate::plain::plain;
use anyhow::Result;
use ioproof_core::facts::{Layer, TargetKind};
use ioproof_fio::audit::{AuditFacts, FileFacts, FileKind, Grade, Warning, audit};
use ioproof_core::job::Span;
use ioproof_target::{System, TargetError};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Says what is wrong with the jobs, a line each on standard error: mistakes first.
///
/// # Errors
/// With `--strict` or `--warnings-fatal`, when there is a mistake.
pub fn say(system: &System, request: &FioRequest, clones: &[Subjob]) -> Result<()> {
    let mut warnings = audit(&request.jobs, &request.schedule, &facts(system, request, clones));
    warnings.sort_by_key(|warning| warning.grade);
    let strict = request.line.is_strict();
    // What a rule says about several jobs is one line, and about several options of a job one each.
    let is_new = |said: &[&Warning], one: &Warning| {
        let mut before = said.iter().filter(|other| other.rule == one.rule);
        before.clone().next().is_none_or(|first| first.job == one.job) && before.all(|other| other.text != one.text)
    };
    let mut said: Vec<&Warning> = Vec::new();
    for one in &warnings {
        if is_new(&said, one) {
            said.push(one);
        }
    }
    said.iter().for_each(|one| eprintln!("{}: {}", word(one.grade, strict), plain(&line(one, &warnings))));
    let mistakes = said.iter().filter(|one| one.grade == Grade::Mistake).count();
    if strict && mistakes > 0 {
        let what = if mistakes == 1 { "a mistake".into() } else { format!("{mistakes} mistakes") };
        return Err(complaint(
            format!("the audit found {what} in the jobs, and --strict was given"),
            "correct the jobs, or leave out --strict",
        ));
    }
    Ok(())
}

fn word(grade: Grade, strict: bool) -> &'static str {
    match grade {
        Grade::Mistake if strict => "error",
        Grade::Mistake => "warning",
        Grade::Remark => "note",
    }
}

/// What a rule says about the first job, and for which others it speaks too.
fn line(first: &Warning, all: &[Warning]) -> String {
    let others = all.iter().filter(|w| w.rule == first.rule && w.job != first.job).map(|w| w.job.as_str());
    let others: Vec<&str> = others.collect::<BTreeSet<&str>>().into_iter().collect();
    let also = if others.is_empty() { String::new() } else { format!(" [also {}]", named(&others)) };
    format!("{}: job {}: {} ({}){also}", first.place, first.job, first.text, first.remedy)
}

fn facts(system: &System, request: &FioRequest, clones: &[Subjob]) -> AuditFacts {
    let files = |clone: &Subjob| match clone.files.as_slice() {
        // In a dry run nothing is open.
        [] => clone.instance.files.iter().map(|path| by_path(system, Path::new(path))).collect(),
        files => files.iter().map(open).collect(),
    };
    let (memory_bytes, cpus) = (request.context.memory_bytes, request.context.cpus);
    AuditFacts { memory_bytes, cpus, files: clones.iter().map(files).collect() }
}

/// A file that is open: the filesystem tells how much of it was ever written.
fn open(file: &super::subjob::File) -> FileFacts {
    let kind = match (file.facts.kind, file.facts.layer) {
        (TargetKind::BlockDevice, _) => FileKind::Device,
        (TargetKind::Generator, _) | (_, Layer::Generator) => FileKind::Endless,
        _ if file.facts.notes.iter().any(|note| note.contains("which is no drive")) => FileKind::Memory,
        _ => FileKind::Regular,
    };
    let size = file.content_bytes;
    let whole = Span { offset_bytes: 0, length_bytes: size };
    let unwritten = || ioproof_target::content(&file.handle, whole, 0, 0).ok().and_then(|content| content.unwritten_bytes);
    let written_bytes = if kind == FileKind::Regular && size > 0 { unwritten().map(|none| size.saturating_sub(none)) } else { None };
    FileFacts { kind, bytes: (kind != FileKind::Endless).then_some(size), written_bytes }
}

fn by_path(system: &System, path: &Path) -> FileFacts {
    let plain = |kind, bytes| FileFacts { kind, bytes, written_bytes: None };
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
