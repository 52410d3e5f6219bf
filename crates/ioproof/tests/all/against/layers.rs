//! `layers` held against what the kernel was asked for, by strace, against SQLite's own shell and against pgbench: a commit of SQLite has the syncs that its journal needs, as many and
//! with as many bytes as the shell's, and PostgreSQL's rate is the one that pgbench prints.
//!
//! Needs strace, sqlite3 and PostgreSQL's programs, no root (`cargo xtask test` brings them in).

use crate::common;
use crate::common::{Sandbox, said, wait_until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Has strace write down syncs and writes, each with the name of its file.
fn strace(trace: &str) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-s", "0", "-e", "trace=fsync,fdatasync,write,pwrite64", "-o", trace]);
    command
}

/// The calls of a run of one turn by strace, and the round of its database.
fn traced(db: &str) -> (String, Value) {
    let sandbox = Sandbox::new();
    let trace = sandbox.path("trace");
    let mut command = strace(&trace);
    command.args([env!("CARGO_BIN_EXE_ioproof"), "layers", "--runs", "1", "--time", "3s", "--size", "4MiB", "--db", db]);
    sandbox.prepare(&mut command);
    let ran = said(command.output().unwrap());
    assert!(matches!(ran.status, 0 | 3), "{ran:?}");
    let report = sandbox.run(&["report", "last", "--json"]).json();
    let stages = report["run"]["stages"].as_array().unwrap();
    let round = stages.iter().find_map(|stage| stage["databases"].get(0)).unwrap().clone();
    (String::from_utf8_lossy(&std::fs::read(&trace).unwrap()).into_owned(), round)
}

/// Syncs of a round beside those of its commits: the log is synced once more where it begins anew, the file at each checkpoint, and a commit may be cut off.
const BESIDE: f64 = 12.0;

/// Calls of fdatasync for the file whose name ends so, and the commits of the round. What another thread did in the middle of a call is shown as two lines, of which the second names no file.
fn syncs((trace, round): &(String, Value), name: &str) -> (f64, f64) {
    let of_file = format!("{name}>");
    let calls = trace.lines().filter(|line| line.contains("fdatasync(") && line.contains(&of_file)).count();
    (calls as f64, round["total_transactions"].as_f64().unwrap())
}

/// Bytes that were written to the file whose name ends so: the third word of a call is their number.
fn written(trace: &str, name: &str) -> f64 {
    let of_file = format!("{name}>, ");
    let calls = trace.lines().filter(|line| line.contains("write"));
    let lengths = calls.filter_map(|line| line.split_once(&of_file)?.1.split(", ").nth(1)?.split([' ', ')']).next()?.parse::<f64>().ok());
    lengths.sum()
}

