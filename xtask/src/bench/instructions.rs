//! User-space instructions for each I/O with all statistics on, counted by callgrind.
//!
//! Under valgrind the vDSO is not where the kernel says, so the counted program is built with rustix on libc. The driver of our own is counted on a scripted drive
//! (`ioproof-engine/examples/own_driver.rs`), whose instructions are left out: they stand for the drive's. So are those of the watching thread there, which go
//! by time: a slice of 100 ms costs the same at any rate, and under valgrind the rate is a small part of a drive's.

use super::program::{self, number};
use super::setting::{Place, Setting};
use super::table::most;
use super::{Kind, Row};
use crate::command;
use crate::debian::Package;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

pub const KIND: Kind = Kind {
    name: "instructions",
    columns: &["per I/O", "to reach", "I/Os counted"],
    titles: || LINES.iter().map(|line| line.title).collect(),
    run,
};

const VALGRIND: Package = Package { name: "valgrind", provides: "valgrind", why: "to count instructions" };

struct Line {
    title: &'static str,
    load: Load,
    /// Most instructions for each I/O, but where the line is for comparison.
    most: Option<f64>,
}

enum Load {
    /// Place, `rw`, backend and depth.
    Program(Place, &'static str, &'static str, &'static str),
    OwnDriver,
}

const LINES: [Line; 5] = [
    Line { title: "io_uring, /dev/zero randread", load: Load::Program(Place::Zero, "randread", "io_uring", "32"), most: Some(150.0) },
    Line { title: "io_uring, /dev/null randwrite", load: Load::Program(Place::Null, "randwrite", "io_uring", "32"), most: Some(150.0) },
    Line { title: "polled, scripted drive randread, worker alone", load: Load::OwnDriver, most: Some(200.0) },
    Line { title: "psync, /dev/zero randread", load: Load::Program(Place::Zero, "randread", "psync", "1"), most: None },
    Line { title: "null, the loop alone", load: Load::Program(Place::Zero, "randread", "null", "32"), most: None },
];

/// The scripted drive's side, as callgrind names its functions; on entering one counting stops.
const OF_DRIVE: &str = "*scripted*Bus*";

#[derive(Debug, Clone, Copy)]
struct Count {
    instructions: f64,
    ios: f64,
}

fn run(setting: &Setting, index: usize) -> Result<Row> {
    if let Some(reason) = super::missing(&VALGRIND)? {
        return Ok(Row::Without(reason));
    }
    let line = &LINES[index];
    let program = build(setting, &line.load)?;
    // Which system calls valgrind knows depends on its version.
    Ok(measure(setting, &program, line).map_or_else(|error| Row::Without(format!("{error:#}")), Row::Cells))
}

fn measure(setting: &Setting, program: &Path, line: &Line) -> Result<Vec<String>> {
    // The first run of a day also finds out what the host is capable of, and keeps it: that is no I/O of this line.
    count(setting, program, line, 1)?;
    let short = count(setting, program, line, setting.seconds)?;
    let long = count(setting, program, line, 3 * setting.seconds)?;
    Ok(cells(line, short, long))
}

fn cells(line: &Line, short: Count, long: Count) -> Vec<String> {
    let ios = long.ios - short.ios;
    let each = (long.instructions - short.instructions) / ios;
    vec![format!("{each:.1}"), most(each, line.most, 0), format!("{ios:.0}")]
}

/// The program of a load in release mode for valgrind, in a target folder of its own. Functions of the scripted drive are known by their names.
fn build(setting: &Setting, load: &Load) -> Result<PathBuf> {
    let folder = setting.folder.join("valgrind");
    let (what, made): (&[&str], _) = match load {
        Load::Program(..) => (&["--package", "ioproof"], "release/ioproof"),
        Load::OwnDriver => (&["--package", "ioproof-engine", "--example", "own_driver"], "release/examples/own_driver"),
    };
    let mut cargo = command::cargo();
    cargo.args(["build", "--quiet", "--release", "--target-dir"]).arg(&folder).args(what);
    command::run(cargo.env("RUSTFLAGS", "--cfg rustix_use_libc").env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo"))?;
    Ok(folder.join(made))
}

fn count(setting: &Setting, program: &Path, line: &Line, seconds: u32) -> Result<Count> {
    let out = setting.folder.join("callgrind.out");
    let mut file = std::ffi::OsString::from("--callgrind-out-file=");
    file.push(&out);
    let mut counted = out.clone();
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(file);
    let ios = match &line.load {
        Load::Program(place, rw, backend, depth) => {
            let flags = ["--backend", *backend, "--depth", *depth, "--workers", "1"];
            valgrind.arg(program).args(program::arguments(setting.path(*place)?, rw, seconds, &flags));
            let round = program::round_of(&mut valgrind, &setting.folder.join("valgrind/state"))?;
            let bytes = number(&round["total_bytes"][0])? + number(&round["total_bytes"][1])?;
            bytes / number(&round["workload"]["block_bytes"])?
        }
        Load::OwnDriver => {
            // The first thread watches, the second is the worker.
            counted.as_mut_os_string().push("-02");
            valgrind.args([&format!("--toggle-collect={OF_DRIVE}"), "--collect-atstart=yes", "--separate-threads=yes"]);
            valgrind.arg(program).arg(seconds.to_string());
            let printed = command::output(&mut valgrind)?;
            String::from_utf8_lossy(&printed).trim().parse().context("the example printed no number of I/Os")?
        }
    };
    let text = std::fs::read_to_string(&counted).with_context(|| format!("cannot read {}", counted.display()))?;
    let instructions = total(&text).with_context(|| format!("no totals in {}", counted.display()))?;
    Ok(Count { instructions, ios })
}

/// The line `totals: N` of a callgrind profile (Callgrind Format Specification).
fn total(profile: &str) -> Option<f64> {
    profile.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok())
}
