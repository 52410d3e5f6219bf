//! `ioproof sync` against the programs that its presets are named after, sysbench's fileio and pg_test_fsync, in one folder.
//!
//! sysbench writes one buffer again and again, which counts on drives that compress.

use super::interval::{Ratio, in_turn};
use super::program::{self, number};
use super::setting::Setting;
use super::table::{median, spread};
use super::{Kind, Row, peers};
use anyhow::Result;
use serde_json::Value;
use std::process::Command;

pub const KIND: Kind = Kind {
    name: "sync",
    columns: &["ioproof /s", "peer /s", "ratio of pairs", "1 in it", "ioproof syncs", "peer syncs"],
    titles: || LINES.iter().map(|line| line.title).collect(),
    run,
};

/// The program that is held against ioproof, and the part of it.
#[derive(Debug, Clone, Copy)]
enum Peer {
    /// Flags of `sysbench fileio`.
    Sysbench(&'static [&'static str]),
    /// Number of writes before a sync, and a method of pg_test_fsync.
    Postgres(u32, &'static str),
}

struct Line {
    title: &'static str,
    /// `--sync` of ioproof.
    sync: &'static str,
    peer: Peer,
}

/// sysbench syncs all files once more behind its time and counts that in; `--file-fsync-end=off` leaves it out.
const LINES: [Line; 10] = [
    sysbench("sysbench, writes, --file-fsync-freq=0", "none", &["--file-fsync-freq=0", "--file-fsync-end=off"]),
    sysbench("sysbench, writes, --file-fsync-freq=1", "fsync-all:1", &["--file-fsync-freq=1", "--file-fsync-end=off"]),
    sysbench("sysbench, writes, --file-fsync-freq=100", "fsync-all:100", &["--file-fsync-freq=100", "--file-fsync-end=off"]),
    sysbench("sysbench, writes, --file-fsync-all", "fsync", &["--file-fsync-all=on", "--file-fsync-end=off"]),
    postgres("pg_test_fsync, 8 KiB, open_datasync", "dsync", 1, "open_datasync"),
    postgres("pg_test_fsync, 8 KiB, fdatasync", "fdatasync", 1, "fdatasync"),
    postgres("pg_test_fsync, 8 KiB, fsync", "fsync", 1, "fsync"),
    postgres("pg_test_fsync, 8 KiB, open_sync", "sync", 1, "open_sync"),
    postgres("pg_test_fsync, 2 x 8 KiB, fdatasync", "fdatasync:2", 2, "fdatasync"),
    postgres("pg_test_fsync, 2 x 8 KiB, fsync", "fsync:2", 2, "fsync"),
];

const fn sysbench(title: &'static str, sync: &'static str, flags: &'static [&'static str]) -> Line {
    Line { title, sync, peer: Peer::Sysbench(flags) }
}

const fn postgres(title: &'static str, sync: &'static str, writes: u32, method: &'static str) -> Line {
    Line { title, sync, peer: Peer::Postgres(writes, method) }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Durable {
    /// Writes of sysbench's load, commits of the other.
    pub per_s: f64,
    /// Syncs for each of them; NaN where the program does not tell.
    pub syncs: f64,
}

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let line = &LINES[index];
    if let Some(reason) = peers::missing(matches!(line.peer, Peer::Sysbench(_)))? {
        return Ok(Row::Without(reason));
    }
    let (ours, theirs) = in_turn(setting.rounds, || ioproof(setting, line), || peer(setting, line.peer))?;
    Ok(Row::Cells(cells(&ours, &theirs)))
}

fn peer(setting: &Setting, peer: Peer) -> Result<Durable> {
    match peer {
        Peer::Sysbench(flags) => peers::sysbench(setting, flags),
        Peer::Postgres(writes, method) => peers::postgres(setting, writes, method),
    }
}

fn ioproof(setting: &Setting, line: &Line) -> Result<Durable> {
    let (preset, size, writes) = match line.peer {
        Peer::Sysbench(_) => ("sysbench", peers::SYSBENCH_SIZE, 1),
        Peer::Postgres(writes, _) => ("postgres-wal", peers::WAL_SIZE, writes),
    };
    // The rest is for what is not measured, which is above all filling the files.
    let time = format!("{:.1}s", f64::from(setting.seconds) * 1.5 + 0.5);
    let mut command = Command::new(&setting.program);
    command.arg("sync").arg(setting.of_syncs()?).args(["--as", preset, "--sync", line.sync, "--size", size]);
    command.args(["--runs", "1", "--json", "--time", &time]);
    durable(&program::round_of(&mut command, &setting.folder.join("state"))?, writes)
}

fn durable(round: &Value, writes: u32) -> Result<Durable> {
    let of = number(&round["write"]["ios"])? / f64::from(writes);
    Ok(Durable { per_s: of * 1e9 / number(&round["elapsed_ns"])?, syncs: number(&round["sync"]["ios"])? / of })
}

fn cells(ours: &[Durable], theirs: &[Durable]) -> Vec<String> {
    let rates = |of: &[Durable]| of.iter().map(|one| one.per_s).collect::<Vec<_>>();
    let syncs = |of: &[Durable]| match median(&of.iter().map(|one| one.syncs).collect::<Vec<_>>()) {
        untold if untold.is_nan() => "-".to_owned(),
        syncs => format!("{syncs:.2}"),
    };
    let ratio = Ratio::of(&rates(ours), &rates(theirs));
    let same = ratio.holds_one().map_or("-", |holds| if holds { "yes" } else { "no" });
    vec![spread(&rates(ours)), spread(&rates(theirs)), ratio.words(), same.into(), syncs(ours), syncs(theirs)]
}
