//! A database at a server that the user gives: pgbench's tables in a schema of ours, measured as those of a server of our own, and nothing else of it touched. The server is taken as it is set.

use super::account::OtherUser;
use super::calls::Calls;
use super::host::ServerHost;
use super::programs::{OLDEST, Programs};
use super::schema::{self, Schema};
use super::script::ScriptCopies;
use super::uri::Uri;
use super::{Postgres, fill, settings_of, whereabouts, with_hint};
use crate::Spec;
use crate::error::DatabaseError;
use ioproof_core::record::{DatabaseRecord, ServerRecord};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Its name in reports. The address is a fact of it and no part of the name, so that two servers can be held against each other.
pub const TITLE: &str = "PostgreSQL, a server that was given";
/// A question for what must be known before anything is made.
const QUESTION: &str = "SELECT current_setting('server_version_num'), pg_is_in_recovery(), has_database_privilege(current_database(), 'CREATE'), current_setting('server_version')";
/// Size of the tables of ours with their indexes.
const SIZE: &str = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";

/// Makes a schema with pgbench's tables in the database that is named; `folder` is an empty one for pgbench's logs, in the `directory` that is measured.
///
/// # Errors
/// When the server cannot be reached, is not fit, or a program fails, or `stop` was set; the schema is gone then.
pub fn make_given(
    (folder, directory): (&Path, &Path),
    spec: &Spec,
    programs: &Programs,
    account: Option<OtherUser>,
    uri: &Uri,
    stop: &AtomicBool,
) -> Result<Postgres, DatabaseError> {
    account.iter().try_for_each(|account| account.own(folder))?;
    let own = Calls::new(programs.clone(), account);
    let (asking, major, version) = asked(&own, uri, stop)?;
    schema::remove_leftovers(&asking, uri, stop)?;
    let (mut schema, calls) = Schema::make(&own, uri, stop)?;
    let scale = fill(&calls, spec, stop).map_err(with_hint)?;
    schema.note_tables(stop)?;
    let apart = whereabouts::apart(&calls, uri, &schema.name(), directory, stop)?;
    let mut settings = settings_of(&calls, "", stop)?;
    settings.push(("pgbench version".to_owned(), programs.version().to_owned()));
    let server = ServerRecord { address: uri.address(), database: uri.database().to_owned(), apart };
    let known = DatabaseRecord { title: TITLE.to_owned(), scale, version, server: Some(server), settings, ..DatabaseRecord::default() };
    let record = super::described(&calls, spec, known, SIZE, stop)?;
    Ok(Postgres {
        folder: folder.to_owned(),
        clients: calls.clone(),
        calls,
        scripts: ScriptCopies::default(),
        server: Mutex::new(ServerHost::Given(Box::new(schema))),
        record,
        major,
        rounds: AtomicU64::new(0),
    })
}

/// Asks a server whether it is fit, so that this is told before anything is made anywhere.
///
/// # Errors
/// When it cannot be reached, or is not fit.
pub fn check_given(programs: &Programs, account: Option<OtherUser>, uri: &Uri, stop: &AtomicBool) -> Result<(), DatabaseError> {
    asked(&Calls::new(programs.clone(), account), uri, stop).map(drop)
}

/// The calls by which it is asked, and its version.
fn asked(own: &Calls, uri: &Uri, stop: &AtomicBool) -> Result<(Calls, u32, String), DatabaseError> {
    // Names are looked up in the catalogue alone until there is a schema.
    let asking = own.clone().at_given(uri, "pg_catalog");
    let (major, version) = fit(&asking.ask(QUESTION, stop).map_err(of_way)?, uri)?;
    Ok((asking, major, version))
}

/// The major number and the name of its version, where the answer says that tables can be made.
fn fit(answer: &str, uri: &Uri) -> Result<(u32, String), DatabaseError> {
    let mut words = answer.trim().splitn(4, '|');
    let mut word = || words.next().unwrap_or_default();
    let (number, in_recovery, may_create, version) = (word(), word(), word(), word());
    let major = number.parse::<u32>().map_err(|_| DatabaseError::new("the server does not say its version"))? / 10_000;
    let version = version.split_whitespace().next().unwrap_or_default();
    let place = format!("the server at {}", uri.address());
    let database = uri.database();
    match () {
        () if major < OLDEST => Err(DatabaseError::hinted(
            format!("{place} is PostgreSQL {version}, which is too old"),
            format!("{OLDEST} is the oldest that can be measured"),
        )),
        () if in_recovery != "f" => Err(DatabaseError::hinted(
            format!("{place} is a standby, at which no tables can be made"),
            "name its primary: what a standby replays is no load of its own",
        )),
        () if may_create != "t" => Err(DatabaseError::hinted(
            format!("the role may create no schema in the database {database} of {place}"),
            format!("GRANT CREATE ON DATABASE {database} TO the role, or name a database of its own"),
        )),
        () => Ok((major, version.to_owned())),
    }
}

/// The error of a first question, with what to do.
fn of_way(error: DatabaseError) -> DatabaseError {
    let says = |words: &str| error.text.contains(words);
    let hint = match () {
        () if error.is_interrupted => return error,
        () if says("no password") || says("password authentication") => {
            "the password may stand in ~/.pgpass, in PGPASSWORD, or in the address, where ps shows it"
        }
        () if says("Peer authentication") => "a socket may want the user of the machine whose name the role has: --db-user NAME as root",
        () => {
            "psql with the same address must get there: postgresql://USER@HOST:PORT/DATABASE, or postgresql:///DATABASE?host=/run/postgresql"
        }
    };
    DatabaseError { hint: Some(hint.to_owned()), ..error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(answer: &str) -> Result<(u32, String), DatabaseError> {
        fit(answer, &"postgresql://h/bench".parse().unwrap())
    }

    #[test]
    fn a_server_that_is_not_fit_is_refused_with_what_to_do() {
        assert_eq!(told("150014|f|t|15.14 (Debian 15.14-0+deb12u1)\n").unwrap(), (15, "15.14".to_owned()));
        let refuses = |answer: &str, text: &str, hint: &str| {
            let error = told(answer).unwrap_err();
            assert!(error.text.contains(text) && error.hint.as_deref().is_some_and(|own| own.contains(hint)), "{error:?}");
        };
        refuses("110022|f|t|11.22", "11.22, which is too old", "12 is the oldest");
        refuses("150014|t|t|15.14", "is a standby", "primary");
        refuses("150014|f|f|15.14", "may create no schema", "GRANT CREATE ON DATABASE bench");
        assert!(told("").is_err() && told("x|f|t|15").is_err() && told("150014").is_err());
    }
}
