//! The record of a run: everything that a judgement needs, in the stored format.
//!
//! A run has *targets* (facts, drives, content), *jobs* (a load on targets) and *stages*: jobs that ran side by side, with the counters of the kernel around
//! them. A stage holds one [`Round`] for each of its jobs. A run directory holds `run.json` ([`RunRecord`] without its stages) and one file a stage; a reader
//! puts them together. The format is a stable interface: [`SCHEMA_VERSION`] rises with every change that an older reader would misread. A value that nobody
//! counted is `None`; 0 means that it was counted and nothing happened.

mod check;
mod counters;
mod database;
mod depth;
mod drive_history;
mod engine;
mod errors;
mod head;
mod job;
mod pg_test_fsync;
mod pressure;
mod program_run;
mod round;
mod slices;
mod spread;
mod stage;
mod target;
pub mod verbs;
mod workers;

pub use crate::counts::{Direction, QueueUse};
pub use check::CheckResult;
pub use counters::{DeviceCounters, DriveState, HostLoad, LimitUse, STOP_NS};
pub use database::{
    CheckpointCounts, DatabaseKind, DatabaseRecord, DatabaseRound, DatabaseSlice, Mix, ScriptRecord, ServerRecord, WalCounts,
};
pub use depth::DepthFound;
pub use drive_history::{DriveHistory, Freshness, Purge, SteadyState};
pub use engine::{EngineFacts, NVME_PASSTHROUGH, OWN_DRIVER, SCSI_PASSTHROUGH, SelfTest};
pub use errors::{IoError, IoErrors};
pub use head::RunHead;
pub use job::JobRecord;
pub use pg_test_fsync::{PgTestFsync, SyncRate};
pub use pressure::{InterruptedCpu, Waiting};
pub use program_run::{ProgramRun, SPDK_PERF};
pub use round::{Round, RoundOutcome};
pub use slices::{Interval, SliceLatency};
pub use spread::{BEYOND, Spread};
pub use stage::{DriveBracket, Part, Purpose, Stage, StateBefore};
pub use target::{DatasheetUse, Fill, TargetRecord};
pub use workers::WorkerUsage;

use crate::base::distinct::distinct_by;
use crate::facts::{DeviceFacts, HostFacts, Layer};
use crate::finding::Finding;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::search::Searched;
use serde::{Deserialize, Serialize};

/// Version of the stored format and of `--json`.
pub const SCHEMA_VERSION: u32 = 2;

/// Version of the format in which a `run.json` is written.
///
/// # Errors
/// When it is no JSON object with such a number.
pub fn version_of(run: &[u8]) -> serde_json::Result<u32> {
    #[derive(Deserialize)]
    struct Version {
        schema_version: u32,
    }
    serde_json::from_slice::<Version>(run).map(|version| version.schema_version)
}

/// The state of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RunStatus {
    /// Under way; where nobody holds its lock, it was killed.
    #[default]
    Running,
    /// Everything planned was measured, as far as time allowed.
    Complete,
    /// Ended early by the user or by a kill.
    Interrupted,
    /// The kernel never gave an I/O back.
    Hung {
        /// The I/O that hung.
        reason: String,
    },
    /// Ended by an error of the target or of ours.
    Failed {
        /// The error.
        reason: String,
    },
}

impl RunStatus {
    /// In a word, the same wherever a run is told of.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Hung { .. } => "hung",
            Self::Failed { .. } => "failed",
        }
    }
}

