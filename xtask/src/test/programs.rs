//! Test programs, several at once: most of them wait for a measurement most of the time, so one after the other leaves a machine idle.
//!
//! Each is run as `cargo test` would run it, once for each kind of its tests. What a failed one wrote is shown.

use crate::command;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Tests that would meet others of their kind: the mounts of loop devices are seen by all.
const ALONE: &str = "loops::";

/// Tests that hold times against those of another program: what runs beside them would be measured too.
const TIMED: &str = "against::fio_differential::timed::";

/// Company that a run of tests can bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    OtherKinds,
    All,
}

struct TestRun {
    name: String,
    executable: PathBuf,
    folder: PathBuf,
    arguments: Vec<String>,
    beside: Beside,
}

struct Ended {
    name: String,
    is_passed: bool,
    time: Duration,
    output: String,
}

impl Ended {
    /// Result of all its tests as its harness says it; `None` where it came to no end.
    fn result(&self) -> Option<&str> {
        self.output.lines().rev().find_map(|line| line.strip_prefix("test result: "))
    }
}

/// Builds the tests that these arguments of cargo choose, and runs all of them but those whose names begin with one of `left_out`; an error that names the runs
/// that failed.
pub fn run(cargo_arguments: &[&str], left_out: &[&str]) -> Result<()> {
    let build = ["--no-run", "--message-format", "json-render-diagnostics"];
    let start = Instant::now();
    let messages = command::output(command::linting_cargo().args(cargo_arguments).args(build))?;
    println!("{:>6.1} s  build", start.elapsed().as_secs_f64());
    let mut runs = Vec::new();
    for message in String::from_utf8_lossy(&messages).lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let Some(executable) = message["executable"].as_str().filter(|_| is_test) else { continue };
        let folder = Path::new(message["manifest_path"].as_str().unwrap_or_default()).parent().unwrap_or(Path::new("/"));
        let name =
            format!("{}: {}", folder.file_name().unwrap_or_default().display(), message["target"]["name"].as_str().unwrap_or_default());
        let listed = command::output(Command::new(executable).current_dir(folder).args(["--list", "--format", "terse"]))?;
        let listed = String::from_utf8_lossy(&listed);
        let tests: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
        runs.extend(kinds(&tests, left_out).into_iter().map(|(title, arguments, beside)| {
            let (executable, folder) = (executable.into(), folder.to_owned());
            TestRun { name: format!("{name}{title}"), executable, folder, arguments, beside }
        }));
    }
    ensure!(!runs.is_empty(), "cargo built no tests");
    // Runs of the real program first, which take longest, so that none of them is the last to run alone.
    runs.sort_by_key(|run| !run.name.ends_with("all") && !run.name.contains("report"));
    let ended = run_all(runs);
    println!("{}", counts(&ended));
    let failed: Vec<&str> = ended.iter().filter(|ended| !ended.is_passed).map(|ended| ended.name.as_str()).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => bail!("failed: {}", failed.join(", ")),
    }
}

/// Runs of a program, one for each kind of its tests; those whose names begin with one of `left_out` are in none of them.
fn kinds(tests: &[&str], left_out: &[&str]) -> Vec<(&'static str, Vec<String>, Beside)> {
    let chosen: Vec<&&str> = tests.iter().filter(|test| !left_out.iter().any(|prefix| test.starts_with(prefix))).collect();
    let of_kind = |prefix: &str| chosen.iter().filter(|test| test.starts_with(prefix)).count();
    let (alone, timed) = (of_kind(ALONE), of_kind(TIMED));
    let skipped = left_out.iter().chain(&[ALONE, TIMED]).flat_map(|prefix| ["--skip".to_owned(), (*prefix).to_owned()]);
    let rest = skipped.chain([format!("--test-threads={}", 2 * at_once())]).collect();
    let kinds = [
        (alone, (" loops", vec![ALONE.to_owned(), "--test-threads=1".to_owned()], Beside::OtherKinds)),
        (timed, (" timed", vec![TIMED.to_owned()], Beside::Nothing)),
        (chosen.len() - alone - timed, ("", rest, Beside::All)),
    ];
    kinds.into_iter().filter(|(tests, _)| *tests > 0).map(|(_, kind)| kind).collect()
}

