//! Each layer of `ioproof layers` against a program that measures the same: fio, SQLite's shell, pgbench.
//!
//! Files are not the very same, but of one size and in one folder: ioproof writes to no file of others.

use super::interval::Ratio;
use super::layers_peers as peers;
use super::program::number;
use super::setting::Setting;
use super::table::spread;
use super::{Kind, Row};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::process::Command;

pub const KIND: Kind = Kind {
    name: "layers",
    columns: &["ioproof /s", "peer /s", "ratio of pairs", "1 in it"],
    titles: || LINES.iter().map(|line| line.title).collect(),
    run,
};

pub const SIZE: &str = "128MiB";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Fio(&'static str, &'static [&'static str]),
    Shell(&'static str),
    Pgbench,
}

struct Line {
    title: &'static str,
    kind: &'static str,
    /// `--db` of ioproof.
    db: &'static str,
    peer: Peer,
}

const LINES: [Line; 5] = [
    Line { title: "fio, random reads of 4 KiB", kind: "filesystem_reads", db: "none", peer: Peer::Fio("randread", &[]) },
    Line {
        title: "fio, random writes of 4 KiB, fdatasync each",
        kind: "filesystem_writes",
        db: "none",
        peer: Peer::Fio("randwrite", &["--fdatasync=1"]),
    },
    Line { title: "sqlite3, WAL, synchronous FULL", kind: "database", db: "sqlite", peer: Peer::Shell("WAL") },
    Line { title: "sqlite3, rollback journal, FULL", kind: "database", db: "sqlite:rollback", peer: Peer::Shell("DELETE") },
    Line { title: "pgbench, 1 client", kind: "database", db: "postgres", peer: Peer::Pgbench },
];

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let line = &LINES[index];
    if let Some(reason) = peers::missing(line.peer)? {
        return Ok(Row::Without(reason));
    }
    let (mut ours, mut theirs) = (vec![ioproof(setting, line)?], Vec::new());
    for round in 0..setting.rounds {
        // The shell is given as many transactions as ours had, so that both take as long.
        theirs.push(peers::per_s(setting, line.peer, ours[round])?);
        if round + 1 < setting.rounds {
            ours.push(ioproof(setting, line)?);
        }
    }
    Ok(Row::Cells(cells(&ours, &theirs)))
}

/// Runs one turn of all layers that it takes, and gives the rate of one.
fn ioproof(setting: &Setting, line: &Line) -> Result<f64> {
    let layers = if line.db == "none" { 3 } else { 4 };
    // A fifth of each is warm-up.
    let time = format!("{:.1}s", f64::from(setting.seconds) * 1.25 * f64::from(layers));
    let mut command = Command::new(&setting.program);
    command.arg("layers").arg("--dir").arg(peers::folder(setting)?).args(["--db", line.db, "--page", peers::page(line.peer)]);
    command.args(["--size", SIZE, "--runs", "1", "--json", "--time", &time]);
    if line.peer == Peer::Pgbench && crate::user::is_root() {
        command.args(["--db-user", peers::POSTGRES_USER]);
    }
    let out = command.env("XDG_STATE_HOME", setting.folder.join("state")).output().context("cannot start ioproof")?;
    let said = String::from_utf8_lossy(&out.stderr);
    let Ok(report) = serde_json::from_slice::<Value>(&out.stdout) else { bail!("{}", said.trim()) };
    rate(&report, line.kind).with_context(|| format!("no rate of {}: {}", line.kind, said.trim()))
}

fn rate(report: &Value, kind: &str) -> Result<f64> {
    let rows = report["judgement"]["layers"]["rows"].as_array().context("no layers")?;
    let row = rows.iter().find(|row| row["kind"] == kind).context("no such layer")?;
    number(&row["per_s"]["median"])
}

fn cells(ours: &[f64], theirs: &[f64]) -> Vec<String> {
    let ratio = Ratio::of(ours, theirs);
    let same = ratio.holds_one().map_or("-", |holds| if holds { "yes" } else { "no" });
    vec![spread(ours), spread(theirs), ratio.words(), same.into()]
}
