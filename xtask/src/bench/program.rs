//! One run of ioproof, and what its JSON says of it. CPU time is what it reports of its own workers.

use super::pair::Sample;
use super::setting::Setting;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The arguments of `verify` for one run of one workload of 4 KiB at random. A tenth of the time is kept for what is not measured.
pub fn arguments(target: &Path, rw: &str, seconds: u32, more: &[&str]) -> Vec<String> {
    let time = format!("{:.1}s", f64::from(seconds) / 0.9);
    let fixed = ["--rw", rw, "--bs", "4KiB", "--runs", "1", "--json", "--time", &time];
    let target = target.to_string_lossy();
    let words = [&["verify", &*target], &fixed[..], more].concat();
    words.into_iter().map(String::from).collect()
}

/// Runs it for the setting's time and gives the one round of its report.
pub fn round(setting: &Setting, target: &Path, rw: &str, more: &[&str]) -> Result<Value> {
    let state = setting.folder.join("state");
    round_of(Command::new(&setting.program).args(arguments(target, rw, setting.seconds, more)), &state)
}

/// The same of a command that ends in such arguments; what it keeps goes to the folder `state`.
pub fn round_of(command: &mut Command, state: &Path) -> Result<Value> {
    let out = command.env("XDG_STATE_HOME", state).output().context("cannot start ioproof")?;
    // It also ends with 3 where nothing can be told from one run, which is right; where it prints no JSON it has said why.
    let said = String::from_utf8_lossy(&out.stderr);
    let Ok(mut report) = serde_json::from_slice::<Value>(&out.stdout) else { bail!("{}", said.trim()) };
    let round = report["run"]["stages"][0]["rounds"][0].take();
    if round["outcome"] != "complete" {
        bail!("the round is not complete: {}", said.trim());
    }
    Ok(round)
}

/// IOPS, and CPU time of all workers over their I/Os.
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
