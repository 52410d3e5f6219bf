//! Files of a run with the digests that they were stored with.

use crate::digests::{self, CHANGED, Digests};
use crate::layout::MOST_BYTES;
use crate::summary::Summary;
use anyhow::{Context, Result};
use ioproof_target::read_own;
use std::path::Path;

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    read_own(path, MOST_BYTES).with_context(|| format!("cannot read {}", path.display()))
}

/// The files of a run, and the digests that they were stored with, where it has any.
#[derive(Debug)]
pub(crate) struct KeptFiles<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) digests: Option<Digests>,
}

/// The files of the run in a folder, and the reason where nothing tells whether they are as they were stored.
pub(crate) fn kept_files(folder: &Path) -> (KeptFiles<'_>, Option<String>) {
    let read = Digests::read(folder);
    let unread = read.as_ref().err().map(ioproof_process::complaint::describe);
    (KeptFiles { folder, digests: read.unwrap_or_default() }, unread)
}

impl KeptFiles<'_> {
    /// The name of a file by its path in the run's folder, as the digests have it.
    pub(crate) fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(self.folder).unwrap_or(file).to_string_lossy().into_owned()
    }

    pub(crate) fn check(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.digests.as_ref().map_or(Ok(()), |digests| digests.check(self.folder, name, bytes))
    }

    /// Says that nothing tells any more whether the files are as they were stored, where the summary knows of digests.
    pub(crate) fn note_removed(&self, summary: Option<Summary>) -> Option<String> {
        let had = summary.is_some_and(|summary| summary.has_digests) && !self.folder.join(digests::DIGESTS).exists();
        had.then(|| format!("its files may have been {CHANGED}: its digests.json is gone, by which that would be told"))
    }

    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>> {
        let bytes = read(&self.folder.join(name))?;
        self.check(name, &bytes)?;
        Ok(bytes)
    }

    pub(crate) fn read_json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        let no_record = || format!("{} is no record of this format", self.folder.join(name).display());
        serde_json::from_slice(&self.read(name)?).with_context(no_record)
    }
}
