//! One run of sysbench's fileio and of pg_test_fsync, and the figures that they print.

use super::POSTGRES;
use super::setting::Setting;
use super::syncs::Durable;
use crate::command;
use crate::debian::Package;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SYSBENCH: Package = Package { name: "sysbench", provides: "sysbench", why: "to hold `sync --as sysbench` against it" };

/// Size of all files of sysbench together, as ioproof is told it.
pub const SYSBENCH_SIZE: &str = "512MiB";
/// Size of a segment of the log, which pg_test_fsync writes once before it begins.
pub const WAL_SIZE: &str = "16MiB";

pub fn missing(is_sysbench: bool) -> Result<Option<String>> {
    super::missing(if is_sysbench { &SYSBENCH } else { &POSTGRES })
}

/// A program of PostgreSQL, which Debian keeps out of the search path, in a folder of its version.
pub fn of_postgres(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(|entry| Some(entry.ok()?.path().join("bin").join(name)));
    versions.filter(|path| path.exists()).max()
}

/// Runs sysbench once on its files, of which the figures are writes.
pub fn sysbench(setting: &Setting, flags: &[&str]) -> Result<Durable> {
    let folder = setting.of_syncs()?.join("sysbench");
    if !folder.join("test_file.0").exists() {
        fs::create_dir_all(&folder)?;
        command::output(Command::new("sysbench").args(["fileio", &total_size(), "prepare"]).current_dir(&folder))?;
    }
    forget(&folder)?;
    let (time, size) = (format!("--time={}", setting.seconds), total_size());
    let mut run = Command::new("sysbench");
    run.args(["fileio", &size, "--threads=16", "--file-test-mode=rndrw", &time]).args(flags).arg("run").current_dir(folder);
    let text = String::from_utf8(command::output(&mut run)?)?;
    let figure = |name| told(&text, name).with_context(|| format!("sysbench does not say {name}:\n{text}"));
    let writes = figure("writes/s:")?;
    Ok(Durable { per_s: writes, syncs: figure("fsyncs/s:")? / writes })
}

/// Has the page cache forget its files. They are in it since they were made, and would be read from memory, where ioproof's are read from the drive.
fn forget(folder: &Path) -> Result<()> {
    let script = "sync -f . && for file in test_file.*; do dd if=$file iflag=nocache count=0 status=none; done";
    command::run(Command::new("sh").args(["-ec", script]).current_dir(folder))
}

/// The size in its words, in which M is 2^20.
fn total_size() -> String {
    format!("--file-total-size={}", SYSBENCH_SIZE.trim_end_matches("iB"))
}

fn told(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().parse().ok())
}

/// Runs pg_test_fsync until it has told the rate of one method, since it has no flag for one alone.
pub fn postgres(setting: &Setting, writes: u32, method: &str) -> Result<Durable> {
    let program = of_postgres("pg_test_fsync").context("pg_test_fsync is missing")?;
    let file = setting.of_syncs()?.join("wal");
    let mut command = Command::new(&program);
    command.args(["-s", &setting.seconds.to_string(), "-f"]).arg(&file).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
    let out = child.stdout.take().context("no output")?;
    let rate = rate(BufReader::new(out).lines().map_while(Result::ok), writes, method);
    child.kill()?;
    child.wait()?;
    fs::remove_file(&file)?;
    match rate {
        Some(per_s) => Ok(Durable { per_s, syncs: f64::NAN }),
        None => bail!("pg_test_fsync does not say how fast {method} is"),
    }
}

/// The rate of a method in the section of so many writes: `fdatasync    646.041 ops/sec    1548 usecs/op`.
fn rate(lines: impl Iterator<Item = String>, writes: u32, method: &str) -> Option<f64> {
    let section = if writes == 1 { "using one 8kB write" } else { "using two 8kB writes" };
    let mut words = lines.skip_while(|line| !line.contains(section));
    let line = words.find(|line| line.split_whitespace().next() == Some(method))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
