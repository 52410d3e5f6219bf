//! Databases as they are used: made and loaded in a directory that the program permits, run by clients for so long, and removed with all that is theirs.
//!
//! `sqlite` runs within this process, `postgres` as a server of its own that nobody else can reach. Both have the tables and the standard transactions of pgbench
//! (PostgreSQL's manual, pgbench), so their figures can be held against what others print. `tally` counts what clients did.
//! Deliberately absent: a command line, the choice of a directory and the right to write there, and what a figure means.

#![forbid(unsafe_code)]

mod error;
mod left_behind;
mod own_use;
pub mod postgres;
pub mod sqlite;
mod tables;
mod tally;

pub use error::DatabaseError;
pub use left_behind::{LeftSchema, left_behind};

use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::record::{DatabaseRecord, DatabaseRound, Mix};

/// The load and the size of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// Position of its target in the record.
    pub target: u32,
    /// The transaction.
    pub mix: Mix,
    /// Connections, each with one transaction under way; at least 1.
    pub clients: u32,
    /// Size of its data, of which as much is made as whole branches give. Bytes.
    pub size_bytes: u64,
    /// Size of its pages, where it can be chosen. Bytes.
    pub page_bytes: u32,
    /// Its own cache, where that is not to be as it comes. Bytes.
    pub cache_bytes: Option<u64>,
}

/// A database that is made and loaded. Dropped, it is gone from memory; its files are the caller's to remove.
pub trait Database: Send + Sync {
    /// Its description for the record.
    fn record(&self) -> &DatabaseRecord;

    /// Runs a round. One that fails says so.
    fn run(&self, round: &DatabaseLoad, control: DatabaseControl<'_>) -> DatabaseRound;
}
