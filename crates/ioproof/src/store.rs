//! The run store: a directory a run, written so that a kill at any moment leaves a complete earlier state.
//!
//!     <state>/runs/<id>/run.json           the record without its stages
//!                       stages/0000.json   one file a stage (version 1: rounds/, one file a round)
//!                       judgement.json     once it was judged
//!                       lock               held while the run goes on
//!
//! Every file is written beside its name and renamed. A run whose record says *running* and whose lock nobody holds was killed: it is shown as
//! interrupted, with the stages that it has.

use crate::complaint::complaint;
use crate::folders;
use crate::output::replace;
use anyhow::{Context, Result};
use ioproof_core::record::{RunRecord, RunStatus, SCHEMA_VERSION, Stage, upgrade, version_of};
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
            fs::create_dir_all(folder.join("stages"))?;
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

    /// Writes the record without its stages.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn save(&self, record: &RunRecord) -> Result<()> {
        self.put("run.json", &serde_json::to_vec_pretty(&record.without_stages())?)
    }

    /// Writes one stage.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn save_stage(&self, stage: &Stage) -> Result<()> {
        self.put(&format!("stages/{:04}.json", stage.index), &serde_json::to_vec(stage)?)
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
    let path = folder.join("run.json");
    let run = read(&path)?;
    let no_record = || format!("{} is no record of this format", path.display());
    let version = version_of(&run).with_context(no_record)?;
    if version > SCHEMA_VERSION {
        let text = format!("{} is of format {version}, this version reads up to {SCHEMA_VERSION}", folder.display());
        return Err(complaint(text, "use a newer ioproof"));
    }
    let mut record: RunRecord = if version == 1 {
        upgrade(&run, &parts(&folder.join("rounds"))?).with_context(no_record)?
    } else {
        // serde_json names line and column.
        serde_json::from_slice(&run).with_context(no_record)?
    };
    if version > 1 {
        let stages = parts(&folder.join("stages"))?;
        record.stages =
            stages.iter().map(|bytes| serde_json::from_slice(bytes)).collect::<serde_json::Result<_>>().with_context(no_record)?;
    }
    if record.status == RunStatus::Running && !is_locked(&folder.join("lock")) {
        record.status = RunStatus::Interrupted;
    }
    // What was judged by another format is judged anew.
    let judgement = folder.join("judgement.json");
    let judgement = if version == SCHEMA_VERSION && judgement.exists() { Some(read_json(&judgement)?) } else { None };
    Ok(Stored { record, judgement })
}

/// The files of a folder in the order of their names.
fn parts(folder: &Path) -> Result<Vec<Vec<u8>>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "json"));
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn is_locked(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    serde_json::from_slice(&read(path)?).with_context(|| format!("{} is no record of this format", path.display()))
}
