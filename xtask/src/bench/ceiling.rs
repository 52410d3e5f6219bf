//! Both verbs of ioproof with all their statistics (`run` splits latency as fio does) against the least that can be done: `t/io_uring` of fio's source, which keeps none.
//!
//! It prints its IOPS once a second and nothing of its CPU time, which is taken from what the kernel counts for children.

use super::pair::{self, Conditions, Sample, Verb};
use super::setting::{Place, Setting};
use super::{Kind, Row, fio_source};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

pub const KIND: Kind = Kind { name: "ceiling", columns: pair::COLUMNS, titles: || LINES.iter().map(|line| line.0).collect(), run };

/// Title and conditions: within 5 %.
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
    let program = match fio_source::t_io_uring(&setting.folder.join("fio")) {
        Ok(program) => program,
        Err(reason) => return Ok(Row::Without(format!("{reason:#}"))),
    };
    let target = setting.path(conditions.place)?;
    pair::run(setting, conditions, || sample(&program, conditions.place, target, setting.seconds))
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
    let rates = rates(&text);
    // The first second holds the start.
    let [_, steady @ ..] = rates.as_slice() else {
        bail!("t/io_uring said `{}{}`", text.trim(), String::from_utf8_lossy(&out.stderr).trim());
    };
    let iops = steady.iter().sum::<f64>() / steady.len() as f64;
    Ok(Sample { iops, cpu_ns_per_io: cpu_ns / (iops * f64::from(runtime)) })
}

/// The rate of each second: `IOPS=2.91M, BW=...`, with K and M for thousands and millions.
fn rates(text: &str) -> Vec<f64> {
    let words = text.lines().filter_map(|line| line.strip_prefix("IOPS=")?.split(',').next());
    words.filter_map(rate).collect()
}

fn rate(word: &str) -> Option<f64> {
    let (digits, factor) = match word.strip_suffix(['K', 'M']) {
        Some(digits) if word.ends_with('M') => (digits, 1e6),
        Some(digits) => (digits, 1e3),
        None => (word, 1.0),
    };
    digits.parse::<f64>().ok().map(|n| n * factor)
}

/// CPU time of all children that have ended, user and system. Nanoseconds.
fn children_cpu_ns() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    cpu_of_children(&text).with_context(|| format!("/proc/self/stat is `{text}`"))
}

/// proc(5): `cutime` and `cstime` are fields 16 and 17, in ticks of 10 ms; the name, field 2, may hold spaces and parentheses.
fn cpu_of_children(stat: &str) -> Option<f64> {
    let after_name = stat.rsplit_once(')')?.1;
    let ticks: Vec<f64> = after_name.split_whitespace().skip(13).take(2).filter_map(|n| n.parse().ok()).collect();
    (ticks.len() == 2).then(|| ticks.iter().sum::<f64>() * 1e7)
}
