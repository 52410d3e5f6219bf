//! A job of a run: a load on targets. A row of the judgement is one job.

use crate::job::Span;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobRecord {
    /// Name in the job file; none for a workload of a plan, which is named by its conditions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Positions of its targets in the run's list; empty where it moves no data.
    pub targets: Vec<u32>,
    /// The conditions, with the workers of all its clones.
    pub workload: Workload,
    /// The part of each target that it uses.
    pub span: Span,
    /// Claims of its target's datasheet that it answers, by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<usize>,
}

impl JobRecord {
    /// Its name, or its conditions in words.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.workload.title())
    }

    /// Its name, or its conditions in words with the queue depth, by which workloads of a run are told apart.
    pub fn title_with_depth(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}, queue depth {}", self.workload.title(), self.workload.concurrency()))
    }
}
