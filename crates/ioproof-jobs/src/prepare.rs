//! Before anything runs: the sizes of files are looked at, the engine's jobs are made, and every file is opened under the write rule.

pub mod buffers;
pub mod by_name;
pub mod cancellable;
mod impossible;
mod memory;
mod missing;
mod needs;
mod notes;
mod sizes;

use self::needs::is_filled;
pub use self::needs::{check_room, paths, wishes};

use self::sizes::FileSizes;
use super::request::FioRequest;
use super::subjob::{LaidOut, OpenFile, Subjob};
use crate::outputs;
use crate::prepare::cancellable::Cancellable;
use crate::verify_state;
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_fio::compile::{Compiled, compile, compile_replay};
use ioproof_fio::iolog::IoLog;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::region::Existing;
use ioproof_fio::schedule::Instance;
use ioproof_fio::settings::EngineName;
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_runner::FileLayout;
use ioproof_store::run_id;
use ioproof_target::{Consent, JobFiles, OpenRequest, OwnFiles, System};
use rustix::process::{Resource, Rlimit};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The permit under which files are opened. Without a place for the ledger of files that we made, none is ours.
pub fn permit<'a>(system: &'a System, request: &FioRequest) -> JobFiles<'a> {
    let own = &request.line.own;
    let paths = |names: &[String]| names.iter().map(PathBuf::from).collect();
    let consent = Consent {
        overwrite: paths(&own.overwrite),
        overwrite_all_in: paths(&own.overwrite_all_in),
        destroy: None,
        destroy_unknown_content: own.destroy_unknown_content,
        in_use_unseen: own.destroy_unseen_users,
    };
    let made = folders::state().map_or_else(|_| OwnFiles::nowhere(), |folder| OwnFiles::new(folder.join("made-files")));
    JobFiles::new(system, &consent, &own.destroy, made)
}

/// All clones, with their files open.
///
/// # Errors
/// When a job does not fit its files, they do not fit their filesystems, a file may not be opened as the job needs it, or the user ends it.
pub fn prepare(
    system: &System,
    request: &FioRequest,
    permit: &mut JobFiles<'_>,
    notes: &mut Vec<String>,
    stop: &AtomicBool,
) -> Result<Vec<Subjob>> {
    let mut sizes = FileSizes::new(system);
    let seed = run_id::seed() >> 11;
    let (mut made, mut sentences) = (Vec::new(), notes::JobSentences::default());
    for instance in &request.schedule.clones {
        let job = &request.jobs[instance.job];
        let log = request.replays.of(instance.number);
        let made_of = compiled(job, instance, &mut sizes, seed, log.map(Arc::as_ref));
        let loaded = made_of.and_then(|(mut compiled, laid_out)| {
            verify_state::load(request, job, instance.clone, &mut compiled)?;
            Ok((compiled, laid_out))
        });
        let subjob = match loaded {
            Ok((compiled, laid_out)) => Subjob {
                job: instance.job,
                instance: instance.clone(),
                compiled,
                files: Vec::new(),
                laid_out,
                buffers: None,
                by_name: None,
                impossible: None,
            },
            Err(error) => impossible::subjob(job, instance, seed, error)?,
        };
        subjob.compiled.notes.iter().for_each(|note| sentences.about(&job.name, note));
        made.push(subjob);
    }
    impossible::check(request, &made)?;
    by_name::check(request, &made)?;
    buffers::check(request, &made)?;
    memory::check(system, request, &made)?;
    notes.extend(sentences.lines().chain(notes::of_options(request)).chain(notes::of_ending(request)));
    check_directories(request)?;
    outputs::check_names(request, &made)?;
    allow_descriptors(&made.iter().map(by_name::opened).collect::<Vec<_>>())?;
    if request.line.own.dry_run {
        return Ok(made);
    }
    check_room(request, made.iter().map(|clone| (&clone.instance, &clone.compiled)))?;
    open_all(request, &mut made, permit, stop)?;
    buffers::open(request, &mut made, permit)?;
    by_name::describe(&mut made, permit)?;
    if let Some(text) = permit.warning() {
        ioproof_process::messages::warning(&text);
    }
    Ok(made)
}

/// Folders in the names of files are made; `directory=` must be there, as in fio.
fn check_directories(request: &FioRequest) -> Result<()> {
    let missing =
        |job: &FioJob| job.settings.files.directories.iter().find(|directory| !Path::new(directory).is_dir()).map(|name| visible(name));
    let mut jobs = request.jobs.iter().filter(|job| job.settings.engine.name != EngineName::Null);
    let Some((job, name)) = jobs.find_map(|job| Some((job, missing(job)?))) else { return Ok(()) };
    let text = format!("{}: job {}: directory={name}: there is no such directory", job.place, visible(&job.name));
    Err(complaint(text, format!("make it (mkdir -p {name}); folders that are named in filename= are made")))
}

/// Every file takes a descriptor for the permit and one for each clone that uses it. What the system allows beyond its default is taken, and by root what it needs.
fn allow_descriptors(files_of_clones: &[&[String]]) -> Result<()> {
    const OTHERS: u64 = 64;
    let files = files_of_clones.iter().copied().flatten().collect::<HashSet<_>>().len();
    let of_clones = files_of_clones.iter().map(|files| files.len() + 1).sum::<usize>();
    let needed = (files + of_clones) as u64 + OTHERS;
    let Rlimit { current, maximum } = rustix::process::getrlimit(Resource::Nofile);
    if current.is_none_or(|current| needed <= current) {
        return Ok(());
    }
    let most = maximum.map(|maximum| maximum.max(needed));
    if rustix::process::setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).is_ok() {
        return Ok(());
    }
    let most = maximum.or(current).unwrap_or(u64::MAX);
    let text = format!("about {needed} descriptors are needed for all files of all clones, and {most} are allowed");
    Err(complaint(text, "ulimit -n raises it; or fewer clones (numjobs) or files (nrfiles); openfiles does not lower it"))
}

