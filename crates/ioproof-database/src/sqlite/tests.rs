//! Databases of SQLite in folders of their own.

use super::*;
use ioproof_core::record::{Mix, RoundOutcome};

fn spec(mix: Mix, clients: u32) -> Spec {
    Spec { target: 0, mix, clients, size_bytes: 0, page_bytes: 8192, cache_bytes: Some(1 << 20) }
}

fn made(folder: &Path, spec: &Spec, settings: SqliteSettings) -> Sqlite {
    make(folder, spec, settings, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

fn round() -> DatabaseLoad {
    DatabaseLoad { database: 0, clients: 2, warm_up: Duration::from_millis(50), measure: Duration::from_millis(300), seed: 1 }
}

fn run(database: &Sqlite, round: &DatabaseLoad, stop: bool) -> DatabaseRound {
    database.run(round, DatabaseControl { stop: &AtomicBool::new(stop), observe: &mut |_| {} })
}

/// Sums of the tables and the number of rows of the history.
fn sums(database: &Sqlite) -> [i64; 4] {
    let connection = make::open(&database.path).unwrap();
    let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    [
        one("SELECT sum(abalance) FROM pgbench_accounts"),
        one("SELECT sum(tbalance) FROM pgbench_tellers"),
        one("SELECT sum(bbalance) FROM pgbench_branches"),
        one("SELECT count(*) FROM pgbench_history"),
    ]
}

#[test]
fn every_transaction_that_is_counted_is_in_the_tables() {
    for journal in [Journal::Wal, Journal::Rollback] {
        let folder = tempfile::tempdir().unwrap();
        let database = made(folder.path(), &spec(Mix::TpcbLike, 3), SqliteSettings { journal, ..SqliteSettings::default() });
        let ran = run(&database, &DatabaseLoad { clients: 3, ..round() }, false);
        assert_eq!((ran.outcome, &ran.error), (RoundOutcome::Complete, &None));
        let [accounts, tellers, branches, history] = sums(&database);
        assert_eq!(history as u64, ran.total_transactions, "{journal:?}");
        assert_eq!((accounts, accounts), (tellers, branches), "{journal:?}: each moved its sum in all three");
        assert!(ran.transactions <= ran.total_transactions && ran.latency.count() == ran.transactions);
        assert_eq!(ran.commit.as_ref().map(ioproof_core::histogram::Histogram::count), Some(ran.transactions));
        assert!(ran.cpu_ns.is_some_and(|ns| ns > 0) && ran.written_bytes.is_none_or(|bytes| bytes > 8192 * ran.total_transactions));
        assert_eq!(ran.checkpoints.is_some(), journal == Journal::Wal);
    }
}

#[test]
fn the_record_has_what_is_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SqliteSettings { journal: Journal::Wal, synchronous: Synchronous::Normal };
    let database = made(folder.path(), &Spec { size_bytes: 25_000_000, ..spec(Mix::SimpleUpdate, 2) }, settings);
    let record = database.record();
    assert_eq!((record.scale, record.page_bytes, record.cache_bytes, record.clients), (2, 8192, 2 << 20, 2));
    assert!((19_000_000..21_000_000).contains(&record.size_bytes), "{} bytes", record.size_bytes);
    let setting = |name: &str| record.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((setting("journal_mode"), setting("synchronous"), setting("page_size")), (Some("wal"), Some("NORMAL"), Some("8192")));
    assert_eq!(record.title, "SQLite, WAL, synchronous NORMAL");
}

#[test]
fn checkpoints_are_counted_over_all_connections() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SqliteSettings { journal: Journal::Wal, synchronous: Synchronous::Off };
    let database = made(folder.path(), &Spec { page_bytes: 4096, ..spec(Mix::TpcbLike, 1) }, settings);
    // A round has connections of its own, and each of those has a sequence number of its own.
    for _ in 0..4 {
        let ran = run(&database, &round(), false);
        // The log is begun anew behind 1000 pages, and a transaction writes at least one and at most about ten.
        let (checkpoints, all) = (ran.checkpoints.unwrap(), ran.total_transactions);
        assert!(checkpoints >= (all / 1000).saturating_sub(1) && checkpoints <= all / 50 + 1, "{checkpoints} of {all} transactions");
    }
}

#[test]
fn reads_alone_commit_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = made(folder.path(), &spec(Mix::SelectOnly, 2), SqliteSettings::default());
    let ran = run(&database, &round(), false);
    assert!(ran.transactions > 0 && ran.commit.is_none());
    assert_eq!(sums(&database), [0; 4]);
}

#[test]
fn it_ends_when_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let error = make(folder.path(), &spec(Mix::TpcbLike, 1), SqliteSettings::default(), &AtomicBool::new(true), &mut |_| {}).unwrap_err();
    assert!(error.is_interrupted);
    let folder = tempfile::tempdir().unwrap();
    let database = made(folder.path(), &spec(Mix::TpcbLike, 1), SqliteSettings::default());
    let long = DatabaseLoad { measure: Duration::from_secs(3600), ..round() };
    assert_eq!(run(&database, &long, true).outcome, RoundOutcome::Interrupted);
}

#[test]
fn a_database_of_somebody_in_its_place_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [own, theirs] = ["own", "theirs"].map(|name| folder.path().join(name));
    std::fs::create_dir(&own).unwrap();
    let database = made(&own, &spec(Mix::TpcbLike, 1), SqliteSettings::default());
    std::fs::create_dir(&theirs).unwrap();
    std::fs::copy(&database.path, theirs.join("bank.sqlite")).unwrap();
    let before = std::fs::read(theirs.join("bank.sqlite")).unwrap();
    std::fs::rename(&own, folder.path().join("moved")).unwrap();
    std::fs::rename(&theirs, &own).unwrap();
    let ran = run(&database, &round(), false);
    assert!(ran.outcome == RoundOutcome::Failed && ran.error.unwrap().contains("is not the file any more"));
    assert!(std::fs::read(&database.path).unwrap() == before && std::fs::read_dir(&own).unwrap().count() == 1);
    std::fs::remove_file(&database.path).unwrap();
    assert_eq!(run(&database, &round(), false).outcome, RoundOutcome::Failed);
    assert_eq!(std::fs::read_dir(&own).unwrap().count(), 0, "nothing was made");
}

#[test]
fn a_file_that_is_broken_is_an_error_of_the_round() {
    let folder = tempfile::tempdir().unwrap();
    let database = made(folder.path(), &spec(Mix::TpcbLike, 2), SqliteSettings::default());
    std::fs::write(&database.path, b"no database").unwrap();
    let ran = run(&database, &round(), false);
    assert_eq!(ran.outcome, RoundOutcome::Failed);
    assert!(ran.error.unwrap().contains("SQLite"));
}
