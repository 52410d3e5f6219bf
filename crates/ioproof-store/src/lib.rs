//! The run store: a directory a run, written so that a kill at any moment leaves a complete earlier state.
//!
//!     <state>/runs/<id>/run.json           the record without its stages
//!                       stages/0000.json   one file a stage (version 1: rounds/, one file a round)
//!                       judgement.json     once it was judged
//!                       summary.json       what a list shows of it; made anew where it does not fit
//!                       labels.json        its name and tags, and when it was imported, where it has any
//!                       digests.json       SHA-256 of the first three, once it has ended
//!                       lock               held while the run goes on
//!     <state>/last-run      the id of the run that began last, since clocks are set
//!
//! Every file is written without a name, and gets it when it is whole. A run whose record says *running* and whose lock nobody holds was killed: it is shown
//! as interrupted, with the stages that it has. A file that is not as it was stored is told in a note of the record; of a stage and a judgement nothing is believed
//! then. Reads are bounded, and of regular files only. A report as JSON (`-o run.json`) is a stored run in one file.

#![forbid(unsafe_code)]

pub mod config_hash;
mod digests;
mod earlier;
mod find;
pub mod labels;
mod list;
mod locks;
mod remove;
mod room;
pub mod run_id;
mod summary;
pub mod transfer;

pub use earlier::earlier;
pub use find::{bears_name, find, folder_of, id_in, id_of, is_from_here, short_ids};
pub use list::{Listed, all_ids, all_ids_and_others, newest_first};
pub use locks::lock_store;
pub use remove::{remove, sweep, used_bytes};
pub use room::check_room;
pub use summary::Summary;

use anyhow::{Context, Result};
use digests::{CHANGED, Digests};
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, RunStatus, SCHEMA_VERSION, Stage, upgrade, version_of};
use ioproof_process::complaint::complaint;
use ioproof_process::folders;
use ioproof_target::output_file::{OutputError, OwnFolder, make_folders, open_lock};
use ioproof_target::{open_own, read_own, read_regular};
use locks::is_locked;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RECORD: &str = "run.json";
const JUDGEMENT: &str = "judgement.json";
const SUMMARY: &str = "summary.json";
const LOCK: &str = "lock";
const STAGES: &str = "stages";
const ROUNDS: &str = "rounds";

/// No file of a run is larger. Bytes.
const MOST_BYTES: u64 = 1 << 30;

/// A run being written, or one that is not kept.
#[derive(Debug)]
pub struct Writer {
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    folder: OwnFolder,
    stages: OwnFolder,
    lock: File,
    /// Files that a power cut may take.
    unsynced: RefCell<BTreeSet<String>>,
    digests: RefCell<Digests>,
    synced_at: Cell<Instant>,
}

impl Kept {
    /// Makes sure that the folders at the run's name are still those with the lock that is held and with its stages. What is written goes into these anyway; nobody would find it.
    fn are_in_place(&self) -> Result<()> {
        let look = || {
            Ok(OwnFolder::open(self.folder.path())?.is(&self.folder) && self.has_lock() && self.folder.folder_at(STAGES)?.is(&self.stages))
        };
        let folder = self.folder.path().display();
        match look() {
            Ok(true) => Ok(()),
            Err(OutputError::Io { source, .. }) if source.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => {
                Err(complaint(format!("cannot look at {folder}: {source}"), "raise the limit of open files (`ulimit -n`)"))
            }
            _ => Err(complaint(
                format!(
                    "{folder} is not the folder any more that this run made: it or its folder of stages was moved, or another stands there"
                ),
                "leave the folder of runs alone while a run goes on",
            )),
        }
    }

    fn has_lock(&self) -> bool {
        let there = self.folder.path().join(LOCK).symlink_metadata();
        let id = |file: &fs::Metadata| (file.dev(), file.ino());
        there.is_ok_and(|there| self.lock.metadata().is_ok_and(|held| id(&held) == id(&there)))
    }

    fn store(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (folder, file) = name.split_once('/').map_or((&self.folder, name), |(_, file)| (&self.stages, file));
        Ok(folder.store(file, bytes)?)
    }
}

/// Time after which stages are brought to the drive while the run goes on, between two of them.
const SYNC: Duration = Duration::from_secs(10);

