//! The server behind a database: one of our own, of which everything is known, or one that was given, of which only its answers are.

use super::schema::Schema;
use super::server::PostgresServer;
use super::used::ResourceUse;
use crate::error::DatabaseError;
use std::sync::atomic::AtomicBool;

/// The server. Dropped, all that is ours of it is gone.
#[derive(Debug)]
pub(super) enum ServerHost {
    /// One of our own.
    Own(PostgresServer),
    /// One that was given, with a schema of ours.
    Given(Box<Schema>),
}

impl ServerHost {
    /// An error where a server of our own has ended by itself, or one that was given has let go of what is ours.
    pub(super) fn check(&mut self, stop: &AtomicBool) -> Result<(), DatabaseError> {
        match self {
            Self::Own(server) => server.check(),
            Self::Given(schema) => schema.check_held(stop),
        }
    }

    /// The error of a program that used it, with what a server of our own said itself, or which one was given.
    pub(super) fn explain(&mut self, error: DatabaseError) -> DatabaseError {
        match self {
            Self::Own(server) => server.explain(error),
            Self::Given(schema) => schema.explain(error),
        }
    }

    /// Checkpoints that have ended so far, where its log can be read.
    pub(super) fn checkpoints(&self) -> Option<u64> {
        if let Self::Own(server) = self { server.checkpoints() } else { None }
    }

    /// Errors with its files so far, where its log can be read.
    pub(super) fn storage_errors(&self) -> Vec<String> {
        if let Self::Own(server) = self { server.storage_errors() } else { Vec::new() }
    }

    /// Use of its processes, where they are ours.
    pub(super) fn used(&self) -> Option<ResourceUse> {
        if let Self::Own(server) = self { server.used() } else { None }
    }
}
