//! A script of outcomes in the place of the engine: schedules, searches and stages are tested with it, without a drive and without time passing.

use crate::clock::WallTime;
use crate::execute::{Execute, Ran};
use crate::failure::Failure;
use crate::task::Task;
use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::histogram::Histogram;
use ioproof_core::record::{DatabaseRound, Direction, EngineFacts, IoErrors, QueueUse, RoundOutcome, WorkerUsage};
use ioproof_engine::{Control, Outcome};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Says the outcome of the n-th task that is run, counted from 0.
type Says<'a> = Box<dyn Fn(&Task, u64) -> Result<Outcome, Failure> + Send + Sync + 'a>;

/// Says the round of a database.
type SaysOfDatabase<'a> = Box<dyn Fn(&DatabaseLoad) -> Result<DatabaseRound, Failure> + Send + Sync + 'a>;

/// A script.
pub struct Script<'a> {
    says: Says<'a>,
    says_of_database: SaysOfDatabase<'a>,
    number: AtomicU64,
    now_ns: AtomicU64,
    /// When the stage under way began. Nanoseconds.
    stage_ns: AtomicU64,
    played: Mutex<Vec<String>>,
}

impl<'a> Script<'a> {
    /// Every task has the outcome that this says.
    pub fn new(says: impl Fn(&Task, u64) -> Result<Outcome, Failure> + Send + Sync + 'a) -> Self {
        Self {
            says: Box::new(says),
            says_of_database: Box::new(|load| Ok(DatabaseRound::failed(load.database, "the script has no databases"))),
            number: AtomicU64::new(0),
            now_ns: AtomicU64::new(0),
            stage_ns: AtomicU64::new(0),
            played: Mutex::default(),
        }
    }

    /// The same, and every round of a database is as this says.
    #[must_use]
    pub fn with_databases(self, says: impl Fn(&DatabaseLoad) -> Result<DatabaseRound, Failure> + Send + Sync + 'a) -> Self {
        Self { says_of_database: Box::new(says), ..self }
    }

    /// Names of the tasks in the order in which they were run.
    #[must_use]
    pub fn played(&self) -> Vec<String> {
        self.played.lock().map(|played| played.clone()).unwrap_or_default()
    }

    /// An outcome of `ios` I/Os of the task's load in `elapsed_ns`, each of this latency.
    #[must_use]
    pub fn outcome(task: &Task, ios: u64, latency_ns: u64, elapsed_ns: u64) -> Outcome {
        let workload = &task.spec.workload;
        let reads = ios * u64::from(workload.read_percent) / 100;
        let side = |ios: u64| {
            let mut latency = Histogram::default();
            (0..ios).for_each(|_| latency.record(latency_ns));
            let response = workload.shape.pace.ios_per_s().map(|_| latency.clone());
            Direction { ios, bytes: ios * u64::from(workload.block_bytes), latency, response, ..Direction::default() }
        };
        let (read, write) = (side(reads), side(ios - reads));
        let usage = WorkerUsage { ios, wall_ns: elapsed_ns, ..WorkerUsage::default() };
        Outcome {
            outcome: RoundOutcome::Complete,
            elapsed_ns,
            total_bytes: (read.bytes, write.bytes),
            read,
            write,
            trim: Direction::default(),
            sync: Direction::default(),
            durable: None,
            durable_late: None,
            edge_ns: 0,
            noted: Vec::new(),
            recorded: Vec::new(),
            by_priority: Vec::new(),
            queue: QueueUse::default(),
            check: None,
            errors: IoErrors::default(),
            workers: vec![usage],
            engine: EngineFacts::default(),
            intervals: Vec::new(),
        }
    }
}

impl Script<'_> {
    /// So much time passes. Tasks side by side take the time of the longest.
    fn pass(&self, length_ns: u64, stop: &AtomicBool) {
        let length_ns = if stop.load(Relaxed) { 0 } else { length_ns };
        self.now_ns.fetch_max(self.stage_ns.load(Relaxed) + length_ns, Relaxed);
    }
}

impl Execute for Script<'_> {
    fn is_timed(&self) -> bool {
        false
    }

    fn run(&self, task: &Task, control: Control<'_>) -> Result<Ran, Failure> {
        if let Ok(mut played) = self.played.lock() {
            played.push(task.name.clone());
        }
        let outcome = (self.says)(task, self.number.fetch_add(1, Relaxed))?;
        self.pass(task.spec.ramp_ns + outcome.elapsed_ns, control.stop);
        Ok(Ran::of(outcome))
    }

    fn run_database(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure> {
        if let Ok(mut played) = self.played.lock() {
            played.push(format!("database {}", load.database));
        }
        let round = (self.says_of_database)(load)?;
        self.pass(load.warm_up.as_nanos() as u64 + round.elapsed_ns, control.stop);
        Ok(round)
    }

    fn begin_stage(&self) {
        self.stage_ns.store(self.elapsed_ns(), Relaxed);
    }

    fn elapsed_ns(&self) -> u64 {
        self.now_ns.load(Relaxed)
    }

    fn wall_time(&self) -> WallTime {
        let unix_ms = self.elapsed_ns() / 1_000_000;
        WallTime { rfc3339: format!("1970-01-01T00:00:{:02}Z", unix_ms / 1000 % 60), unix_ms }
    }

    fn wait(&self, _time: Duration, _stop: &AtomicBool) {}
}
