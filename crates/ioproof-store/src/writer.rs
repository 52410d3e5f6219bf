//! A run while it is written. Every file is written without a name, and gets it when it is whole.

use crate::digests::{self, Digests};
use crate::find;
use crate::layout::{JUDGEMENT, LOCK, RECORD, STAGES, SUMMARY, place, stage_file};
use crate::summary::Summary;
use anyhow::Result;
use ioproof_core::judgement::Judgement;
use ioproof_core::record::{RunRecord, RunStatus, Stage};
use ioproof_process::complaint::{complaint, describe};
use ioproof_target::open_own;
use ioproof_target::output_file::{OutputError, OwnFolder, make_folders, open_lock};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A run being written, or one that is not kept.
#[derive(Debug)]
pub struct RunWriter {
    kept: Option<OpenRun>,
}

#[derive(Debug)]
struct OpenRun {
    folder: OwnFolder,
    stages: OwnFolder,
    lock: File,
    /// Files that a power cut may take.
    unsynced: RefCell<BTreeSet<String>>,
    digests: RefCell<Digests>,
    synced_at: Cell<Instant>,
}

impl OpenRun {
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

impl RunWriter {
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
            let text = format!("cannot keep the run in {}: {}", folder.display(), describe(&error));
            complaint(text, "set XDG_STATE_HOME to a folder that can be written")
        })?;
        let (unsynced, synced_at, digests) = (RefCell::default(), Cell::new(Instant::now()), RefCell::new(Digests::new()));
        let writer = Self { kept: Some(OpenRun { folder, stages, lock, unsynced, digests, synced_at }) };
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
        self.put(&stage_file(stage.index), &serde_json::to_vec(stage)?)?;
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
