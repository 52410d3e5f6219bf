//! The run store: a directory a run, written so that a kill at any moment leaves a complete earlier state.
//!
//!     <state>/runs/<id>/run.json           the record without its rounds
//!                       rounds/0000.json   one file a round
//!                       judgement.json     once it was judged
//!                       lock               held while the run goes on
//!
//! Every file is written beside its name and renamed. A run whose record says *running* and whose lock nobody holds was killed: it is shown as
//! interrupted, with the rounds that it has.

use crate::complaint::complaint;
use crate::folders;
use crate::output::replace;
use anyhow::{Context, Result};
use ioproof_core::record::{Round, RunRecord, RunStatus, SCHEMA_VERSION};
use ioproof_core::verdict::Judgement;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A run being written, or one that is not kept.
#[derive(Debug)]
pub struct Writer {
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Kept {
    folder: PathBuf,
    _lock: File,
}

impl Writer {
    /// Makes the run's directory and takes its lock.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub fn create(record: &RunRecord) -> Result<Self> {
        let folder = runs_folder()?.join(&record.id);
        let make = || -> std::io::Result<File> {
            fs::create_dir_all(folder.join("rounds"))?;
            let lock = File::create(folder.join("lock"))?;
            flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
            Ok(lock)
        };
        let lock = make().map_err(|e| {
            let text = format!("cannot keep the run in {}: {e}", folder.display());
            complaint(text, "set XDG_STATE_HOME to a folder that can be written")
        })?;
        let writer = Self { kept: Some(Kept { folder, _lock: lock }) };
        writer.save(record)?;
        Ok(writer)
    }

    /// Keeps nothing.
    pub fn nowhere() -> Self {
        Self { kept: None }
    }

    /// Where the run is, if it is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.kept.as_ref().map(|kept| kept.folder.as_path())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.folder().map_or(Ok(()), |folder| replace(&folder.join(name), bytes))
    }

    /// Writes the record without its rounds.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn save(&self, record: &RunRecord) -> Result<()> {
        // Rounds are stored beside, so the copy costs little.
        let bare = RunRecord { rounds: Vec::new(), ..record.clone() };
        self.put("run.json", &serde_json::to_vec_pretty(&bare)?)
    }

    /// Writes one round.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn save_round(&self, round: &Round) -> Result<()> {
        self.put(&format!("rounds/{:04}.json", round.index), &serde_json::to_vec(round)?)
    }

    /// Writes the judgement.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn save_judgement(&self, judgement: &Judgement) -> Result<()> {
        self.put("judgement.json", &serde_json::to_vec_pretty(judgement)?)
    }
}

/// A stored run.
#[derive(Debug)]
pub struct Stored {
    /// The record with its rounds.
    pub record: RunRecord,
    /// The judgement that was stored with it, if it got so far.
    pub judgement: Option<Judgement>,
}

/// The newest `most` stored runs in the order of their ids, hence of when they began: the id, and the run or why it cannot be read.
///
/// # Errors
/// When there is no state folder to look in.
pub fn list(most: usize) -> Result<Vec<(String, Result<Stored>)>> {
    let folder = runs_folder()?;
    let ids = ids(&folder);
    let older = ids.len().saturating_sub(most);
    Ok(ids.into_iter().skip(older).map(|id| (id.clone(), load(&folder.join(id)))).collect())
}

/// Finds a run by id, the beginning of an id, `last`, or the path of its directory.
///
/// # Errors
/// When none or several match, or the run cannot be read.
pub fn find(name: &str) -> Result<Stored> {
    let path = Path::new(name);
    if path.join("run.json").is_file() {
        return load(path);
    }
    let folder = runs_folder()?;
    let ids = ids(&folder);
    let fitting: Vec<&String> = match name {
        "last" | "latest" => ids.last().into_iter().collect(),
        _ => ids.iter().filter(|id| id.starts_with(name)).collect(),
    };
    match fitting.as_slice() {
        [id] => load(&folder.join(id)),
        [] => Err(complaint(format!("there is no run `{name}` in {}", folder.display()), "`ioproof runs list` shows them")),
        several => Err(complaint(format!("`{name}` fits {} runs", several.len()), "give more of the id")),
    }
}

fn runs_folder() -> Result<PathBuf> {
    Ok(folders::state()?.join("runs"))
}

fn ids(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut ids: Vec<String> =
        entries.filter(|e| e.path().join("run.json").is_file()).filter_map(|e| e.file_name().into_string().ok()).collect();
    ids.sort();
    ids
}

fn load(folder: &Path) -> Result<Stored> {
    let mut record: RunRecord = read_json(&folder.join("run.json"))?;
    if record.schema_version > SCHEMA_VERSION {
        let text = format!("{} is of format {}, this version reads up to {SCHEMA_VERSION}", folder.display(), record.schema_version);
        return Err(complaint(text, "use a newer ioproof"));
    }
    let mut files: Vec<PathBuf> = fs::read_dir(folder.join("rounds")).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    record.rounds = files.iter().map(|f| read_json(f)).collect::<Result<_>>()?;
    if record.status == RunStatus::Running && !is_locked(&folder.join("lock")) {
        record.status = RunStatus::Interrupted;
    }
    let judgement = folder.join("judgement.json");
    let judgement = if judgement.exists() { Some(read_json(&judgement)?) } else { None };
    Ok(Stored { record, judgement })
}

fn is_locked(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // serde_json names line and column.
    serde_json::from_slice(&bytes).with_context(|| format!("{} is no record of this format", path.display()))
}
