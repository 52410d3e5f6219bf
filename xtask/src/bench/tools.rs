//! One run of one tool, and the two figures that are compared. CPU time is what each tool reports of its own workers.

use super::contest::{Line, Place};
use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// How fio is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fio {
    /// As it comes.
    Default,
    /// With everything that makes it faster and keeps its percentiles.
    Tuned,
    /// The same, and without measuring any latency.
    TunedNoLatency,
}

const TUNED: [&str; 7] = [
    "--fixedbufs",
    "--registerfiles",
    "--iodepth_batch_submit=32",
    "--iodepth_batch_complete_min=1",
    "--iodepth_batch_complete_max=32",
    "--norandommap",
    "--random_generator=tausworthe64",
];

/// What a run showed.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub iops: f64,
    /// User and system time of all workers over I/Os. Nanoseconds.
    pub cpu_ns_per_io: f64,
}

/// Runs ioproof once.
pub fn ioproof(program: &Path, line: &Line, target: &Path, seconds: u32) -> Result<Sample> {
    // A tenth of the time is kept for what is not measured, a fifth of the rest is ramp.
    let time = format!("{:.1}s", f64::from(seconds) / 0.9);
    let mut run = Command::new(program);
    run.arg("verify").arg(target).args(["--rw", line.rw, "--bs", "4KiB", "--depth", "32", "--runs", "1", "--json"]);
    run.args(["--workers", &line.workers.to_string(), "--time", &time])
        .env("XDG_STATE_HOME", crate::workspace_root().join("target/bench/state"));
    let out = run.output().context("cannot start ioproof")?;
    // It also ends with 3 where nothing can be told from one run, which is right.
    let report: Value = serde_json::from_slice(&out.stdout).with_context(|| String::from_utf8_lossy(&out.stderr).into_owned())?;
    let round = &report["run"]["rounds"][0];
    let ios = number(&round["read"]["ios"])? + number(&round["write"]["ios"])?;
    let workers = round["workers"].as_array().context("no workers")?;
    let cpu_ns: f64 = workers.iter().map(|w| number(&w["cpu_user_ns"]).unwrap_or(0.0) + number(&w["cpu_system_ns"]).unwrap_or(0.0)).sum();
    Ok(Sample { iops: ios * 1e9 / number(&round["elapsed_ns"])?, cpu_ns_per_io: cpu_ns / ios })
}

/// Runs fio once, its workers as one group.
pub fn fio(line: &Line, target: &Path, seconds: u32) -> Result<Sample> {
    let mut run = Command::new("fio");
    run.args([
        "--name=bench",
        "--bs=4k",
        "--size=512m",
        "--ioengine=io_uring",
        "--iodepth=32",
        "--thread",
        "--time_based",
        "--group_reporting",
    ]);
    run.args([
        "--output-format=json",
        &format!("--rw={}", line.rw),
        &format!("--numjobs={}", line.workers),
        &format!("--runtime={seconds}"),
    ]);
    run.arg(format!("--filename={}", target.display())).arg(format!("--direct={}", u8::from(line.place == Place::File)));
    if line.fio != Fio::Default {
        run.args(TUNED);
    }
    if line.fio == Fio::TunedNoLatency {
        run.arg("--gtod_reduce=1");
    }
    let report: Value = serde_json::from_slice(&command::output(&mut run)?).context("fio's output is no JSON")?;
    let job = &report["jobs"][0];
    let side = if line.rw.ends_with("read") { &job["read"] } else { &job["write"] };
    // usr_cpu and sys_cpu are shares of the workers' summed run time.
    let cpu_ms = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0 * number(&job["job_runtime"])?;
    Ok(Sample { iops: number(&side["iops"])?, cpu_ns_per_io: cpu_ms * 1e6 / number(&side["total_ios"])? })
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().with_context(|| format!("{value} is no number"))
}
