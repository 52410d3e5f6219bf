//! `ioproof fleet report` by itself: time and memory for thousands of run files, with a page, a workbook and a table. Files are read from the page cache where they fit.

use super::setting::Setting;
use super::table::{median, most, spread};
use super::{Kind, Row};
use crate::command;
use crate::program::peak_kib;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub const KIND: Kind = Kind {
    name: "fleet",
    columns: &["seconds", "to reach", "peak MiB", "to reach", "files a second"],
    titles: || LINES.iter().map(|line| line.title).collect(),
    run,
};

struct Line {
    title: &'static str,
    files: u32,
    /// Limits of time and memory, where there are any.
    most: Option<(f64, f64)>,
    /// True where `--full` alone runs it.
    is_long: bool,
}

const LINES: [Line; 3] = [
    Line { title: "1000 run files", files: 1000, most: None, is_long: false },
    Line { title: "10000 run files", files: 10_000, most: Some((60.0, 1024.0)), is_long: false },
    Line { title: "100000 run files", files: 100_000, most: None, is_long: true },
];

/// The stored run of which all are copies.
const RUN: &str = "fixtures/runs/20261121-031500-3f9a";
const LOOK: Duration = Duration::from_millis(5);

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let line = &LINES[index];
    if line.is_long && !setting.full {
        return Ok(Row::Without("24 GB of files; --full makes them".into()));
    }
    let folder = Files::new(setting.folder.join("fleet"), line.files)?;
    let reports = (0..setting.rounds).map(|_| report(setting, &folder.0)).collect::<Result<Vec<(f64, f64)>>>()?;
    let seconds: Vec<f64> = reports.iter().map(|(seconds, _)| *seconds).collect();
    let peak: Vec<f64> = reports.iter().map(|(_, peak)| *peak).collect();
    Ok(Row::Cells(vec![
        format!("{:.2}", median(&seconds)),
        most(median(&seconds), line.most.map(|most| most.0), 0),
        spread(&peak),
        most(median(&peak), line.most.map(|most| most.1), 0),
        format!("{:.0}", f64::from(line.files) / median(&seconds)),
    ]))
}

/// The folder of a fleet; removed when dropped.
struct Files(PathBuf);

impl Files {
    fn new(folder: PathBuf, files: u32) -> Result<Self> {
        let made = Self(folder);
        // What an earlier bench left.
        let _ = fs::remove_dir_all(&made.0);
        fs::create_dir_all(&made.0).with_context(|| format!("cannot make {}", made.0.display()))?;
        let mut make = command::cargo();
        make.args(["run", "--quiet", "--release", "--package", "ioproof-store", "--example", "fleet_files", "--"]);
        command::run(make.arg(crate::workspace_root().join(RUN)).arg(&made.0).arg(files.to_string()))?;
        Ok(made)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Seconds and peak memory (MiB) of one report.
fn report(setting: &Setting, files: &Path) -> Result<(f64, f64)> {
    let outputs = ["fleet.html", "fleet.xlsx", "fleet.csv"].map(|name| setting.folder.join(name));
    let text = setting.folder.join("fleet.out");
    let mut command = Command::new(&setting.program);
    command.args(["fleet", "report"]).arg(files).env("XDG_STATE_HOME", setting.folder.join("state"));
    command.args(outputs.iter().flat_map(|output| [OsStr::new("-o"), output.as_os_str()]));
    let out = File::create(&text).context("cannot make a file")?;
    let (began, mut peak) = (Instant::now(), 0);
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(Stdio::null()).spawn().context("cannot start ioproof")?;
    let status = loop {
        match child.try_wait().context("cannot wait for a report")? {
            Some(status) => break status,
            None => peak = peak.max(peak_kib(child.id())),
        }
        std::thread::sleep(LOOK);
    };
    let seconds = began.elapsed().as_secs_f64();
    if status.code() != Some(1) {
        bail!("planted faults are status 1, and it ended with {status}");
    }
    outputs.iter().chain([&text]).for_each(|file| drop(fs::remove_file(file)));
    Ok((seconds, peak as f64 / 1024.0))
}
