//! A client: a connection that repeats the transaction until it is told to end.

use super::{Sqlite, make};
use crate::own_use::Use;
use crate::tables::{Draw, TableDraws};
use crate::tally::{EndedTransaction, Tally};
use ioproof_core::database::DatabaseLoad;
use ioproof_core::record::Mix;
use rusqlite::{Connection, ErrorCode, Statement};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The time of a round, and what its clients share.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundClock<'a> {
    began: Instant,
    round: &'a DatabaseLoad,
    /// Set to end all clients.
    pub end: &'a AtomicBool,
    /// Transactions of all of them.
    pub count: &'a AtomicU64,
}

impl<'a> RoundClock<'a> {
    pub(super) fn now(round: &'a DatabaseLoad, end: &'a AtomicBool, count: &'a AtomicU64) -> Self {
        Self { began: Instant::now(), round, end, count }
    }

    pub(super) fn elapsed_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// One client.
pub(super) struct SqliteClient {
    connection: Connection,
    /// Error of a checkpoint that failed.
    checkpoint: Arc<OnceLock<String>>,
    mix: Mix,
    draws: TableDraws,
}

impl SqliteClient {
    /// Connects, and reads the schema, which counts for no transaction.
    pub(super) fn connect(database: &Sqlite, round: &DatabaseLoad, number: u32) -> Result<Self, String> {
        let Sqlite { path, id, settings, record, .. } = database;
        let opened = make::open(path);
        // Before anything is written: SQLite goes by paths, and what it has opened is what the path leads to.
        if make::id(path) != *id {
            return Err(format!("{} is not the file any more that this run made: it was moved, or another stands there", path.display()));
        }
        let checkpoint = Arc::default();
        let connected = (|| {
            let mut connection = opened?;
            settings.set(&connection, Some(record.cache_bytes / u64::from(record.clients.max(1))))?;
            settings.tell_of_checkpoints(&mut connection, Arc::clone(&checkpoint))?;
            make::look(&connection)?;
            Ok(connection)
        })();
        let connection = connected.map_err(|error| make::failed(path, &error).text)?;
        Ok(Self { connection, checkpoint, mix: record.mix, draws: TableDraws::new(round.seed, number, record.scale) })
    }

    /// Repeats the transaction until the end; an error ends all clients.
    pub(super) fn run(mut self, clock: RoundClock<'_>) -> Result<Tally, String> {
        let before = Use::of_this_thread();
        let mut tally = Tally::default();
        let ran = Statements::prepare(&self.connection, self.mix).and_then(|mut script| {
            while !clock.end.load(Relaxed) {
                let began = Instant::now();
                let Some(done) = script.one(self.draws.next(), clock, &mut tally.retried)? else {
                    tally.count_late(began.elapsed().as_nanos() as u64);
                    break;
                };
                tally.count(clock.round, done);
                clock.count.fetch_add(1, Relaxed);
            }
            Ok(())
        });
        if let Err(error) = ran {
            clock.end.store(true, Relaxed);
            return Err(match self.checkpoint.get() {
                Some(why) => format!("SQLite: a checkpoint failed: {why}"),
                None => format!("SQLite: {error}"),
            });
        }
        tally.used = Some(Use::of_this_thread().since(before));
        Ok(tally)
    }
}

/// The statements of a transaction.
struct Statements<'c> {
    mix: Mix,
    begin: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    account: Statement<'c>,
    balance: Statement<'c>,
    teller: Statement<'c>,
    branch: Statement<'c>,
    history: Statement<'c>,
}

impl<'c> Statements<'c> {
    fn prepare(connection: &'c Connection, mix: Mix) -> rusqlite::Result<Self> {
        let prepare = |sql| connection.prepare(sql);
        Ok(Self {
            mix,
            // A writer that begins as a reader could meet another one half-way and neither get on (sqlite.org/lang_transaction.html).
            begin: prepare("BEGIN IMMEDIATE")?,
            commit: prepare("COMMIT")?,
            rollback: prepare("ROLLBACK")?,
            account: prepare("UPDATE pgbench_accounts SET abalance = abalance + ?1 WHERE aid = ?2")?,
            balance: prepare("SELECT abalance FROM pgbench_accounts WHERE aid = ?1")?,
            teller: prepare("UPDATE pgbench_tellers SET tbalance = tbalance + ?1 WHERE tid = ?2")?,
            branch: prepare("UPDATE pgbench_branches SET bbalance = bbalance + ?1 WHERE bid = ?2")?,
            history: prepare("INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (?1, ?2, ?3, ?4, CURRENT_TIMESTAMP)")?,
        })
    }

    /// One transaction with all of its retries; none where the round ended before it was through.
    fn one(&mut self, draw: Draw, clock: RoundClock<'_>, retried: &mut u64) -> rusqlite::Result<Option<EndedTransaction>> {
        let began = Instant::now();
        loop {
            match self.tried(draw) {
                Ok(commit_ns) => {
                    let latency_ns = began.elapsed().as_nanos() as u64;
                    return Ok(Some(EndedTransaction { end_ns: clock.elapsed_ns(), latency_ns, commit_ns }));
                }
                Err(error) if is_busy(&error) => {
                    *retried += 1;
                    // Where it had not begun there is nothing to take back.
                    let _ = self.rollback.execute([]);
                    if clock.end.load(Relaxed) {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The transaction once; gives the time of its commit, where it has one. Nanoseconds.
    fn tried(&mut self, draw: Draw) -> rusqlite::Result<Option<u64>> {
        let Draw { account, teller, branch, delta } = draw;
        if !self.mix.writes() {
            self.balance.query_row([account], |row| row.get::<_, i64>(0))?;
            return Ok(None);
        }
        self.begin.execute([])?;
        self.account.execute([delta, account])?;
        self.balance.query_row([account], |row| row.get::<_, i64>(0))?;
        if self.mix == Mix::TpcbLike {
            self.teller.execute([delta, teller])?;
            self.branch.execute([delta, branch])?;
        }
        self.history.execute([teller, branch, account, delta])?;
        let begun = Instant::now();
        self.commit.execute([])?;
        Ok(Some(begun.elapsed().as_nanos() as u64))
    }
}

/// True where another connection is in the way.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
