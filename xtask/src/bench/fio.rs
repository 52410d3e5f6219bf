//! One run of fio, or of ioproof by fio's options, and the figures of its JSON. CPU time is what it reports of its own workers.

use super::pair::{Conditions, Sample};
use super::program::number;
use super::setting::{Place, Setting};
use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    Default,
    /// With everything that makes it faster and keeps its percentiles.
    Tuned,
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

impl Setup {
    fn flags(self) -> Vec<&'static str> {
        match self {
            Self::Default => Vec::new(),
            Self::Tuned => TUNED.to_vec(),
            Self::TunedNoLatency => [&TUNED[..], &["--gtod_reduce=1"]].concat(),
        }
    }
}

/// Runs it with io_uring at queue depth 32, its workers as one group.
pub fn sample(conditions: &Conditions, setup: Setup, target: &Path, seconds: u32) -> Result<Sample> {
    sample_of(Command::new("fio"), conditions, &setup.flags(), target, seconds)
}

/// Runs `ioproof run` with the same options.
pub fn sample_of_run(setting: &Setting, conditions: &Conditions, flags: &[&str]) -> Result<Sample> {
    let mut run = Command::new(&setting.program);
    run.arg("run").env("XDG_STATE_HOME", setting.folder.join("state"));
    sample_of(run, conditions, flags, setting.path(conditions.place)?, setting.seconds)
}

fn sample_of(program: Command, conditions: &Conditions, flags: &[&str], target: &Path, seconds: u32) -> Result<Sample> {
    let workers = format!("--numjobs={}", conditions.workers);
    let direct = format!("--direct={}", u8::from(conditions.place == Place::File));
    let more = [&["--ioengine=io_uring", "--iodepth=32", &workers, &direct], flags].concat();
    let job = job_of(program, target, conditions.rw, seconds, &more)?;
    let side = if conditions.rw.ends_with("read") { &job["read"] } else { &job["write"] };
    // usr_cpu and sys_cpu are shares of the workers' summed run time.
    let cpu_ms = (number(&job["usr_cpu"])? + number(&job["sys_cpu"])?) / 100.0 * number(&job["job_runtime"])?;
    Ok(Sample { iops: number(&side["iops"])?, cpu_ns_per_io: cpu_ms * 1e6 / number(&side["total_ios"])? })
}

/// Runs one job of fio's of 4 KiB over 512 MiB, unless told another size, and gives its part of the report.
pub fn job(target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Result<Value> {
    job_of(Command::new("fio"), target, rw, seconds, more)
}

fn job_of(mut run: Command, target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Result<Value> {
    run.args(["--name=bench", "--bs=4k", "--size=512m", "--thread", "--time_based", "--group_reporting", "--output-format=json"]);
    run.args([format!("--rw={rw}"), format!("--runtime={seconds}"), format!("--filename={}", target.display())]).args(more);
    let mut report: Value = serde_json::from_slice(&command::output(&mut run)?).context("fio's output is no JSON")?;
    Ok(report["jobs"][0].take())
}
