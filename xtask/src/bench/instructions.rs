//! User-space instructions for each I/O with all statistics on, counted by callgrind.
//!
//! Under valgrind the vDSO is not where the kernel says, so the counted program is built with rustix on libc.

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
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

const VALGRIND: Package = Package { name: "valgrind", provides: "valgrind", why: "to count instructions" };

/// Title, place, `rw`, backend, depth, and the most instructions for each I/O, but where the line is for comparison.
type Line = (&'static str, Place, &'static str, &'static str, &'static str, Option<f64>);

const LINES: [Line; 4] = [
    ("io_uring, /dev/zero randread", Place::Zero, "randread", "io_uring", "32", Some(150.0)),
    ("io_uring, /dev/null randwrite", Place::Null, "randwrite", "io_uring", "32", Some(150.0)),
    ("psync, /dev/zero randread", Place::Zero, "randread", "psync", "1", None),
    ("null, the loop alone", Place::Zero, "randread", "null", "32", None),
];

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
    let program = build(setting)?;
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
    vec![format!("{each:.1}"), most(each, line.5, 0), format!("{ios:.0}")]
}

/// ioproof in release mode for valgrind, in a target folder of its own.
fn build(setting: &Setting) -> Result<PathBuf> {
    let folder = setting.folder.join("valgrind");
    let mut cargo = command::cargo();
    cargo.args(["build", "--quiet", "--release", "--package", "ioproof", "--target-dir"]).arg(&folder);
    command::run(cargo.env("RUSTFLAGS", "--cfg rustix_use_libc"))?;
    Ok(folder.join("release/ioproof"))
}

fn count(setting: &Setting, program: &Path, line: &Line, seconds: u32) -> Result<Count> {
    let out = setting.folder.join("callgrind.out");
    let mut file = std::ffi::OsString::from("--callgrind-out-file=");
    file.push(&out);
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(file).arg(program);
    let flags = ["--backend", line.3, "--depth", line.4, "--workers", "1"];
    valgrind.args(program::arguments(setting.path(line.1)?, line.2, seconds, &flags));
    let round = program::round_of(&mut valgrind, &setting.folder.join("valgrind/state"))?;
    let text = std::fs::read_to_string(&out).with_context(|| format!("cannot read {}", out.display()))?;
    let instructions = total(&text).with_context(|| format!("no totals in {}", out.display()))?;
    let bytes = number(&round["total_bytes"][0])? + number(&round["total_bytes"][1])?;
    Ok(Count { instructions, ios: bytes / number(&round["workload"]["block_bytes"])? })
}

/// The line `totals: N` of a callgrind profile (Callgrind Format Specification).
fn total(profile: &str) -> Option<f64> {
    profile.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok())
}
