//! SQLite within this process: a file of pgbench's tables, and clients that are threads with a connection each.
//!
//! `settings` says how a commit is made durable, `make` fills the tables, `client` is the transaction. One connection more stays open over all rounds, because the last one
//! that closes has SQLite write its log into the file (sqlite.org/wal.html, "Checkpointing"), which would fall into some round.

mod client;
mod make;
mod settings;

pub use settings::{Journal, SqliteSettings, Synchronous};

use crate::error::DatabaseError;
use crate::tally::{Tally, nanos};
use crate::{Database, Spec};
use client::{RoundClock, SqliteClient};
use ioproof_core::database::{DatabaseControl, DatabaseCount, DatabaseLoad};
use ioproof_core::record::{DatabaseRecord, DatabaseRound};
use ioproof_target::threads;
use rusqlite::Connection;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Time between two looks at the clients.
const LOOK: Duration = Duration::from_millis(50);

/// Name of the file in its folder.
const FILE: &str = "bank.sqlite";

/// A database of SQLite.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    /// Device and inode of the file that was made.
    id: Option<(u64, u64)>,
    settings: SqliteSettings,
    record: DatabaseRecord,
    /// Held open so that no client is the last to close.
    _keeper: Mutex<Connection>,
}

/// Makes a database in this empty folder and fills it. `told` is called with the share that is done, 0 to 1.
///
/// # Errors
/// When the folder takes no more, or `stop` was set.
pub fn make(
    folder: &Path,
    spec: &Spec,
    settings: SqliteSettings,
    stop: &AtomicBool,
    told: &mut dyn FnMut(f64),
) -> Result<Sqlite, DatabaseError> {
    let path = folder.join(FILE);
    let scale = make::fill(&path, spec, stop, told)?;
    // It opens and closes the file, which nobody may do from the first connection on: with any descriptor that is closed go the locks of SQLite (fcntl(2)).
    let compressed_share = ioproof_target::compressed_share(folder);
    let failed = |error: rusqlite::Error| make::failed(&path, &error);
    let mut keeper = make::open(&path).map_err(failed)?;
    let in_force = settings.take_effect(&mut keeper, spec).map_err(failed)?;
    // Only a connection that has read holds the log open.
    make::look(&keeper).map_err(failed)?;
    if settings.journal == Journal::Wal {
        make::begin_log(&keeper).map_err(failed)?;
    }
    let record = DatabaseRecord {
        server: None,
        title: settings.title(),
        kind: ioproof_core::record::DatabaseKind::Sqlite,
        version: rusqlite::version().to_owned(),
        target: spec.target,
        mix: spec.mix,
        scripts: Vec::new(),
        scale,
        clients: spec.clients,
        page_bytes: in_force.page_bytes,
        cache_bytes: in_force.cache_bytes * u64::from(spec.clients),
        size_bytes: std::fs::metadata(&path).map_or(0, |of| of.len()),
        compressed_share,
        settings: in_force.settings,
    };
    Ok(Sqlite { id: make::id(&path), path, settings, record, _keeper: Mutex::new(keeper) })
}

impl Database for Sqlite {
    fn record(&self) -> &DatabaseRecord {
        &self.record
    }

    fn run(&self, round: &DatabaseLoad, control: DatabaseControl<'_>) -> DatabaseRound {
        let before = self.salt();
        match self.measured(round, control) {
            Ok((tally, ended_ns)) => {
                let checkpoints = before.zip(self.salt()).map(|(before, now)| u64::from(now.wrapping_sub(before)));
                DatabaseRound { checkpoints, ..tally.round(round, ended_ns) }
            }
            Err(error) => DatabaseRound::failed(round.database, error),
        }
    }
}

impl Sqlite {
    /// Runs all clients; gives their counts and when they were told to end. Nanoseconds since they began.
    fn measured(&self, round: &DatabaseLoad, control: DatabaseControl<'_>) -> Result<(Tally, u64), String> {
        let connect = |number| SqliteClient::connect(self, round, number);
        let clients: Vec<SqliteClient> = (0..round.clients).map(connect).collect::<Result<_, _>>()?;
        let (end, count) = (AtomicBool::new(false), AtomicU64::new(0));
        let clock = RoundClock::now(round, &end, &count);
        let tallies = std::thread::scope(|scope| {
            let begin = |client: SqliteClient| threads::spawn_within(scope, "client", move || client.run(clock));
            let running: Vec<_> = clients.into_iter().map(begin).collect();
            if running.iter().any(Result::is_err) {
                end.store(true, Relaxed);
            }
            self.watch(round, control, clock);
            let ended_ns = clock.elapsed_ns();
            end.store(true, Relaxed);
            let joined = running.into_iter().map(|thread| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err("a client panicked".to_owned())),
                Err(error) => Err(format!("no thread can be had for a client: {error}")),
            });
            joined.collect::<Result<Vec<Tally>, String>>().map(|tallies| (tallies, ended_ns))
        });
        let (tallies, ended_ns) = tallies?;
        let mut all = Tally::default();
        tallies.iter().for_each(|tally| all.merge(tally));
        Ok((all, ended_ns))
    }

    /// Waits for the end of the round, or of a client that failed.
    fn watch(&self, round: &DatabaseLoad, control: DatabaseControl<'_>, clock: RoundClock<'_>) {
        let whole_ns = nanos(round.warm_up).saturating_add(nanos(round.measure));
        loop {
            let elapsed_ns = clock.elapsed_ns();
            (control.observe)(DatabaseCount { elapsed_ns, transactions: clock.count.load(Relaxed) });
            if elapsed_ns >= whole_ns || control.stop.load(Relaxed) || clock.end.load(Relaxed) {
                return;
            }
            std::thread::sleep(LOOK.min(Duration::from_nanos(whole_ns - elapsed_ns)));
        }
    }

    /// A number that grows by one each time the log is begun anew behind a whole checkpoint: the first salt of its head (sqlite.org/fileformat2.html, "The Write-Ahead Log"), as
    /// all connections share it. The sequence number beside it is each connection's own.
    fn salt(&self) -> Option<u32> {
        if self.settings.journal != Journal::Wal {
            return None;
        }
        let mut salt = [0; 4];
        let log = std::fs::File::open(self.path.with_extension("sqlite-wal")).ok()?;
        log.read_exact_at(&mut salt, 16).is_ok().then(|| u32::from_be_bytes(salt))
    }
}

#[cfg(test)]
mod tests;
