//! One clone of a job with its files, as it is handed from step to step.

use ioproof_core::facts::{TargetFacts, TargetKind};
use ioproof_fio::compile::Compiled;
use ioproof_fio::schedule::Instance;
use ioproof_target::Handle;
use std::path::PathBuf;

/// One clone, ready to run.
#[derive(Debug)]
pub struct Subjob {
    pub job: usize,
    /// Where it stands in the schedule.
    pub instance: Instance,
    pub compiled: Compiled,
    pub files: Vec<OpenFile>,
    /// The file in which its buffers lie.
    pub buffers: Option<Handle>,
    /// Files that are made, looked up or removed by their names.
    pub by_name: Option<ByName>,
    /// The reason for which it cannot run on its files, where it cannot.
    pub impossible: Option<String>,
    /// Those of them that had to be made or made larger.
    pub laid_out: LaidOut,
}

/// Files of a clone whose engine takes names and no open files.
#[derive(Debug, Default)]
pub struct ByName {
    /// Their folder, where it can be told what it lies on.
    pub folder: Option<TargetFacts>,
    /// The names, from when the clone may begin on.
    pub handle: Option<Handle>,
}

impl Subjob {
    /// Targets of its I/O.
    pub fn targets(&self) -> Vec<&Handle> {
        match &self.by_name {
            Some(names) => names.handle.iter().collect(),
            None => self.files.iter().map(|file| &file.handle).collect(),
        }
    }

    /// Descriptions of what its I/O goes to: files, or the folder of files by name.
    pub fn facts(&self) -> Vec<&TargetFacts> {
        match &self.by_name {
            Some(names) => names.folder.iter().collect(),
            None => self.files.iter().map(|file| &file.facts).collect(),
        }
    }
}

/// Files that had to be made or made larger before a clone could run.
#[derive(Debug, Clone, Copy, Default)]
pub struct LaidOut {
    pub files: usize,
    /// Bytes of them together.
    pub bytes: u64,
}

#[derive(Debug)]
pub struct OpenFile {
    pub path: PathBuf,
    pub facts: TargetFacts,
    pub handle: Handle,
    /// Bytes from its start that have content.
    pub content_bytes: u64,
}

impl OpenFile {
    pub fn is_regular(&self) -> bool {
        self.facts.kind == TargetKind::File
    }
}