/// Refuses files that are one and the same by several names, where what was written is verified: each name would find what was written by another.
fn named_once(paths: &[PathBuf]) -> Result<(), String> {
    let mut known = HashMap::new();
    let twice = paths.iter().find_map(|path| Some((known.insert(identity(path)?, path)?, path)));
    twice.map_or(Ok(()), |(one, other)| {
        let (one, other) = (visible(&one.to_string_lossy()).to_string(), visible(&other.to_string_lossy()).to_string());
        Err(format!("{one} and {other} are the same file, which cannot be verified by both names: name each file once"))
    })
}

/// The place of a file: its number, or its name in its folder where it is still to be made.
fn identity(path: &Path) -> Option<(u64, u64, OsString)> {
    match path.metadata() {
        Ok(meta) => Some((meta.dev(), meta.ino(), OsString::new())),
        Err(_) => {
            let folder = ioproof_target::folder_of(path).metadata().ok()?;
            Some((folder.dev(), folder.ino(), path.file_name()?.to_owned()))
        }
    }
}

fn compiled(
    job: &FioJob,
    instance: &Instance,
    sizes: &mut FileSizes<'_>,
    seed: u64,
    log: Option<&IoLog>,
) -> Result<(Compiled, LaidOut), String> {
    let paths = paths(job, instance);
    let existing: Vec<Existing> = paths.iter().map(|path| sizes.size_of(path)).collect();
    let existing = if existing.is_empty() { vec![Existing { is_endless: true, ..Existing::default() }] } else { existing };
    let compiled = match log {
        Some(log) => compile_replay(&job.settings, instance.clone, instance.number, &existing, seed, log)?,
        None => compile(&job.settings, instance.clone, instance.number, &existing, seed)?,
    };
    missing::check(job, &compiled, &paths, &existing)?;
    let mut laid_out = LaidOut::default();
    if compiled.spec.workload.shape.data.checked && compiled.writes() {
        named_once(&paths)?;
    }
    for (path, bytes) in paths.iter().zip(&compiled.needs_bytes) {
        if sizes.will_be(path, *bytes) && !job.settings.files.create_on_open {
            laid_out = LaidOut { files: laid_out.files + 1, bytes: laid_out.bytes.saturating_add(*bytes) };
        }
    }
    Ok((compiled, laid_out))
}

/// Files that are written by any job are opened first, because the first open decides for all.
fn open_all(request: &FioRequest, clones: &mut [Subjob], permit: &mut JobFiles<'_>, stop: &AtomicBool) -> Result<()> {
    let mut written = BTreeSet::new();
    let opens = |clone: &Subjob| clone.instance.files.len() as u64 * (1 + u64::from(clone.compiled.writes()));
    let mut cancellable = Cancellable::new(stop, clones.iter().map(opens).sum());
    for clone in clones.iter().filter(|clone| clone.compiled.writes()) {
        for (path, wish) in wishes(request.job(clone), &clone.instance, &clone.compiled, false) {
            cancellable.step(1, opening)?;
            if by_name::is_to_come(&clone.compiled, &path) {
                continue;
            }
            permit.open(&path, OpenRequest { direct: false, ..wish })?;
            written.insert(path);
        }
    }
    for clone in clones {
        clone.files = files_of(request, clone, permit, &written, &mut cancellable)?;
    }
    Ok(())
}

fn opening(done: u64, all: u64) -> String {
    format!("making and opening files, {} %", done * 100 / all.max(1))
}

fn files_of(
    request: &FioRequest,
    clone: &Subjob,
    permit: &mut JobFiles<'_>,
    written: &BTreeSet<PathBuf>,
    cancellable: &mut Cancellable<'_>,
) -> Result<Vec<OpenFile>> {
    let mut files = Vec::new();
    for (path, wish) in wishes(request.job(clone), &clone.instance, &clone.compiled, request.line.general.readonly) {
        cancellable.step(1, opening)?;
        if by_name::is_to_come(&clone.compiled, &path) {
            continue;
        }
        let opened = permit.open(&path, OpenRequest { write: wish.write || written.contains(&path), ..wish })?;
        files.push(OpenFile { path, facts: opened.facts, handle: opened.handle, content_bytes: opened.content_bytes });
    }
    Ok(files)
}

/// The files that lack content which a job needs, each once.
pub fn to_lay_out<'a>(request: &FioRequest, clones: &'a [Subjob]) -> Vec<FileLayout<'a>> {
    let mut seen = BTreeSet::new();
    let lacks = |file: &&OpenFile| file.is_regular() && file.content_bytes < file.handle.size_bytes();
    let needy = clones.iter().filter(|clone| is_filled(request.job(clone), &clone.compiled));
    let files = needy.flat_map(|clone| {
        let sync = request.job(clone).settings.files.create_fsync;
        clone.files.iter().filter(lacks).map(move |file| FileLayout {
            path: &file.path,
            handle: &file.handle,
            content_bytes: file.content_bytes,
            sync,
        })
    });
    files.filter(|file| seen.insert(file.path)).collect()
}