impl Writer {
    /// Makes the run's directory and takes its lock.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub fn create(record: &RunRecord) -> Result<Self> {
        let folder = place(&record.id)?;
        let make = || -> Result<(OwnFolder, OwnFolder, File)> {
            make_folders(&folder.join(STAGES))?;
            let own = OwnFolder::open(&folder)?;
            let lock = open_lock(&folder.join(LOCK))?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
            Ok((own.folder_at(STAGES)?, own, lock))
        };
        let (stages, folder, lock) = make().map_err(|error| {
            let text = format!("cannot keep the run in {}: {}", folder.display(), ioproof_process::complaint::describe(&error));
            complaint(text, "set XDG_STATE_HOME to a folder that can be written")
        })?;
        let (unsynced, synced_at, digests) = (RefCell::default(), Cell::new(Instant::now()), RefCell::new(Digests::new()));
        let writer = Self { kept: Some(Kept { folder, stages, lock, unsynced, digests, synced_at }) };
        writer.save(record)?;
        writer.save_summary(record, None)?;
        // Without it the last run is told by the clock.
        let _ = find::note_last(&record.id);
        Ok(writer)
    }

    pub fn nowhere() -> Self {
        Self { kept: None }
    }

    /// Where the run is, if it is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.kept.as_ref().map(|kept| kept.folder.path())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        kept.are_in_place()?;
        kept.store(name, bytes)?;
        kept.digests.borrow_mut().note(name, bytes);
        kept.unsynced.borrow_mut().insert(name.to_owned());
        Ok(())
    }

    /// Brings what was written to the drive, so that a power cut leaves it.
    pub fn sync(&self) -> Result<()> {
        let Some(kept) = &self.kept else { return Ok(()) };
        for name in std::mem::take(&mut *kept.unsynced.borrow_mut()) {
            open_own(&kept.folder.path().join(name))?.sync_all()?;
        }
        kept.synced_at.set(Instant::now());
        // The names of new folders are kept by those above them, up to the one that is named in the environment.
        let stages = kept.folder.path().join(STAGES);
        Ok(stages.ancestors().take(5).try_for_each(|folder| File::open(folder)?.sync_all())?)
    }

    /// Writes the record without its stages.
    pub fn save(&self, record: &RunRecord) -> Result<()> {
        self.put(RECORD, &serde_json::to_vec_pretty(&record.without_stages())?)
    }

    pub fn save_stage(&self, stage: &Stage) -> Result<()> {
        self.put(&format!("stages/{:04}.json", stage.index), &serde_json::to_vec(stage)?)?;
        let is_due = self.kept.as_ref().is_some_and(|kept| kept.synced_at.get().elapsed() > SYNC);
        if is_due { self.sync() } else { Ok(()) }
    }

    pub fn save_judgement(&self, judgement: &Judgement) -> Result<()> {
        self.put(JUDGEMENT, &serde_json::to_vec_pretty(judgement)?)
    }

    /// Writes what a list shows, which is about the record as it was saved last.
    pub fn save_summary(&self, record: &RunRecord, judgement: Option<&Judgement>) -> Result<()> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let record_bytes = fs::metadata(folder.join(RECORD)).map_or(0, |meta| meta.len());
        let has_digests = record.status != RunStatus::Running;
        self.put(SUMMARY, &Summary::new(record, judgement, record_bytes).with_digests(has_digests).to_file()?)
    }

    /// Brings the run to the drive as one that has ended, and then the digests of its files: after a power cut these are of what is there.
    ///
    /// # Errors
    /// When the disk is full, the drive refuses, or a file is not as it was written.
    pub fn seal(&self) -> Result<()> {
        self.sync()?;
        let Some(kept) = &self.kept else { return Ok(()) };
        // While the run went on somebody may have written to what was stored first.
        kept.digests.borrow().check_all(kept.folder.path())?;
        let digests = serde_json::to_vec(&*kept.digests.borrow())?;
        self.put(digests::DIGESTS, &digests)?;
        self.sync()
    }
}

#[derive(Debug)]
pub struct Stored {
    pub record: RunRecord,
    /// The judgement that was stored with it, if it got so far.
    pub judgement: Option<Judgement>,
}

/// The folder of a run, whether or not it is there.
///
/// # Errors
/// When there is no state folder.
pub fn place(id: &str) -> Result<PathBuf> {
    Ok(runs_folder()?.join(id))
}

fn runs_folder() -> Result<PathBuf> {
    Ok(folders::state()?.join("runs"))
}

