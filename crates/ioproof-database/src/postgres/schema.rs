//! A schema of ours in a database of somebody else: of a name that nobody has, marked, and held by a lock of the server for as long as it is in use. It goes with exactly the tables that
//! pgbench makes and with nothing else: what somebody put beside these stays, and so does the schema then.
//!
//! A run that was killed leaves one. Its lock is free, since the session that held it ended with the run, and by mark and lock the next run knows it.

use super::calls::Calls;
use super::uri::Uri;
use crate::error::DatabaseError;
use crate::left_behind::{self, LeftSchema};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::atomic::AtomicBool;

/// Beginning of its name, with 16 hexadecimal digits behind it.
const BEGINNING: &str = "ioproof_";
/// Its comment in the catalogue. A schema without it is never touched, whatever its name.
const MARK: &str = "made by ioproof layers for one run, which removes it";
/// Behind the mark, before the numbers of its tables.
const OF_TABLES: &str = "; its tables are ";
/// Tables of pgbench.
const TABLES: [&str; 4] = ["pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"];
/// The session that holds the lock, beside those that are ended before tables go.
const KEEPER: &str = "ioproof";
/// Waits for locks of what still goes on in its tables, so long at most.
const PATIENCE: &str = "SET lock_timeout = '30s';";

/// The schema. Dropped, it is removed.
#[derive(Debug)]
pub(super) struct Schema {
    calls: Calls,
    address: String,
    database: String,
    name: SchemaName,
    /// The numbers of the tables that pgbench made here, once it has.
    tables: Vec<u32>,
    /// Dropped last: until then no other run takes the schema for one that was left.
    _keeper: LockKeeper,
}

impl Schema {
    /// Makes one, and gives it with the calls that know no other.
    ///
    /// # Errors
    /// When the server makes none, or its tables would be made elsewhere.
    pub(super) fn make(calls: &Calls, uri: &Uri, stop: &AtomicBool) -> Result<(Self, Calls), DatabaseError> {
        let name = SchemaName::draw();
        let calls = calls.clone().at_given(uri, &name.to_string());
        let keeper = LockKeeper::hold(&calls, name)?;
        // Before it is there: a server may make it although whoever asked was ended meanwhile.
        let (address, database) = (uri.address(), uri.database().to_owned());
        let schema = Self { calls: calls.clone(), address, database, name, tables: Vec::new(), _keeper: keeper };
        calls.ask(&format!("CREATE SCHEMA {name}; COMMENT ON SCHEMA {name} IS '{MARK}'"), stop)?;
        // Poolers may keep to themselves what a connection asks for.
        let path = calls.ask("SELECT current_schema(), current_schemas(true)", stop)?;
        if path.trim() != format!("{name}|{{pg_catalog,{name}}}") {
            return Err(DatabaseError::hinted(
                "the server does not keep to the schema of ours, so that tables of pgbench would be made among those of others",
                "name the server itself: a pooler before it may leave out PGOPTIONS (search_path)",
            ));
        }
        // They run with every table that pgbench makes, and may lead what it does next to another place.
        let triggers = calls.ask("SELECT string_agg(evtname, ', ') FROM pg_event_trigger WHERE evtenabled <> 'D'", stop)?;
        if !triggers.trim().is_empty() {
            return Err(DatabaseError::hinted(
                format!("the database has event triggers ({}), which may change what pgbench does to its tables", triggers.trim()),
                "name a database without event triggers; one of its own is best",
            ));
        }
        Ok((schema, calls))
    }

