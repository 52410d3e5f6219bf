//! Both verbs of ioproof with all their statistics (`run` splits latency as fio does) against the least that can be done: `t/io_uring` of fio's source, which keeps none.
//!
//! Debian's package lacks it: its source is fetched by apt-get below `target/bench`, edited in one place and built. It prints its IOPS once a second and nothing of
//! its CPU time, which is taken from what the kernel counts for children.

use super::program::{self, Conditions, Sample, Verb};
use super::setting::{Place, Setting};
use super::{Kind, Row};
use crate::command;
use crate::debian::{self, Package};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const KIND: Kind = Kind { name: "ceiling", columns: program::COLUMNS, titles: || LINES.iter().map(|line| line.0).collect(), run };

const LINES: [(&str, Conditions); 4] = [
    ("verify, /dev/zero randread, 1 worker", within_5_percent(Verb::Verify, Place::Zero)),
    ("run, /dev/zero randread, 1 worker", within_5_percent(Verb::Run, Place::Zero)),
    ("verify, file randread, 1 worker", within_5_percent(Verb::Verify, Place::File)),
    ("run, file randread, 1 worker", within_5_percent(Verb::Run, Place::File)),
];

const fn within_5_percent(verb: Verb, place: Place) -> Conditions {
    Conditions { verb, place, rw: "randread", workers: 1, least_iops: Some(0.95), most_cpu: Some(1.05) }
}

/// Batches of 32 of a queue depth of 32, buffers and file registered, one thread, no polling, 4 KiB at random, no statistics.
const FLAGS: [&str; 10] = ["-d32", "-s32", "-c32", "-B1", "-F1", "-n1", "-p0", "-b4096", "-R1", "-t0"];

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, conditions) = &LINES[index];
    let program = match t_io_uring(&setting.folder.join("fio")) {
        Ok(program) => program,
        Err(reason) => return Ok(Row::Without(format!("{reason:#}"))),
    };
    let target = setting.path(conditions.place)?;
    program::run_pair(setting, conditions, || sample(&program, conditions.place, target, setting.seconds))
}

/// Runs it once. It never prints its last second, so it gets two more: one to start and one to end.
fn sample(program: &Path, place: Place, target: &Path, seconds: u32) -> Result<Sample> {
    let runtime = seconds + 2;
    let mut command = Command::new(program);
    command.args(FLAGS).arg(format!("-O{}", u8::from(place == Place::File))).arg(format!("-r{runtime}")).arg(target);
    let before = children_cpu_ns()?;
    let out = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let cpu_ns = children_cpu_ns()? - before;
    let text = String::from_utf8_lossy(&out.stdout);
    // `IOPS=2.91M, BW=...` of each second; the first second holds the start.
    let rates: Vec<f64> = text.lines().filter_map(|line| rate(line.strip_prefix("IOPS=")?.split(',').next()?)).collect();
    let [_, steady @ ..] = rates.as_slice() else {
        bail!("t/io_uring said `{}{}`", text.trim(), String::from_utf8_lossy(&out.stderr).trim());
    };
    let iops = steady.iter().sum::<f64>() / steady.len() as f64;
    Ok(Sample { iops, cpu_ns_per_io: cpu_ns / (iops * f64::from(runtime)) })
}

fn rate(word: &str) -> Option<f64> {
    let factor = if word.ends_with('M') {
        1e6
    } else if word.ends_with('K') {
        1e3
    } else {
        1.0
    };
    word.trim_end_matches(['K', 'M']).parse::<f64>().ok().map(|n| n * factor)
}

/// CPU time of all children that have ended, user and system (nanoseconds). proc(5): `cutime` and `cstime` are fields 16 and 17, in ticks of 10 ms; the name,
/// field 2, may hold spaces and parentheses.
fn children_cpu_ns() -> Result<f64> {
    let text = fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit_once(')').map_or("", |(_, after_name)| after_name).split_whitespace().skip(13).take(2);
    let ticks: Vec<f64> = fields.filter_map(|n| n.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() * 1e7).with_context(|| format!("/proc/self/stat is `{text}`"))
}

const TOOLS: [Package; 3] = [
    Package { name: "gcc", provides: "gcc", why: "to build t/io_uring of fio" },
    Package { name: "make", provides: "make", why: "to build t/io_uring of fio" },
    Package { name: "libc6-dev", provides: "/usr/include/stdio.h", why: "to build t/io_uring of fio" },
];

fn t_io_uring(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("source");
    let program = source.join("t/io_uring");
    if program.is_file() {
        return Ok(program);
    }
    debian::require(&TOOLS.iter().collect::<Vec<_>>())?;
    let archive = fetch(folder)?;
    let _ = fs::remove_dir_all(&source);
    fs::create_dir_all(&source)?;
    command::run(Command::new("tar").args(["--extract", "--strip-components=1", "--file"]).arg(archive).arg("--directory").arg(&source))?;
    edit(&source.join("t/io_uring.c"))?;
    // What they say matters only when they fail.
    command::output(Command::new("sh").args(["-ec", "./configure --disable-native; make t/io_uring"]).current_dir(&source))?;
    Ok(program)
}

fn fetch(folder: &Path) -> Result<PathBuf> {
    let download = folder.join("download");
    fs::create_dir_all(&download).with_context(|| format!("cannot make {}", download.display()))?;
    debian::take_sources(folder, "deb-src", "main")?;
    command::run(debian::apt(folder).arg("update"))?;
    let mut source = debian::apt(folder);
    command::run(source.args(["source", "--download-only", "fio"]).current_dir(&download)).context("fio's source cannot be fetched")?;
    let mut paths = fs::read_dir(&download)?.flatten().map(|entry| entry.path());
    let is_archive = |path: &PathBuf| path.to_string_lossy().contains(".orig.tar.") && path.extension().is_none_or(|end| end != "asc");
    paths.find(is_archive).with_context(|| format!("no archive of fio's source in {}", download.display()))
}

/// Allows character devices, as if they had 512 MiB in blocks of 4 KiB.
fn edit(file: &Path) -> Result<()> {
    const PLACE: &str = "} else if (S_ISREG(st.st_mode)) {";
    const CASE: &str = "} else if (S_ISCHR(st.st_mode)) { f->max_blocks = 131072; return 0;\n";
    let source = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    if source.matches(PLACE).count() != 1 {
        bail!("t/io_uring.c of this version of fio has no single `{PLACE}`, where character devices are to be allowed");
    }
    Ok(fs::write(file, source.replace(PLACE, &format!("{CASE}{PLACE}")))?)
}
