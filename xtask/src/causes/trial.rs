//! One trial: a scene is made, ioproof is called in it, and its answer is held against the truth.

use super::cause::{Cause, Promise};
use super::grade::{Graded, grade};
use super::said::Said;
use super::scene::{self, Scene};
use super::{Setting, meddling, table};
use crate::program::{Call, Running};
use anyhow::{Result, bail};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// Two tests of the standard that are never steady have a hundred cells.
const PATIENCE: Duration = Duration::from_secs(300);

/// Six give an interval; where time runs out before the last two, nothing is lost.
const RUNS: &str = "8";

pub struct Trial {
    pub loaded: bool,
    pub said: Said,
    pub graded: Graded,
    pub command: String,
}

pub fn obstacle(cause: &Cause) -> Option<String> {
    scene::obstacle(cause.place).or_else(|| cause.meddling.iter().find_map(meddling::obstacle))
}

/// Makes the scene in a fresh folder, which is removed again, and asks ioproof.
pub fn run(cause: &Cause, setting: &Setting) -> Result<Trial> {
    // A name of the cause in a path would be printed, and be taken for an answer.
    let number = table::all().position(|other| other.name == cause.name).unwrap_or_default();
    let folder = setting.folder.join(number.to_string());
    let trial = in_folder(cause, setting, &folder);
    let _ = std::fs::remove_dir_all(folder);
    trial
}

fn in_folder(cause: &Cause, setting: &Setting, folder: &Path) -> Result<Trial> {
    let loaded = !is_quiet_within(setting.patience.1)?;
    let scene = Scene::make(cause, folder)?;
    let ended = Running::start(call(cause, setting, &scene)?, 1, &setting.program, folder)?.wait()?;
    let judgement = judgement(&scene.folder.join("home"));
    let printed = || serde_json::from_str::<Value>(&ended.stdout).ok()?.get_mut("judgement").map(Value::take);
    let judgement = judgement.or_else(printed);
    let said = Said::read(&ended, judgement.as_ref());
    let said = said.renamed(&folder.display().to_string(), "FOLDER").renamed(&scene.name(), "GROUP");
    let (graded, command) = (grade(cause, &said, loaded), ended.command);
    Ok(Trial { loaded, said, graded, command })
}

fn call(cause: &Cause, setting: &Setting, scene: &Scene) -> Result<Call> {
    let target = scene.target.display().to_string();
    let line = cause.call.replace("TARGET", &target).replace("KERNEL", &scene.kernel_name());
    let mut call = Call { patience: Some(PATIENCE), ..Call::text(&line) };
    if let Some(promise) = &cause.promise {
        let sheet = scene.folder.join("home").join("known-truth.toml");
        std::fs::write(&sheet, datasheet(promise))?;
        call = call.and(["--datasheet".to_owned(), sheet.display().to_string()]);
    }
    if line.starts_with("verify") && !line.contains("--time") {
        call = call.and(["--time", setting.patience.0, "--runs", RUNS]);
    }
    let join = scene.groups.iter().map(|group| format!("echo $$ > {}/cgroup.procs; ", group.display()));
    let script = join.collect::<String>() + "exec " + scene.starter.unwrap_or_default() + " \"$@\"";
    call.script = (!scene.groups.is_empty() || scene.starter.is_some()).then_some(script);
    Ok(call)
}

fn judgement(home: &Path) -> Option<Value> {
    let runs = std::fs::read_dir(home.join("state/ioproof/runs")).ok()?;
    let files = runs.flatten().map(|run| run.path().join("judgement.json"));
    files.filter_map(|file| std::fs::read(file).ok()).find_map(|bytes| serde_json::from_slice(&bytes).ok())
}

fn datasheet(Promise { iops, depth, mix, .. }: &Promise) -> String {
    let depth = depth.map_or(String::new(), |depth| format!("queue_depth = {depth}\nworkers = 1\n"));
    format!(
        "name = \"known-truth\"\nvendor = \"ioproof\"\nfamily = \"drive of known truth\"\nmodels = []\ninterface = \"nvme\"\n\n\
         [[claim]]\nmetric = \"iops\"\nvalue = {iops}\nunit = \"IOPS\"\nqualifier = \"up to\"\npattern = \"random\"\nmix = \"{mix}\"\n\
         block_size = \"4KiB\"\n{depth}source = \"the table of causes\"\nconfidence = \"high\"\n"
    )
}

const BUSY_MAX: f64 = 0.2;

/// Waits until nobody else uses the CPUs of the host, and no longer than this: an answer about a busy host is another answer.
fn is_quiet_within(patience: Duration) -> Result<bool> {
    let until = Instant::now() + patience;
    loop {
        let (used, all) = ticks()?;
        std::thread::sleep(Duration::from_millis(400));
        let (used_then, all_then) = ticks()?;
        let is_quiet = (used_then.saturating_sub(used) as f64) < BUSY_MAX * all_then.saturating_sub(all).max(1) as f64;
        if is_quiet || Instant::now() > until {
            return Ok(is_quiet);
        }
    }
}

/// CPU time since the start, used and of all, from the line `cpu` (proc(5)): user, nice, system, idle, iowait and others.
fn ticks() -> Result<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/stat")?;
    let fields: Vec<u64> = text.split_whitespace().skip(1).take(8).filter_map(|field| field.parse().ok()).collect();
    let [_, _, _, idle, iowait, ..] = fields[..] else { bail!("/proc/stat has no line of all CPUs") };
    let all = fields.iter().sum::<u64>();
    Ok((all - idle - iowait, all))
}