/// The calls of SQLite's own shell that commits so many transactions of pgbench on a log, on tables of one branch.
fn traced_shell(commits: u32) -> String {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bank = folder.path().join("bank.sqlite");
    let run = |mut command: Command, sql: String| {
        let script = folder.path().join("script.sql");
        std::fs::write(&script, sql).unwrap();
        let ran = command.stdin(std::fs::File::open(script).unwrap()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    let shell = |mut command: Command| {
        command.args(["-batch", "-bail"]).arg(&bank);
        command
    };
    let rows = |most: u32, row: &str| format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) {row};");
    let tables = [
        "CREATE TABLE pgbench_branches (bid INTEGER PRIMARY KEY, bbalance INTEGER, filler TEXT);\
         CREATE TABLE pgbench_tellers (tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER, filler TEXT);\
         CREATE TABLE pgbench_accounts (aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER, filler TEXT);\
         CREATE TABLE pgbench_history (tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime TEXT, filler TEXT); BEGIN;"
            .to_owned(),
        rows(1, "INSERT INTO pgbench_branches SELECT i, 0, printf('%88s', '') FROM n"),
        rows(10, "INSERT INTO pgbench_tellers SELECT i, 1, 0, printf('%84s', '') FROM n"),
        rows(100_000, "INSERT INTO pgbench_accounts SELECT i, 1, 0, printf('%84s', '') FROM n"),
        "COMMIT; PRAGMA journal_mode = WAL;".to_owned(),
    ];
    run(shell(Command::new("sqlite3")), tables.concat());
    let transaction = |at: u32| {
        let (aid, tid) = (at * 7919 % 100_000 + 1, at % 10 + 1);
        format!(
            "BEGIN IMMEDIATE; UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = {aid}; UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = {tid};\
             UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;\
             INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ({tid}, 1, {aid}, 1, CURRENT_TIMESTAMP); COMMIT;"
        )
    };
    let trace = folder.path().join("trace");
    let mut traced = strace(trace.to_str().unwrap());
    traced.arg("sqlite3");
    run(shell(traced), "PRAGMA synchronous = FULL;".to_owned() + &(0..commits).map(transaction).collect::<String>());
    String::from_utf8_lossy(&std::fs::read(trace).unwrap()).into_owned()
}

#[test]
fn a_commit_syncs_and_writes_as_much_as_one_of_the_shell_of_sqlite() {
    const COMMITS: u32 = 400;
    let shell = traced_shell(COMMITS);
    let theirs = (
        shell.lines().filter(|line| line.contains("fdatasync(") && line.contains("bank.sqlite-wal>")).count(),
        written(&shell, "bank.sqlite-wal"),
    );
    let run = traced("sqlite");
    let (log, commits) = syncs(&run, "bank.sqlite-wal");
    let of_each = |bytes: f64, commits: f64| bytes / commits;
    let (ours, theirs_each) = (of_each(written(&run.0, "bank.sqlite-wal"), commits), of_each(theirs.1, f64::from(COMMITS)));
    assert!((theirs.0 as f64 - f64::from(COMMITS)).abs() <= BESIDE, "{} syncs of the shell", theirs.0);
    assert!((log / commits - 1.0).abs() <= 0.05 + BESIDE / commits, "{log} syncs for {commits} commits");
    assert!((ours / theirs_each - 1.0).abs() < 0.05, "{ours} bytes of the log for each commit, and {theirs_each} of the shell's");
}

#[test]
fn a_commit_of_the_log_is_one_fdatasync() {
    let run = traced("sqlite");
    let ((log, commits), (file, _)) = (syncs(&run, "bank.sqlite-wal"), syncs(&run, "bank.sqlite"));
    let is_one = (commits..=commits * 1.05 + BESIDE).contains(&log);
    assert!(is_one && file <= commits * 0.05 + BESIDE, "{log} of the log and {file} of the file for {commits} commits");
}

#[test]
fn a_commit_of_the_rollback_journal_is_several() {
    let run = traced("sqlite:rollback");
    let ((journal, commits), (file, _)) = (syncs(&run, "bank.sqlite-journal"), syncs(&run, "bank.sqlite"));
    let (is_journal, is_file) = ((commits..=commits * 2.0 + BESIDE).contains(&journal), (commits - 1.0..=commits + BESIDE).contains(&file));
    assert!(is_journal && is_file, "{journal} of the journal and {file} of the file for {commits} commits");
}

#[test]
fn no_commit_waits_where_that_is_asked_for() {
    assert_eq!(syncs(&traced("sqlite:off"), "bank.sqlite-wal").0, 0.0);
}

/// Words that have PostgreSQL run as somebody, which refuses to run as root.
fn as_nobody() -> Vec<&'static str> {
    if rustix::process::geteuid().is_root() { vec!["--db-user", "nobody"] } else { vec![] }
}

/// The report of a run with PostgreSQL in this folder.
fn of_postgres(folder: &Path, more: &[&str]) -> Value {
    // PostgreSQL runs as somebody who must be able to come here.
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let user = as_nobody();
    let words = ["layers", "--dir", folder.to_str().unwrap(), "--db", "postgres", "--size", "20MiB", "--clients", "2", "--json"];
    let said = Sandbox::new().run(&[&words[..], &user, more].concat());
    assert!(matches!(said.status, 0 | 3), "{said:?}");
    said.json()
}

