//! A stage: jobs side by side, with everything that was counted around them.
//!
//! Counters of the kernel belong to the stage, because jobs side by side may share a drive. [`super::Stage::sharing`] tells which rounds do.

use super::{DatabaseRound, DeviceCounters, DriveState, HostLoad, JobRecord, Round, Waiting};
use serde::{Deserialize, Serialize};
use std::ops::Deref;

/// The reason for which a stage was run. Only [`Purpose::Measure`] counts for rows of the judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Its figures are the result.
    #[default]
    Measure,
    /// A step of a search for a rate or a depth.
    Search,
    /// The drive is brought into a state.
    Precondition,
    /// Reads back what was written and compares it.
    ReadBack,
    /// A further run that tells what limits the figure of another.
    Tell,
    /// The loads of several targets at once, which are held against those of each alone.
    Together,
}

impl Purpose {
    pub fn title(self) -> &'static str {
        match self {
            Self::Measure => "measure",
            Self::Search => "search",
            Self::Precondition => "precondition",
            Self::ReadBack => "read back",
            Self::Tell => "tell what limits",
            Self::Together => "all at once",
        }
    }
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Stage {
    /// Position in the run, from 0.
    pub index: u32,
    /// The reason for which it was run.
    pub purpose: Purpose,
    /// Repetition of the same jobs, from 0.
    pub repetition: u32,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Length of all of it with ramps and drains. Nanoseconds.
    #[serde(skip_serializing_if = "crate::base::serde_skip::is_zero")]
    pub elapsed_ns: u64,
    /// The state of the targets before it.
    pub state_before: StateBefore,
    /// The drives before and after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<DriveBracket>,
    /// Counts of the kernel for every device below every target, ramps and drains included; `None`: not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<DeviceCounters>>,
    /// The host meanwhile; `None`: not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostLoad>,
    /// One round a job.
    pub rounds: Vec<Round>,
    /// One round a database.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseRound>,
}

impl Stage {
    /// Its rounds, each with its job. A round of a job that is not in the list is left out.
    pub fn parts<'a>(&'a self, jobs: &'a [JobRecord]) -> impl Iterator<Item = Part<'a>> {
        self.rounds.iter().filter_map(move |round| Some(Part { stage: self, job: jobs.get(round.job as usize)?, round }))
    }

    /// True where nothing was measured in it.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty() && self.databases.is_empty()
    }

    /// The drives at the bottom that were counted; `None` where nothing was.
    pub fn counted_drives(&self) -> Option<Vec<&DeviceCounters>> {
        let drives: Vec<&DeviceCounters> = self.devices.as_ref()?.iter().filter(|device| device.is_drive).collect();
        (!drives.is_empty()).then_some(drives)
    }

    /// Share of the stage for which at least one task of the host waited; none where it was not counted. 0 to 1.
    pub fn share_waited(&self, of: impl Fn(&HostLoad) -> Option<Waiting>) -> Option<f64> {
        let waiting = of(self.host.as_ref()?)?;
        (self.elapsed_ns > 0).then(|| (waiting.some_ns as f64 / self.elapsed_ns as f64).min(1.0))
    }

    /// CPU time of the host in use by anyone, 0 to 1.
    pub fn cpu_busy(&self) -> Option<f64> {
        self.host.as_ref()?.cpu_busy
    }
}

/// A round with its stage and its job. It stands for its round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part<'a> {
    pub stage: &'a Stage,
    pub job: &'a JobRecord,
    pub round: &'a Round,
}

impl Deref for Part<'_> {
    type Target = Round;

    fn deref(&self) -> &Round {
        self.round
    }
}

impl Part<'_> {
    /// The figure that the workload is about, in the stored unit of [`crate::workload::Workload::main_metric`].
    pub fn main_value(&self) -> f64 {
        self.round.value_of(self.job.workload.main_metric())
    }

    /// Its rate, in the stored unit of [`crate::workload::Workload::rate_metric`].
    pub fn rate(&self) -> f64 {
        self.round.value_of(self.job.workload.rate_metric())
    }
}

/// The state of the targets before a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StateBefore {
    /// Bytes that this run had written.
    pub written_bytes: u64,
    /// The jobs that ran last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_workload: Option<String>,
    /// Time since they ended. Nanoseconds.
    pub idle_ns: u64,
}

/// A drive before and after a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DriveBracket {
    /// Kernel name.
    pub name: String,
    /// Before.
    pub before: DriveState,
    /// After.
    pub after: DriveState,
}