/// The request, after defaults.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Config {
    /// The command line as typed.
    pub command: Vec<String>,
    /// Time for all in seconds.
    pub time_s: f64,
    /// True with `--quick`.
    pub quick: bool,
    /// True where doubts about the method or the figures are to end in an error status.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Runs of each workload, where set by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    /// The engine's backend that was asked for.
    pub backend: String,
    /// Seed of offsets, data and the order of rounds.
    pub seed: u64,
    /// Faults injected by request; such a run shows nothing about a drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Sortable by when the run began: `20261121-031500-128-3f9a`.
    pub id: String,
    /// Version of the program that wrote it.
    pub program_version: String,
    /// The command that made it: `verify`, `run`.
    pub verb: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Its state: under way, or the way in which it ended.
    pub status: RunStatus,
    /// The request.
    pub config: Config,
    /// SHA-256 over configuration, policy, plan, jobs and datasheets, in hexadecimal: equal hashes were judged by equal rules.
    pub config_sha256: String,
    /// The machine.
    pub host: HostFacts,
    /// The targets, in the order in which they were named.
    pub targets: Vec<TargetRecord>,
    /// The jobs, in the order in which they are reported.
    pub jobs: Vec<JobRecord>,
    /// The databases that were measured beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub databases: Vec<DatabaseRecord>,
    /// The thresholds it is judged by.
    pub policy: Policy,
    /// The schedule made of claims or flags; none for a fixed list of stages, as of a job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Abilities of the load generator here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_test: Option<SelfTest>,
    /// The drives before and after all stages, by their own account.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<DriveBracket>,
    /// Searches for the highest rate under a latency.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Searched>,
    /// Findings about the method that were made before anything was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Finding>,
    /// Sentences that a user must read.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The stages, in the order of time. Stored beside, one file each.
    #[serde(default)]
    pub stages: Vec<Stage>,
}

