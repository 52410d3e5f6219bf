//! One job file, read by fio and by ioproof.

use crate::command;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Result of reading a job file with both programs.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Same,
    /// Both accept it and show it otherwise: the first differing word of fio, and of ioproof.
    Shown(String, String),
    /// fio's first complaint.
    Neither(String),
    /// ioproof's reasons, each once, without file, line and value.
    FioOnly(Vec<String>),
    /// fio's first complaint.
    IoproofOnly(String),
}

impl Outcome {
    pub fn is_accepted_by_both(&self) -> bool {
        matches!(self, Self::Same | Self::Shown(..))
    }
}

pub struct Compared {
    pub path: PathBuf,
    pub outcome: Outcome,
}

/// Reads all files, several at a time, in an empty folder, where relative names in a job file lead; in the order given.
pub fn read_all(ioproof: &Path, files: &[PathBuf], empty: &Path) -> Result<Vec<Compared>> {
    let next = Mutex::new(files.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((index, path)) = next.lock().ok().and_then(|mut files| files.next()) else { return };
            let outcome = compare(ioproof, path, empty).with_context(|| path.display().to_string());
            if let Ok(mut done) = done.lock() {
                done.push((index, outcome.map(|outcome| Compared { path: path.clone(), outcome })));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, compared)| compared).collect()
}

fn compare(ioproof: &Path, path: &Path, folder: &Path) -> Result<Outcome> {
    let fio = |flag: &str| command::finish(Command::new("fio").arg(flag).arg(path).current_dir(folder));
    let ours = |flag: &str| command::finish(Command::new(ioproof).arg("run").arg(flag).arg(path).current_dir(folder));
    let (theirs, own) = (fio("--parse-only")?, ours("--parse-only")?);
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(match (theirs.status.success(), own.status.success()) {
        (true, true) => shown(&said(&fio("--showcmd")?.stdout), &said(&ours("--showcmd")?.stdout)),
        (false, false) => Outcome::Neither(complaint(&said(&theirs.stderr))),
        (true, false) => Outcome::FioOnly(reasons(&said(&own.stderr))),
        (false, true) => Outcome::IoproofOnly(complaint(&said(&theirs.stderr))),
    })
}

/// Words are compared in their order, since a later option overrides an earlier one.
fn shown(theirs: &str, ours: &str) -> Outcome {
    let (mut theirs, mut ours) = (theirs.split_whitespace(), ours.split_whitespace());
    loop {
        match (theirs.next(), ours.next()) {
            (None, None) => return Outcome::Same,
            (fio, own) if fio == own => {}
            (fio, own) => return Outcome::Shown(fio.unwrap_or("(end)").to_owned(), own.unwrap_or("(end)").to_owned()),
        }
    }
}

/// fio's first line on standard error, without a value in quotation marks.
fn complaint(stderr: &str) -> String {
    let line = stderr.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(nothing)");
    line.split('"').step_by(2).collect::<Vec<_>>().join("...")
}

/// The complaints on standard error, each once: `error: a.fio:3: cgroup=a is not honoured: why` is `cgroup is not honoured: why`.
fn reasons(stderr: &str) -> Vec<String> {
    let mut reasons: Vec<String> = stderr.lines().filter_map(|line| line.strip_prefix("error: ")).map(reason).collect();
    reasons.sort();
    reasons.dedup();
    reasons
}

fn reason(complaint: &str) -> String {
    let without_place = complaint.split_once(": ").filter(|(place, _)| is_place(place)).map_or(complaint, |(_, text)| text);
    match without_place.split_once(" is not honoured") {
        Some((option, why)) => format!("{} is not honoured{why}", option.split('=').next().unwrap_or(option)),
        None => without_place.to_owned(),
    }
}

/// `a.fio:3`
fn is_place(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}
