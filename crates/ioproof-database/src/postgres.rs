//! PostgreSQL as a server of its own: a new cluster in the folder that is given, reached by a socket in a private folder and by nothing else, loaded and run by pgbench, and
//! stopped without a last checkpoint, since nobody wants its data.
//!
//! Or a server that the user gives (`given`): tables in a schema of ours (`schema`) at an address (`uri`), taken as it is set; `whereabouts` says whether its files lie where is measured, `host` tells
//! the two kinds apart.
//!
//! `programs` finds them, `account` says who runs them, `settings` says which settings a user may choose, `calls` runs each to its end, `server` keeps the server, `bench` reads what pgbench says, `used` what the kernel counts, `sync_rates` runs pg_test_fsync,
//! `counts` what the server counts itself.
//! No cluster is ever touched that was not named: no variable of the caller's environment reaches these programs, and all of them are told where to go.

mod account;
mod bench;
mod calls;
mod counts;
mod given;
mod host;
mod programs;
mod schema;
mod script;
mod server;
mod settings;
mod sync_rates;
mod uri;
mod used;
mod whereabouts;

pub use account::OtherUser;
pub use given::{TITLE as GIVEN_TITLE, check_given, make_given};
pub use programs::Programs;
pub use script::{PgbenchScript, SCRIPT_BYTES_MAX};
pub use server::SHARED_BUFFERS_BYTES;
pub use settings::{Setting, log_bytes};
pub use sync_rates::sync_rates;
pub use uri::{Uri, without_password};

use crate::error::DatabaseError;
use crate::tables::scale;
use crate::tally::nanos;
use crate::{Database, Spec};
use calls::{Calls, Ended};
use counts::Counts;
use host::ServerHost;
use ioproof_core::database::{DatabaseControl, DatabaseCount, DatabaseLoad};
use ioproof_core::record::{DatabaseKind, DatabaseRecord, DatabaseRound, RoundOutcome};
use script::ScriptCopies;
use server::{PostgresServer, ServerLog};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Room that a branch takes with its indexes (PostgreSQL's manual, pgbench: about 16 MB with all that belongs to it). Bytes.
const BRANCH_BYTES: u64 = 15_500_000;

/// A round that its last transactions keep from ending for longer is given up.
const LAST_TRANSACTION: Duration = Duration::from_secs(60);

/// Less than any question to a server takes. Nanoseconds.
const LEAST_NS: u64 = 2000;

/// True where transactions took less on average than a server takes to answer; not of a round in which there was none.
fn asks_nothing(ran: &DatabaseRound, clients: u32) -> bool {
    ran.elapsed_ns.saturating_mul(clients.into()).checked_div(ran.transactions).is_some_and(|mean_ns| mean_ns < LEAST_NS)
}

/// Settings whose values in force are in the record.
const RECORDED: &str = "'shared_buffers','max_wal_size','checkpoint_timeout','checkpoint_completion_target','synchronous_commit','fsync',\
                        'full_page_writes','wal_sync_method','wal_level','wal_buffers','wal_compression','commit_delay','max_connections','autovacuum','data_checksums',\
                        'huge_pages','server_version'";

/// A database of PostgreSQL. Dropped, its server is stopped, or of one that was given all that is ours is removed.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    calls: Calls,
    /// The same by which clients run the transaction.
    clients: Calls,
    scripts: ScriptCopies,
    server: Mutex<ServerHost>,
    record: DatabaseRecord,
    /// Major version.
    major: u32,
    /// Rounds so far, which name the files of pgbench.
    rounds: AtomicU64,
}

/// Makes a cluster in this empty folder, starts its server with these settings and fills it. Clients run the scripts, or where there are none the standard transaction.
///
/// # Errors
/// When a program fails, the folder takes no more, or `stop` was set; the server is stopped then.
pub fn make(
    folder: &Path,
    spec: &Spec,
    programs: &Programs,
    account: Option<OtherUser>,
    settings: &[Setting],
    scripts: &[PgbenchScript],
    stop: &AtomicBool,
) -> Result<Postgres, DatabaseError> {
    let log = ServerLog::make(folder)?;
    let scripts = ScriptCopies::make(scripts, folder)?;
    account.iter().try_for_each(|account| account.own(folder))?;
    let calls = Calls::new(programs.clone(), account);
    init(&calls, folder, stop)?;
    let mut server = PostgresServer::start(&calls, folder, log, spec, settings, stop).map_err(|error| of_settings(error, settings))?;
    let calls = calls.at(server.socket());
    let scale = fill(&calls, spec, stop).map_err(|error| with_hint(server.explain(error)))?;
    let clients = scripts.clients(&calls, scale, stop)?;
    // What filling left in memory is none of the first round's.
    calls.ask("CHECKPOINT", stop)?;
    let records = scripts.records();
    let chosen: String = settings.iter().map(|setting| format!(",'{}'", setting.name())).collect();
    let known = DatabaseRecord {
        title: DatabaseKind::Postgres.title().to_owned(),
        scale,
        version: programs.version().to_owned(),
        scripts: records,
        settings: settings_of(&calls, &chosen, stop)?,
        compressed_share: ioproof_target::compressed_share(folder),
        ..DatabaseRecord::default()
    };
    let record = described(&calls, spec, known, "SELECT pg_database_size('postgres')", stop)?;
    let major = programs.major();
    Ok(Postgres {
        folder: folder.to_owned(),
        calls,
        clients,
        scripts,
        server: Mutex::new(ServerHost::Own(server)),
        record,
        major,
        rounds: AtomicU64::new(0),
    })
}

