//! Takes a run file into the store. It is unpacked under a temporary name, judged by this version's rules, and gets its id when all of it is on the drive.

use crate::digests::{DIGESTS, Digests};
use crate::labels::{LABELS, RunLabels};
use crate::layout::{JUDGEMENT, RECORD, STAGES, SUMMARY, runs_folder, stage_file};
use crate::load::load;
use crate::locks::{lock_of, lock_store};
use crate::remove::{is_known, sweep_locked};
use crate::run_file::read_sealed;
use crate::run_id::is_id;
use crate::summary::Summary;
use anyhow::{Context, Result};
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::complaint;
use ioproof_target::open_own;
use ioproof_target::output_file::{make_folders, store};
use ioproof_target::state_folder::StateFolder;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// A run that is in the store now.
#[derive(Debug)]
pub enum Imported {
    /// It came with this file. The record without its stages, and what it is judged to be.
    New(Box<RunRecord>, Box<Judgement>),
    Known(String),
}

/// Takes the run in a file into the store.
///
/// # Errors
/// When the file is no run file, is damaged or hostile or of another format, another run bears its id, or the disk is full. The store is as it was then.
pub fn import(path: &Path) -> Result<Imported> {
    let not_imported = || format!("{} is not imported", path.display());
    imported(path).with_context(not_imported)
}

fn imported(path: &Path) -> Result<Imported> {
    let record = read_sealed(path)?;
    check(&record)?;
    let runs = runs_folder()?;
    make_folders(&runs).map_err(|error| {
        complaint(format!("cannot make {}: {error}", runs.display()), "set XDG_STATE_HOME to a folder that can be written")
    })?;
    let at = runs.join(&record.id);
    if let Some(known) = known(&at, &record)? {
        return Ok(known);
    }
    let (mut folder, _lock) = begun(&runs).with_context(|| format!("cannot write to {}", runs.display()))?;
    let done = unpack(&record, &folder.path()).and_then(|new| Ok(folder.rename(OsStr::new(&record.id)).map(|()| new)?));
    let Err(error) = done else {
        // The run is there whether or not its name is on the drive yet.
        let _ = File::open(&runs).and_then(|runs| runs.sync_all());
        return done;
    };
    let _ = folder.remove(&is_known);
    // Another process may have been faster with the same run.
    known(&at, &record)?.ok_or(error)
}

/// No run has more. A day of stages of half a second is more than the half of it.
const MOST_STAGES: usize = 100_000;

fn check(record: &RunRecord) -> Result<()> {
    let mut seen = BTreeSet::new();
    let problems = [
        (!is_id(&record.id), "its id is none that ioproof gives"),
        (record.stages.len() > MOST_STAGES, "it has more than 100,000 stages"),
        (!record.stages.iter().all(|stage| seen.insert(stage.index)), "a stage is in it twice"),
        (record.stages.iter().any(|stage| stage.started_at.is_empty()), "a stage of it never began"),
    ];
    let wrong = problems.into_iter().find(|(is_so, _)| *is_so);
    wrong.map_or(Ok(()), |(_, why)| Err(complaint(why, "it was put together by somebody: have the run exported again")))
}

/// A folder under a temporary name, whose lock is held as long as it has that name.
fn begun(runs: &Path) -> Result<(StateFolder, File)> {
    let _store = lock_store()?;
    // What cannot be taken away is in nobody's way.
    let _ = sweep_locked();
    let folder = StateFolder::make(runs)?;
    let lock = lock_of(&folder.path())?.context("somebody else holds its lock")?;
    Ok((folder, lock))
}

/// The run that bears the id already, if it is the same. One that another process removes meanwhile does not.
fn known(folder: &Path, record: &RunRecord) -> Result<Option<Imported>> {
    let is_there = || folder.symlink_metadata().is_ok();
    if !is_there() {
        return Ok(None);
    }
    same(folder, record).or_else(|error| if is_there() { Err(error) } else { Ok(None) })
}

fn same(folder: &Path, record: &RunRecord) -> Result<Option<Imported>> {
    let cannot = || format!("a run with its id is there, which cannot be read: {}", folder.display());
    let mut there = load(folder).with_context(cannot)?.record;
    // Notes on what is missing are made anew wherever it is read.
    there.notes.clone_from(&record.notes);
    if there == *record {
        return Ok(Some(Imported::Known(record.id.clone())));
    }
    let hint = format!("see it with `ioproof runs show {0}`, and take it away with `ioproof runs rm {0}`", record.id);
    Err(complaint(format!("another run has its id: {}", folder.display()), hint))
}

/// Writes all files of a run, and brings them to the drive.
fn unpack(record: &RunRecord, folder: &Path) -> Result<Imported> {
    let mut digests = Digests::new();
    let mut put = |name: &str, bytes: &[u8]| -> Result<()> {
        store(&folder.join(name), bytes)?;
        digests.note(name, bytes);
        Ok(open_own(&folder.join(name))?.sync_all()?)
    };
    make_folders(&folder.join(STAGES))?;
    let record_json = serde_json::to_vec_pretty(&record.without_stages())?;
    put(RECORD, &record_json)?;
    record.stages.iter().try_for_each(|stage| put(&stage_file(stage.index), &serde_json::to_vec(stage)?))?;
    // With notes on what is missing here.
    let mut record = load(folder)?.record;
    let judgement = judge(&record);
    put(JUDGEMENT, &serde_json::to_vec_pretty(&judgement)?)?;
    put(SUMMARY, &Summary::new(&record, Some(&judgement), record_json.len() as u64).with_digests(true).to_file()?)?;
    digests.write(folder)?;
    RunLabels::imported(ioproof_runner::now().rfc3339).write(folder)?;
    for name in [LABELS, DIGESTS] {
        open_own(&folder.join(name))?.sync_all()?;
    }
    for folder in [&folder.join(STAGES), folder] {
        File::open(folder)?.sync_all()?;
    }
    record.stages.clear();
    Ok(Imported::New(Box::new(record), Box::new(judgement)))
}
