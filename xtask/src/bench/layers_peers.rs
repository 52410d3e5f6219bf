//! One run of a program that measures a layer: fio, SQLite's own shell with the transactions of pgbench, and pgbench on a server that is started for it.

use super::layers::{Peer, SIZE};
use super::program::{self, number};
use super::setting::Setting;
use super::syncs::of_postgres;
use super::{FIO, POSTGRES};
use crate::command;
use crate::debian::Package;
use crate::random::Random;
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const SHELL: Package = Package { name: "sqlite3", provides: "sqlite3", why: "to hold the commits of SQLite against its own shell" };

/// The account that runs PostgreSQL's server where this runs as root.
pub const POSTGRES_USER: &str = "postgres";
/// Branches of a database of [`SIZE`], as ioproof makes them (13 of SQLite, 8 of PostgreSQL).
const BRANCHES_SQLITE: u64 = 13;
const BRANCHES_POSTGRES: &str = "8";

pub fn package(peer: Peer) -> &'static Package {
    match peer {
        Peer::Fio(..) => &FIO,
        Peer::Shell(_) => &SHELL,
        Peer::Pgbench => &POSTGRES,
    }
}

/// Rate of one run, which the shell makes as long by as many transactions as ioproof had.
pub fn per_s(setting: &Setting, peer: Peer, of_ours: f64) -> Result<f64> {
    match peer {
        Peer::Fio(rw, flags) => of_fio(setting, rw, flags),
        Peer::Shell(journal) => of_shell(setting, journal, (of_ours * f64::from(setting.seconds)).ceil() as u64),
        Peer::Pgbench => of_pgbench(setting),
    }
}

fn of_fio(setting: &Setting, rw: &str, flags: &[&str]) -> Result<f64> {
    let size = format!("--size={}", SIZE.trim_end_matches("iB"));
    let job = program::fio(
        &setting.below("layers")?.join("fio"),
        rw,
        setting.seconds,
        &[&["--ioengine=psync", "--direct=1", &size], flags].concat(),
    )?;
    number(&job[if rw.ends_with("read") { "read" } else { "write" }]["iops"])
}

/// Has the shell run so many transactions, and takes the time between the first and the last of them by its own clock.
fn of_shell(setting: &Setting, journal: &str, transactions: u64) -> Result<f64> {
    let bank = setting.below("layers")?.join(format!("{journal}.sqlite"));
    if !bank.exists() {
        shell(&bank, &tables(), journal)?;
    }
    let printed = shell(&bank, &script(transactions, journal), journal)?;
    let times: Vec<f64> = printed.lines().filter_map(|line| line.parse().ok()).collect();
    let [.., began, ended] = times[..] else { bail!("the shell of SQLite tells no times: {printed}") };
    Ok(transactions as f64 / (ended - began))
}

fn shell(bank: &Path, sql: &str, journal: &str) -> Result<String> {
    let script = bank.with_extension(format!("{journal}.sql"));
    fs::write(&script, sql)?;
    let mut command = Command::new("sqlite3");
    command.arg("-batch").arg("-bail").arg(bank).stdin(File::open(&script)?);
    Ok(String::from_utf8(command::output(&mut command)?)?)
}

fn tables() -> String {
    let rows = |most: u64, row: &str| format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) {row};\n");
    let made = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
        CREATE TABLE pgbench_branches (bid INTEGER PRIMARY KEY, bbalance INTEGER, filler TEXT);
        CREATE TABLE pgbench_tellers (tid INTEGER PRIMARY KEY, bid INTEGER, tbalance INTEGER, filler TEXT);
        CREATE TABLE pgbench_accounts (aid INTEGER PRIMARY KEY, bid INTEGER, abalance INTEGER, filler TEXT);
        CREATE TABLE pgbench_history (tid INTEGER, bid INTEGER, aid INTEGER, delta INTEGER, mtime TEXT, filler TEXT);\n";
    [
        made,
        &rows(BRANCHES_SQLITE, "INSERT INTO pgbench_branches SELECT i, 0, printf('%88s', '') FROM n"),
        &rows(BRANCHES_SQLITE * 10, "INSERT INTO pgbench_tellers SELECT i, (i - 1) / 10 + 1, 0, printf('%84s', '') FROM n"),
        &rows(BRANCHES_SQLITE * 100_000, "INSERT INTO pgbench_accounts SELECT i, (i - 1) / 100000 + 1, 0, printf('%84s', '') FROM n"),
        "COMMIT;\n",
    ]
    .concat()
}

