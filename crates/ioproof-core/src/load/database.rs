//! A round of a database as it is asked for, and the way in which it is followed and ended. What comes of it is `record::DatabaseRound`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A round of a database in the place of a job's load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseLoad {
    /// Position of the database in the record.
    pub database: u32,
    /// Clients, each with one transaction under way; at least 1.
    pub clients: u32,
    /// Transactions before the measurement; they count for the stage's counters alone.
    pub warm_up: Duration,
    pub measure: Duration,
    /// Seed of the accounts that are touched.
    pub seed: u64,
}

/// Transactions of a round so far, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatabaseCount {
    /// Since the round began. Nanoseconds.
    pub elapsed_ns: u64,
    pub transactions: u64,
}

/// The way in which a round is ended early and looked at.
pub struct DatabaseControl<'a> {
    /// Set to end it early.
    pub stop: &'a AtomicBool,
    /// Called a few times a second.
    pub observe: &'a mut dyn FnMut(DatabaseCount),
}
