//! Reads runs that were stored in an older format.
//!
//! Version 1 knew one target, planned workloads in place of jobs, and rounds in place of stages: each round had the counters around it. A job file's clones
//! had become one round a job, and its counters were not taken, so they are *not counted* here. `rounds` makes jobs and stages of the rounds.

mod rounds;

use super::{
    CheckResult, Config, DatasheetUse, DeviceCounters, Direction, EngineFacts, Fill, Interval, IoErrors, QueueUse, RoundOutcome, RunRecord,
    RunStatus, SCHEMA_VERSION, SelfTest, TargetRecord, WorkerUsage,
};
use crate::facts::{ContentFacts, DeviceFacts, HostFacts, TargetFacts, TargetKind};
use crate::histogram::Histogram;
use crate::job::Span;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::search::Searched;
use crate::workload::Workload;
use serde::Deserialize;

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

/// Makes a record of today from a `run.json` of version 1 and its rounds, in their order.
///
/// # Errors
/// When one of them is no JSON of that version; the message names line and column.
pub fn upgrade(run: &[u8], rounds: &[Vec<u8>]) -> serde_json::Result<RunRecord> {
    let run: RunV1 = serde_json::from_slice(run)?;
    let rounds: Vec<RoundV1> = rounds.iter().map(|round| serde_json::from_slice(round)).collect::<serde_json::Result<_>>()?;
    Ok(run.upgraded(rounds))
}

#[derive(Deserialize)]
struct RunV1 {
    id: String,
    program_version: String,
    started_at: String,
    ended_at: Option<String>,
    status: RunStatus,
    config: Config,
    config_sha256: String,
    target: TargetFacts,
    #[serde(default)]
    other_targets: Vec<String>,
    #[serde(default)]
    jobs: Vec<String>,
    host: HostFacts,
    drives: Vec<DeviceFacts>,
    datasheet: Option<DatasheetUse>,
    policy: Policy,
    plan: Plan,
    content: ContentFacts,
    fill: Option<Fill>,
    self_test: Option<SelfTest>,
    #[serde(default)]
    searches: Vec<Searched>,
    #[serde(default)]
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct RoundV1 {
    index: u32,
    workload: Workload,
    span: Span,
    repetition: u32,
    started_at: String,
    state_before: StateBeforeV1,
    outcome: RoundOutcome,
    elapsed_ns: u64,
    read: Direction,
    write: Direction,
    sync: Direction,
    durable: Option<Histogram>,
    #[serde(default)]
    edge_ns: i64,
    #[serde(default)]
    trim: Direction,
    #[serde(default)]
    queue: QueueUse,
    check: Option<CheckResult>,
    errors: IoErrors,
    workers: Vec<WorkerUsage>,
    devices: Vec<DeviceCounters>,
    total_bytes: (u64, u64),
    engine: EngineFacts,
    host: HostLoadV1,
    intervals: Vec<Interval>,
}

#[derive(Deserialize)]
struct StateBeforeV1 {
    written_bytes: u64,
    previous_workload: Option<String>,
    idle_ns: u64,
    temperature_celsius: Option<f64>,
}

#[derive(Deserialize)]
struct HostLoadV1 {
    load_1min: f64,
    cpu_busy: Option<f64>,
    cpu_steal: Option<f64>,
    temperature_celsius: Option<f64>,
}

/// Other files of a job file that are named in a note.
const MOST_NAMED: usize = 32;

impl RunV1 {
    fn upgraded(mut self, rounds: Vec<RoundV1>) -> RunRecord {
        let is_job_file = !self.jobs.is_empty();
        let (jobs, stages) = if is_job_file { rounds::of_job_file(&self, rounds) } else { rounds::of_plan(&self, rounds) };
        self.notes.extend(self.also_used());
        self.notes.extend((is_job_file && jobs.iter().all(|job| job.name.is_none())).then(|| format!("jobs: {}", self.jobs.join(", "))));
        let has_target = self.has_target();
        let target = TargetRecord {
            drives: self.drives,
            datasheet: self.datasheet,
            content: self.content,
            fill: self.fill,
            ..TargetRecord::new(self.target)
        };
        RunRecord {
            schema_version: SCHEMA_VERSION,
            id: self.id,
            program_version: self.program_version,
            verb: if is_job_file { "run" } else { "verify" }.into(),
            started_at: self.started_at,
            ended_at: self.ended_at,
            status: self.status,
            config: self.config,
            config_sha256: self.config_sha256,
            host: self.host,
            targets: has_target.then_some(target).into_iter().collect(),
            jobs,
            policy: self.policy,
            plan: (!is_job_file).then_some(self.plan),
            self_test: self.self_test,
            health: Vec::new(),
            searches: self.searches,
            warnings: Vec::new(),
            notes: self.notes,
            databases: Vec::new(),
            stages,
        }
    }

    /// False for jobs without files, for which a target that is none was stored.
    fn has_target(&self) -> bool {
        self.target.kind != TargetKind::Generator || self.target.size_bytes > 0 || self.target.given != "no file"
    }

    /// The other files of a job file. Which job used which of them was not kept.
    fn also_used(&self) -> Option<String> {
        let named = self.other_targets.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        match self.other_targets.len().saturating_sub(MOST_NAMED) {
            _ if named.is_empty() => None,
            0 => Some(format!("also used: {named}")),
            more => Some(format!("also used: {named} and {more} more")),
        }
    }
}

#[cfg(test)]
mod tests;
