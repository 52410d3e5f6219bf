//! `layers --postgres`: a server that runs already. Nothing of its database changes but for a schema of ours, which goes whatever ends the run, and a password is told to nobody.
//!
//! Needs PostgreSQL's programs (`cargo xtask test` brings them in). The server is one of the test's own, which runs as an unprivileged user.

use crate::common;
use crate::common::{Sandbox, wait_until};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tempfile::TempDir;

/// User and group of nobody.
const NOBODY: u32 = 65_534;
/// Comment of the schemas of runs.
const MARK: &str = "made by ioproof layers for one run, which removes it";

/// PostgreSQL's programs stand in a folder of their version.
fn program(name: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").unwrap().map(|entry| entry.unwrap().path().join("bin").join(name));
    versions.into_iter().find(|path| path.exists()).unwrap()
}

/// A program that runs as nobody where we are root.
fn unprivileged(name: &str) -> Command {
    let mut command = Command::new(program(name));
    if rustix::process::geteuid().is_root() {
        command.gid(NOBODY).uid(NOBODY);
    }
    command.current_dir("/").env_clear().env("LC_ALL", "C").env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

/// A server of the test's own, stopped when dropped.
struct GivenServer {
    child: Child,
    folder: TempDir,
    _cluster: Option<Arc<TempDir>>,
}

/// A folder that whoever runs the server may enter.
fn folder() -> TempDir {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// A cluster with a superuser `boss`, a user `bench` whose password is `sEcr3t-w0rd`, and a database `bank` in which others have tables named as those of pgbench.
/// It is made once, as long as any test has a copy of it.
fn cluster() -> Arc<TempDir> {
    static MADE: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.upgrade().unwrap_or_else(|| {
        let new = Arc::new(new_cluster());
        *made = Arc::downgrade(&new);
        new
    })
}

fn new_cluster() -> TempDir {
    let folder = folder();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&data, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o700)).unwrap();
    let made =
        unprivileged("initdb").args(["-U", "boss", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync", "-D"]).arg(&data).output();
    assert!(made.as_ref().unwrap().status.success(), "{made:?}");
    std::fs::write(data.join("pg_hba.conf"), "local all boss trust\nlocal all all scram-sha-256\n").unwrap();
    let mut server = GivenServer::of(folder, None);
    server.sql("postgres", "CREATE ROLE bench LOGIN PASSWORD 'sEcr3t-w0rd'");
    server.sql("postgres", "CREATE DATABASE bank OWNER boss");
    let all = "GRANT CREATE ON DATABASE bank TO bench; \
               CREATE TABLE public.pgbench_accounts AS SELECT i AS aid, 'theirs' AS filler FROM generate_series(1, 50) AS i; \
               CREATE SCHEMA bench AUTHORIZATION bench CREATE TABLE pgbench_history (theirs int); \
               ALTER ROLE bench SET search_path = bench, public";
    server.sql("bank", all);
    server.end("-INT");
    std::mem::replace(&mut server.folder, tempfile::tempdir().unwrap())
}

impl GivenServer {
    /// With a copy of the cluster.
    fn start() -> Self {
        let (cluster, folder) = (cluster(), folder());
        let copied = Command::new("cp").arg("-a").arg(cluster.path().join("data")).arg(folder.path()).status().unwrap();
        assert!(copied.success());
        Self::of(folder, Some(cluster))
    }

    fn of(folder: TempDir, cluster: Option<Arc<TempDir>>) -> Self {
        let server = Self { child: launched(&folder), folder, _cluster: cluster };
        server.wait();
        server
    }

    /// Waits until it takes orders: the eighth line of its file of its process tells its state (miscadmin.h, `LOCK_FILE_LINE_PM_STATUS`).
    fn wait(&self) {
        let file = self.data().join("postmaster.pid");
        let takes_orders = |text: String| text.lines().nth(7).is_some_and(|state| matches!(state.trim(), "ready" | "standby"));
        wait_until("a server", || std::fs::read_to_string(&file).is_ok_and(takes_orders));
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn sql(&self, database: &str, query: &str) -> String {
        let mut command = unprivileged("psql");
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-U", "boss", "-h"]).arg(self.data());
        let output = command.args(["-d", database, "-c", query]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The address of a database of it, with what stands before the host and behind.
    fn uri(&self, who: &str, database: &str, more: &str) -> String {
        format!("postgresql://{who}/{database}?host={}{more}", self.data().display())
    }

    /// Everything that others could miss: each schema and relation with its owner and its mark, and the rows of theirs.
    fn listing(&self) -> String {
        let schemas = "SELECT nspname, nspowner, nspacl, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp' ORDER BY 1";
        let relations = "SELECT relnamespace::regnamespace, relname, relkind, relowner, oid FROM pg_class ORDER BY 1, 2, oid";
        let rows = "SELECT count(*), sum(aid), min(filler) FROM public.pgbench_accounts";
        [schemas, relations, rows, "SELECT count(*) FROM bench.pgbench_history"].map(|query| self.sql("bank", query)).join("\n")
    }

    /// The names of schemas of runs.
    fn schemas(&self) -> Vec<String> {
        let found = self.sql("bank", "SELECT nspname FROM pg_namespace WHERE nspname ~ '^ioproof_' ORDER BY 1");
        found.lines().map(str::to_owned).collect()
    }

    /// A schema with a table of pgbench, as a run that was killed leaves it, or without its mark.
    fn left(&self, name: &str, mark: Option<&str>) {
        self.sql("bank", &format!("CREATE SCHEMA {name} AUTHORIZATION bench CREATE TABLE pgbench_accounts (aid int)"));
        self.sql("bank", &format!("ALTER TABLE {name}.pgbench_accounts OWNER TO bench"));
        mark.iter().for_each(|mark| drop(self.sql("bank", &format!("COMMENT ON SCHEMA {name} IS '{mark}'"))));
    }
}

impl GivenServer {
    fn kill(&mut self) {
        self.end("-QUIT");
    }

    fn end(&mut self, signal: &str) {
        if self.child.try_wait().unwrap().is_none() {
            let _ = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
            let _ = self.child.wait();
        }
    }

    /// Starts it anew as a standby that nobody sends anything.
    fn become_standby(&mut self) {
        self.kill();
        std::fs::write(self.data().join("standby.signal"), "").unwrap();
        self.child = launched(&self.folder);
        self.wait();
    }
}

impl Drop for GivenServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the server of the cluster in this folder.
fn launched(folder: &TempDir) -> Child {
    let data = folder.path().join("data");
    let mut command = unprivileged("postgres");
    command.arg("-D").arg(&data).arg("-k").arg(&data);
    command.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "full_page_writes=on"]).stdout(Stdio::null());
    command.stderr(std::fs::File::create(folder.path().join("log")).unwrap()).spawn().unwrap()
}

/// A run of so many turns at this address.
fn layers_command<'a>(dir: &'a str, uri: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["layers", "--dir", dir, "--size", "16MiB", "--postgres", uri][..], more].concat()
}

/// The report of one short turn.
fn measured(sandbox: &Sandbox, dir: &Path, uri: &str) -> (common::ProgramOutput, Value) {
    let said = sandbox.measures(&layers_command(dir.to_str().unwrap(), uri, &["--runs", "1", "--time", "4s", "--json"]));
    let report = said.json();
    (said, report)
}

/// Its row of the database, and what is said of it.
fn row(report: &Value) -> (&Value, String) {
    let layers = &report["judgement"]["layers"];
    let row = layers["rows"].as_array().unwrap().iter().find(|row| row["kind"] == "database").unwrap();
    (row, layers["says"].to_string())
}

#[test]
fn its_rate_is_told_and_nothing_of_others_changes() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let before = server.listing();
    let uri = server.uri("boss@", "bank", "");
    let (said, report) = measured(&sandbox, server.folder.path(), &uri);
    assert_eq!(server.listing(), before, "{said:?}");
    assert!(said.stderr.lines().all(|line| !line.starts_with("warning: the schema")), "{said:?}");
    let (row, says) = row(&report);
    assert!(row["commits_per_s"]["median"].as_f64() > Some(0.0), "{row}");
    let database = &report["run"]["databases"][0];
    assert_eq!(
        (&database["server"]["database"], &database["version"]),
        (&"bank".into(), &server.sql("bank", "SHOW server_version").split(' ').next().unwrap().into())
    );
    for (name, value) in [("fsync", "off"), ("synchronous_commit", "on"), ("shared_buffers", "128MB"), ("checkpoint_timeout", "5min")] {
        assert!(database["settings"].as_array().unwrap().contains(&serde_json::json!([name, value])), "{name}: {database}");
    }
    assert!(common::rules(&report).contains(&"commits-unsynced".to_owned()), "{report}");
    let round = report["run"]["stages"].as_array().unwrap().iter().find_map(|stage| stage["databases"].get(0)).unwrap();
    assert!(round["wal"]["records"].as_u64() >= round["total_transactions"].as_u64(), "{round}");
    // Its files lie beside the scratch file, as far as we may look.
    assert!(database["server"]["apart"].is_null() && says.contains("do not wait for the drive"), "{database} {says}");
    assert!(database["size_bytes"].as_u64() > Some(15_000_000), "{database}");
}

