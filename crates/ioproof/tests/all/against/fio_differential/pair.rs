//! One job file by each of both programs, in fresh folders that look alike, and all that can be seen of it afterwards.

use super::logs::{self, IoLog};
use crate::common::{MIB, Sandbox, noise, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run as it is seen from outside.
pub struct Seen {
    pub status: i32,
    /// Its standard error while it ran.
    pub said: String,
    /// The JSON report, `null` where there is none.
    pub json: Value,
    pub terse: Vec<String>,
    /// The normal output.
    pub text: Vec<String>,
    /// Sizes of the files in its folder, without logs.
    pub files: BTreeMap<String, u64>,
    pub logs: BTreeMap<String, IoLog>,
    sandbox: Sandbox,
}

/// Both runs of a job file.
pub struct Pair {
    pub theirs: Seen,
    pub ours: Seen,
}

impl Pair {
    /// Runs the file by both, side by side or one after the other.
    pub fn run(file: &Path, side_by_side: bool) -> Self {
        // It tries no clocks then, which takes a third of such a short run.
        let theirs = || Seen::of(file, |sandbox| with(sandbox, &["fio", "--clocksource=clock_gettime"])).without_clock();
        let ours = || Seen::of(file, |sandbox| sandbox.command(&["run"]));
        if !side_by_side {
            return Self { theirs: theirs(), ours: ours() };
        }
        std::thread::scope(|scope| {
            let theirs = scope.spawn(theirs);
            Self { ours: ours(), theirs: theirs.join().unwrap() }
        })
    }

    /// The two jobs at each place of the report.
    pub fn jobs(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.theirs.jobs().iter().zip(self.ours.jobs())
    }
}

fn with(sandbox: &Sandbox, words: &[&str]) -> Command {
    let mut command = Command::new(words[0]);
    sandbox.prepare(&mut command);
    command.args(&words[1..]);
    command
}

impl Seen {
    fn of(file: &Path, command: impl Fn(&Sandbox) -> Command) -> Self {
        let sandbox = Sandbox::new();
        furnish(&sandbox, &std::fs::read_to_string(file).unwrap());
        let report = sandbox.state().with_file_name("report");
        let mut command = command(&sandbox);
        command.arg("--output-format=terse,json,normal").arg(format!("--output={}", report.display()));
        let run = said(command.arg(file).output().unwrap_or_else(|e| panic!("fio is needed: {e}")));
        let (json, terse, text) = parts(&std::fs::read_to_string(report).unwrap_or_default());
        let (logs, files) = (logs::all(&sandbox.work()), files(&sandbox.work()));
        Self { status: run.status, said: run.stdout + &run.stderr, json, terse, text, files, logs, sandbox }
    }

    /// The job file alone decides what is reported.
    fn without_clock(mut self) -> Self {
        let Some(report) = self.json.as_object_mut() else { return self };
        if let Some(options) = report.get_mut("global options").and_then(Value::as_object_mut) {
            options.remove("clocksource");
        }
        report.retain(|name, value| name != "global options" || value.as_object().is_none_or(|options| !options.is_empty()));
        self
    }

    pub fn jobs(&self) -> &[Value] {
        self.json["jobs"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The content of a file that the job made.
    pub fn content(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.sandbox.work().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// Makes what a job file expects to find: a file `there` of 1 MiB, and folders.
fn furnish(sandbox: &Sandbox, job: &str) {
    if job.contains("filename=there") {
        std::fs::write(sandbox.work().join("there"), noise(MIB)).unwrap();
    }
    for folder in job.lines().filter_map(|line| line.strip_prefix("directory=")).flat_map(|list| list.split(':')) {
        std::fs::create_dir(sandbox.work().join(folder)).unwrap();
    }
}

/// JSON, terse lines and text of an output that has all three.
fn parts(output: &str) -> (Value, Vec<String>, Vec<String>) {
    let (mut json, mut terse, mut text) = (String::new(), Vec::new(), Vec::new());
    let mut inside = false;
    for line in output.lines() {
        inside |= line == "{";
        match () {
            () if inside => json.push_str(line),
            () if line.starts_with("3;fio-") => terse.push(line.to_owned()),
            () => text.push(line.to_owned()),
        }
        inside &= line != "}";
    }
    (serde_json::from_str(&json).unwrap_or(Value::Null), terse, text)
}

fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    let mut folders: Vec<PathBuf> = vec![folder.into()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
            let name = entry.path().strip_prefix(folder).unwrap().display().to_string();
            match entry.metadata().unwrap() {
                meta if meta.is_dir() => folders.push(entry.path()),
                _ if name.ends_with(".log") => {}
                meta => drop(all.insert(name, meta.len())),
            }
        }
    }
    all
}

#[test]
fn an_output_of_three_formats_is_taken_apart() {
    let (json, terse, text) = parts("job: (g=0): rw=read\n3;fio-3.33;job\n{\n  \"jobs\" : [\n  ]\n}\n\njob: (groupid=0\n");
    assert_eq!((json, terse.len()), (serde_json::json!({ "jobs": [] }), 1));
    assert_eq!(text, ["job: (g=0): rw=read", "", "job: (groupid=0"]);
}
