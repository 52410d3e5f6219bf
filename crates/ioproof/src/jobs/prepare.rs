//! Before anything runs: the sizes of files are looked at, the engine's jobs are made, and every file is opened under the write rule.

use super::ask::Asked;
use crate::complaint::complaint;
use crate::folders;
use crate::output::plain;
use crate::stages::clock;
use anyhow::Result;
use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_core::fio::compile::{Compiled, compile};
use ioproof_core::fio::jobs::Job;
use ioproof_core::fio::region::Existing;
use ioproof_core::fio::schedule::Instance;
use ioproof_core::fio::settings::{EngineName, Fallocate};
use ioproof_core::units::binary_size;
use ioproof_target::{Consent, Handle, JobFiles, Made, System, Wish};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// One clone, ready to run.
#[derive(Debug)]
pub struct Clone {
    /// Place of its job.
    pub job: usize,
    /// Where it stands in the schedule.
    pub instance: Instance,
    /// What the engine is to do.
    pub compiled: Compiled,
    /// Its files.
    pub files: Vec<File>,
    /// Those of them that had to be made or made larger.
    pub laid_out: LaidOut,
}

/// Files that had to be made or made larger before a clone could run.
#[derive(Debug, Clone, Copy, Default)]
pub struct LaidOut {
    /// How many.
    pub files: usize,
    /// Bytes of them together.
    pub bytes: u64,
}

/// A file of a clone.
#[derive(Debug)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// What it is.
    pub facts: TargetFacts,
    /// To work on it.
    pub handle: Handle,
    /// How much of it has content. Bytes.
    pub content_bytes: u64,
}

/// The permit under which files are opened.
///
/// # Errors
/// When there is no place for the ledger of files that we made.
pub fn permit<'a>(system: &'a System, asked: &Asked) -> Result<JobFiles<'a>> {
    let own = &asked.line.own;
    let paths = |names: &[String]| names.iter().map(PathBuf::from).collect();
    let consent = Consent {
        overwrite: paths(&own.overwrite),
        overwrite_all_in: paths(&own.overwrite_all_in),
        destroy: None,
        destroy_unknown_content: own.destroy_unknown_content,
    };
    Ok(JobFiles::new(system, &consent, &own.destroy, Made::new(folders::state()?.join("made-files"))))
}

/// All clones, with their files open.
///
/// # Errors
/// When a job does not fit its files, or a file may not be opened as the job needs it.
pub fn prepare(system: &System, asked: &Asked, permit: &mut JobFiles<'_>, notes: &mut Vec<String>) -> Result<Vec<Clone>> {
    let mut sizes = Sizes { system, known: BTreeMap::new() };
    let seed = clock::seed() >> 11;
    let mut made = Vec::new();
    for instance in &asked.schedule.clones {
        let job = &asked.jobs[instance.job];
        let (compiled, laid_out) = compiled(job, instance, &mut sizes, seed)?;
        notes.extend(compiled.notes.iter().map(|note| format!("{}: {note}", job.name)));
        made.push((instance, compiled, laid_out));
    }
    notes.extend(asked.jobs.iter().flat_map(|job| &job.notes).map(|note| format!("{}: {}: {}", note.place, note.option, note.text)));
    let mut seen = BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    if asked.line.own.dry_run {
        return Ok(made.into_iter().map(|planned| clone(planned, Vec::new())).collect());
    }
    check_descriptors(made.iter().map(|(instance, ..)| *instance))?;
    opened(asked, made, permit)
}

/// Every file takes a descriptor for the permit and one for each clone that uses it.
fn check_descriptors<'a>(clones: impl Iterator<Item = &'a Instance>) -> Result<()> {
    const OTHERS: u64 = 64;
    let needed = clones.map(|instance| instance.files.len() as u64 * 3 + 1).sum::<u64>() + OTHERS;
    let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    if needed <= most {
        return Ok(());
    }
    let text = format!("about {needed} descriptors are needed for all files of all clones, and {most} are allowed");
    Err(complaint(text, "ulimit -n raises it; or fewer clones (numjobs) or files (nrfiles)"))
}

fn compiled(job: &Job, instance: &Instance, sizes: &mut Sizes<'_>, seed: u64) -> Result<(Compiled, LaidOut)> {
    let existing: Vec<Existing> = paths(job, instance).iter().map(|path| sizes.of(path)).collect();
    let existing = if existing.is_empty() { vec![Existing { is_endless: true, ..Existing::default() }] } else { existing };
    let compiled = compile(&job.settings, instance.clone, instance.number, &existing, seed)
        .map_err(|text| complaint(format!("{}: job {}: {}", job.place, plain(&job.name), plain(&text)), "see `ioproof run --cmdhelp`"))?;
    let mut laid_out = LaidOut::default();
    for (path, bytes) in paths(job, instance).iter().zip(&compiled.needs_bytes) {
        if sizes.will_be(path, *bytes) && !job.settings.files.create_on_open {
            laid_out = LaidOut { files: laid_out.files + 1, bytes: laid_out.bytes.saturating_add(*bytes) };
        }
    }
    Ok((compiled, laid_out))
}