#[test]
fn nothing_is_held_against_a_filesystem_that_it_is_not_known_to_lie_on() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let uri = server.uri("bench:sEcr3t-w0rd@", "bank", "");
    let (_, report) = measured(&sandbox, server.folder.path(), &uri);
    let (row, says) = row(&report);
    for figure in ["share", "flushes_per_commit", "drive_bytes_per_commit", "drive_bytes_per_byte"] {
        assert!(row[figure].is_null(), "{row}");
    }
    assert!(row["per_s"]["median"].as_f64() > Some(0.0) && row["is_apart"] == true, "{row}");
    assert!(says.contains("cannot be told: the role may not ask"), "{says}");
    let text = sandbox.run(&["report", "last"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("cannot be told: the role may not ask"), "{text}");
}

#[test]
fn a_password_is_told_to_nobody() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let tells = |text: &str| text.contains("sEcr3t-w0rd") || text.contains("sEcr3t%2Dw0rd");
    let uri = server.uri("bench:sEcr3t%2Dw0rd@", "bank", "");
    let mut child = sandbox.begin(&layers_command(
        server.folder.path().to_str().unwrap(),
        &uri,
        &["--runs", "1", "--time", "6s", "--json", "-o", "report.html"],
    ));
    let of_programs = |name: &str| {
        let ours =
            std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
        ours.filter(|line| line.split('\0').next().is_some_and(|program| program.ends_with(name))).collect::<Vec<_>>()
    };
    let mut seen = String::new();
    wait_until("a pgbench", || {
        seen = of_programs("/pgbench").concat();
        !seen.is_empty() || child.try_wait().unwrap().is_some()
    });
    assert!(!tells(&seen) && !seen.is_empty(), "{seen}");
    let said = common::said(child.wait_with_output().unwrap());
    assert!(matches!(said.status, 0 | 3) && !tells(&said.stdout) && !tells(&said.stderr), "{said:?}");
    assert!(said.stdout.contains("bench:***@"), "the command stays: {said:?}");
    let state = Command::new("grep").args(["-rlE", "sEcr3t(-|%2D)w0rd"]).arg(sandbox.state()).arg(sandbox.work()).output().unwrap();
    assert!(state.stdout.is_empty(), "{state:?}");
    let shown = ["text", "json", "markdown", "csv"].map(|format| sandbox.run(&["report", "last", "--format", format]).stdout);
    assert!(shown.iter().all(|text| !text.is_empty() && !tells(text)), "{shown:?}");
    let wrong = server.uri("bench:sEcr3t-w0rd-no@", "bank", "");
    let said = sandbox.run(&layers_command(".", &wrong, &[]));
    said.refuses(&["password authentication failed", "~/.pgpass"]);
    assert!(!tells(&said.stderr), "{said:?}");
    let said = sandbox.run(&["layers", &wrong]);
    assert!(said.status == 2 && !tells(&said.stderr), "{said:?}");
}

