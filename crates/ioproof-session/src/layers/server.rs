//! PostgreSQL as it was asked for: programs, account, settings and scripts, and what is refused before anything is made.

use super::db::Db;
use anyhow::Result;
use ioproof_database::DatabaseError;
use ioproof_database::postgres::{self, OtherUser, PgbenchScript, Setting, Uri};
use ioproof_process::complaint::complaint;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Room that a database takes beside its data, for its log and what is added to it, beside half of the data. Bytes.
const BESIDE_BYTES: u64 = 128 << 20;
/// The same of PostgreSQL beside its log, which grows to its `max_wal_size` and somewhat beyond. Bytes.
const BESIDE_POSTGRES_BYTES: u64 = 512 << 20;

/// The user ended it while a database was made.
#[derive(Debug)]
pub(super) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it was ended before the database was there")
    }
}

impl std::error::Error for Interrupted {}

/// Refuses what cannot be made as far as that is known before anything is.
///
/// # Errors
/// When PostgreSQL is not there or too old, nobody can run it, or its settings are those of nothing.
pub fn check(databases: &[Db], dirs: &[PathBuf], server: &ServerOptions) -> Result<()> {
    if server.pg_test_fsync {
        server.programs()?.check_sync_rates().map_err(as_complaint)?;
    }
    if let Some(other) = databases.iter().find(|db| **db != Db::Postgres).filter(|_| !server.scripts.is_empty()) {
        return Err(complaint(
            format!("--script is of pgbench, and {} has none", other.title()),
            "--db postgres alone, or leave out --script",
        ));
    }
    if databases.contains(&Db::Given) {
        server.programs()?;
        dirs.iter().try_for_each(|dir| server.account_of_given(dir).map(drop))?;
    } else if databases.contains(&Db::Postgres) {
        server.programs()?;
        dirs.iter().try_for_each(|dir| server.account(dir).map(drop))?;
    } else if let Some(setting) = server.settings.first() {
        return Err(complaint(
            format!("--db-set {setting} is of PostgreSQL, which is not asked for"),
            "--db postgres, or leave out --db-set",
        ));
    } else if !server.scripts.is_empty() {
        return Err(complaint("--script is of PostgreSQL, which is not asked for", "--db postgres, or leave out --script"));
    } else if server.user.is_some() || server.programs.is_some() && !server.pg_test_fsync {
        let flag = if server.user.is_some() { "--db-user" } else { "--db-bin" };
        return Err(complaint(format!("{flag} is of PostgreSQL, which is not asked for"), format!("--db postgres, or leave out {flag}")));
    }
    server.each_setting_once()
}

/// Asks a server that was given whether it is fit. A dry run does not.
pub fn ask_given(server: &ServerOptions, dir: &Path, stop: &AtomicBool) -> Result<()> {
    let Some(uri) = &server.given else { return Ok(()) };
    postgres::check_given(&server.programs()?, server.account_of_given(dir)?, uri, stop).map_err(as_complaint)
}

/// The same on a filesystem that is not there yet, and will be root's.
pub fn check_on_new(databases: &[Db], server: &ServerOptions) -> Result<()> {
    if databases.contains(&Db::Postgres) && server.user.is_none() {
        let text = "PostgreSQL refuses to run as root, and a new filesystem is root's";
        return Err(complaint(text, "name who is to run it: --db-user postgres"));
    }
    check(databases, &[PathBuf::from("/")], server)
}

/// Where PostgreSQL's programs are, who runs them and with which settings, as far as the user said.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// The server that is measured in place of one of our own.
    pub given: Option<Uri>,
    /// True where pg_test_fsync is to be run in each directory.
    pub pg_test_fsync: bool,
    pub programs: Option<PathBuf>,
    pub user: Option<String>,
    pub settings: Vec<Setting>,
    /// Scripts in place of the standard transaction.
    pub scripts: Vec<PgbenchScript>,
}

impl ServerOptions {
    /// Room that a database of this size takes, with the log that PostgreSQL's settings give it. Bytes.
    pub fn room_bytes(&self, db: Db, size_bytes: u64) -> u64 {
        let beside_bytes = match db {
            // Its data lies where its server has it; here are logs of pgbench.
            Db::Given => return BESIDE_BYTES,
            Db::Postgres => postgres::log_bytes(&self.settings).saturating_add(BESIDE_POSTGRES_BYTES),
            _ => BESIDE_BYTES,
        };
        size_bytes.saturating_add(size_bytes / 2).saturating_add(beside_bytes)
    }

    fn each_setting_once(&self) -> Result<()> {
        let is_there_before = |(at, setting): &(usize, &Setting)| self.settings[..*at].iter().any(|other| other.name() == setting.name());
        self.settings
            .iter()
            .enumerate()
            .find(is_there_before)
            .map_or(Ok(()), |(_, setting)| Err(complaint(format!("--db-set names {} twice", setting.name()), "leave out one of the two")))
    }

    pub(super) fn programs(&self) -> Result<postgres::Programs> {
        postgres::Programs::find(self.programs.as_deref()).map_err(as_complaint)
    }

    pub(super) fn account(&self, dir: &Path) -> Result<Option<OtherUser>> {
        OtherUser::choose(dir, self.user.as_deref()).map_err(as_complaint)
    }

    /// The account of psql and pgbench for a server that was given: unlike a server they may run as root.
    pub(super) fn account_of_given(&self, dir: &Path) -> Result<Option<OtherUser>> {
        self.user.as_ref().map_or(Ok(None), |_| self.account(dir))
    }
}

pub(super) fn as_complaint(error: DatabaseError) -> anyhow::Error {
    match error.hint {
        _ if error.is_interrupted => Interrupted.into(),
        Some(hint) => complaint(error.text, hint),
        None => anyhow::anyhow!(error.text),
    }
}