impl RunRecord {
    /// A run that begins, without name, time and targets.
    pub fn begun(verb: &str, host: HostFacts, config: Config) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            program_version: env!("CARGO_PKG_VERSION").into(),
            verb: verb.into(),
            status: RunStatus::Running,
            config,
            host,
            ..Self::default()
        }
    }

    /// The same without its stages, which are stored beside.
    #[must_use]
    pub fn without_stages(&self) -> Self {
        let Self { schema_version, id, program_version, verb, started_at, ended_at, status, config, config_sha256, host, .. } = self;
        let Self { targets, jobs, databases, policy, plan, self_test, health, searches, warnings, notes, .. } = self;
        Self {
            schema_version: *schema_version,
            id: id.clone(),
            program_version: program_version.clone(),
            verb: verb.clone(),
            started_at: started_at.clone(),
            ended_at: ended_at.clone(),
            status: status.clone(),
            config: config.clone(),
            config_sha256: config_sha256.clone(),
            host: host.clone(),
            targets: targets.clone(),
            jobs: jobs.clone(),
            databases: databases.clone(),
            policy: policy.clone(),
            plan: plan.clone(),
            self_test: self_test.clone(),
            health: health.clone(),
            searches: searches.clone(),
            warnings: warnings.clone(),
            notes: notes.clone(),
            stages: Vec::new(),
        }
    }

    /// Every round with its stage and job, in the order of time.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.stages.iter().flat_map(|stage| stage.parts(&self.jobs))
    }

    /// The rounds by which a job is judged, in the order of time.
    pub fn parts_of(&self, job: usize) -> impl Iterator<Item = Part<'_>> {
        self.parts_for(Purpose::Measure, job)
    }

    /// Name of the target as typed. Empty where the run has no target at this position.
    pub fn given(&self, target: u32) -> String {
        self.targets.get(target as usize).map_or_else(String::new, |target| crate::text::visible(&target.facts.given))
    }

    /// Bytes that jobs and the first pass wrote to a target, and the largest span of a job that wrote. A job on several targets wrote to each its share.
    /// With a time (RFC 3339) only what began then or later.
    pub fn written_to(&self, target: u32, since: Option<&str>) -> (u64, u64) {
        let fill = self.targets.get(target as usize).and_then(|target| target.fill).filter(|_| since.is_none());
        let filled = fill.map_or(0, |fill| fill.bytes);
        let is_later = |part: &Part<'_>| since.is_none_or(|since| part.stage.started_at.as_str() >= since);
        let parts = self.parts().filter(|part| part.round.total_bytes.1 > 0 && part.job.targets.contains(&target)).filter(is_later);
        parts.fold((filled, 0), |(bytes, span): (u64, u64), part| {
            let share = part.round.total_bytes.1 / part.job.targets.len() as u64;
            (bytes.saturating_add(share), span.max(part.job.span.length_bytes))
        })
    }

    /// The rounds of a job in stages of this purpose, in the order of time.
    pub(crate) fn parts_for(&self, purpose: Purpose, job: usize) -> impl Iterator<Item = Part<'_>> {
        let stages = self.stages.iter().filter(move |stage| stage.purpose == purpose);
        stages.flat_map(|stage| stage.parts(&self.jobs)).filter(move |part| part.round.job as usize == job)
    }

    pub fn targets_of<'a>(&'a self, job: &'a JobRecord) -> impl Iterator<Item = &'a TargetRecord> {
        job.targets.iter().filter_map(|target| self.targets.get(*target as usize))
    }

    /// The drives under the targets of a job, each once.
    pub fn drives_of<'a>(&'a self, job: &'a JobRecord) -> Vec<&'a DeviceFacts> {
        drives_under(self.targets_of(job))
    }

    pub fn drives(&self) -> Vec<&DeviceFacts> {
        drives_under(self.targets.iter())
    }

    /// True where data was read back that nothing of this run had written, and no piece of it bears a header by which it could be compared: a drive that lost all of it reads
    /// so, and so does what ioproof never wrote.
    pub fn bears_no_headers(&self) -> bool {
        let bare = |part: &Part<'_>| {
            let check = part.round.check.as_ref()?;
            let by_headers = part.job.workload.shape.data.fill.pattern().is_none() && !part.job.workload.writes();
            Some(by_headers && check.good == 0 && check.seeds.is_empty() && check.bad() > 0 && check.corrupt == check.bad())
        };
        let wrote = self.jobs.iter().any(|job| job.workload.writes() && job.workload.shape.data.checked);
        let mut checked = self.parts().filter_map(|part| bare(&part)).peekable();
        !wrote && checked.peek().is_some() && checked.all(|is_bare| is_bare)
    }

    /// The one drive of the run; `None` where there are several or it cannot be told.
    pub fn drive(&self) -> Option<&DeviceFacts> {
        only(self.drives())
    }

    pub fn drive_of<'a>(&'a self, job: &'a JobRecord) -> Option<&'a DeviceFacts> {
        only(self.drives_of(job))
    }

    /// The first target; none for a run whose jobs have no files.
    pub fn target(&self) -> Option<&TargetRecord> {
        self.targets.first()
    }

    /// The datasheet by which a job is judged: that of its only target.
    pub fn datasheet_of(&self, job: &JobRecord) -> Option<&DatasheetUse> {
        match job.targets.as_slice() {
            [target] => self.targets.get(*target as usize)?.datasheet.as_ref(),
            _ => None,
        }
    }

    pub fn has_datasheet(&self) -> bool {
        self.targets.iter().any(|target| target.datasheet.is_some())
    }

    /// The layer at which a job is measured; that of the run's first target for a job without targets.
    pub fn layer_of(&self, job: &JobRecord) -> Layer {
        self.targets_of(job).next().map_or(Layer::Generator, |target| target.facts.layer)
    }

    /// The layer of the first target.
    pub fn layer(&self) -> Layer {
        self.target().map_or(Layer::Generator, |target| target.facts.layer)
    }

    /// True where the user named the load, by flags or by a job file.
    pub fn is_asked(&self) -> bool {
        self.plan.as_ref().is_none_or(|plan| plan.asked)
    }
}

fn drives_under<'a>(targets: impl Iterator<Item = &'a TargetRecord>) -> Vec<&'a DeviceFacts> {
    distinct_by(targets.flat_map(|target| &target.drives), |one, other| one.name == other.name)
}

fn only<T>(mut all: Vec<T>) -> Option<T> {
    if all.len() == 1 { all.pop() } else { None }
}
