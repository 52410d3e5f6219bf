//! The measurement of a job, put together from its workers.

use crate::clock::Clock;
use crate::live::Live;
use crate::tally::WorkerResults;
use ioproof_core::histogram::Histogram;
use ioproof_core::io_log::{IoSample, RecordedIo};
use ioproof_core::job::{IoPriority, Until};
use ioproof_core::record::{CheckResult, Direction, EngineFacts, Interval, IoError, IoErrors, QueueUse, RoundOutcome, WorkerUsage};
use std::io;

/// The measurement of a job.
#[derive(Debug)]
pub struct Outcome {
    /// The way in which it ended.
    pub outcome: RoundOutcome,
    /// Length of the measurement. Nanoseconds.
    pub elapsed_ns: u64,
    /// Reads.
    pub read: Direction,
    /// Writes.
    pub write: Direction,
    /// Trims.
    pub trim: Direction,
    /// Syncs.
    pub sync: Direction,
    /// Write and its sync together, where the workload syncs.
    pub durable: Option<Histogram>,
    /// The same where the sync ended after the measurement.
    pub durable_late: Option<Histogram>,
    /// See [`ioproof_core::record::Round::edge_ns`].
    pub edge_ns: i64,
    /// I/Os one by one, in the order of their ends, where that was asked for.
    pub noted: Vec<IoSample>,
    /// I/Os as they were issued, in that order, where that was asked for.
    pub recorded: Vec<RecordedIo>,
    /// Latency by priority, where single I/Os have priorities.
    pub by_priority: Vec<PriorityLatency>,
    /// Filling and emptying of the queue.
    pub queue: QueueUse,
    /// Result of comparing reads with earlier writes, where there is a ledger.
    pub check: Option<CheckResult>,
    /// Failed I/O.
    pub errors: IoErrors,
    /// Per worker.
    pub workers: Vec<WorkerUsage>,
    /// Bytes read, and bytes written or trimmed; ramp and drain included.
    pub total_bytes: (u64, u64),
    /// Facts about the load generator.
    pub engine: EngineFacts,
    /// Throughput over time.
    pub intervals: Vec<Interval>,
}

/// Latency of the I/Os of one priority.
#[derive(Debug, Clone)]
pub struct PriorityLatency {
    /// Priority that the kernel was told.
    pub priority: IoPriority,
    /// Reads.
    pub read: Histogram,
    /// Writes.
    pub write: Histogram,
}

impl PriorityLatency {
    /// Nothing measured of each of these.
    pub(crate) fn of(priorities: &[IoPriority]) -> Vec<Self> {
        priorities.iter().map(|priority| Self { priority: *priority, read: Histogram::default(), write: Histogram::default() }).collect()
    }

    pub(crate) fn clear(&mut self) {
        self.read.clear();
        self.write.clear();
    }

    /// Adds those of another worker of the same job.
    fn merge(all: &mut Vec<Self>, others: Vec<Self>) {
        if all.is_empty() {
            *all = others;
            return;
        }
        for (mine, theirs) in all.iter_mut().zip(others) {
            mine.read.merge(&theirs.read);
            mine.write.merge(&theirs.write);
        }
    }
}

impl Outcome {
    pub(crate) fn empty(clock: Clock, intervals: Vec<Interval>) -> Self {
        let engine = EngineFacts { clock: clock.name().to_owned(), clock_cost_ns: clock.cost_ns(), ..EngineFacts::default() };
        Self {
            outcome: RoundOutcome::Complete,
            elapsed_ns: 0,
            read: Direction::default(),
            write: Direction::default(),
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
            workers: Vec::new(),
            total_bytes: (0, 0),
            engine,
            intervals,
        }
    }

    pub(crate) fn add(&mut self, tally: WorkerResults, facts: EngineFacts) {
        self.read.merge(&tally.read);
        self.write.merge(&tally.write);
        self.trim.merge(&tally.trim);
        self.sync.merge(&tally.sync);
        self.queue.merge(&tally.queue);
        if let Some(check) = &tally.check {
            self.check.get_or_insert_default().merge(check);
        }
        for (mine, theirs) in [(&mut self.durable, &tally.durable), (&mut self.durable_late, &tally.durable_late)] {
            theirs.iter().for_each(|theirs| mine.get_or_insert_default().merge(theirs));
        }
        self.edge_ns += tally.edge_ns;
        self.noted.extend(tally.noted);
        self.recorded.extend(tally.recorded);
        PriorityLatency::merge(&mut self.by_priority, tally.by_priority);
        self.errors.merge(&tally.errors);
        self.workers.push(tally.usage);
        self.total_bytes.0 += tally.total_bytes.0;
        self.total_bytes.1 += tally.total_bytes.1;
        self.add_facts(facts);
    }

    /// Workers can differ in what the kernel granted them, as when the limit of locked memory is reached by the second: every fallback is kept.
    fn add_facts(&mut self, facts: EngineFacts) {
        let mut fallbacks = std::mem::take(&mut self.engine.fallbacks);
        let features = std::mem::take(&mut self.engine.features);
        let common = |f: &String| self.engine.backend.is_empty() || features.contains(f);
        fallbacks.extend(facts.fallbacks.iter().filter(|f| !fallbacks.contains(f)).cloned().collect::<Vec<_>>());
        let features = facts.features.iter().filter(|f| common(f)).cloned().collect();
        self.engine = EngineFacts { features, fallbacks, ..facts };
    }

    /// The kernel refused the call by which a worker submits I/O.
    pub(crate) fn add_refused(&mut self, error: &io::Error) {
        let (operation, errno) = (IoError::HANDING_OVER.into(), error.raw_os_error().unwrap_or(0));
        let first = IoError { operation, offset_bytes: 0, errno, message: error.to_string() };
        self.errors.merge(&IoErrors { failed: 1, first: Some(first), ..IoErrors::default() });
    }

    /// A worker that never came back: only what it had published is known.
    pub(crate) fn add_lost(&mut self, live: &Live) {
        self.errors.lost += 1;
        let (read, written) = live.total_bytes();
        self.total_bytes.0 += read;
        self.total_bytes.1 += written;
    }
}

/// Length of the measurement: the mean over the workers, which begin and end within one I/O of each other; of a job that ends by what it has done, the longest.
pub(crate) fn elapsed_ns(workers: &[WorkerUsage], until: Until) -> u64 {
    let each = || workers.iter().map(|w| w.wall_ns);
    match until {
        Until::SpanCovered | Until::Ios(_) | Until::Bytes(_) => each().max().unwrap_or(0),
        Until::ElapsedNs(_) => each().sum::<u64>() / workers.len().max(1) as u64,
    }
}
