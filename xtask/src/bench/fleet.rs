//! `ioproof fleet report` by itself: time and memory for thousands of run files, with a page, a workbook and a table. Files are read from the page cache where they fit.

use super::program::timed;
use super::setting::Setting;
use super::table::{median, most, spread};
use super::{Kind, Row};
use crate::command;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

pub const KIND: Kind = Kind {
    name: "fleet",
    columns: &["seconds", "to reach", "peak MiB", "to reach", "files a second"],
    titles: || LINES.iter().map(|line| line.0).collect(),
    run,
};

/// Title, number of files, and most seconds and memory (MiB) where there are any.
type Line = (&'static str, u32, Option<(f64, f64)>);

const LINES: [Line; 3] =
    [("1000 run files", 1000, None), ("10000 run files", 10_000, Some((60.0, 1024.0))), ("100000 run files", LONG, None)];

const LONG: u32 = 100_000;
const RUN: &str = "fixtures/runs/20261121-031500-3f9a";

fn run(setting: &Setting, index: usize) -> Result<Row> {
    let (_, files, limits) = LINES[index];
    if files == LONG && !setting.full {
        return Ok(Row::Without("24 GB of files; --full makes them".into()));
    }
    let folder = setting.fresh("fleet")?;
    let mut make = command::cargo();
    make.args(["run", "--quiet", "--release", "--package", "ioproof-store", "--example", "fleet_files", "--"]);
    command::run(make.arg(crate::workspace_root().join(RUN)).arg(&folder.0).arg(files.to_string()))?;
    let (seconds, peak): (Vec<f64>, Vec<f64>) =
        (0..setting.rounds).map(|_| report(setting, &folder.0)).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Row::Cells(vec![
        format!("{:.2}", median(&seconds)),
        most(median(&seconds), limits.map(|most| most.0), 0),
        spread(&peak),
        most(median(&peak), limits.map(|most| most.1), 0),
        format!("{:.0}", f64::from(files) / median(&seconds)),
    ]))
}

fn report(setting: &Setting, files: &Path) -> Result<(f64, f64)> {
    let outputs = ["fleet.html", "fleet.xlsx", "fleet.csv"].map(|name| setting.folder.join(name));
    let text = setting.folder.join("fleet.out");
    let mut command = Command::new(&setting.program);
    command.args(["fleet", "report"]).arg(files).env("XDG_STATE_HOME", setting.folder.join("state"));
    command.args(outputs.iter().flat_map(|output| [OsStr::new("-o"), output.as_os_str()]));
    let (status, seconds, peak_kib) = timed(command.stdout(File::create(&text).context("cannot make a file")?).stderr(Stdio::null()))?;
    ensure!(status.code() == Some(1), "planted faults are status 1, and it ended with {status}");
    outputs.iter().chain([&text]).for_each(|file| drop(fs::remove_file(file)));
    Ok((seconds, peak_kib as f64 / 1024.0))
}
