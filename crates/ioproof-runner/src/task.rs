//! A task: one job's load on its targets within a stage, as plain data. A job may be several tasks, as the clones of a job file are.

use crate::database;
use crate::failure::Failure;
use crate::limits::TaskLimits;
use ioproof_core::database::DatabaseLoad;
use ioproof_core::faults::Faults;
use ioproof_core::io_log::RecordedIo;
use ioproof_core::job::JobSpec;
use ioproof_core::search::DepthGoal;
use ioproof_core::shape::Growth;
use ioproof_engine::{BackendChoice, Batching, FlowShare, WriteLedger};
use ioproof_target::OwnWrites;
use std::sync::Arc;
use std::time::Duration;

/// One task.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its number among all tasks of the source, by which others wait for it or end it.
    pub id: usize,
    /// Position of its job in the record.
    pub job: u32,
    /// Its name in messages.
    pub name: String,
    /// The load.
    pub spec: JobSpec,
    /// Positions of its open targets among all handles; empty: memory takes their place.
    pub handles: Vec<usize>,
    /// Position among all handles of the file in which its buffers lie; none: memory of the process.
    pub buffers: Option<usize>,
    /// Size of that memory. Bytes.
    pub memory_bytes: u64,
    /// The way in which the load is generated.
    pub generate: Generate,
    /// Recorded I/O that is issued in the place of the load's own.
    pub replay: Option<Arc<[RecordedIo]>>,
    /// Its part in what several tasks do together.
    pub flow: Option<FlowShare>,
    /// Time between the start of the stage, or the end of the tasks that it waits for, and its own start.
    pub delay: Duration,
    /// Numbers of the tasks that must have ended before it starts; those of other stages have.
    pub waits_for: Vec<usize>,
    /// Niceness that its threads take; 0: as the program has it.
    pub nice: i8,
    /// Preparation of files and of the page cache.
    pub before: Before,
    /// Data that is known again.
    pub check: ContentCheck,
    /// Limits that end it in error.
    pub limits: TaskLimits,
    /// True for one of several rounds of a load, over all of which its limits hold.
    pub is_round: bool,
    /// The depth is searched for within the task, window by window.
    pub depth_search: Option<TaskDepthSearch>,
    /// Its end ends others.
    pub ends_others: Option<EndsOthers>,
    /// Errors of I/O that do not make it fail.
    pub survives: Survives,
    /// The reason for which it cannot run at all; it fails with it, and the others run.
    pub refused: Option<Failure>,
    /// The permit to write its files at the moment when it begins, where files of the run may be somebody else's by then.
    pub own_writes: Option<OwnWrites>,
    /// True where it only had to have its files.
    pub idle: bool,
    /// A round of a database, in the place of the load; the task is then of no job.
    pub database: Option<DatabaseLoad>,
}

impl Task {
    /// A task with nothing special.
    #[must_use]
    pub fn plain(job: u32, name: impl Into<String>, spec: JobSpec, handles: Vec<usize>, generate: Generate) -> Self {
        Self {
            id: 0,
            job,
            name: name.into(),
            spec,
            handles,
            buffers: None,
            memory_bytes: 0,
            generate,
            replay: None,
            flow: None,
            delay: Duration::ZERO,
            waits_for: Vec::new(),
            nice: 0,
            before: Before::default(),
            check: ContentCheck::default(),
            limits: TaskLimits::default(),
            is_round: false,
            depth_search: None,
            ends_others: None,
            survives: Survives::default(),
            refused: None,
            own_writes: None,
            idle: false,
            database: None,
        }
    }

    /// A round of a database. Its job is none of the record's.
    #[must_use]
    pub fn of_database(load: DatabaseLoad, name: impl Into<String>) -> Self {
        let plain = Self::plain(u32::MAX, name, database::spec_of(&load), Vec::new(), Generate::by(BackendChoice::AUTO));
        Self { database: Some(load), ..plain }
    }

    /// True where anything of it changes its targets.
    #[must_use]
    pub fn writes(&self) -> bool {
        let changes = self.spec.workload.writes() || self.generate.backend.changes_files() || self.buffers.is_some();
        self.database.is_some() || changes && !self.check.only_plans
    }
}

/// The way in which the load is generated.
#[derive(Debug, Clone, Copy)]
pub struct Generate {
    /// The backend.
    pub backend: BackendChoice,
    /// True where completions are polled for.
    pub polled: bool,
    /// True where a thread of the kernel submits.
    pub kernel_submits: bool,
    /// Filling of the queue, where it is not to be as it is best.
    pub batching: Option<Batching>,
    /// Faults to inject.
    pub faults: Option<Faults>,
}

impl Generate {
    /// By this backend, with nothing special.
    #[must_use]
    pub fn by(backend: BackendChoice) -> Self {
        Self { backend, polled: false, kernel_submits: false, batching: None, faults: None }
    }
}

/// Preparation of files and of the page cache before a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Before {
    /// The page cache forgets what it holds of the targets.
    pub drop_cache: bool,
    /// The targets are read into the page cache.
    pub read_first: bool,
    /// Scratch files are made anew.
    pub growth: Growth,
}

/// Data that is known again.
#[derive(Debug, Clone, Default)]
pub struct ContentCheck {
    /// Record of what was last written where; where there is none and the load is checked, the task makes one.
    pub ledger: Option<Arc<WriteLedger>>,
    /// It reads back what it wrote when it has ended.
    pub reads_back: bool,
    /// It goes through its I/O without doing it, so that it is known what an earlier run wrote where.
    pub only_plans: bool,
}

/// A search for the depth at which a latency is kept, within a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskDepthSearch {
    /// The latency and the share of I/Os that must keep it.
    pub goal: DepthGoal,
}

/// The tasks that end when this one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndsOthers {
    /// Only where it failed.
    pub on_failure: bool,
    /// Their numbers; those of later stages will not be started.
    pub tasks: Vec<usize>,
}

/// Errors of I/O that do not make a task fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Survives {
    /// Any failed read; any failed write but for want of space.
    pub any: [bool; 2],
    /// Errnos of reads, and of writes, that are as if nothing had happened.
    pub errnos: [Vec<i32>; 2],
    /// A full device is the end of the job and no failure.
    pub full: bool,
}
