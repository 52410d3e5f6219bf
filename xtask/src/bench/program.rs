//! One run of ioproof or of fio, and what their JSON says of it. CPU time is what each reports of its own workers.

use super::setting::{Place, Setting};
use crate::{command, program::peak_kib};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
pub struct Sample {
    pub iops: f64,
    /// User and system time of all workers over I/Os. Nanoseconds.
    pub cpu_ns_per_io: f64,
}

/// The arguments of `verify` for one run of one workload of 4 KiB at random. A tenth of the time is kept for what is not measured.
pub fn arguments(target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Vec<String> {
    let time = format!("{:.1}s", f64::from(seconds) / 0.9);
    let fixed = ["--rw", rw, "--bs", "4KiB", "--runs", "1", "--json", "--time", &time];
    [&["verify", &*target.to_string_lossy()], &fixed[..], more].concat().into_iter().map(String::from).collect()
}

pub fn round(setting: &Setting, target: &Path, rw: &str, more: &[&str]) -> Result<Value> {
    round_of(Command::new(&setting.program).args(arguments(target, rw, setting.seconds, more)), &setting.folder.join("state"))
}

/// The same of a command that ends in such arguments; what it keeps goes to the folder `state`.
pub fn round_of(command: &mut Command, state: &Path) -> Result<Value> {
    let round = report_of(command, state)?["run"]["stages"][0]["rounds"][0].take();
    ensure!(round["outcome"] == "complete", "the round is not complete: {}", round["outcome"]);
    Ok(round)
}

/// The report of a call with `--json`. It also ends with 3 where nothing can be told from one run, which is right.
pub fn report_of(command: &mut Command, state: &Path) -> Result<Value> {
    let out = command.env("XDG_STATE_HOME", state).output().context("cannot start ioproof")?;
    serde_json::from_slice(&out.stdout).with_context(|| String::from_utf8_lossy(&out.stderr).trim().to_owned())
}

pub fn sample(round: &Value) -> Result<Sample> {
    let ios = number(&round["read"]["ios"])? + number(&round["write"]["ios"])?;
    let workers = round["workers"].as_array().context("no workers")?;
    let cpu_ns = |w: &Value| Ok(number(&w["cpu_user_ns"])? + number(&w["cpu_system_ns"])?);
    let cpu_ns: f64 = workers.iter().map(cpu_ns).sum::<Result<f64>>()?;
    Ok(Sample { iops: ios * 1e9 / number(&round["elapsed_ns"])?, cpu_ns_per_io: cpu_ns / ios })
}

pub fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("{value} is no number"))
}

/// Runs to the end; gives the status, the seconds that it took and its peak memory. KiB.
pub fn timed(command: &mut Command) -> Result<(ExitStatus, f64, u64)> {
    let (began, mut peak) = (Instant::now(), 0);
    let mut child = command.stdin(Stdio::null()).spawn().context("cannot start ioproof")?;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for ioproof")? {
            return Ok((status, began.elapsed().as_secs_f64(), peak));
        }
        peak = peak.max(peak_kib(child.id()));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs fio, or `ioproof run`, with io_uring at queue depth 32 and its workers as one group.
pub fn sample_of_job(setting: &Setting, mut run: Command, place: Place, rw: &str, workers: u32, flags: &[&str]) -> Result<Sample> {
    run.env("XDG_STATE_HOME", setting.folder.join("state"));
    let (jobs, direct) = (format!("--numjobs={workers}"), format!("--direct={}", u8::from(place == Place::File)));
    let more = [&["--ioengine=io_uring", "--iodepth=32", &jobs, &direct], flags].concat();
    let job = job_of(run, setting.path(place)?, rw, setting.seconds, &more)?;
    let side = if rw.ends_with("read") { &job["read"] } else { &job["write"] };
    // usr_cpu and sys_cpu are shares of the workers' summed run time.
    let cpu_ms = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0 * number(&job["job_runtime"])?;
    Ok(Sample { iops: number(&side["iops"])?, cpu_ns_per_io: cpu_ms * 1e6 / number(&side["total_ios"])? })
}

/// Runs one job of fio's of 4 KiB over 512 MiB, unless told another size, and gives its part of the report.
pub fn fio(target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Result<Value> {
    job_of(Command::new("fio"), target, rw, seconds, more)
}

fn job_of(mut run: Command, target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Result<Value> {
    run.args(["--name=bench", "--bs=4k", "--size=512m", "--thread", "--time_based", "--group_reporting", "--output-format=json"]);
    run.args([format!("--rw={rw}"), format!("--runtime={seconds}"), format!("--filename={}", target.display())]).args(more);
    let mut report: Value = serde_json::from_slice(&command::output(&mut run)?).context("fio's output is no JSON")?;
    Ok(report["jobs"][0].take())
}
