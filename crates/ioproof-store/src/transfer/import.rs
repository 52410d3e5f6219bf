//! Takes an export into the store. It is unpacked under a temporary name, looked through, judged by this version's rules, and gets its id when all of it is right
//! and on the drive; so nobody sees half of it, and whatever goes wrong leaves nothing.

use super::read::Reader;
use super::{check_part, contents_of};
use crate::digests::{DIGESTS, Digests};
use crate::labels::{LABELS, RunLabels};
use crate::layout::{JUDGEMENT, RECORD, ROUNDS, STAGES, SUMMARY, runs_folder};
use crate::load::{StoredRun, load};
use crate::locks::{lock_of, lock_store};
use crate::remove::{is_known, sweep_locked};
use crate::room::Room;
use crate::summary::Summary;
use anyhow::{Context, Result};
use ioproof_core::export::{Contents, ExportedFile};
use ioproof_core::judge::judge;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::RunRecord;
use ioproof_process::complaint::complaint;
use ioproof_target::output_file::{make_folders, store};
use ioproof_target::state_folder::StateFolder;
use ioproof_target::{open_own, open_regular};
use std::ffi::OsStr;
use std::fs::{self, File};
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
/// When the file is no export, is damaged or hostile or of a later format, another run bears its id, or the disk is full. The store is as it was then.
pub fn import(path: &Path) -> Result<Imported> {
    let not_imported = || format!("{} is not imported", path.display());
    imported(path).with_context(not_imported)
}

fn imported(path: &Path) -> Result<Imported> {
    let reader = Reader::of(open_regular(path)?)?;
    let runs = runs_folder()?;
    make_folders(&runs).map_err(|error| {
        complaint(format!("cannot make {}: {error}", runs.display()), "set XDG_STATE_HOME to a folder that can be written")
    })?;
    let at = runs.join(&reader.contents().id);
    if let Some(known) = known(&at, &reader)? {
        return Ok(known);
    }
    let (mut folder, _lock) = begun(&runs).with_context(|| format!("cannot write to {}", runs.display()))?;
    let done = unpack(&reader, &folder.path()).and_then(|new| Ok(folder.rename(OsStr::new(&reader.contents().id)).map(|()| new)?));
    let Err(error) = done else {
        // The run is there whether or not its name is on the drive yet.
        let _ = File::open(&runs).and_then(|runs| runs.sync_all());
        return done;
    };
    let _ = folder.remove(&is_known);
    // Another process may have been faster with the same run.
    known(&at, &reader)?.ok_or(error)
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
fn known(folder: &Path, reader: &Reader) -> Result<Option<Imported>> {
    let is_there = || folder.symlink_metadata().is_ok();
    if !is_there() {
        return Ok(None);
    }
    // That it is there says nothing of this file, which somebody may keep for a good copy.
    reader.check()?;
    same(folder, reader.contents()).or_else(|error| if is_there() { Err(error) } else { Ok(None) })
}

fn same(folder: &Path, contents: &Contents) -> Result<Option<Imported>> {
    let (there, _) =
        contents_of(folder).with_context(|| format!("a run with its id is there, which cannot be read: {}", folder.display()))?;
    if there == *contents {
        return Ok(Some(Imported::Known(contents.id.clone())));
    }
    let hint = format!("see it with `ioproof runs show {0}`, and take it away with `ioproof runs rm {0}`", contents.id);
    Err(complaint(format!("another run has its id: {}", folder.display()), hint))
}

fn unpack(reader: &Reader, folder: &Path) -> Result<Imported> {
    let mut room = Room::of_host();
    for (at, file) in reader.contents().files.iter().enumerate() {
        let bytes = reader.read(at)?;
        room.take(&bytes)?;
        check_part(file.name, &bytes).with_context(|| format!("{} of it is damaged", file.name))?;
        let path = folder.join(file.name.to_string());
        make_folders(path.parent().unwrap_or(folder))?;
        store(&path, &bytes)?;
    }
    let StoredRun { mut record, .. } = load(folder)?;
    if record.id != reader.contents().id {
        return Err(complaint("its id is not that of its record", "it was put together by somebody: have the run exported again"));
    }
    let judgement = judge(&record);
    keep(folder, &record, &judgement, &reader.contents().files)?;
    record.stages.clear();
    Ok(Imported::New(Box::new(record), Box::new(judgement)))
}

/// Writes what belongs to a run in this store, and brings all of it to the drive.
fn keep(folder: &Path, record: &RunRecord, judgement: &Judgement, files: &[ExportedFile]) -> Result<()> {
    let judgement_bytes = serde_json::to_vec_pretty(judgement)?;
    store(&folder.join(JUDGEMENT), &judgement_bytes)?;
    let mut digests = Digests::new();
    digests.note(JUDGEMENT, &judgement_bytes);
    files.iter().for_each(|file| digests.add(file.name.to_string(), file.sha256.clone()));
    digests.write(folder)?;
    let record_bytes = fs::metadata(folder.join(RECORD))?.len();
    store(&folder.join(SUMMARY), &Summary::new(record, Some(judgement), record_bytes).with_digests(true).to_file()?)?;
    RunLabels::imported(ioproof_runner::now().rfc3339).write(folder)?;
    for name in [RECORD, JUDGEMENT, SUMMARY, LABELS, DIGESTS] {
        open_own(&folder.join(name))?.sync_all()?;
    }
    for below in [STAGES, ROUNDS].map(|name| folder.join(name)).iter().filter(|below| below.is_dir()) {
        super::files(below).iter().try_for_each(|file| open_own(file)?.sync_all())?;
        File::open(below)?.sync_all()?;
    }
    Ok(File::open(folder)?.sync_all()?)
}
