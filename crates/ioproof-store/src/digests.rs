//! Digests of a stored run's record, stages and judgement, by which a file that was changed or damaged since is told.
//!
//! They are written last, when a run has ended or was imported. A run that goes on, was killed, or was stored by an earlier version has none, and stands as it
//! is. Deliberately absent: `summary.json` and `labels.json`, by which nothing is judged.

use crate::layout::{JUDGEMENT, MOST_BYTES, is_measured};
use anyhow::{Context, Result};
use ioproof_process::complaint::complaint;
use ioproof_process::digest::sha256;
use ioproof_target::output_file::store;
use ioproof_target::read_own;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

pub(crate) const DIGESTS: &str = "digests.json";

/// Version of the file. One of a later version is not understood.
const VERSION: u32 = 1;

/// Words of every note on a file that is not as it was stored.
pub(crate) const CHANGED: &str = "changed or damaged since the run was stored";

/// SHA-256 of each file of a run that reports are made of, by its path below the run's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Digests {
    digests_version: u32,
    files: BTreeMap<String, String>,
}

impl Digests {
    /// None yet.
    pub(crate) fn new() -> Self {
        Self { digests_version: VERSION, files: BTreeMap::new() }
    }

    /// Notes what a file holds now, where reports are made of it.
    pub(crate) fn note(&mut self, name: &str, bytes: &[u8]) {
        if is_measured(name) || name == JUDGEMENT {
            self.add(name.to_owned(), sha256(&[bytes]));
        }
    }

    pub(crate) fn add(&mut self, name: String, sha256: String) {
        self.files.insert(name, sha256);
    }

    /// Those of the run in a folder; nothing where it was stored without.
    ///
    /// # Errors
    /// When the file cannot be read or understood.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(DIGESTS);
        let bytes = match read_own(&path, MOST_BYTES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let digests: Self =
            serde_json::from_slice(&bytes).with_context(|| format!("{} holds no digests of this format", path.display()))?;
        match digests.digests_version {
            VERSION => Ok(Some(digests)),
            other => {
                Err(complaint(format!("{} is of format {other}, this version reads {VERSION}", path.display()), "use a newer ioproof"))
            }
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        Ok(store(&folder.join(DIGESTS), &serde_json::to_vec(self)?)?)
    }

    /// Holds what a file of the run's folder has now against what it had.
    ///
    /// # Errors
    /// When it is another content, or the run was stored without such a file.
    pub(crate) fn check(&self, folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
        if self.files.get(name).is_some_and(|stored| *stored == sha256(&[bytes])) {
            return Ok(());
        }
        let hint = "look for what wrote to it, and take the run from a copy; `ioproof report RUN -o run.json` keeps what can still be read";
        Err(complaint(format!("{} was {CHANGED}", folder.join(name).display()), hint))
    }

    pub(crate) fn check_all(&self, folder: &Path) -> Result<()> {
        self.files.keys().try_for_each(|name| {
            let path = folder.join(name);
            let bytes = read_own(&path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
            self.check(folder, name, &bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_held_against_what_it_had() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Digests::read(folder.path()).unwrap(), None);
        let mut digests = Digests::new();
        for name in ["run.json", "stages/0000.json", "judgement.json", "summary.json", "labels.json", "lock"] {
            digests.note(name, b"as it was");
        }
        digests.write(folder.path()).unwrap();
        let read = Digests::read(folder.path()).unwrap().unwrap();
        assert_eq!((&read, read.files.len()), (&digests, 3), "what may change has none");
        assert!(read.check(folder.path(), "judgement.json", b"as it was").is_ok());
        for (name, bytes) in [("judgement.json", "as it is"), ("run.json", ""), ("stages/0001.json", "as it was")] {
            assert!(read.check(folder.path(), name, bytes.as_bytes()).is_err(), "{name}");
        }
        for damaged in ["", "{}", "{\"digests_version\":2,\"files\":{}}"] {
            std::fs::write(folder.path().join(DIGESTS), damaged).unwrap();
            assert!(Digests::read(folder.path()).is_err(), "{damaged}");
        }
    }
}
