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
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

const VALGRIND: Package = Package { name: "valgrind", provides: "valgrind", why: "to count instructions" };

enum Load {
    Program(Place, &'static str, &'static str, &'static str),
    OwnDriver,
}

/// Title, load, and most instructions for each I/O, but where the line is for comparison.
const LINES: [(&str, Load, Option<f64>); 5] = [
    ("io_uring, /dev/zero randread", Load::Program(Place::Zero, "randread", "io_uring", "32"), Some(150.0)),
    ("io_uring, /dev/null randwrite", Load::Program(Place::Null, "randwrite", "io_uring", "32"), Some(150.0)),
    ("polled, scripted drive randread, worker alone", Load::OwnDriver, Some(200.0)),
    ("psync, /dev/zero randread", Load::Program(Place::Zero, "randread", "psync", "1"), None),
    ("null, the loop alone", Load::Program(Place::Zero, "randread", "null", "32"), None),
];

/// The scripted drive's side, as callgrind names its functions; on entering one counting stops.
const OF_DRIVE: &str = "*scripted*Bus*";

fn run(setting: &Setting, index: usize) -> Result<Row> {
    if let Some(reason) = super::missing(&VALGRIND)? {
        return Ok(Row::Without(reason));
    }
    let (_, load, aim) = &LINES[index];
    let program = build(setting, load)?;
    // Which system calls valgrind knows depends on its version.
    Ok(measure(setting, &program, load, *aim).map_or_else(|error| Row::Without(format!("{error:#}")), Row::Cells))
}

fn measure(setting: &Setting, program: &Path, load: &Load, aim: Option<f64>) -> Result<Vec<String>> {
    // The first run of a day also finds out what the host is capable of, and keeps it: that is no I/O of this line.
    count(setting, program, load, 1)?;
    let short = count(setting, program, load, setting.seconds)?;
    let long = count(setting, program, load, 3 * setting.seconds)?;
    let ios = long.1 - short.1;
    let each = (long.0 - short.0) / ios;
    Ok(vec![format!("{each:.1}"), most(each, aim, 0), format!("{ios:.0}")])
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

fn count(setting: &Setting, program: &Path, load: &Load, seconds: u32) -> Result<(f64, f64)> {
    let out = setting.folder.join("callgrind.out");
    let mut file = std::ffi::OsString::from("--callgrind-out-file=");
    file.push(&out);
    let mut counted = out.clone();
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--tool=callgrind"]).arg(file);
    let ios = match load {
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
    // The line `totals: N` of a callgrind profile (Callgrind Format Specification).
    let total = text.lines().find_map(|line| line.strip_prefix("totals:")?.trim().parse().ok());
    Ok((total.with_context(|| format!("no totals in {}", counted.display()))?, ios))
}