/// Without I/O there are no files.
fn paths(job: &Job, instance: &Instance) -> Vec<PathBuf> {
    if job.settings.engine.name == EngineName::Null { Vec::new() } else { instance.files.iter().map(PathBuf::from).collect() }
}

/// Files that are written by any job are opened first, because the first open decides for all.
fn opened(asked: &Asked, made: Vec<Planned<'_>>, permit: &mut JobFiles<'_>) -> Result<Vec<Clone>> {
    let mut written = BTreeSet::new();
    for (instance, compiled, _) in made.iter().filter(|(_, compiled, _)| compiled.spec.workload.writes()) {
        for (path, wish) in wishes(&asked.jobs[instance.job], instance, compiled, false) {
            permit.open(&path, Wish { direct: false, ..wish })?;
            written.insert(path);
        }
    }
    made.into_iter().map(|planned| one(asked, planned, permit, &written)).collect()
}

/// A clone before its files are open.
type Planned<'a> = (&'a Instance, Compiled, LaidOut);

fn clone((instance, compiled, laid_out): Planned<'_>, files: Vec<File>) -> Clone {
    Clone { job: instance.job, instance: instance.clone(), compiled, files, laid_out }
}

fn one(asked: &Asked, planned: Planned<'_>, permit: &mut JobFiles<'_>, written: &BTreeSet<PathBuf>) -> Result<Clone> {
    let (instance, compiled, _) = &planned;
    let job = &asked.jobs[instance.job];
    let mut files = Vec::new();
    for (path, wish) in wishes(job, instance, compiled, asked.line.general.readonly) {
        let opened = permit.open(&path, Wish { write: wish.write || written.contains(&path), ..wish })?;
        files.push(File { path, facts: opened.facts, handle: opened.handle, content_bytes: opened.content_bytes });
    }
    Ok(clone(planned, files))
}

/// What a clone wants of each of its files. A file that is too small must be written to be made larger.
fn wishes(job: &Job, instance: &Instance, compiled: &Compiled, readonly: bool) -> Vec<(PathBuf, Wish)> {
    let files = &job.settings.files;
    let reserve = !matches!(files.fallocate, Fallocate::None | Fallocate::Truncate);
    let wish = |path: &PathBuf, needs: u64| {
        let grows = !readonly && std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() < needs);
        let write = compiled.spec.workload.writes() || grows;
        Wish { write, direct: job.settings.access.direct, size_bytes: needs, reserve, make: files.may_create && !readonly }
    };
    paths(job, instance).into_iter().zip(&compiled.needs_bytes).map(|(path, needs)| (path.clone(), wish(&path, *needs))).collect()
}

/// Sizes of files as they are, or will be once the jobs before have made them.
struct Sizes<'a> {
    system: &'a System,
    known: BTreeMap<PathBuf, Existing>,
}

impl Sizes<'_> {
    fn of(&mut self, path: &Path) -> Existing {
        let system = self.system;
        *self.known.entry(path.to_path_buf()).or_insert_with(|| existing(system, path))
    }

    /// Notes that a file is made so large; whether it is smaller so far.
    fn will_be(&mut self, path: &Path, bytes: u64) -> bool {
        let Some(file) = self.known.get_mut(path).filter(|file| !file.is_device && !file.is_endless) else { return false };
        let grows = file.bytes < bytes;
        file.bytes = file.bytes.max(bytes);
        grows
    }
}

fn existing(system: &System, path: &Path) -> Existing {
    let Ok(meta) = std::fs::metadata(path) else { return Existing::default() };
    let kind = meta.file_type();
    match () {
        () if kind.is_block_device() => {
            let bytes = ioproof_target::resolve(system, path).map_or(0, |target| target.facts.size_bytes);
            Existing { bytes, is_device: true, is_endless: false }
        }
        () if kind.is_char_device() => Existing { is_endless: true, ..Existing::default() },
        () => Existing { bytes: meta.len(), ..Existing::default() },
    }
}

/// Says what would be done (`--dry-run`).
///
/// # Errors
/// When standard output is closed.
pub fn show(asked: &Asked, clones: &[Clone]) -> Result<()> {
    let mut out = String::new();
    for clone in clones {
        let Clone { compiled, instance, .. } = clone;
        let workload = &compiled.spec.workload;
        let what = format!("stage {}, group {}: {}: {}", instance.stage, instance.group, instance.name, workload.title());
        out.push_str(&format!("{what}, depth {}, {}\n", workload.depth, compiled.engine.word()));
        for (path, needs) in paths(asked.job(clone), instance).iter().zip(&compiled.needs_bytes) {
            let verb = if workload.writes() { "writes" } else { "reads" };
            out.push_str(&format!("  {verb} {}, up to {}\n", path.display(), binary_size(*needs)));
        }
    }
    out.push_str("nothing was opened: whether writing is allowed is decided when it is run\n");
    std::io::Write::write_all(&mut std::io::stdout(), out.as_bytes())?;
    Ok(())
}

impl File {
    /// Whether it is a regular file.
    pub fn is_regular(&self) -> bool {
        self.facts.kind == TargetKind::File
    }
}
