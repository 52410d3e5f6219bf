//! The tables of pgbench, made and filled in one go with nothing synced until all is there.

use crate::Spec;
use crate::error::DatabaseError;
use crate::tables::{ACCOUNTS, TELLERS, scale};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Room that a branch takes in the file, by which their number is chosen; what they took is in the record. Bytes.
const BRANCH_BYTES: u64 = 9_800_000;

/// Accounts that are inserted between two looks at the flag that ends it.
const AT_ONCE: u64 = 10_000;

/// Cache for filling. KiB, below zero as SQLite has it.
const CACHE_KIB: i64 = -65_536;

const TABLES: &str = "
CREATE TABLE pgbench_branches (bid INTEGER PRIMARY KEY, bbalance INTEGER, filler TEXT);
CREATE TABLE pgbench_tellers (tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER, filler TEXT);
CREATE TABLE pgbench_accounts (aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER, filler TEXT);
CREATE TABLE pgbench_history (tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime TEXT, filler TEXT);
";

/// Opens the file, which only connections of one thread each use. SQLite goes by paths: where the directory is another user's, he may lay a link to somewhere else in the place of
/// our folder, so links are not followed, and no file is made that is not there.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags)
}

/// Device and inode of a file.
pub(super) fn id(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|of| (of.dev(), of.ino()))
}

/// Reads a little, so that the connection knows the tables.
pub(super) fn look(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM pgbench_branches", [], |_| Ok(()))
}

/// Writes a little, so that the log has a head: what is counted by its salts is counted from the first round on.
pub(super) fn begin_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", 1)
}

/// Makes the file; gives its number of branches.
pub(super) fn fill(path: &Path, spec: &Spec, stop: &AtomicBool, told: &mut dyn FnMut(f64)) -> Result<u32, DatabaseError> {
    let made = std::fs::File::create_new(path);
    made.map_err(|error| DatabaseError::new(format!("{} cannot be made: {error}", path.display())))?;
    let branches = scale(spec.size_bytes, BRANCH_BYTES);
    filled(path, spec.page_bytes, branches, stop, told).map_err(|error| failed(path, &error))?;
    if stop.load(Relaxed) {
        return Err(DatabaseError::interrupted());
    }
    // No connection is open now: to close a file drops the locks that SQLite holds on it (fcntl(2)).
    let synced = std::fs::File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| DatabaseError::new(format!("{} cannot be synced: {error}", path.display())))?;
    Ok(branches)
}

fn filled(path: &Path, page_bytes: u32, branches: u32, stop: &AtomicBool, told: &mut dyn FnMut(f64)) -> rusqlite::Result<()> {
    let mut connection = open(path)?;
    connection.pragma_update(None, "page_size", page_bytes)?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    connection.execute_batch(TABLES)?;
    let all = connection.transaction()?;
    small_tables(&all, branches)?;
    accounts(&all, branches, stop, told)?;
    all.commit()
}

/// A fixed width of blanks, as pgbench has them.
fn filler(width: usize) -> String {
    " ".repeat(width)
}

fn small_tables(all: &Transaction<'_>, branches: u32) -> rusqlite::Result<()> {
    let mut branch = all.prepare("INSERT INTO pgbench_branches VALUES (?1, 0, ?2)")?;
    let mut teller = all.prepare("INSERT INTO pgbench_tellers VALUES (?1, ?2, 0, ?3)")?;
    for bid in 1..=u64::from(branches) {
        branch.execute((bid as i64, filler(88)))?;
        for tid in 1..=TELLERS {
            teller.execute((((bid - 1) * TELLERS + tid) as i64, bid as i64, filler(84)))?;
        }
    }
    Ok(())
}

fn accounts(all: &Transaction<'_>, branches: u32, stop: &AtomicBool, told: &mut dyn FnMut(f64)) -> rusqlite::Result<()> {
    let (count, blank) = (ACCOUNTS * u64::from(branches), filler(84));
    let mut account = all.prepare("INSERT INTO pgbench_accounts VALUES (?1, ?2, 0, ?3)")?;
    for aid in 1..=count {
        account.execute((aid as i64, ((aid - 1) / ACCOUNTS + 1) as i64, &blank))?;
        if aid.is_multiple_of(AT_ONCE) {
            told(aid as f64 / count as f64);
            if stop.load(Relaxed) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The error of SQLite, with a way to mend it where one is known.
pub(super) fn failed(path: &Path, error: &rusqlite::Error) -> DatabaseError {
    let text = format!("SQLite in {}: {error}", path.display());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => DatabaseError::hinted(text, "make room there, or take a smaller --size"),
        _ => DatabaseError::new(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_the_way_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [own, others] = ["own", "others"].map(|name| folder.path().join(name));
        std::fs::create_dir(&others).unwrap();
        std::os::unix::fs::symlink(&others, &own).unwrap();
        assert!(open(&own.join("bank.sqlite")).is_err());
        assert_eq!(std::fs::read_dir(&others).unwrap().count(), 0);
        assert!(open(&others.join("bank.sqlite")).is_err(), "there is none, and none is made");
        std::fs::write(others.join("bank.sqlite"), "").unwrap();
        assert!(open(&others.join("bank.sqlite")).is_ok());
    }
}
