//! `ioproof sync` against the programs that its presets are named after, sysbench's fileio and pg_test_fsync, in one folder.
//!
//! sysbench writes one buffer again and again, which counts on drives that compress.

use super::program::{self, number};
use super::setting::Setting;
use super::table::{in_turn, median, rates};
use super::{Kind, POSTGRES, Row};
use crate::command;
use crate::debian::Package;
use anyhow::{Context, Result};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SYSBENCH: Package = Package { name: "sysbench", provides: "sysbench", why: "to hold `sync --as sysbench` against it" };

/// Size of all files of sysbench together, as ioproof is told it.
const SYSBENCH_SIZE: &str = "512MiB";
/// Size of a segment of the log, which pg_test_fsync writes once before it begins.
const WAL_SIZE: &str = "16MiB";

pub const KIND: Kind = Kind {
    name: "sync",
    columns: &["ioproof /s", "peer /s", "ratio of pairs", "1 in it", "ioproof syncs", "peer syncs"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

#[derive(Clone, Copy)]
enum Peer {
    Sysbench(&'static [&'static str]),
    Postgres(u32, &'static str),
}

type Line = (&'static str, &'static str, Peer);

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
    (title, sync, Peer::Sysbench(flags))
}

const fn postgres(title: &'static str, sync: &'static str, writes: u32, method: &'static str) -> Line {
    (title, sync, Peer::Postgres(writes, method))
}

struct Durable {
    /// Writes of sysbench's load, commits of the other.
    per_s: f64,
    /// Syncs for each of them; NaN where the program does not tell.
    syncs: f64,
}

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, sync, peer) = LINES[index];
    if let Some(reason) = super::missing(if matches!(peer, Peer::Sysbench(_)) { &SYSBENCH } else { &POSTGRES })? {
        return Ok(Row::Without(reason));
    }
    let their = || match peer {
        Peer::Sysbench(flags) => of_sysbench(setting, flags),
        Peer::Postgres(writes, method) => of_pg_test_fsync(setting, writes, method),
    };
    let (ours, theirs) = in_turn(setting.rounds, || ioproof(setting, sync, peer), their)?;
    let per_s = |of: &[Durable]| of.iter().map(|one| one.per_s).collect::<Vec<_>>();
    let syncs = |of: &[Durable]| match median(&of.iter().map(|one| one.syncs).collect::<Vec<_>>()) {
        untold if untold.is_nan() => "-".to_owned(),
        syncs => format!("{syncs:.2}"),
    };
    Ok(Row::Cells([&rates(&per_s(&ours), &per_s(&theirs))[..], &[syncs(&ours), syncs(&theirs)]].concat()))
}

fn ioproof(setting: &Setting, sync: &str, peer: Peer) -> Result<Durable> {
    let (preset, size, writes) = match peer {
        Peer::Sysbench(_) => ("sysbench", SYSBENCH_SIZE, 1),
        Peer::Postgres(writes, _) => ("postgres-wal", WAL_SIZE, writes),
    };
    // The rest is for what is not measured, which is above all filling the files.
    let time = format!("{:.1}s", f64::from(setting.seconds) * 1.5 + 0.5);
    let mut command = Command::new(&setting.program);
    command.arg("sync").arg(setting.below("syncs")?).args(["--as", preset, "--sync", sync, "--size", size]);
    let round = program::round_of(command.args(["--runs", "1", "--json", "--time", &time]), &setting.folder.join("state"))?;
    let of = number(&round["write"]["ios"])? / f64::from(writes);
    Ok(Durable { per_s: of * 1e9 / number(&round["elapsed_ns"])?, syncs: number(&round["sync"]["ios"])? / of })
}

fn of_sysbench(setting: &Setting, flags: &[&str]) -> Result<Durable> {
    let folder = setting.below("syncs/sysbench")?;
    // In its words M is 2^20.
    let size = format!("--file-total-size={}", SYSBENCH_SIZE.trim_end_matches("iB"));
    if !folder.join("test_file.0").exists() {
        command::output(Command::new("sysbench").args(["fileio", &size, "prepare"]).current_dir(&folder))?;
    }
    // Its files are in the page cache since they were made, and would be read from memory, where ioproof's are read from the drive.
    let forget = "sync -f . && for file in test_file.*; do dd if=$file iflag=nocache count=0 status=none; done";
    command::run(Command::new("sh").args(["-ec", forget]).current_dir(&folder))?;
    let time = format!("--time={}", setting.seconds);
    let mut run = Command::new("sysbench");
    run.args(["fileio", &size, "--threads=16", "--file-test-mode=rndrw", &time]).args(flags).arg("run").current_dir(folder);
    let text = String::from_utf8(command::output(&mut run)?)?;
    let figure = |name: &str| {
        let told = text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().parse::<f64>().ok());
        told.with_context(|| format!("sysbench does not say {name}:\n{text}"))
    };
    let writes = figure("writes/s:")?;
    Ok(Durable { per_s: writes, syncs: figure("fsyncs/s:")? / writes })
}

/// A program of PostgreSQL, which Debian keeps out of the search path, in a folder of its version.
pub fn of_postgres(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(|entry| Some(entry.ok()?.path().join("bin").join(name)));
    versions.filter(|path| path.exists()).max()
}

/// Runs pg_test_fsync until it has told the rate of one method, since it has no flag for one alone.
fn of_pg_test_fsync(setting: &Setting, writes: u32, method: &str) -> Result<Durable> {
    let program = of_postgres("pg_test_fsync").context("pg_test_fsync is missing")?;
    let file = setting.below("syncs")?.join("wal");
    let mut command = Command::new(&program);
    command.args(["-s", &setting.seconds.to_string(), "-f"]).arg(&file).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let out = child.stdout.take().context("no output")?;
    // In the section of so many writes: `fdatasync    646.041 ops/sec    1548 usecs/op`.
    let section = if writes == 1 { "using one 8kB write" } else { "using two 8kB writes" };
    let mut lines = BufReader::new(out).lines().map_while(Result::ok).skip_while(|line| !line.contains(section));
    let rate = lines.find(|line| line.split_whitespace().next() == Some(method));
    let rate = rate.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    child.kill()?;
    child.wait()?;
    fs::remove_file(&file)?;
    let per_s = rate.with_context(|| format!("pg_test_fsync does not say how fast {method} is"))?;
    Ok(Durable { per_s, syncs: f64::NAN })
}
