//! The head of a run: everything but its load and its stages. A reader of thousands of run files keeps no histogram.

use super::{DriveBracket, RunStatus, TargetRecord};
use crate::facts::{DeviceFacts, HostFacts};
use crate::finding::Finding;
use serde::Deserialize;

/// The fields of a [`super::RunRecord`] that describe the run, its drives and its host.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RunHead {
    /// Sortable by when the run began.
    pub id: String,
    /// Version of the program that wrote it.
    pub program_version: String,
    pub verb: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    #[serde(default)]
    pub ended_at: Option<String>,
    pub status: RunStatus,
    /// SHA-256 over configuration, policy, plan, jobs and datasheets.
    pub config_sha256: String,
    /// The machine.
    pub host: HostFacts,
    pub targets: Vec<TargetRecord>,
    /// The drives before and after all stages, by their own account.
    #[serde(default)]
    pub health: Vec<DriveBracket>,
    /// Findings that were made before anything was measured.
    #[serde(default)]
    pub warnings: Vec<Finding>,
}

impl RunHead {
    /// The first drive of the run; a run of a fleet has one.
    pub fn drive(&self) -> Option<&DeviceFacts> {
        self.targets.iter().flat_map(|target| &target.drives).next()
    }
}