    /// Takes note of the tables that pgbench made, here and in the comment of the schema: by their numbers they are known, whatever bears their names later.
    ///
    /// # Errors
    /// When it did not make all of them here.
    pub(super) fn note_tables(&mut self, stop: &AtomicBool) -> Result<(), DatabaseError> {
        let query = format!("SELECT oid FROM pg_class WHERE relnamespace = '{}'::regnamespace AND {}", self.name, by_name());
        let found = numbers(&self.calls.ask(&query, stop)?);
        if found.len() != TABLES.len() {
            let text = format!("pgbench made {} of its {} tables in the schema of ours", found.len(), TABLES.len());
            return Err(DatabaseError::new(text));
        }
        let mark = format!("{MARK}{OF_TABLES}{}", found.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
        self.calls.ask(&format!("COMMENT ON SCHEMA {} IS '{mark}'", self.name), stop)?;
        self.tables = found;
        Ok(())
    }

    /// The error of a program that used it, with the server that it used.
    pub(super) fn explain(&self, error: DatabaseError) -> DatabaseError {
        DatabaseError { text: format!("server {}: {}", self.address, error.text), ..error }
    }

    /// An error where the session that holds it has ended, as by a server that was started anew: another run may remove it at any time then.
    pub(super) fn check_held(&self, stop: &AtomicBool) -> Result<(), DatabaseError> {
        match self.calls.ask(&format!("SELECT pg_try_advisory_xact_lock({})", self.name.key()), stop) {
            Ok(answer) if answer.trim() == "f" => Ok(()),
            Ok(_) => Err(DatabaseError::new("the server has ended the session that holds the schema of ours; was it started anew?")),
            Err(error) if error.is_interrupted => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Its name.
    pub(super) fn name(&self) -> String {
        self.name.to_string()
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // A server goes on with a query whose client is gone.
        let others = "datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()";
        let end =
            format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '{}' AND {others}", self.name);
        let never = AtomicBool::new(false);
        let _ = self.calls.titled(KEEPER).ask(&end, &never);
        let each = self.name.removal(&self.tables).map(|statement| format!("{PATIENCE} {statement}"));
        remove(&self.calls, &self.database, self.name, each);
    }
}

/// Removes the schemas of runs that were killed. Others than ours are not looked at, nor one that is in use.
///
/// # Errors
/// When the server does not say which there are.
pub(super) fn remove_leftovers(calls: &Calls, uri: &Uri, stop: &AtomicBool) -> Result<(), DatabaseError> {
    let query = format!(
        "SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname ~ '^{BEGINNING}[0-9a-f]{{16}}$' \
         AND obj_description(oid, 'pg_namespace') ~ '^{MARK}({OF_TABLES}[0-9 ]+)?$' AND pg_has_role(nspowner, 'USAGE')"
    );
    let found = calls.ask(&query, stop)?;
    let left = |line: &str| {
        let (name, mark) = line.split_once('|')?;
        Some((SchemaName::read(name)?, mark.split_once(OF_TABLES).map_or_else(Vec::new, |(_, tables)| numbers(tables))))
    };
    for (name, tables) in found.lines().filter_map(left) {
        let free = |statement: String| {
            format!("{PATIENCE} DO $$ BEGIN IF pg_try_advisory_xact_lock({}) THEN {statement}; END IF; END $$", name.key())
        };
        remove(calls, uri.database(), name, name.removal(&tables).map(free));
    }
    Ok(())
}

/// The condition of the catalogue by which tables of pgbench are known before their numbers are.
fn by_name() -> String {
    format!("relname IN ({})", TABLES.map(|table| format!("'{table}'")).join(", "))
}

/// Numbers of tables among blanks.
fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// Does one step after the other until one fails.
fn remove(calls: &Calls, database: &str, name: SchemaName, steps: [String; 2]) {
    let never = AtomicBool::new(false);
    if let Err(error) = steps.iter().try_for_each(|step| calls.ask(step, &never).map(drop)) {
        left_behind::note(LeftSchema { schema: name.to_string(), database: database.to_owned(), why: error.text });
    }
}

/// The name of a schema, and the key of its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SchemaName(u64);

impl SchemaName {
    fn draw() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        Self(ioproof_core::splitmix::mixed(u64::from(std::process::id()) << 32 ^ now))
    }

    fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(BEGINNING)?;
        u64::from_str_radix(digits, 16).ok().map(Self).filter(|name| name.to_string() == text)
    }

    /// Locks are known by a number with a sign (PostgreSQL's manual, "Advisory Locks").
    fn key(self) -> i64 {
        self.0.cast_signed()
    }

    /// The statements that remove it: neither says CASCADE, so that whatever depends on its tables or stands beside them stays, and says so. Tables go by their numbers and names
    /// both, since a dump that is restored gives the numbers to others; where none were noted, pgbench was ended while it made them, and they go by their names.
    fn removal(self, tables: &[u32]) -> [String; 2] {
        let known = match tables {
            [] => by_name(),
            _ => format!("oid IN ({}) AND {}", tables.iter().map(u32::to_string).collect::<Vec<_>>().join(", "), by_name()),
        };
        let of_ours = format!("relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = '{self}') AND relkind = 'r' AND {known}");
        let drop = format!(
            "FOR one IN SELECT oid::regclass AS name FROM pg_class WHERE {of_ours} LOOP EXECUTE 'DROP TABLE ' || one.name; END LOOP"
        );
        [format!("DO $drop$ DECLARE one record; BEGIN {drop}; END $drop$"), format!("DROP SCHEMA IF EXISTS {self}")]
    }
}

impl std::fmt::Display for SchemaName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{BEGINNING}{:016x}", self.0)
    }
}