/// True where this rule speaks.
fn is_found(report: &Value, rule: &str) -> bool {
    report["judgement"]["findings"].as_array().unwrap().iter().any(|finding| finding["rule"] == rule)
}

#[test]
fn commits_that_do_not_wait_are_found_and_not_held_against_durable_writes() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let report = of_postgres(folder.path(), &["--runs", "1", "--time", "4s", "--db-set", "fsync=off"]);
    assert!(is_found(&report, "commits-unsynced"), "{report}");
    assert!(report["judgement"]["layers"]["says"].to_string().contains("do not wait for the drive"), "{report}");
    let settings = &report["run"]["databases"][0]["settings"];
    assert!(settings.as_array().unwrap().contains(&serde_json::json!(["fsync", "off"])), "{settings}");
}

#[test]
fn the_rate_of_postgres_is_the_one_that_pgbench_prints() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let report = of_postgres(folder.path(), &["--runs", "2", "--time", "12s"]);
    assert!(!is_found(&report, "commits-unsynced"), "{report}");
    let rounds: Vec<&Value> = report["run"]["stages"].as_array().unwrap().iter().filter_map(|stage| stage["databases"].get(0)).collect();
    assert_eq!(rounds.len(), 2);
    for round in rounds {
        let per_s = round["transactions"].as_f64().unwrap() * 1e9 / round["elapsed_ns"].as_f64().unwrap();
        let printed = round["printed_per_s"].as_f64().unwrap();
        assert!((per_s / printed - 1.0).abs() < 0.05, "{per_s} a second, and pgbench says {printed}");
        assert!(round["wal"]["records"].as_u64() > round["total_transactions"].as_u64(), "{round}");
    }
    let database = &report["run"]["databases"][0];
    assert_eq!((&database["kind"], &database["page_bytes"]), (&"postgres".into(), &8192.into()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The folder of the socket of a server whose cluster is in this folder, by its command line.
fn socket(place: &str) -> Option<String> {
    let lines =
        std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
    // Only the server itself: what starts it has its words too, and is not yet bound to the life of ours.
    let is_server = |line: &String| line.split('\0').next().is_some_and(|program| program.ends_with("/postgres"));
    let mut servers = lines.filter(|line| line.contains(place) && is_server(line));
    servers.find_map(|line| line.split('\0').skip_while(|word| *word != "-k").nth(1).map(str::to_owned))
}

#[test]
fn a_kill_leaves_no_server_and_its_folder_until_the_next_run() {
    let (sandbox, folder) = (Sandbox::new(), tempfile::tempdir_in("/tmp").unwrap());
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = folder.path().to_str().unwrap();
    let user = as_nobody();
    let mut child =
        sandbox.begin(&[&["layers", "--dir", place, "--db", "postgres", "--size", "1MiB", "--time", "10m"][..], &user].concat());
    wait_until("a server", || socket(place).is_some());
    let found = socket(place).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the end of the server", || socket(place).is_none());
    // Another run may have removed it by now.
    let _ = std::fs::remove_dir_all(found);
    let entries = || std::fs::read_dir(place).unwrap().count();
    assert_eq!(entries(), 1, "the cluster");
    sandbox.measures(&["layers", "--dir", place, "--size", "1MiB", "--runs", "1", "--time", "1s"]);
    assert_eq!(entries(), 0);
}

#[test]
fn settings_that_were_chosen_are_shown_and_none_is_there_twice() {
    let sandbox = Sandbox::new();
    let user = as_nobody();
    let with = |settings: &[&str]| sandbox.run(&[&["layers", "--db", "postgres", "--dry-run"], &user[..], settings].concat());
    let said = with(&["--db-set", "fsync=off", "--db-set", "max_wal_size=64MB"]);
    assert!(said.status == 0 && said.stdout.contains("PostgreSQL, fsync=off, max_wal_size=64MB, tpcb-like"), "{said:?}");
    with(&["--db-set", "fsync=off", "--db-set", "fsync=on"]).refuses(&["names fsync twice", "leave out one"]);
}

#[test]
fn root_is_told_who_could_run_it() {
    let sandbox = Sandbox::new();
    if rustix::process::geteuid().is_root() {
        sandbox.run(&["layers", "--db", "postgres"]).refuses(&["refuses to run as root", "--db-user postgres"]);
    } else {
        sandbox.run(&["layers", "--db", "postgres", "--db-user", "nobody"]).refuses(&["leave out --db-user"]);
    }
}

/// The words that run PostgreSQL in this folder with a script of this text.
fn with_script(sandbox: &Sandbox, folder: &Path, text: &str) -> common::ProgramOutput {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(sandbox.work().join("own.sql"), text).unwrap();
    let user = as_nobody();
    let words = ["layers", "--dir", folder.to_str().unwrap(), "--db", "postgres", "--size", "1MiB", "--runs", "1", "--time", "4s"];
    sandbox.run(&[&words[..], &user, &["--script", "own.sql@3"]].concat())
}

#[test]
fn own_scripts_are_run_by_their_weights_and_not_held_against_durable_writes() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let files = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // Records of the log tell how often each was run: a row and a commit of the one, twenty and a commit of the other.
    let row = "INSERT INTO pgbench_history (tid) VALUES (:scale);\n";
    let many = format!("BEGIN;\n{}END;\n", row.repeat(20));
    let (one, two) = (file("one.sql", row), file("two.sql", &many));
    let report = of_postgres(folder.path(), &["--runs", "1", "--time", "4s", "--script", &format!("{one}@3"), "--script", &two]);
    let database = &report["run"]["databases"][0];
    let digest = Command::new("sha256sum").arg(&one).output().unwrap().stdout;
    let scripts = database["scripts"].as_array().unwrap();
    assert_eq!(scripts.len(), 2);
    assert_eq!((&scripts[0]["name"], &scripts[0]["weight"]), (&"one.sql".into(), &3.into()));
    assert_eq!(scripts[0]["sha256"].as_str().unwrap().as_bytes(), &digest[..64]);
    let rows = report["judgement"]["layers"]["rows"].as_array().unwrap();
    let of_database = rows.iter().find(|row| row["kind"] == "database").unwrap();
    assert!(of_database["share"].is_null() && of_database["per_s"]["median"].as_f64() > Some(0.0), "{of_database}");
    let round = report["run"]["stages"].as_array().unwrap().iter().find_map(|stage| stage["databases"].get(0)).unwrap();
    let of_each = round["wal"]["records"].as_f64().unwrap() / round["total_transactions"].as_f64().unwrap();
    assert!((5.5..9.0).contains(&of_each), "three to one is (3 x 2 + 21) / 4, not {of_each}: {round}");
    assert!(!is_found(&report, "commits-unsynced"), "{report}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn scripts_that_reach_beyond_the_tables_are_refused_before_anything_is_measured() {
    let (sandbox, folder) = (Sandbox::new(), tempfile::tempdir_in("/tmp").unwrap());
    let trace = folder.path().join("trace");
    let refuses = |text: &str, words: &[&str]| {
        with_script(&sandbox, folder.path(), text).refuses(words);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{text}");
    };
    refuses(&format!("COPY (SELECT 1) TO PROGRAM 'touch {}';", trace.display()), &["own.sql fails", "pg_execute_server_program"]);
    refuses(&format!("COPY (SELECT 1) TO '{}';", trace.display()), &["own.sql fails", "pg_write_server_files"]);
    refuses("SET ROLE ioproof;", &["own.sql fails", "permission denied"]);
    refuses("DROP TABLE pgbench_history;", &["own.sql fails", "does not exist"]);
    refuses("SELECT * FROM elsewhere;", &["own.sql fails", "does not exist", "tables of pgbench"]);
    refuses(&format!("\\ SHELL touch {}\n", trace.display()), &["own.sql@3 line 1 has \\shell"]);
    refuses("", &["own.sql@3 is empty"]);
    sandbox.run(&["layers", "--db", "sqlite", "--script", "own.sql"]).refuses(&["is empty"]);
    std::fs::write(sandbox.work().join("own.sql"), "SELECT 1;").unwrap();
    sandbox.run(&["layers", "--db", "sqlite", "--script", "own.sql"]).refuses(&["--script is of pgbench, and SQLite", "--db postgres"]);
}

/// Processes of this name that have this text in their command line.
fn processes(name: &str, text: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |entry: &std::fs::DirEntry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
    let is_it = |line: &str| line.split('\0').next().is_some_and(|program| program.ends_with(name)) && line.contains(text);
    all.filter(|entry| is_it(&line(entry))).filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Output of a run whose process of this name is killed while a round is measured.
fn told_after_kill(name: &str) -> common::ProgramOutput {
    let (sandbox, folder) = (Sandbox::new(), tempfile::tempdir_in("/tmp").unwrap());
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = folder.path().to_str().unwrap();
    let user = as_nobody();
    let words = ["layers", "--dir", place, "--db", "postgres", "--size", "16MiB", "--runs", "1", "--time", "16s"];
    let child = sandbox.begin(&[&words[..], &user].concat());
    // Only the measurement has a log.
    wait_until("a measurement", || !processes("/pgbench", place).is_empty());
    let victims = processes(name, place);
    // A child of the server has its name until it takes one of its own.
    let parent = |pid: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1).map(str::to_owned)
    };
    let victim = victims.iter().find(|pid| parent(pid).is_none_or(|parent| !victims.contains(&parent))).unwrap();
    assert!(Command::new("kill").args(["-KILL", victim]).status().unwrap().success());
    let said = common::said(child.wait_with_output().unwrap());
    assert!(["/pgbench", "/postgres", "/psql"].iter().all(|name| processes(name, place).is_empty()), "{said:?}");
    assert_eq!(std::fs::read_dir(place).unwrap().count(), 0, "{said:?}");
    said
}

#[test]
fn a_pgbench_that_is_killed_within_a_round_is_named_and_everything_ends() {
    let said = told_after_kill("/pgbench");
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.status == 3 && text.contains("a database failed: pgbench of PostgreSQL failed (signal: 9 (SIGKILL))"), "{said:?}");
}

