//! The end of a task: its measurement, and everything that was found beside it.

use crate::clock::WallTime;
use crate::failure::Failure;
use ioproof_core::io_log::{IoSample, RecordedIo};
use ioproof_core::record::{DatabaseRound, Round};
use ioproof_engine::{Outcome, PriorityLatency};
use std::time::Duration;

/// The end of a task.
#[derive(Debug, Default)]
pub struct TaskEnd {
    /// Its measurement; none where it never ran.
    pub round: Option<Round>,
    /// Measurement of a database; none of a job.
    pub database: Option<DatabaseRound>,
    /// I/Os one by one, where they were asked for.
    pub noted: Vec<IoSample>,
    /// I/Os as they were issued, where that was asked for.
    pub recorded: Vec<RecordedIo>,
    /// Latency by priority, where single I/Os have priorities.
    pub by_priority: Vec<PriorityLatency>,
    /// Reading back, where it belongs to the task.
    pub read_back: Option<Outcome>,
    /// When it began.
    pub started: WallTime,
    /// Time from the start of the run to its end.
    pub elapsed: Duration,
    /// The reason for which it failed.
    pub failed: Option<Failure>,
    /// A full target ended it, as it was to.
    pub is_full: bool,
}

impl TaskEnd {
    /// It failed before it measured anything.
    pub fn failed(reason: impl Into<Failure>) -> Self {
        Self { failed: Some(reason.into()), ..Self::default() }
    }

    /// The same without I/Os one by one and without the details of reading back.
    #[must_use]
    pub fn summary(&self) -> Self {
        Self {
            round: self.round.clone(),
            database: self.database.clone(),
            noted: Vec::new(),
            recorded: Vec::new(),
            by_priority: self.by_priority.clone(),
            read_back: None,
            started: self.started.clone(),
            elapsed: self.elapsed,
            failed: self.failed.clone(),
            is_full: self.is_full,
        }
    }
}
