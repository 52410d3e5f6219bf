//! Job files run by fio and by ioproof, cut small: exit zero or not, and the I/Os of each direction.

use super::cut;
use crate::command;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Counts of each job.
const COUNTED: [&str; 4] = ["read", "write", "trim", "sync"];

/// Result of running a job file with both programs.
#[derive(Debug, PartialEq, Eq)]
pub enum Ran {
    Same,
    /// Both do as many I/Os, another share of them being reads.
    Split(String),
    /// fio's I/Os and ours.
    Ios(String),
    /// One ends with zero, the other does not; the last words of the one that does not.
    Exit(String),
    /// Both end with another status than zero: the cut file is none that can be run. fio's last words.
    Neither(String),
}

pub struct RanFile {
    pub path: PathBuf,
    pub ran: Ran,
}

/// Runs the files one after the other below a folder that is there.
pub fn run_all(ioproof: &Path, files: &[&Path], folder: &Path) -> Result<Vec<RanFile>> {
    let one = |path: &&Path| {
        let ran = run(ioproof, path, folder).with_context(|| path.display().to_string())?;
        Ok(RanFile { path: path.to_path_buf(), ran })
    };
    files.iter().map(one).collect()
}

struct End {
    is_zero: bool,
    last_words: String,
    jobs: Vec<[u64; COUNTED.len()]>,
}

fn run(ioproof: &Path, path: &Path, folder: &Path) -> Result<Ran> {
    let text = cut::small(&String::from_utf8_lossy(&std::fs::read(path)?));
    let mut own = Command::new(ioproof);
    own.arg("run");
    let theirs = end(Command::new("fio"), &text, &folder.join("fio"))?;
    let ours = end(own, &text, &folder.join("ioproof"))?;
    Ok(compare(&theirs, &ours))
}

/// Runs a program on the cut file in a fresh folder, which is removed afterwards.
fn end(mut program: Command, text: &str, folder: &Path) -> Result<End> {
    std::fs::create_dir(folder)?;
    let (job, report) = (folder.join("cut.fio"), folder.join("report.json"));
    std::fs::write(&job, text)?;
    program.args(["--output-format=json", "--output"]).arg(&report).arg(&job).current_dir(folder);
    program.env("XDG_STATE_HOME", folder.join("state"));
    let output = command::finish(&mut program);
    let jobs = std::fs::read_to_string(&report).map_or_else(|_| Vec::new(), |text| counts(&text));
    std::fs::remove_dir_all(folder)?;
    Ok(match output {
        Ok(output) => End { is_zero: output.status.success(), last_words: last_line(&output.stderr), jobs },
        Err(error) => End { is_zero: false, last_words: error.to_string(), jobs },
    })
}

fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("(nothing)").to_owned()
}

/// I/Os of each job of a report; what stands before its first brace is no part of it.
fn counts(report: &str) -> Vec<[u64; COUNTED.len()]> {
    let json = report.find('{').map_or("", |start| &report[start..]);
    let report: Value = serde_json::from_str(json).unwrap_or_default();
    let count = |job: &Value| COUNTED.map(|kind| job[kind]["total_ios"].as_u64().unwrap_or(0));
    report["jobs"].as_array().map_or_else(Vec::new, |jobs| jobs.iter().map(count).collect())
}

fn compare(theirs: &End, ours: &End) -> Ran {
    match (theirs.is_zero, ours.is_zero) {
        (false, false) => return Ran::Neither(theirs.last_words.clone()),
        (true, false) => return Ran::Exit(format!("ioproof: {}", ours.last_words)),
        (false, true) => return Ran::Exit(format!("fio: {}", theirs.last_words)),
        (true, true) => {}
    }
    if theirs.jobs == ours.jobs {
        return Ran::Same;
    }
    let shown = format!("fio {}, ioproof {}", shown(&theirs.jobs), shown(&ours.jobs));
    let all = |end: &End| end.jobs.iter().map(|job| (job[..3].iter().sum::<u64>(), job[3])).collect::<Vec<_>>();
    if all(theirs) == all(ours) { Ran::Split(shown) } else { Ran::Ios(shown) }
}

/// `read/write/trim/sync` of each job, of at most four.
fn shown(jobs: &[[u64; COUNTED.len()]]) -> String {
    let job = |counts: &[u64; COUNTED.len()]| counts.map(|n| n.to_string()).join("/");
    jobs.iter().take(4).map(job).collect::<Vec<_>>().join(" ")
}
