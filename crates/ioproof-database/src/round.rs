//! A round as it is asked for, and the way in which it is followed and ended.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundSpec {
    /// Position of the database in the record.
    pub database: u32,
    /// Transactions before the measurement, which count for no figure.
    pub warm_up: Duration,
    /// The measurement.
    pub measure: Duration,
    /// Seed of the accounts that are touched.
    pub seed: u64,
}

/// Transactions so far, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Since the round began. Nanoseconds.
    pub elapsed_ns: u64,
    /// Transactions that have ended.
    pub transactions: u64,
}

/// The way in which a round is ended early and looked at.
pub struct Control<'a> {
    /// Set to end it early.
    pub stop: &'a AtomicBool,
    /// Called a few times a second.
    pub observe: &'a mut dyn FnMut(Count),
}
