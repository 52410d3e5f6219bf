//! One run of ioproof or of fio, and what their JSON says of it, CPU time by what each reports of its own workers; and two programs in turn on the same target, held
//! against each other by IOPS and by CPU time per I/O.

use super::Row;
use super::setting::{Place, Setting};
use super::table::{least, median, most, spread};
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

#[derive(Clone, Copy, PartialEq)]
pub enum Verb {
    Verify,
    Run,
}

pub struct Conditions {
    pub verb: Verb,
    pub place: Place,
    pub rw: &'static str,
    pub workers: u32,
    /// Least ratio of IOPS; `None` where the drive sets the rate.
    pub least_iops: Option<f64>,
    /// Most ratio of CPU time per I/O; `None` where the line is for comparison.
    pub most_cpu: Option<f64>,
}

/// The columns of such a line; the other program stands in them as `peer`.
pub const COLUMNS: &[&str] = &["ioproof kIOPS", "peer kIOPS", "ratio", "to reach", "ioproof CPU ns", "peer CPU ns", "ratio", "to reach"];

pub fn run_pair(setting: &Setting, conditions: &Conditions, peer: impl Fn() -> Result<Sample>) -> Result<Row> {
    let pairs = (0..setting.rounds).map(|_| Ok((ioproof(setting, conditions, &[])?, peer()?))).collect::<Result<Vec<_>>>()?;
    let columns =
        |figure: fn(&Sample) -> f64| -> (Vec<f64>, Vec<f64>) { pairs.iter().map(|(our, their)| (figure(our), figure(their))).unzip() };
    let (rates, costs) = (columns(|sample| sample.iops / 1e3), columns(|sample| sample.cpu_ns_per_io));
    let [rate, cost] = [&rates, &costs].map(|(ours, theirs)| median(ours) / median(theirs));
    let mut cells = vec![spread(&rates.0), spread(&rates.1), format!("{rate:.2}"), least(rate, conditions.least_iops, 2)];
    cells.extend([spread(&costs.0), spread(&costs.1), format!("{cost:.2}"), most(cost, conditions.most_cpu, 2)]);
    Ok(Row::Cells(cells))
}

pub fn ioproof(setting: &Setting, conditions: &Conditions, flags: &[&str]) -> Result<Sample> {
    let Conditions { verb, place, rw, workers, .. } = *conditions;
    if verb == Verb::Run {
        let mut run = Command::new(&setting.program);
        run.arg("run");
        return sample_of_job(setting, run, place, rw, workers, flags);
    }
    let workers = workers.to_string();
    let more = [&["--depth", "32", "--workers", &workers], flags].concat();
    sample(&round(setting, setting.path(place)?, rw, &more)?)
}
