//! Each layer of `ioproof layers` against a program that measures the same: fio, SQLite's shell, pgbench.
//!
//! Files are not the very same, but of one size and in one folder: ioproof writes to no file of others.

use super::layers_peers as peers;
use super::program::{number, report_of};
use super::setting::Setting;
use super::table::rates;
use super::{Kind, Row};
use anyhow::{Context, Result};
use std::process::Command;

pub const KIND: Kind = Kind {
    name: "layers",
    columns: &["ioproof /s", "peer /s", "ratio of pairs", "1 in it"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

pub const SIZE: &str = "128MiB";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Fio(&'static str, &'static [&'static str]),
    Shell(&'static str),
    Pgbench,
}

const LINES: [(&str, &str, &str, Peer); 5] = [
    ("fio, random reads of 4 KiB", "filesystem_reads", "none", Peer::Fio("randread", &[])),
    ("fio, random writes of 4 KiB, fdatasync each", "filesystem_writes", "none", Peer::Fio("randwrite", &["--fdatasync=1"])),
    ("sqlite3, WAL, synchronous FULL", "database", "sqlite", Peer::Shell("WAL")),
    ("sqlite3, rollback journal, FULL", "database", "sqlite:rollback", Peer::Shell("DELETE")),
    ("pgbench, 1 client", "database", "postgres", Peer::Pgbench),
];

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, kind, db, peer) = LINES[index];
    if let Some(reason) = super::missing(peers::package(peer))? {
        return Ok(Row::Without(reason));
    }
    let (mut ours, mut theirs) = (vec![ioproof(setting, kind, db, peer)?], Vec::new());
    for round in 0..setting.rounds {
        // The shell is given as many transactions as ours had, so that both take as long.
        theirs.push(peers::per_s(setting, peer, ours[round])?);
        if round + 1 < setting.rounds {
            ours.push(ioproof(setting, kind, db, peer)?);
        }
    }
    Ok(Row::Cells(rates(&ours, &theirs).to_vec()))
}

fn ioproof(setting: &Setting, kind: &str, db: &str, peer: Peer) -> Result<f64> {
    let layers = if db == "none" { 3 } else { 4 };
    // A fifth of each is warm-up.
    let time = format!("{:.1}s", f64::from(setting.seconds) * 1.25 * f64::from(layers));
    // Pages are those of the database where it has its own.
    let page = if peer == Peer::Pgbench { "8KiB" } else { "4KiB" };
    let mut command = Command::new(&setting.program);
    command.arg("layers").arg("--dir").arg(setting.below("layers")?).args(["--db", db, "--page", page]);
    command.args(["--size", SIZE, "--runs", "1", "--json", "--time", &time]);
    if peer == Peer::Pgbench && crate::command::is_root() {
        command.args(["--db-user", peers::POSTGRES_USER]);
    }
    let report = report_of(&mut command, &setting.folder.join("state"))?;
    let rows = report["judgement"]["layers"]["rows"].as_array().context("no layers")?;
    let row = rows.iter().find(|row| row["kind"] == kind).with_context(|| format!("no layer {kind}"))?;
    number(&row["per_s"]["median"])
}