/// One line by which those who count tests know how many there were, from results such as "ok. 3 passed; 0 failed; 1 ignored; ...".
fn counts(ended: &[Ended]) -> String {
    let [passed, failed, ignored] = ["passed", "failed", "ignored"].map(|what| {
        let parts = ended.iter().filter_map(Ended::result).flat_map(|result| result.split([';', '.']));
        parts.filter_map(|part| part.strip_suffix(what)?.trim().parse::<u64>().ok()).sum::<u64>()
    });
    format!("{passed} passed, {failed} failed, {ignored} skipped")
}

fn run_all(runs: Vec<TestRun>) -> Vec<Ended> {
    let (timed, runs): (Vec<_>, Vec<_>) = runs.into_iter().partition(|run| run.beside == Beside::Nothing);
    let (alone, others): (VecDeque<_>, VecDeque<_>) = runs.into_iter().partition(|run| run.beside == Beside::OtherKinds);
    let (alone, others, ended) = (Mutex::new(alone), Mutex::new(others), Mutex::new(Vec::new()));
    let next = |runs: &Mutex<VecDeque<TestRun>>| command::locked(runs).pop_front();
    let run = |run: TestRun| {
        let one = run_one(&run);
        let mut ended = command::locked(&ended);
        show(&one);
        ended.push(one);
    };
    timed.into_iter().for_each(run);
    std::thread::scope(|scope| {
        // Those that run alone of their kind wait for devices two thirds of their time, so they come on top.
        scope.spawn(|| std::iter::from_fn(|| next(&alone).or_else(|| next(&others))).for_each(run));
        (0..at_once()).for_each(|_| drop(scope.spawn(|| std::iter::from_fn(|| next(&others)).for_each(run))));
    });
    std::mem::take(&mut command::locked(&ended))
}

fn at_once() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

fn run_one(run: &TestRun) -> Ended {
    let start = Instant::now();
    let (is_passed, output) = of_both_streams(run).unwrap_or_else(|error| (false, format!("{error:#}\n")));
    Ended { name: run.name.clone(), is_passed, time: start.elapsed(), output }
}

/// Its success, and all that it wrote in the order in which it wrote it. A file takes it and no pipe, which would not end before whatever it left running.
fn of_both_streams(run: &TestRun) -> Result<(bool, String)> {
    let folder = command::target_folder().join("tmp/tests");
    fs::create_dir_all(&folder)?;
    let path = folder.join(run.name.replace([':', ' '], "-")).with_extension("log");
    let log = File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
    let mut command = Command::new(&run.executable);
    command.args(&run.arguments).current_dir(&run.folder).env("CARGO_MANIFEST_DIR", &run.folder);
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    let status = command.status().with_context(|| format!("cannot start {}", run.executable.display()))?;
    Ok((status.success(), String::from_utf8_lossy(&fs::read(&path)?).into_owned()))
}

/// Without the counts that are seldom of use.
fn show(ended: &Ended) {
    if !ended.is_passed {
        println!("{}", ended.output);
    }
    let counts = ended.result().unwrap_or("no result").split(';').map(str::trim);
    let counts = counts.filter(|part| !part.starts_with("finished") && !part.starts_with("0 ")).collect::<Vec<_>>();
    println!("{:>6.1} s  {}: {}", ended.time.as_secs_f64(), ended.name, counts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_run_once_for_each_kind_of_its_tests() {
        let tests = ["against::fio::a", "against::fio_differential::timed::b", "loops::c", "loops::d", "office::e", "f"];
        let runs = kinds(&tests, &["office::"]);
        let told: Vec<(&str, Beside)> = runs.iter().map(|(title, _, beside)| (*title, *beside)).collect();
        assert_eq!(told, [(" loops", Beside::OtherKinds), (" timed", Beside::Nothing), ("", Beside::All)]);
        assert_eq!(runs[2].1[..6], ["--skip", "office::", "--skip", "loops::", "--skip", "against::fio_differential::timed::"]);
    }
}