/// So many transactions at random rows, with the time before and behind them.
fn script(transactions: u64, journal: &str) -> String {
    let now = "SELECT (julianday('now') - 2440587.5) * 86400.0;\n";
    let mut random = Random::new(transactions);
    let mut text =
        format!("PRAGMA journal_mode = {journal}; PRAGMA synchronous = FULL; SELECT bid FROM pgbench_branches WHERE bid = 0;\n{now}");
    for _ in 0..transactions {
        let (aid, tid) = (random.below(BRANCHES_SQLITE * 100_000) + 1, random.below(BRANCHES_SQLITE * 10) + 1);
        let (bid, delta) = (random.below(BRANCHES_SQLITE) + 1, random.below(10_001) as i64 - 5000);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "BEGIN IMMEDIATE; UPDATE pgbench_accounts SET abalance = abalance + {delta} WHERE aid = {aid}; SELECT NULL FROM pgbench_accounts WHERE aid = {aid} AND abalance IS NULL; \
             UPDATE pgbench_tellers SET tbalance = tbalance + {delta} WHERE tid = {tid}; UPDATE pgbench_branches SET bbalance = bbalance + {delta} WHERE bid = {bid}; \
             INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ({tid}, {bid}, {aid}, {delta}, CURRENT_TIMESTAMP); COMMIT;"
        );
    }
    text + now
}

/// pgbench on a cluster that is made when it is first asked for, and whose server runs only meanwhile, with the settings that ioproof gives its own.
fn of_pgbench(setting: &Setting) -> Result<f64> {
    let cluster = setting.below("layers")?.join("cluster");
    let initdb = of_postgres("initdb").context("the programs of PostgreSQL are missing")?;
    let script = format!(
        "set -e
        export PATH={bin}:$PATH LC_ALL=C PGHOST={sock} PGDATABASE=postgres
        [ -d {data} ] || {{ initdb -A trust --no-sync -D {data} >/dev/null; new=1; }}
        pg_ctl -w -D {data} -l {data}.log -o '-k {sock} -c listen_addresses= -c max_wal_size=1GB -c checkpoint_timeout=30s -c wal_sync_method=fdatasync' start >/dev/null
        trap 'pg_ctl -w -m fast -D {data} stop >/dev/null' EXIT
        [ -z \"$new\" ] || pgbench -i -q -s {BRANCHES_POSTGRES} 2>/dev/null
        psql -X -q -c CHECKPOINT
        pgbench -n -b tpcb-like -c 1 -T {seconds}",
        bin = initdb.parent().unwrap_or(Path::new("/")).display(),
        data = cluster.join("data").display(),
        sock = cluster.display(),
        seconds = setting.seconds,
    );
    let mut command = Command::new("sh");
    fs::create_dir_all(&cluster)?;
    if crate::user::is_root() {
        command::run(Command::new("chown").arg(POSTGRES_USER).arg(&cluster))?;
        command = Command::new("setpriv");
        command.args(["--reuid", POSTGRES_USER, "--regid", POSTGRES_USER, "--clear-groups", "sh"]);
    }
    let output = command::output(command.arg("-c").arg(script).current_dir("/").stdin(Stdio::null()))?;
    // `tps = 1234.5 (without initial connection time)`
    let text = String::from_utf8_lossy(&output);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
    rate.context("pgbench tells no rate")
}
