//! The seam below the runner: whoever does a task's I/O. The engine does it for real; [`crate::Script`] only says what came of it.

mod rate_debt;
mod steps;

use crate::clock::WallTime;
use crate::database::DatabaseRunner;
use crate::failure::Failure;
use crate::task::Task;
use crate::{clock, read_back};
use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::record::{DatabaseRound, DepthFound, RoundOutcome};
use ioproof_engine::{ClockChoice, Control, EngineError, Options, Outcome};
use ioproof_target::Handle;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes of a read that fills the page cache.
const READ_FIRST_BYTES: usize = 1 << 20;

/// Does the I/O of tasks and keeps the time.
pub trait Execute: Sync {
    /// Runs a task to its end, or until it is stopped.
    ///
    /// # Errors
    /// When it cannot be started. Failed I/O is part of what it measured.
    fn run(&self, task: &Task, control: Control<'_>) -> Result<Ran, Failure>;

    /// Runs a round of a database to its end, or until it is stopped.
    ///
    /// # Errors
    /// When there is no such database. One that fails is part of what was measured.
    fn run_database(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure>;

    /// Takes note that the tasks of a stage are about to start together.
    fn begin_stage(&self) {}

    /// Time since the run began. Nanoseconds.
    fn elapsed_ns(&self) -> u64;

    /// The time of day.
    fn wall_time(&self) -> WallTime;

    /// The open targets of a task; none where nothing is open.
    fn targets_of(&self, _task: &Task) -> Vec<&Handle> {
        Vec::new()
    }

    /// True where time passes by itself, so that waking up too late means something.
    fn is_timed(&self) -> bool {
        true
    }

    /// Waits, or until `stop` is set.
    fn wait(&self, time: Duration, stop: &AtomicBool);
}

/// The outcome of a task.
#[derive(Debug)]
pub struct Ran {
    /// Its measurement.
    pub outcome: Outcome,
    /// Reading back, where it belongs to the task.
    pub read_back: Option<Outcome>,
    /// The depth that a search led to.
    pub depth: Option<DepthFound>,
    /// The reason for which it failed, beside failed I/O.
    pub failed: Option<Failure>,
}

impl Ran {
    /// A measurement and nothing beside it.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, read_back: None, depth: None, failed: None }
    }
}

/// Longest wait after a round for its limits. Nanoseconds.
const MOST_OWED_NS: u64 = 60_000_000_000;

/// Does the I/O by the engine, on targets that were opened under the write rule, and has databases do theirs.
pub struct Engine<'a> {
    handles: Vec<&'a Handle>,
    databases: Option<&'a dyn DatabaseRunner>,
    clock: ClockChoice,
    started: Instant,
}

impl<'a> Engine<'a> {
    /// On these open targets; the time runs from `started`.
    #[must_use]
    pub fn new(handles: Vec<&'a Handle>, clock: ClockChoice, started: Instant) -> Self {
        Self { handles, databases: None, clock, started }
    }

    /// The same with these databases.
    #[must_use]
    pub fn with_databases(self, databases: Option<&'a dyn DatabaseRunner>) -> Self {
        Self { databases, ..self }
    }

    /// Refuses a task that could not be run, before anything is written for it.
    ///
    /// # Errors
    /// Says what of it cannot be done on these targets.
    pub fn check(&self, task: &Task) -> Result<(), Failure> {
        read_back::Ledgers::fit(&task.spec)?;
        let memory = memory(task)?;
        let options = Options { ledger: task.check.ledger.as_ref(), replay: task.replay.as_ref(), ..self.options(task) };
        Ok(ioproof_engine::check(&task.spec, &self.handles_of(task, &memory), &options)?)
    }

    fn handles_of<'h>(&'h self, task: &Task, memory: &'h Option<Handle>) -> Vec<&'h Handle> {
        self.opened(task).chain(memory).collect()
    }

    fn opened(&self, task: &Task) -> impl Iterator<Item = &Handle> {
        task.handles.iter().filter_map(|at| self.handles.get(*at).copied())
    }

    /// The file in which its buffers lie.
    fn buffers(&self, task: &Task) -> Option<&Handle> {
        self.handles.get(task.buffers?).copied()
    }