#[test]
fn a_server_that_is_killed_within_a_round_is_named_and_everything_ends() {
    let said = told_after_kill("/postgres");
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.status == 3 && text.contains("a database failed: the server of PostgreSQL has ended (signal: 9 (SIGKILL))"), "{said:?}");
}

#[test]
fn rates_of_pg_test_fsync_are_shown_as_one_run_and_its_file_goes() {
    let sandbox = Sandbox::new();
    let said = sandbox.measures(&["layers", "--pg-test-fsync", "--db", "none", "--size", "1MiB", "--runs", "1", "--time", "1s", "--json"]);
    let rates = said.json()["run"]["targets"][0]["pg_test_fsync"]["rates"].clone();
    let of = |test: &str, method: &str| {
        let rates = rates.as_array().unwrap().iter();
        rates.clone().find(|rate| rate["test"] == test && rate["method"] == method).and_then(|rate| rate["per_s"].as_f64())
    };
    for (test, method) in [("one write", "fdatasync"), ("two writes", "fsync"), ("not synced", "write")] {
        assert!(of(test, method) > Some(0.0), "{test}, {method}: {rates}");
    }
    assert!(rates.as_array().unwrap().len() >= 14, "{rates}");
    assert_eq!(sandbox.left_behind(), [""; 0]);
    for format in ["text", "html", "markdown"] {
        let shown = sandbox.run(&["report", "last", "--verbose", "--format", format]).stdout;
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains("one write: fdatasync") && shown.contains("without an interval"), "{format}: {shown}");
    }
    let dry = sandbox.run(&["layers", "--pg-test-fsync", "--dry-run"]);
    assert!(dry.stdout.contains("pg_test_fsync would be run once"), "{dry:?}");
}
