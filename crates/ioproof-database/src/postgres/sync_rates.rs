//! `pg_test_fsync`, run once in a folder of ours: the rates that others look at before they choose a `wal_sync_method`.

use super::calls::Calls;
use super::programs::{PG_TEST_FSYNC, Programs};
use crate::error::DatabaseError;
use ioproof_core::record::PgTestFsync;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Time of each rate, the shortest that it takes. Seconds.
const SECONDS: u32 = 1;

/// Runs it in this folder, in which it makes a file of 16 MiB and removes it.
///
/// # Errors
/// When it fails, says no rate, or was ended by `stop`.
pub fn sync_rates(folder: &Path, programs: &Programs, stop: &AtomicBool) -> Result<PgTestFsync, DatabaseError> {
    let (seconds, file) = (SECONDS.to_string(), folder.join("pg_test_fsync.out"));
    let words = [OsStr::new("-s"), seconds.as_ref(), OsStr::new("-f"), file.as_os_str()];
    let printed = Calls::new(programs.clone(), None).run(PG_TEST_FSYNC, words, stop)?;
    let read = PgTestFsync::read(programs.version(), SECONDS, &printed);
    read.ok_or_else(|| DatabaseError::new("pg_test_fsync of PostgreSQL printed no rates"))
}