    fn options(&self, task: &Task) -> Options<'_> {
        let generate = &task.generate;
        Options {
            polled: generate.polled,
            kernel_submits: generate.kernel_submits,
            batching: generate.batching,
            faults: generate.faults,
            buffers_in: self.buffers(task),
            ..Options::new(generate.backend, self.clock)
        }
    }
}

impl Execute for Engine<'_> {
    fn run(&self, task: &Task, control: Control<'_>) -> Result<Ran, Failure> {
        let memory = memory(task)?;
        let handles = self.handles_of(task, &memory);
        let growth = task.before.growth;
        let grown = handles.iter().try_for_each(|handle| handle.begin_anew(growth));
        grown.map_err(|cause| EngineError::System { what: "make the file anew", cause })?;
        let read_first_bytes = prepare_cache(task, &handles, control.stop)?;
        let ledger = read_back::ledger(task, clock::now().unix_ms)?;
        let options = Options { ledger: ledger.as_ref(), flow: task.flow.as_ref(), replay: task.replay.as_ref(), ..self.options(task) };
        let stop = control.stop;
        let mut ran = match &task.depth_search {
            _ if task.check.only_plans => Ran::of(read_back::plan(&task.spec, &handles, &options, control)?),
            Some(search) => steps::run(&task.spec, &handles, &options, &search.goal, control)?,
            None => Ran::of(ioproof_engine::run(&task.spec, &handles, &options, control)?),
        };
        if task.is_round {
            rate_debt::pay(&task.spec, &mut ran.outcome, MOST_OWED_NS, stop);
        }
        // The counters around the stage have them too.
        ran.outcome.total_bytes.0 += read_first_bytes;
        let is_over = ran.outcome.outcome == RoundOutcome::Hung || read_back::is_over(task, &ran.outcome);
        let Some(ledger) = ledger.filter(|_| task.check.reads_back && !is_over) else {
            return Ok(Ran { failed: ran.failed.or_else(|| read_back::not_written_back(&handles)), ..ran });
        };
        let unsynced = read_back::leave_memory(&handles);
        let back = read_back::read_back(&task.spec, &handles, self.clock, &ledger)?;
        let failed = ran.failed.or(unsynced).or_else(|| read_back::compared_nothing(&ran.outcome, &back));
        Ok(Ran { read_back: Some(back), failed, ..ran })
    }

    fn run_database(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure> {
        match self.databases {
            Some(databases) => databases.run(load, control),
            None => Err((format!("there is no database {}", load.database), rustix::io::Errno::INVAL.raw_os_error()).into()),
        }
    }

    fn targets_of(&self, task: &Task) -> Vec<&Handle> {
        self.opened(task).chain(self.buffers(task)).collect()
    }

    fn elapsed_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn wall_time(&self) -> WallTime {
        clock::now()
    }

    fn wait(&self, time: Duration, stop: &AtomicBool) {
        clock::wait(time, stop);
    }
}

/// Memory in the place of targets, for a task without any.
fn memory(task: &Task) -> Result<Option<Handle>, EngineError> {
    let made = task.handles.is_empty().then(|| ioproof_target::nothing(task.memory_bytes)).transpose();
    made.map_err(|cause: io::Error| EngineError::System { what: "take memory for a job without files", cause })
}

/// Prepares the page cache; gives the bytes that were read into it.
fn prepare_cache(task: &Task, handles: &[&Handle], stop: &AtomicBool) -> Result<u64, EngineError> {
    if task.before.drop_cache {
        // A device or filesystem that cannot do it keeps its pages.
        handles.iter().for_each(|handle| drop(handle.drop_cache()));
    }
    if !task.before.read_first {
        return Ok(0);
    }
    read_first(handles, stop).map_err(|cause| EngineError::System { what: "read the files first", cause })
}

/// Reads all targets from their start to their end, through the page cache. Those that are open for writing only are left out.
fn read_first(handles: &[&Handle], stop: &AtomicBool) -> io::Result<u64> {
    let (mut buffer, mut all) = (vec![0; READ_FIRST_BYTES], 0);
    for handle in handles.iter().filter(|handle| handle.may_read()) {
        let cached = handle.again(false)?;
        let mut at = 0;
        while at < cached.size_bytes() && !stop.load(Relaxed) {
            match rustix::io::pread(&cached, &mut buffer, at)? {
                0 => break,
                read => at += read as u64,
            }
        }
        all += at;
    }
    Ok(all)
}