#[test]
fn what_killed_runs_left_goes_and_what_is_of_others_stays() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    server.left("ioproof_00000000000000aa", Some(MARK));
    server.left("ioproof_00000000000000bb", None);
    server.left("ioproof_00000000000000cc", Some("made by somebody else"));
    server.left("ioproof_bench", Some(MARK));
    server.left("ioproof_00000000000000dd", Some(MARK));
    server.sql("bank", "CREATE TABLE ioproof_00000000000000dd.precious AS SELECT 1 AS a");
    // As a dump leaves it that is restored elsewhere: the numbers are others', and those of the comment are somebody's by chance.
    server.left("ioproof_00000000000000ee", None);
    server.sql("bank", "CREATE TABLE ioproof_00000000000000ee.keep AS SELECT 2 AS a");
    let number = server.sql("bank", "SELECT 'ioproof_00000000000000ee.keep'::regclass::oid");
    server.sql("bank", &format!("COMMENT ON SCHEMA ioproof_00000000000000ee IS '{MARK}; its tables are {number}'"));
    let (said, _) = measured(&sandbox, server.folder.path(), &server.uri("boss@", "bank", ""));
    assert_eq!(
        server.schemas(),
        ["bb", "cc", "dd", "ee"]
            .map(|end| format!("ioproof_00000000000000{end}"))
            .into_iter()
            .chain(["ioproof_bench".into()])
            .collect::<Vec<_>>()
    );
    assert_eq!(server.sql("bank", "SELECT count(*) FROM ioproof_00000000000000bb.pgbench_accounts"), "0");
    assert_eq!(server.sql("bank", "SELECT a FROM ioproof_00000000000000dd.precious"), "1");
    assert_eq!(server.sql("bank", "SELECT a FROM ioproof_00000000000000ee.keep"), "2");
    assert!(
        said.stderr.contains("ioproof_00000000000000dd of the database bank is of ioproof and could not be removed in full"),
        "{said:?}"
    );
}

