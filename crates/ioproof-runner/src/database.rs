//! Rounds of databases: what a task of one asks for, and whoever runs it. A database makes its own I/O in its own files, so of a task's other fields only those count that
//! say when it begins.

use crate::failure::Failure;
use ioproof_core::job::{JobSpec, Placement, Recording, Span, Until};
use ioproof_core::record::DatabaseRound;
use ioproof_core::workload::{Pattern, Workload};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A round of a database in the place of a job's load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseLoad {
    /// Position of the database in the record.
    pub database: u32,
    /// Transactions before the measurement; they count for the stage's counters alone.
    pub warm_up: Duration,
    /// The measurement.
    pub measure: Duration,
    /// Seed of the accounts that are touched.
    pub seed: u64,
}

/// Transactions of a round so far, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatabaseCount {
    /// Since the round began. Nanoseconds.
    pub elapsed_ns: u64,
    /// Transactions that have ended.
    pub transactions: u64,
}

/// The way in which a round is ended early and looked at.
pub struct DatabaseControl<'a> {
    /// Set to end it early.
    pub stop: &'a AtomicBool,
    /// Called a few times a second.
    pub observe: &'a mut dyn FnMut(DatabaseCount),
}

/// The databases of a run.
pub trait Databases: Sync {
    /// Runs a round to its end, or until it is stopped.
    ///
    /// # Errors
    /// When there is no such database. One that fails is part of what was measured.
    fn run(&self, load: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<DatabaseRound, Failure>;
}

impl DatabaseLoad {
    /// A description of its length for whoever goes by the load of the engine; of pages and bytes it says nothing true.
    pub(crate) fn spec(&self) -> JobSpec {
        JobSpec {
            workload: Workload::plain(Pattern::Random, 0, 4096, 1, 1),
            span: Span { offset_bytes: 0, length_bytes: 0 },
            ramp_ns: self.warm_up.as_nanos() as u64,
            until: Until::ElapsedNs(self.measure.as_nanos() as u64),
            at_most_ns: None,
            at_most_bytes: None,
            seed: self.seed,
            io_timeout_ns: u64::MAX,
            error_limit: 0,
            placement: Placement::default(),
            recording: Recording::default(),
            end_fsync: false,
        }
    }
}
