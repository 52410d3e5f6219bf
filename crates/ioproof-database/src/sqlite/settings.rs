//! Settings of SQLite that bear on a figure: set on each connection, and asked for again, so that the record has what is in force.

use super::client::is_busy;
use crate::Spec;
use rusqlite::Connection;
use rusqlite::hooks::Wal;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Where a transaction is kept until it is in the file (sqlite.org/pragma.html#pragma_journal_mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Journal {
    /// A log of new pages.
    #[default]
    Wal,
    /// A file of old pages, which is removed at each commit.
    Rollback,
}

/// Syncs of a commit (sqlite.org/pragma.html#pragma_synchronous).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// Every commit lasts.
    #[default]
    Full,
    /// With a log the last commits may be lost with the power, and the file stays sound.
    Normal,
    /// None at all.
    Off,
}

/// The way in which commits are made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SqliteSettings {
    /// The journal.
    pub journal: Journal,
    /// The syncs.
    pub synchronous: Synchronous,
}

/// Time for which SQLite itself waits for a lock before it gives up, and the transaction is begun again.
const BUSY: Duration = Duration::from_secs(1);

/// The call by which it syncs, decided when it is compiled: fsync, unless it is told that fdatasync can be trusted (os_unix.c).
const SYNC_CALL: &str = match option_env!("LIBSQLITE3_FLAGS") {
    Some(flags) if has(flags.as_bytes(), b"-DHAVE_FDATASYNC=1") => "fdatasync",
    _ => "fsync",
};

/// Settings in force.
pub(super) struct InForce {
    pub page_bytes: u32,
    /// Of one connection. Bytes.
    pub cache_bytes: u64,
    pub settings: Vec<(String, String)>,
}

impl SqliteSettings {
    /// Name in reports: `SQLite, WAL, synchronous FULL`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("SQLite, {}, synchronous {}", self.journal.title(), self.synchronous.name())
    }

    /// Sets a new connection.
    pub(super) fn set(&self, connection: &Connection, cache_bytes: Option<u64>) -> rusqlite::Result<()> {
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "synchronous", self.synchronous.name())?;
        let Some(cache_bytes) = cache_bytes else { return Ok(()) };
        // Below zero it counts KiB.
        connection.pragma_update(None, "cache_size", -i64::try_from(cache_bytes / 1024).unwrap_or(i64::MAX))
    }

    /// Has a client's commit fail where the checkpoint behind it does, which SQLite's own hook keeps to itself (sqlite.org/c3ref/wal_hook.html). When there is one stays as it was.
    /// What the checkpoint failed by is put into `failed`, as the commit does not say.
    pub(super) fn tell_of_checkpoints(&self, connection: &mut Connection, failed: Arc<OnceLock<String>>) -> rusqlite::Result<()> {
        if self.journal != Journal::Wal {
            return Ok(());
        }
        let due: i64 = connection.query_row("PRAGMA wal_autocheckpoint", [], |row| row.get(0))?;
        connection.wal_hook(Some(move |wal: &mut Wal, pages| {
            let done = if i64::from(pages) < due { Ok(()) } else { wal.checkpoint() };
            // Where another client is at it, that one tells.
            let told = done.or_else(|error| if is_busy(&error) { Ok(()) } else { Err(error) });
            told.inspect_err(|error| drop(failed.set(error.to_string())))
        }))
    }

    /// Sets the file's own mode and a connection, and says what is in force.
    pub(super) fn take_effect(&self, connection: &mut Connection, spec: &Spec) -> rusqlite::Result<InForce> {
        self.set(connection, spec.cache_bytes)?;
        let mode: String = connection.query_row(&format!("PRAGMA journal_mode = {}", self.journal.name()), [], |row| row.get(0))?;
        let number = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let (page_bytes, cache) = (number("page_size")?, number("cache_size")?);
        let cache_bytes = if cache < 0 { cache.unsigned_abs() * 1024 } else { (cache * page_bytes).unsigned_abs() };
        let synchronous = ["OFF", "NORMAL", "FULL", "EXTRA"].get(number("synchronous")? as usize).copied().unwrap_or("unknown");
        let mut settings = vec![
            ("journal_mode".to_owned(), mode),
            ("synchronous".to_owned(), synchronous.to_owned()),
            ("page_size".to_owned(), page_bytes.to_string()),
            ("cache_size of each client (bytes)".to_owned(), cache_bytes.to_string()),
            ("mmap_size".to_owned(), number("mmap_size")?.to_string()),
            ("busy_timeout (ms)".to_owned(), number("busy_timeout")?.to_string()),
            ("sync call".to_owned(), SYNC_CALL.to_owned()),
            ("transactions begin".to_owned(), if spec.mix.writes() { "IMMEDIATE" } else { "by themselves" }.to_owned()),
        ];
        if self.journal == Journal::Wal {
            settings.push(("wal_autocheckpoint (pages)".to_owned(), number("wal_autocheckpoint")?.to_string()));
        }
        Ok(InForce { page_bytes: u32::try_from(page_bytes).unwrap_or(0), cache_bytes, settings })
    }
}

impl Journal {
    fn name(self) -> &'static str {
        match self {
            Self::Wal => "WAL",
            Self::Rollback => "DELETE",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Wal => "WAL",
            Self::Rollback => "rollback journal",
        }
    }
}

impl Synchronous {
    fn name(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
            Self::Off => "OFF",
        }
    }
}

/// True where a text has this part; for constants.
const fn has(text: &[u8], part: &[u8]) -> bool {
    let mut at = 0;
    while at + part.len() <= text.len() {
        let mut same = 0;
        while same < part.len() && text[at + same] == part[same] {
            same += 1;
        }
        if same == part.len() {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_tree_builds_it_with_fdatasync() {
        assert_eq!(SYNC_CALL, "fdatasync", "the workspace's .cargo/config.toml sets LIBSQLITE3_FLAGS");
        assert!(has(b"-DA -DB", b"-DB") && !has(b"-DA", b"-DB") && !has(b"", b"-DB"));
    }
}