#[test]
fn a_run_beside_keeps_its_schema_and_ctrl_c_takes_it_away() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let (before, dir, uri) = (server.listing(), server.folder.path().to_str().unwrap(), server.uri("boss@", "bank", ""));
    let child = sandbox.begin(&layers_command(dir, &uri, &["--time", "10m", "--runs", "20"]));
    let said = sandbox.interrupt(child, 4, || {
        let own = server.schemas();
        assert_eq!(own.len(), 1);
        measured(&Sandbox::new(), server.folder.path(), &uri);
        assert_eq!(server.schemas(), own, "the other run has removed it");
    });
    assert!(said.status == 3 && said.stdout.contains("interrupted"), "{said:?}");
    assert_eq!(server.listing(), before);
}

/// The processes of pgbench that use a server's socket, by their logs in its folder.
fn pgbench(server: &GivenServer) -> Option<String> {
    let place = server.folder.path().to_str().unwrap();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |entry: &std::fs::DirEntry| std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
    let is_it = |line: &str| line.split('\0').next().is_some_and(|program| program.ends_with("/pgbench")) && line.contains(place);
    all.filter(|entry| is_it(&line(entry))).find_map(|entry| entry.file_name().into_string().ok())
}

#[test]
fn a_pgbench_that_is_killed_within_a_round_is_named_and_the_schema_goes() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let (before, dir, uri) = (server.listing(), server.folder.path().to_str().unwrap(), server.uri("boss@", "bank", ""));
    let child = sandbox.begin(&layers_command(dir, &uri, &["--time", "16s", "--runs", "1"]));
    wait_until("a measurement", || pgbench(&server).is_some());
    assert!(Command::new("kill").args(["-KILL", &pgbench(&server).unwrap()]).status().unwrap().success());
    let said = common::said(child.wait_with_output().unwrap());
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.status == 3 && text.contains("pgbench of PostgreSQL failed (signal: 9 (SIGKILL))"), "{said:?}");
    assert_eq!(server.listing(), before);
}

#[test]
fn a_server_that_is_gone_within_a_round_is_told_with_what_stays_there() {
    let (sandbox, mut server) = (Sandbox::new(), GivenServer::start());
    let (before, uri) = (server.listing(), server.uri("boss@", "bank", ""));
    let dir = server.folder.path().to_str().unwrap().to_owned();
    let child = sandbox.begin(&layers_command(&dir, &uri, &["--time", "16s", "--runs", "1"]));
    wait_until("a measurement", || pgbench(&server).is_some());
    server.kill();
    let said = common::said(child.wait_with_output().unwrap());
    let text = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.status == 3 && text.contains("a database failed: server ") && text.contains("pgbench of PostgreSQL failed"), "{said:?}");
    assert!(said.stderr.contains("could not be removed in full"), "{said:?}");
    server.child = launched(&server.folder);
    server.wait();
    measured(&sandbox, Path::new(&dir), &uri);
    assert_eq!(server.listing(), before);
}

