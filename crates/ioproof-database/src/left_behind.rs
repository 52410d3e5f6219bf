//! Schemas of ours at servers that were given which these would not let go: they are in somebody's database, so the user must be told, and whatever removed them is over when it fails.

use std::sync::{Mutex, PoisonError};

static ALL: Mutex<Vec<LeftSchema>> = Mutex::new(Vec::new());

/// A schema that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftSchema {
    /// Its name.
    pub schema: String,
    /// The database that it stands in.
    pub database: String,
    /// The answer of the server.
    pub why: String,
}

/// Takes note of one.
pub(crate) fn note(left: LeftSchema) {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).push(left);
}

/// The schemas of ours that were left behind since this was asked last.
#[must_use]
pub fn left_behind() -> Vec<LeftSchema> {
    std::mem::take(&mut ALL.lock().unwrap_or_else(PoisonError::into_inner))
}
