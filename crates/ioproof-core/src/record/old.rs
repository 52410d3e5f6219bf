//! Reads runs that were stored in an older format.
//!
//! Version 1 knew one target, planned workloads in place of jobs, and rounds in place of stages: each round had the counters around it. A job file's clones
//! had become one round a job, and its counters were not taken, so they are *not counted* here.

use super::{
    CheckResult, Config, DatasheetUse, DeviceCounters, Direction, DriveBracket, DriveState, EngineFacts, Fill, HostLoad, Interval, IoErrors,
    JobRecord, Purpose, QueueUse, Round, RoundOutcome, RunRecord, RunStatus, SCHEMA_VERSION, SelfTest, Stage, StateBefore, TargetRecord,
    WorkerUsage,
};
use crate::facts::{ContentFacts, DeviceFacts, HostFacts, TargetFacts};
use crate::histogram::Histogram;
use crate::job::Span;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::search::Searched;
use crate::shape::Pace;
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

impl RunV1 {
    fn upgraded(mut self, rounds: Vec<RoundV1>) -> RunRecord {
        let is_job_file = !self.jobs.is_empty();
        self.notes.extend(self.other_targets.iter().map(|other| format!("also used: {other}")));
        let drive = if self.drives.len() == 1 { self.drives.first().map(|drive| drive.name.clone()) } else { None };
        let (mut jobs, mut tries) = (self.planned_jobs(), tries(&self.searches));
        let stages = rounds.into_iter().map(|round| round.upgraded(&mut jobs, drive.as_deref(), &mut tries)).collect();
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
            targets: vec![TargetRecord {
                facts: self.target,
                drives: self.drives,
                datasheet: self.datasheet,
                content: self.content,
                fill: self.fill,
            }],
            jobs,
            policy: self.policy,
            plan: (!is_job_file).then_some(self.plan),
            self_test: self.self_test,
            searches: self.searches,
            warnings: Vec::new(),
            notes: self.notes,
            stages,
        }
    }

    /// The workloads of the plan. Of a job file they came in the order of its jobs, and jobs with equal workloads could not be told apart.
    fn planned_jobs(&self) -> Vec<JobRecord> {
        let mut names = self.jobs.iter();
        let is_told = self.jobs.len() == self.plan.all().count();
        let job = |planned: &crate::plan::Planned| JobRecord {
            name: names.next().filter(|_| is_told).cloned(),
            targets: vec![0],
            workload: planned.workload.clone(),
            span: self.plan.span,
            claims: planned.claims.clone(),
        };
        self.plan.all().map(job).collect()
    }
}

/// The steps of searches as the workloads and repetitions of their rounds.
fn tries(searches: &[Searched]) -> Vec<(Workload, u32)> {
    let at = |search: &Searched, ios_per_s| {
        let mut workload = search.workload.clone();
        workload.shape.pace = Pace::Fixed { ios_per_s };
        workload
    };
    let of = |search: &Searched| (0..).zip(&search.steps).map(|(number, step)| (at(search, step.ios_per_s), number)).collect::<Vec<_>>();
    searches.iter().flat_map(of).collect()
}

impl RoundV1 {
    /// A stage of one round. Rounds of a workload that is not planned were steps of a search, or read back what was written. A step at the rate that was
    /// found looks like a round of the result; it came first.
    fn upgraded(self, jobs: &mut Vec<JobRecord>, drive: Option<&str>, tries: &mut Vec<(Workload, u32)>) -> Stage {
        let planned = jobs.iter().position(|job| job.workload == self.workload);
        let step = tries.iter().position(|(workload, number)| *workload == self.workload && *number == self.repetition);
        let purpose = match planned {
            _ if step.map(|at| tries.swap_remove(at)).is_some() => Purpose::Search,
            Some(_) => Purpose::Measure,
            None if self.check.is_some() => Purpose::ReadBack,
            None => Purpose::Search,
        };
        let job = planned.unwrap_or_else(|| {
            jobs.push(JobRecord { name: None, targets: vec![0], workload: self.workload.clone(), span: self.span, claims: Vec::new() });
            jobs.len() - 1
        });
        let state = |temperature_celsius| DriveState { present: true, temperature_celsius, ..DriveState::default() };
        let bracket = drive.map(|name| DriveBracket {
            name: name.to_owned(),
            before: state(self.state_before.temperature_celsius),
            after: state(self.host.temperature_celsius),
        });
        let is_counted = !self.devices.is_empty();
        let host = HostLoad {
            load_1min: self.host.load_1min,
            cpu_busy: self.host.cpu_busy,
            cpu_steal: self.host.cpu_steal,
            ..HostLoad::default()
        };
        Stage {
            index: self.index,
            purpose,
            repetition: self.repetition,
            started_at: self.started_at.clone(),
            elapsed_ns: self.elapsed_ns,
            state_before: StateBefore {
                written_bytes: self.state_before.written_bytes,
                previous_workload: self.state_before.previous_workload.clone(),
                idle_ns: self.state_before.idle_ns,
            },
            drives: bracket.into_iter().collect(),
            host: (is_counted || host.cpu_busy.is_some()).then_some(host),
            devices: is_counted.then(|| self.devices.clone()),
            rounds: vec![self.round(job as u32)],
        }
    }

    fn round(self, job: u32) -> Round {
        Round {
            job,
            outcome: self.outcome,
            elapsed_ns: self.elapsed_ns,
            read: self.read,
            write: self.write,
            sync: self.sync,
            durable: self.durable,
            edge_ns: self.edge_ns,
            trim: self.trim,
            queue: self.queue,
            check: self.check,
            read_back_ns: 0,
            errors: self.errors,
            workers: self.workers,
            total_bytes: self.total_bytes,
            engine: self.engine,
            intervals: self.intervals,
        }
    }
}