#[test]
fn a_kill_leaves_a_schema_until_the_next_run() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let (before, dir, uri) = (server.listing(), server.folder.path().to_str().unwrap(), server.uri("boss@", "bank", ""));
    let mut child = sandbox.begin(&layers_command(dir, &uri, &["--time", "10m"]));
    wait_until("a schema", || !server.schemas().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(server.schemas().len(), 1);
    // What it had begun ends by itself.
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name ~ '^ioproof'";
    wait_until("the end of what it had begun", || server.sql("bank", connections) == "0");
    measured(&sandbox, server.folder.path(), &uri);
    assert_eq!(server.listing(), before);
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_to_do() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let refuses = |uri: &str, more: &[&str], says: &[&str]| sandbox.run(&layers_command(".", uri, more)).refuses(says);
    let before = server.listing();
    refuses("postgresql://boss@localhost", &[], &["names no database", "HOST:PORT/DATABASE"]);
    refuses("postgresql:///bank", &[], &["names no host", "?host=/run/postgresql"]);
    refuses(&server.uri("boss@", "bank", "&options=-csearch_path%3Dpublic"), &[], &["not taken"]);
    refuses(&server.uri("boss@", "nowhere", ""), &[], &["\"nowhere\" does not exist", "psql with the same address"]);
    server.sql("bank", "REVOKE CREATE ON DATABASE bank FROM bench");
    refuses(&server.uri("bench:sEcr3t-w0rd@", "bank", ""), &[], &["may create no schema", "GRANT CREATE ON DATABASE bank"]);
    let mut by_environment = sandbox.command(&layers_command(".", &server.uri("bench@", "bank", ""), &[]));
    by_environment.env("PGPASSWORD", "sEcr3t-w0rd");
    common::said(by_environment.output().unwrap()).refuses(&["may create no schema"]);
    refuses(&server.uri("bench@", "bank", ""), &[], &["no password supplied", "PGPASSWORD"]);
    let uri = server.uri("boss@", "bank", "");
    for flag in [["--db", "postgres"], ["--db-set", "fsync=on"], ["--db-cache", "1MiB"], ["--script", "a.sql"]] {
        let said = sandbox.run(&layers_command(".", &uri, &flag));
        assert!(said.status == 2 && said.stderr.contains("cannot be used with"), "{said:?}");
    }
    refuses(&uri, &["--dir", "/"], &["one directory"]);
    let dry = sandbox.run(&layers_command(".", &uri, &["--dry-run"]));
    assert!(dry.status == 0 && dry.stdout.contains("a schema ioproof_* with the tables of pgbench"), "{dry:?}");
    server.sql("bank", "GRANT CREATE ON DATABASE bank TO bench");
    assert_eq!((server.listing(), sandbox.left_behind(), sandbox.runs().len()), (before, vec![], 0));
}

#[test]
fn a_standby_is_refused() {
    let (sandbox, mut server) = (Sandbox::new(), GivenServer::start());
    server.become_standby();
    sandbox.run(&layers_command(".", &server.uri("boss@", "bank", ""), &[])).refuses(&["is a standby", "name its primary"]);
}

#[test]
fn a_table_that_takes_the_name_of_one_of_ours_stays() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let (dir, uri) = (server.folder.path().to_str().unwrap(), server.uri("boss@", "bank", ""));
    let child = sandbox.begin(&layers_command(dir, &uri, &["--time", "8s", "--runs", "1"]));
    let marked = "SELECT nspname FROM pg_namespace WHERE obj_description(oid, 'pg_namespace') ~ 'its tables are'";
    let mut name = String::new();
    wait_until("a schema with its tables", || {
        name = server.sql("bank", marked);
        !name.is_empty()
    });
    server.sql("bank", &format!("ALTER TABLE {name}.pgbench_history RENAME TO ours"));
    server.sql("bank", &format!("CREATE TABLE {name}.pgbench_history (LIKE {name}.ours, theirs text)"));
    let said = common::said(child.wait_with_output().unwrap());
    let left = server
        .sql("bank", &format!("SELECT relname FROM pg_class WHERE relnamespace = '{name}'::regnamespace AND relkind = 'r' ORDER BY 1"));
    assert_eq!(left, "ours\npgbench_history", "the one by its name now, the other by its number: {said:?}");
    assert!(said.stderr.contains(&format!("the schema {name} of the database bank")), "{said:?}");
}

#[test]
fn a_database_whose_event_triggers_could_lead_pgbench_elsewhere_is_refused() {
    let (sandbox, server) = (Sandbox::new(), GivenServer::start());
    let aside = "BEGIN PERFORM set_config('search_path', 'public', false); END";
    server.sql("bank", &format!("CREATE FUNCTION public.aside() RETURNS event_trigger LANGUAGE plpgsql AS $$ {aside} $$"));
    server.sql("bank", "CREATE EVENT TRIGGER aside ON ddl_command_start WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION public.aside()");
    let before = server.listing();
    sandbox.run(&layers_command(".", &server.uri("boss@", "bank", ""), &[])).refuses(&["event triggers (aside)", "without event triggers"]);
    assert_eq!((server.listing(), sandbox.left_behind()), (before, vec![]));
}
