//! Logs that jobs replay: read before anything is opened, and held against the files that the jobs name.

use crate::files::place;
use crate::request::{FioRequest, Replays};
use anyhow::Result;
use ioproof_core::text::visible;
use ioproof_fio::iolog::{self, IoLog};
use ioproof_fio::jobs::FioJob;
use ioproof_fio::settings::EngineName;
use ioproof_process::complaint::complaint;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest log that is read. Bytes.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the logs of all clones, which go to the files of their logs from here on.
///
/// # Errors
/// When a log cannot be read, goes to files that its job does not name, or writes although only reading is allowed.
pub fn read(mut request: FioRequest) -> Result<FioRequest> {
    let mut known: BTreeMap<String, IoLog> = BTreeMap::new();
    let mut replays = BTreeMap::new();
    for at in 0..request.schedule.clones.len() {
        let instance = &request.schedule.clones[at];
        let job = &request.jobs[instance.job];
        let Some(name) = job.settings.replay.log_of(instance.clone) else { continue };
        if !known.contains_key(name) {
            known.insert(name.to_owned(), load(job, name)?);
        }
        let log = of_engine(job, known[name].clone().changed(&job.settings.replay));
        check(&request, job, name, &log)?;
        let instance = &mut request.schedule.clones[at];
        instance.files = log.files.clone();
        replays.insert(instance.number, Arc::new(log));
    }
    request.replays = Replays(replays);
    Ok(request)
}

fn load(job: &FioJob, name: &str) -> Result<IoLog> {
    let wrong =
        |why: &str| complaint(format!("{}: job {}: read_iolog={}: {}", job.place, visible(&job.name), visible(name), visible(why)), HINT);
    if name == "-" {
        return Err(wrong("a log is not read from standard input; name a file"));
    }
    let bytes = ioproof_target::read_input(Path::new(name), MOST_BYTES).map_err(|error| wrong(&error.to_string()))?;
    iolog::parse(&bytes).map_err(|why| wrong(&why))
}

const HINT: &str = "`ioproof run --cmdhelp=read_iolog` says which logs can be read";

/// Without I/O all goes to one place in memory.
fn of_engine(job: &FioJob, mut log: IoLog) -> IoLog {
    if job.settings.engine.name == EngineName::Null {
        log.files.truncate(1);
        log.ios.iter_mut().for_each(|io| io.target = 0);
    }
    log
}

fn check(request: &FioRequest, job: &FioJob, name: &str, log: &IoLog) -> Result<()> {
    let of = |what: String| format!("{}: job {}: the log {} {what}", job.place, visible(&job.name), visible(name));
    let writer = (0u32..).zip(&log.files).find(|(target, _)| log.changes(*target));
    if let (true, Some((_, file))) = (request.line.general.readonly, writer) {
        return Err(complaint(
            of(format!("writes to {}, and --readonly was given", visible(file))),
            "replay_skip=write,trim leaves writes out",
        ));
    }
    let unnamed = log.files.iter().find(|file| !is_named(request, job, file));
    let Some(file) = unnamed.filter(|_| job.settings.engine.name != EngineName::Null) else { return Ok(()) };
    let shown = visible(file);
    let text = of(format!("goes to {shown}, which the job does not name"));
    let hint = match log.is_blktrace {
        true => "replay_redirect=FILE sends it all to a file or device".to_owned(),
        false => format!("filename={shown} allows it, or replay_redirect=FILE sends it all to another file or device"),
    };
    Err(complaint(text, hint))
}

/// True for the file that all is redirected to, one that `filename` names, and one that may be written whosever it is.
fn is_named(request: &FioRequest, job: &FioJob, file: &str) -> bool {
    let settings = &job.settings;
    let own = &request.line.own;
    let file = whole(file);
    let named = settings.files.names.iter().chain(&own.overwrite);
    let under = settings.files.paths(&job.section, 0);
    settings.replay.redirect.is_some()
        || named.map(|name| whole(name)).any(|name| name == file)
        || !settings.files.names.is_empty() && under.iter().any(|name| whole(name) == file)
        || own.overwrite_all_in.iter().any(|folder| file.starts_with(whole(folder)))
}

/// A name by which files are compared: links and `..` resolved as far as they are there.
fn whole(name: &str) -> PathBuf {
    let path = Path::new(name);
    place::same(path).or_else(|| path.canonicalize().ok()).unwrap_or_else(|| path.to_path_buf())
}