/// Makes the cluster. Nothing of it need last but what the server writes, so nothing is synced here.
fn init(calls: &Calls, folder: &Path, stop: &AtomicBool) -> Result<(), DatabaseError> {
    let data = folder.join("data");
    let words = ["-U", "ioproof", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D"].map(OsStr::new);
    calls.run("initdb", words.into_iter().chain([data.as_os_str()]), stop).map(drop).map_err(with_hint)
}

/// Makes and fills pgbench's tables; gives the number of branches.
fn fill(calls: &Calls, spec: &Spec, stop: &AtomicBool) -> Result<u32, DatabaseError> {
    let scale = scale(spec.size_bytes, BRANCH_BYTES);
    calls.run("pgbench", ["-i", "-q", "-s", &scale.to_string()].map(AsRef::as_ref), stop)?;
    Ok(scale)
}

/// The settings in force that bear on a figure, and further ones by their names.
fn settings_of(calls: &Calls, further: &str, stop: &AtomicBool) -> Result<Vec<(String, String)>, DatabaseError> {
    let query = format!("SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({RECORDED}{further}) ORDER BY 1");
    let settings = calls.ask(&query, stop)?;
    let pairs = settings.lines().filter_map(|line| line.split_once('|')).chain([("pgbench protocol", "simple")]);
    Ok(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

/// The database with what its server says of it; `size` asks for the room that it takes.
fn described(calls: &Calls, spec: &Spec, known: DatabaseRecord, size: &str, stop: &AtomicBool) -> Result<DatabaseRecord, DatabaseError> {
    let number = |query: &str| Ok::<u64, DatabaseError>(number(&calls.ask(query, stop)?));
    Ok(DatabaseRecord {
        kind: DatabaseKind::Postgres,
        target: spec.target,
        mix: spec.mix,
        clients: spec.clients,
        page_bytes: number("SHOW block_size")? as u32,
        cache_bytes: number("SELECT pg_size_bytes(current_setting('shared_buffers'))")?,
        size_bytes: number(size)?,
        ..known
    })
}

/// 0 for what is no number: a figure that nobody gave is not made up.
fn number(text: &str) -> u64 {
    text.trim().parse().unwrap_or(0)
}

/// The error of a server that did not start, with what to do where the user chose its settings.
fn of_settings(error: DatabaseError, settings: &[Setting]) -> DatabaseError {
    if settings.is_empty() || error.is_interrupted {
        return error;
    }
    DatabaseError {
        hint: Some("its version may not know a setting of --db-set, or not take its value: leave it out or change it".into()),
        ..error
    }
}

/// The same with what to do, where that is known.
fn with_hint(error: DatabaseError) -> DatabaseError {
    let says = |words: &str| error.text.contains(words);
    let hint = match () {
        () if says("No space left") || says("Disk quota") || says("could not extend file") => "make room there, or take a smaller --size",
        () if says("Permission denied") => {
            "whoever runs it must be able to enter the directory and all above it; or name somebody who can: --db-user"
        }
        () => return error,
    };
    DatabaseError { hint: Some(hint.to_owned()), ..error }
}

impl Database for Postgres {
    fn record(&self) -> &DatabaseRecord {
        &self.record
    }

    fn run(&self, round: &DatabaseLoad, control: DatabaseControl<'_>) -> DatabaseRound {
        self.measured(round, control).unwrap_or_else(|error| DatabaseRound::failed(round.database, error.text))
    }
}

/// A run of pgbench.
#[derive(Debug, Clone, Copy)]
struct Pass<'a> {
    clients: u32,
    time: Duration,
    seed: u64,
    /// Beginning of the names of its logs.
    log: Option<&'a Path>,
    /// Begin of the round, and its transactions so far.
    began: Instant,
    before: u64,
}

impl Postgres {
    fn measured(&self, round: &DatabaseLoad, mut control: DatabaseControl<'_>) -> Result<DatabaseRound, DatabaseError> {
        let mut server = self.server.lock().map_err(|_| DatabaseError::new("the server's keeper panicked"))?;
        server.check(control.stop)?;
        // What is asked of the server stays outside of what the kernel counts.
        let counted = Counts::ask(&self.calls, self.major, control.stop);
        let (before, checkpoints, storage_errors) = (server.used(), server.checkpoints(), server.storage_errors().len());
        let began = Instant::now();
        let warming = Pass { clients: round.clients.max(1), time: round.warm_up, seed: round.seed, log: None, began, before: 0 };
        let warm_up = self.bench(&warming, &mut control).map_err(|error| server.explain(error))?;
        let prefix = self.folder.join(format!("bench-{}", self.rounds.fetch_add(1, Relaxed)));
        let warmed = warm_up.map_or(0, |said| said.transactions);
        let measuring = Pass { time: round.measure, seed: round.seed.wrapping_add(1), log: Some(&prefix), before: warmed, ..warming };
        let said = match warm_up {
            Some(_) => self.bench(&measuring, &mut control).map_err(|error| server.explain(error))?,
            None => None,
        };
        let logged = bench::read_logs(&self.folder, &prefix)?;
        server.check(control.stop)?;
        // A checkpoint that fails is told to no client.
        if let Some(told) = server.storage_errors().get(storage_errors) {
            return Err(DatabaseError::new(format!("the server of PostgreSQL said: {told}")));
        }
        let used = server.used().zip(before).map(|(now, before)| now.since(before));
        let counts = counted.and_then(|before| Some(Counts::ask(&self.calls, self.major, control.stop)?.since(before))).unwrap_or_default();
        let ran = logged.round(round);
        if said.is_some() && ran.transactions == 0 {
            return Err(DatabaseError::new("no transaction of the round came to its end"));
        }
        if asks_nothing(&ran, round.clients) {
            return Err(DatabaseError::new("its transactions are over before a server can be asked: the scripts ask nothing of it"));
        }
        Ok(DatabaseRound {
            outcome: if said.is_none() { RoundOutcome::Interrupted } else { RoundOutcome::Complete },
            total_transactions: ran.total_transactions + warmed,
            failed: logged.failed,
            checkpoints: checkpoints.zip(server.checkpoints()).map(|(before, now)| now.saturating_sub(before)),
            checkpoints_begun: counts.checkpoints,
            wal: counts.wal,
            written_bytes: used.and_then(|used| used.written_bytes),
            cpu_ns: used.map(|used| used.cpu_ns),
            printed_per_s: said.and_then(|said| said.per_s),
            ..ran
        })
    }

    /// Runs pgbench for so long; gives what it printed, nothing where it was ended early.
    fn bench(&self, pass: &Pass<'_>, control: &mut DatabaseControl<'_>) -> Result<Option<bench::PgbenchSummary>, DatabaseError> {
        let Pass { clients, seed, log, began, before, .. } = *pass;
        // It counts whole seconds.
        let seconds = pass.time.as_secs_f64().round().max(1.0) as u64;
        let threads = clients.min(std::thread::available_parallelism().map_or(1, |n| n.get() as u32));
        let mut words: Vec<String> = vec!["-n".into(), "-T".into(), seconds.to_string(), "-c".into(), clients.to_string()];
        words.extend(["-j".into(), threads.to_string(), format!("--random-seed={}", seed >> 1)]);
        let standard = || vec!["-b".into(), self.record.mix.name().into()];
        words.extend(self.scripts.words(self.record.scale).unwrap_or_else(standard));
        words.extend(log.iter().flat_map(|log| ["--log".into(), format!("--log-prefix={}", log.display())]));
        let look = &mut || (control.observe)(DatabaseCount { elapsed_ns: nanos(began.elapsed()), transactions: before });
        // It ends when the last transaction of each client has.
        let limit = Some(Duration::from_secs(seconds) + LAST_TRANSACTION);
        match self.clients.watched(limit, "pgbench", words.iter().map(AsRef::as_ref), control.stop, look)? {
            Ended::Well(output) => bench::said(&output).map(Some),
            Ended::Stopped => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_asks_nothing_is_told_from_one_that_was_ended_before_its_first_transaction() {
        let ran = |transactions, elapsed_ns| DatabaseRound { transactions, elapsed_ns, ..DatabaseRound::default() };
        let told = [ran(1_000_000, 1_000_000_000), ran(30_000, 1_000_000_000), ran(0, 0)].map(|ran| asks_nothing(&ran, 1));
        assert_eq!(told, [true, false, false]);
    }
}