/// A session that holds the lock of a schema. It ends when its standard input does, thus with us, whatever ends us.
#[derive(Debug)]
struct LockKeeper {
    session: Child,
}

impl LockKeeper {
    fn hold(calls: &Calls, name: SchemaName) -> Result<Self, DatabaseError> {
        let failed = |error: std::io::Error| DatabaseError::new(format!("psql of PostgreSQL cannot be started: {error}"));
        let mut keeper = Self { session: calls.titled(KEEPER).session().spawn().map_err(failed)? };
        // A server may end sessions that do nothing; since version 14 that is a setting.
        let stays =
            "SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN ('statement_timeout', 'idle_session_timeout')";
        let query = format!("SELECT pg_try_advisory_lock({}) FROM ({stays}) AS stays;\n", name.key());
        match keeper.answer(&query) {
            Some(answer) if answer.trim() == "t" => Ok(keeper),
            _ => Err(DatabaseError::new(format!("the server gave no lock for a schema of ours: {}", calls.said(&keeper.complaints())))),
        }
    }

    /// The first line that it answers.
    fn answer(&mut self, query: &str) -> Option<String> {
        self.session.stdin.as_mut()?.write_all(query.as_bytes()).ok()?;
        let mut line = String::new();
        BufReader::new(self.session.stdout.as_mut()?).read_line(&mut line).ok()?;
        Some(line)
    }

    /// Everything that it said of errors; it has ended then.
    fn complaints(&mut self) -> String {
        drop(self.session.stdin.take());
        let mut text = String::new();
        let _ = self.session.stderr.as_mut().map(|stderr| stderr.read_to_string(&mut text));
        text
    }
}

impl Drop for LockKeeper {
    fn drop(&mut self) {
        drop(self.session.stdin.take());
        super::calls::end(&mut self.session, rustix::process::Signal::TERM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written_and_no_other_is() {
        for name in [SchemaName(0), SchemaName(u64::MAX), SchemaName::draw()] {
            assert_eq!(SchemaName::read(&name.to_string()), Some(name));
        }
        assert_eq!(SchemaName(u64::MAX).key(), -1);
        for other in
            ["", "public", "ioproof_", "ioproof_1", "ioproof_000000000000000G", "ioproof_00000000000000FF", "ioproof_+00000000000000f"]
        {
            assert_eq!(SchemaName::read(other), None, "{other}");
        }
    }

    #[test]
    fn nothing_goes_that_is_not_named() {
        let own = "ioproof_000000000000000a";
        for (known, tables) in [
            (vec![], "relname IN ('pgbench_accounts', "),
            (vec![16_401, 16_404], "oid IN (16401, 16404) AND relname IN ('pgbench_accounts', "),
        ] {
            let [drop, schema] = SchemaName(10).removal(&known);
            assert!(drop.contains(tables) && drop.contains(&format!("nspname = '{own}'")), "{drop}");
            assert_eq!(schema, format!("DROP SCHEMA IF EXISTS {own}"));
            assert!(!(drop + &schema).to_uppercase().contains("CASCADE"));
        }
        assert_eq!((numbers("16401 16404\n16407"), numbers("x")), (vec![16_401, 16_404, 16_407], vec![]));
    }
}
