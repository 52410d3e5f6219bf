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
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const SHELL: Package = Package { name: "sqlite3", provides: "sqlite3", why: "to hold the commits of SQLite against its own shell" };

/// The account that runs PostgreSQL's server where this runs as root.
pub const POSTGRES_USER: &str = "postgres";
/// Branches of SQLite's tables of [`SIZE`] (`tables.sql`), as ioproof makes them.
const BRANCHES: u64 = 13;

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
        shell(&bank, include_str!("tables.sql"), journal)?;
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

/// So many transactions at random rows, with the time before and behind them.
fn script(transactions: u64, journal: &str) -> String {
    let now = "SELECT (julianday('now') - 2440587.5) * 86400.0;\n";
    let mut random = Random::new(transactions);
    let mut text =
        format!("PRAGMA journal_mode = {journal}; PRAGMA synchronous = FULL; SELECT bid FROM pgbench_branches WHERE bid = 0;\n{now}");
    for _ in 0..transactions {
        let (aid, tid) = (random.below(BRANCHES * 100_000) + 1, random.below(BRANCHES * 10) + 1);
        let (bid, delta) = (random.below(BRANCHES) + 1, random.below(10_001) as i64 - 5000);
        text += &format!(
            "BEGIN IMMEDIATE; UPDATE pgbench_accounts SET abalance = abalance + {delta} WHERE aid = {aid}; SELECT NULL FROM pgbench_accounts WHERE aid = {aid} AND abalance IS NULL; \
             UPDATE pgbench_tellers SET tbalance = tbalance + {delta} WHERE tid = {tid}; UPDATE pgbench_branches SET bbalance = bbalance + {delta} WHERE bid = {bid}; \
             INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ({tid}, {bid}, {aid}, {delta}, CURRENT_TIMESTAMP); COMMIT;\n"
        );
    }
    text + now
}

fn of_pgbench(setting: &Setting) -> Result<f64> {
    let cluster = setting.below("layers")?.join("cluster");
    let initdb = of_postgres("initdb").context("the programs of PostgreSQL are missing")?;
    let mut command = Command::new("sh");
    fs::create_dir_all(&cluster)?;
    if crate::command::is_root() {
        command::run(Command::new("chown").arg(POSTGRES_USER).arg(&cluster))?;
        command = Command::new("setpriv");
        command.args(["--reuid", POSTGRES_USER, "--regid", POSTGRES_USER, "--clear-groups", "sh"]);
    }
    command.args(["-c", include_str!("pgbench.sh"), "sh"]).arg(initdb.with_file_name("")).arg(&cluster).arg(setting.seconds.to_string());
    let output = command::output(command.current_dir("/").stdin(Stdio::null()))?;
    // `tps = 1234.5 (without initial connection time)`
    let text = String::from_utf8_lossy(&output);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split_whitespace().next()?.parse().ok());
    rate.context("pgbench tells no rate")
}