fn report(path: &Path) -> Result<Stored> {
    /// The document of `ioproof_report`.
    #[derive(serde::Deserialize)]
    struct Document {
        run: RunRecord,
        judgement: Judgement,
    }
    let bytes = read_regular(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    let no_report = |error: &dyn std::fmt::Display| {
        complaint(format!("{} is no report of a run as JSON: {error}", path.display()), "`ioproof report RUN -o run.json` writes one")
    };
    check_version(path, version_of(&bytes).map_err(|error| no_report(&error))?)?;
    let Document { run, judgement } = serde_json::from_slice(&bytes).map_err(|error| no_report(&error))?;
    Ok(Stored { record: run, judgement: Some(judgement) })
}

fn check_version(path: &Path, version: u32) -> Result<()> {
    if version == 0 {
        return Err(complaint(format!("{} is of format 0, which no version of ioproof wrote", path.display()), "name another run"));
    }
    if version > SCHEMA_VERSION {
        let text = format!("{} is of format {version}, this version reads up to {SCHEMA_VERSION}", path.display());
        return Err(complaint(text, "use a newer ioproof"));
    }
    Ok(())
}

/// Words of every note on stages that are not there or cannot be read.
const MISSING: &str = "missing here";

/// Words with which the note on a judgement begins that cannot be read.
const JUDGED_ANEW: &str = "it is judged anew";

fn load(folder: &Path) -> Result<Stored> {
    // Before all else: where they are, no other file is still to change.
    let (kept, unread) = kept_files(folder);
    let path = folder.join(RECORD);
    let run = read(&path)?;
    let no_record = || format!("{} is no record of this format", path.display());
    let version = version_of(&run).with_context(no_record)?;
    check_version(folder, version)?;
    let mut record: RunRecord = if version == 1 {
        upgrade(&run, &parts(&kept)?).with_context(no_record)?
    } else {
        // serde_json names line and column.
        serde_json::from_slice(&run).with_context(no_record)?
    };
    if version > 1 {
        read_stages(&mut record, &kept);
        note_missing_at_end(&mut record, list::kept_of(folder));
    }
    record.notes.extend(kept.note_removed(list::kept_of(folder)));
    if record.status == RunStatus::Running && !is_locked(folder) {
        record.status = RunStatus::Interrupted;
    }
    let changed = kept.check(RECORD, &run).err().map(|error| ioproof_process::complaint::describe(&error));
    record.notes.extend(changed.into_iter().chain(unread.map(|why| format!("its files may have been {CHANGED}: {why}"))));
    // What was judged by another format is judged anew.
    let judgement = (version == SCHEMA_VERSION && folder.join(JUDGEMENT).exists()).then(|| kept.read_json(JUDGEMENT)).transpose();
    let judgement = judgement.unwrap_or_else(|error: anyhow::Error| {
        record.notes.push(format!("{JUDGED_ANEW}: {}", ioproof_process::complaint::describe(&error)));
        None
    });
    Ok(Stored { record, judgement })
}

/// Adds the stages. One that cannot be read takes only itself away, which the record then says.
fn read_stages(record: &mut RunRecord, kept: &KeptFiles<'_>) {
    let number = |file: &Path| file.file_stem()?.to_str()?.parse::<u32>().ok();
    for (file, expected) in files(&kept.folder.join(STAGES)).iter().zip(0..) {
        match kept.read_json::<Stage>(&kept.name_of(file)) {
            Ok(stage) if Some(stage.index) == number(file) && !stage.started_at.is_empty() => record.stages.push(stage),
            Ok(_) => record.notes.push(format!("a stage is {MISSING}: {} holds none, or another", file.display())),
            Err(error) => record.notes.push(format!("a stage is {MISSING}: {}", ioproof_process::complaint::describe(&error))),
        }
        let before = record.notes.iter().any(|note| note.starts_with("stages are missing"));
        if number(file) != Some(expected) && !before {
            record.notes.push(format!("stages are {MISSING} before {}", file.display()));
        }
    }
}

/// Says that stages are missing behind the last that is there: the summary of a run that has ended knows how many there were.
fn note_missing_at_end(record: &mut RunRecord, summary: Option<Summary>) {
    let known = summary.filter(|summary| summary.status != RunStatus::Running).map_or(0, |summary| summary.rounds);
    let missing = known.saturating_sub(record.stages.len());
    if missing > 0 && !record.notes.iter().any(|note| note.contains(MISSING)) {
        record.notes.push(format!("{missing} of the {known} stages are {MISSING} at the end"));
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    files
}

fn parts(kept: &KeptFiles<'_>) -> Result<Vec<Vec<u8>>> {
    files(&kept.folder.join(ROUNDS)).iter().map(|file| kept.read(&kept.name_of(file))).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    read_own(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))
}

/// The files of a run, and the digests that they were stored with, where it has any.
#[derive(Debug)]
struct KeptFiles<'a> {
    folder: &'a Path,
    digests: Option<Digests>,
}

/// The files of the run in a folder, and the reason where nothing tells whether they are as they were stored.
fn kept_files(folder: &Path) -> (KeptFiles<'_>, Option<String>) {
    let read = Digests::read(folder);
    let unread = read.as_ref().err().map(ioproof_process::complaint::describe);
    (KeptFiles { folder, digests: read.unwrap_or_default() }, unread)
}

impl KeptFiles<'_> {
    /// The name of a file by its path in the run's folder, as the digests have it.
    fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(self.folder).unwrap_or(file).to_string_lossy().into_owned()
    }

    fn check(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.digests.as_ref().map_or(Ok(()), |digests| digests.check(self.folder, name, bytes))
    }

    /// Says that nothing tells any more whether the files are as they were stored, where the summary knows of digests.
    fn note_removed(&self, summary: Option<Summary>) -> Option<String> {
        let had = summary.is_some_and(|summary| summary.has_digests) && !self.folder.join(digests::DIGESTS).exists();
        had.then(|| format!("its files may have been {CHANGED}: its digests.json is gone, by which that would be told"))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let bytes = read(&self.folder.join(name))?;
        self.check(name, &bytes)?;
        Ok(bytes)
    }

    fn read_json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        let no_record = || format!("{} is no record of this format", self.folder.join(name).display());
        serde_json::from_slice(&self.read(name)?).with_context(no_record)
    }
}

/// Notes of a loaded record on what is missing of it or is not as it was stored, in so far as figures rest on it.
pub fn damage(record: &RunRecord) -> impl Iterator<Item = &String> {
    record.notes.iter().filter(|note| note.contains(MISSING) || note.contains(CHANGED) && !note.starts_with(JUDGED_ANEW))
}
