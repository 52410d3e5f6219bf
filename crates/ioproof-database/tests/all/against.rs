//! A server of PostgreSQL of its own: its figures are those of pgbench and of its own tables, and nothing of it stays. Needs PostgreSQL (`cargo xtask test` brings it in).

use ioproof_core::database::{DatabaseControl, DatabaseLoad};
use ioproof_core::record::{DatabaseRound, Mix, RoundOutcome};
use ioproof_database::postgres::{self, OtherUser, Postgres, Programs, Setting};
use ioproof_database::{Database, DatabaseError, Spec};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn make(folder: &Path, size_bytes: u64, stop: bool) -> Result<Postgres, DatabaseError> {
    make_with(folder, size_bytes, stop, &[])
}

fn make_with(folder: &Path, size_bytes: u64, stop: bool, settings: &[&str]) -> Result<Postgres, DatabaseError> {
    let spec = Spec { target: 0, mix: Mix::TpcbLike, clients: 2, size_bytes, page_bytes: 8192, cache_bytes: Some(16 << 20) };
    let settings: Vec<Setting> = settings.iter().map(|setting| setting.parse().unwrap()).collect();
    let name = rustix::process::geteuid().is_root().then_some("nobody");
    let account = OtherUser::choose(folder, name).unwrap();
    postgres::make(folder, &spec, &Programs::find(None).unwrap(), account, &settings, &[], &AtomicBool::new(stop))
}

fn run(database: &Postgres, seconds: u64) -> DatabaseRound {
    let time = Duration::from_secs(seconds);
    let round = DatabaseLoad { database: 0, clients: 2, warm_up: Duration::from_secs(1), measure: time, seed: 1 };
    database.run(&round, DatabaseControl { stop: &AtomicBool::new(false), observe: &mut |_| {} })
}

/// The number of the server whose cluster is in this folder, and the folder of its socket; by its command line.
fn server(folder: &Path) -> Option<(String, PathBuf)> {
    let data = folder.join("data").display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, std::fs::read_to_string(entry.path().join("cmdline")).ok()?)))
        .find_map(|(pid, line)| {
            let words: Vec<&str> = line.split('\0').collect();
            let behind = |flag: &str| words.iter().position(|word| *word == flag).and_then(|at| words.get(at + 1).copied());
            (behind("-D") == Some(&data)).then(|| behind("-k").map(|socket| (pid, PathBuf::from(socket))))?
        })
}

/// In a folder that other users can enter.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/tmp").unwrap()
}

#[test]
fn its_figures_are_those_of_pgbench_and_of_its_tables_and_nothing_of_it_stays() {
    let folder = folder();
    let database = make(folder.path(), 0, false).unwrap();
    let (pid, socket) = server(folder.path()).unwrap();
    assert!(socket.join(".s.PGSQL.5432").exists());
    let record = database.record();
    assert_eq!((record.scale, record.page_bytes, record.cache_bytes), (1, 8192, 16 << 20));
    assert!(record.size_bytes > 15_000_000 && record.settings.contains(&("fsync".into(), "on".into())), "{record:?}");
    let ran = run(&database, 2);
    assert_eq!((ran.outcome, &ran.error), (RoundOutcome::Complete, &None));
    let printed = ran.printed_per_s.unwrap();
    assert!((ran.per_s() / printed - 1.0).abs() < 0.05, "{} a second, and pgbench says {printed}", ran.per_s());
    assert!(ran.total_transactions > ran.transactions && ran.latency.count() == ran.transactions);
    assert!(ran.cpu_ns.is_some_and(|ns| ns > 0) && ran.written_bytes.is_some_and(|bytes| bytes > 8192));
    let wal = ran.wal.unwrap();
    // Each of its pages that is changed for the first time since the checkpoint is an image, and each commit a record at least.
    assert!(wal.records > ran.total_transactions && wal.full_page_images > 0 && wal.bytes > wal.full_page_images * 100, "{wal:?}");
    assert!(ran.checkpoints_begun.is_some());
    let count = ["-X", "-A", "-t", "-U", "ioproof", "-d", "postgres", "-c", "SELECT count(*) FROM pgbench_history", "-h"];
    let rows = Command::new("psql").args(count).arg(&socket).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&rows.stdout).trim(), ran.total_transactions.to_string(), "{rows:?}");
    drop(database);
    assert!(!socket.exists() && !Path::new("/proc").join(pid).exists());
}

#[test]
fn a_server_that_was_killed_is_an_error_of_its_round() {
    let folder = folder();
    let database = make(folder.path(), 0, false).unwrap();
    let (pid, socket) = server(folder.path()).unwrap();
    assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    let ran = run(&database, 1);
    assert_eq!(ran.outcome, RoundOutcome::Failed);
    let error = ran.error.unwrap();
    assert!(error.contains("PostgreSQL"), "{error}");
    drop(database);
    assert!(!socket.exists());
}

#[test]
fn settings_that_were_chosen_are_in_force_and_one_that_is_not_taken_is_said() {
    let folder = folder();
    let database = make_with(folder.path(), 0, false, &["fsync=off", "max_wal_size=64MB", "wal_compression=on", "work_mem=1MB"]).unwrap();
    let settings = &database.record().settings;
    let value = |name: &str| settings.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    // It says by which method it compresses where it knows several.
    assert_eq!([value("fsync"), value("max_wal_size"), value("work_mem")], [Some("off"), Some("64MB"), Some("1MB")]);
    assert!(value("wal_compression").is_some_and(|value| value != "off"), "{settings:?}");
    let error = make_with(self::folder().path(), 0, false, &["checkpoint_timeout=perhaps"]).unwrap_err();
    assert!(error.text.contains("checkpoint_timeout") && error.hint.as_deref().is_some_and(|hint| hint.contains("--db-set")), "{error:?}");
}

#[test]
fn it_ends_when_it_is_told_to() {
    let folder = folder();
    let error = make(folder.path(), 0, true).unwrap_err();
    assert!(error.is_interrupted, "{error}");
    assert!(server(folder.path()).is_none());
}
