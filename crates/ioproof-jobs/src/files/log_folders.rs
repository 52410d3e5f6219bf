//! The folders of logs.

use super::place::OutputPlace;
use anyhow::Result;
use ioproof_target::folder_of;
use ioproof_target::output_file::Standing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folders of logs, held from the look before the run to the end, and what stood at the name of each log then.
#[derive(Debug, Default)]
pub struct LogFolders(Mutex<HeldFolders>);

#[derive(Debug, Default)]
struct HeldFolders {
    places: BTreeMap<PathBuf, OutputPlace>,
    standings: BTreeMap<PathBuf, Standing>,
}

impl LogFolders {
    pub fn place(&self, path: &Path, overwrite: &[String]) -> Result<OutputPlace> {
        match self.locked().places.get(folder_of(path)) {
            Some(held) => held.beside(path, overwrite),
            None => OutputPlace::at(path, overwrite),
        }
    }

    pub fn hold(&self, path: &Path, place: OutputPlace, standing: Standing) {
        let mut held = self.locked();
        held.places.entry(folder_of(path).to_path_buf()).or_insert(place);
        held.standings.insert(path.to_path_buf(), standing);
    }

    /// True where a file stands there now that did not before the run: another run's log, which is ioproof's own too.
    pub fn is_new_since(&self, path: &Path, now: Standing) -> bool {
        matches!(now, Standing::Replaceable(_)) && self.locked().standings.get(path).is_some_and(|before| *before != now)
    }

    fn locked(&self) -> MutexGuard<'_, HeldFolders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
