//! Nodes as tasks of Slurm's job arrays, each on the node whose name it has. Slurm keeps the limits, and goes on without us.
//!
//! Jobs are found again by their names, which hold the fleet's id, so that a kill between `sbatch` and our state loses nothing. States come from `squeue`, which knows jobs
//! that have just ended too, and of older ones from `sacct`; where accounting is off, a job that is gone without its last file has died.

mod answers;
mod script;

use super::shell::with_input;
use super::{Begun, Launch, Part, Seen};
use crate::end::ClockOffset;
use crate::files::check_run_file;
use crate::folder::FleetFolder;
use crate::plan::Plan;
use crate::state::FleetState;
use answers::Task;
use anyhow::{Context, Result, anyhow, bail};
use ioproof_core::text::visible;
use ioproof_process::complaint::describe;
use jiff::Timestamp;
use script::{Files, arrays, script};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time before the limit at which Slurm has a node report.
const MOST_TO_REPORT: Duration = Duration::from_secs(60);

/// Time that a file may take to be seen on a shared filesystem.
const TO_BE_SEEN: Duration = Duration::from_secs(2);

/// The controller's clock is told in seconds, and a job takes a moment to begin. Nanoseconds.
const START_ERROR_NS: i64 = 5_000_000_000;

/// Reasons of a wait that only another plan or an administrator ends (squeue(1), "JOB REASON CODES").
const NEVER: [&str; 7] =
    ["PartitionTimeLimit", "PartitionNodeLimit", "BadConstraints", "InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed"];

/// Part of the complaint of sacct where accounting is off (Slurm 22.05).
const NO_ACCOUNTS: &str = "accounting storage is disabled";

/// Looks for the end of a job that was cancelled.
const LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_millis(400);

/// The launcher `slurm`.
#[derive(Debug)]
pub struct Slurm {
    folder: FleetFolder,
    plan: Plan,
    id: String,
    program: PathBuf,
    consent: Option<PathBuf>,
}

impl Slurm {
    /// A launcher of this fleet, whose folder all nodes see.
    #[must_use]
    pub fn new(folder: &FleetFolder, plan: &Plan, id: &str, program: &Path, consent: Option<&Path>) -> Self {
        let (folder, plan, id) = (folder.clone(), plan.clone(), id.to_owned());
        Self { folder, plan, id, program: program.to_owned(), consent: consent.map(Path::to_owned) }
    }

    /// Submits an array whose tasks are these parts; they are held.
    fn submit(&self, state: &FleetState, name: &str, parts: &[Part<'_>], at_once: Option<usize>) -> Result<()> {
        let path = self.folder.path().join(format!("{name}.sh"));
        let files = Files { folder: &self.folder, program: &self.program, consent: self.consent.as_deref() };
        let text = script(&self.plan, &self.id, state.start_at_ns(), &files, parts);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        let limit = self.plan.limit();
        let at_once = at_once.map(|most| format!("%{most}")).unwrap_or_default();
        let mut sbatch = Command::new("sbatch");
        sbatch.args(["--parsable", "--hold", "--exclusive", "--nodes=1", "--no-requeue", "--open-mode=append"]);
        sbatch.arg(format!("--array=0-{}{at_once}", parts.len() - 1)).arg(format!("--job-name={name}"));
        sbatch.arg(format!("--signal=B:USR1@{}", MOST_TO_REPORT.min(limit / 4).as_secs().max(1)));
        sbatch.arg(format!("--time={}:{:02}", limit.as_secs() / 60, limit.as_secs() % 60));
        sbatch.arg(format!("--output={}", path.with_extension("out").display()));
        sbatch.args(self.plan.slurm.partition.iter().map(|partition| format!("--partition={partition}")));
        sbatch.args(&self.plan.slurm.options).arg(&path);
        output(sbatch).map(drop)
    }

    /// Gives tasks that are held their nodes, and lets them go.
    fn place(&self, name: &str, parts: &[Part<'_>]) -> Result<()> {
        let held: Vec<Task> =
            self.queue(name)?.into_iter().filter(|task| task.state == "PENDING" && task.reason.starts_with("JobHeld")).collect();
        for task in &held {
            let node = parts.get(task.index).map(|part| part.node.name.as_str()).ok_or_else(|| anyhow!("Slurm has a task too many"))?;
            output(command("scontrol", &["update", &format!("JobId={}_{}", task.job, task.index), &format!("ReqNodeList={node}")]))?;
        }
        let jobs: BTreeSet<&str> = held.iter().map(|task| task.job.as_str()).collect();
        jobs.into_iter().try_for_each(|job| output(command("scontrol", &["release", job])).map(drop))
    }

    fn queue(&self, names: &str) -> Result<Vec<Task>> {
        let name = format!("--name={names}");
        let words = ["--noheader", "--array", "--states=all", "--format=%j|%K|%F|%T|%S|%r", &name];
        Ok(answers::queued(&output(command("squeue", &words))?))
    }

    /// Tasks of jobs with these names that the queue has forgotten; none where accounting is off.
    fn accounts(&self, names: &str) -> Result<Vec<Task>> {
        let name = format!("--name={names}");
        let words = ["--noheader", "--parsable2", "--allocations", "--starttime=now-30days", "--format=JobName,JobID,State,Start", &name];
        match output(command("sacct", &words)) {
            Ok(said) => Ok(answers::accounted(&said)),
            Err(error) if describe(&error).contains(NO_ACCOUNTS) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// True for a node that has written its last file, also where the filesystem shows it late.
    fn has_ended(&self, node: &str) -> bool {
        let found = || std::fs::read_dir(self.folder.node(node)).into_iter().flatten().flatten();
        let is_there = || found().any(|entry| entry.file_name() == "end.json");
        is_there() || {
            std::thread::sleep(TO_BE_SEEN);
            is_there()
        }
    }

    /// The state of a node by its task in the queue or in the accounts.
    fn seen(&self, part: Part<'_>, queue: &[Task], accounts: &Result<Vec<Task>>, nodes: &BTreeMap<String, String>) -> Seen {
        let of_accounts = || task_of(part.handle, accounts.as_ref().ok()?);
        let Some(task) = task_of(part.handle, queue).or_else(of_accounts) else {
            return match accounts {
                _ if self.has_ended(&part.node.name) => Seen::Ended,
                Ok(_) => Seen::Died("Slurm does not know its job any more".into()),
                Err(error) => Seen::Unknown(describe(error)),
            };
        };
        match task.state.as_str() {
            // A job for a node that is away would wait for ever; one whose controller has just begun does not.
            "PENDING" if nodes.get(&part.node.name).is_some_and(|state| unfit(Some(state)).is_some()) => {
                Seen::Died(format!("Slurm cannot start it: {}", visible(&task.reason)))
            }
            "PENDING" if NEVER.contains(&task.reason.as_str()) => Seen::Died(format!("Slurm cannot start it: {}", task.reason)),
            "PENDING" | "CONFIGURING" | "SUSPENDED" | "STOPPED" => Seen::Queued(visible(&task.reason)),
            "RUNNING" | "COMPLETING" | "SIGNALING" | "STAGE_OUT" | "RESIZING" => Seen::Running,
            _ if self.has_ended(&part.node.name) => Seen::Ended,
            state => Seen::Died(format!("Slurm says {}{}", visible(state), self.last_words(&part.node.name))),
        }
    }

    /// The last error of a node's talk, else its last line.
    fn last_words(&self, node: &str) -> String {
        let talk = std::fs::read(self.folder.talk_path(node)).unwrap_or_default();
        let talk = String::from_utf8_lossy(&talk).into_owned();
        let mut lines = talk.lines().rev().filter(|line| !line.trim().is_empty());
        let last = lines.clone().take(20).find(|line| line.starts_with("error: ")).or_else(|| lines.next());
        last.map(|line| format!(": {}", visible(line.trim()))).unwrap_or_default()
    }

    /// Submits one array where that is not done yet, and places its tasks.
    fn array(&self, state: &FleetState, name: &str, parts: &[Part<'_>], at_once: Option<usize>) -> Result<()> {
        if self.queue(name)?.is_empty() {
            self.submit(state, name, parts, at_once)?;
        }
        self.place(name, parts)
    }
}

impl Launch for Slurm {
    fn keeps_limits(&self) -> bool {
        true
    }

    fn begin(&self, state: &FleetState, parts: &[Part<'_>]) -> Vec<Result<Begun>> {
        let states = match node_states() {
            Ok(states) => states,
            Err(error) => return parts.iter().map(|_| Err(anyhow!(describe(&error)))).collect(),
        };
        let mut done: BTreeMap<&str, Result<String>> = BTreeMap::new();
        let mut fit = Vec::new();
        for part in parts {
            match unfit(states.get(&part.node.name).map(String::as_str)) {
                Some(why) => drop(done.insert(&part.node.name, Err(anyhow!(why)))),
                None => fit.push(*part),
            }
        }
        // The name of an array holds its first node: whoever goes on after a kill gives it the same one.
        for (array, at_once) in arrays(&self.plan, &fit).into_iter().filter(|(array, _)| !array.is_empty()) {
            let name = format!("ioproof-{}-{}-{}", self.id, array[0].node.name, array[0].attempt);
            let submitted = self.array(state, &name, &array, at_once).map_err(|error| describe(&error));
            for (index, part) in array.iter().enumerate() {
                done.insert(&part.node.name, submitted.clone().map(|()| format!("{name}/{index}")).map_err(|why| anyhow!(why)));
            }
        }
        let of = |part: &Part<'_>| done.remove(part.node.name.as_str()).unwrap_or_else(|| Err(anyhow!("it is in no array")));
        parts.iter().map(of).map(|done| done.map(|handle| Begun { handle, clock: None })).collect()
    }

    fn look(&self, parts: &[Part<'_>]) -> Vec<Seen> {
        let names: BTreeSet<&str> = parts.iter().filter_map(|part| Some(part.handle.split_once('/')?.0)).collect();
        let names = names.into_iter().collect::<Vec<_>>().join(",");
        let queue = match self.queue(&names) {
            Ok(queue) => queue,
            Err(error) => return parts.iter().map(|_| Seen::Unknown(describe(&error))).collect(),
        };
        let is_forgotten = parts.iter().any(|part| task_of(part.handle, &queue).is_none());
        let accounts = if is_forgotten { self.accounts(&names) } else { Ok(Vec::new()) };
        let nodes = if queue.iter().any(|task| task.state == "PENDING") { node_states().unwrap_or_default() } else { BTreeMap::new() };
        parts.iter().map(|part| self.seen(*part, &queue, &accounts, &nodes)).collect()
    }

    /// The files are here; one that the filesystem still shows in part is looked at once more.
    fn fetch(&self, part: Part<'_>) -> Result<()> {
        let files = self.folder.run_files(&part.node.name);
        let again = |path: &PathBuf| {
            std::thread::sleep(TO_BE_SEEN);
            check_run_file(path)
        };
        files.iter().try_for_each(|path| check_run_file(path).or_else(|_| again(path)).map(drop))
    }

    fn cancel(&self, part: Part<'_>) -> Result<()> {
        let Some((name, index)) = part.handle.split_once('/') else { return Ok(()) };
        let is_own = |task: &&Task| index.parse().is_ok_and(|index| task.is(name, index));
        let Some(task) = self.queue(name)?.into_iter().find(|task| is_own(&task)) else { return Ok(()) };
        output(command("scancel", &[&format!("{}_{}", task.job, task.index)]))?;
        Ok(())
    }

    fn clean(&self, part: Part<'_>) -> Result<()> {
        for _ in 0..LOOKS {
            let known = self.queue(part.handle.split_once('/').map_or("", |(name, _)| name))?;
            let is_active = |task: &Task| matches!(task.state.as_str(), "RUNNING" | "COMPLETING" | "SIGNALING" | "PENDING" | "CONFIGURING");
            if !task_of(part.handle, &known).is_some_and(is_active) {
                break;
            }
            std::thread::sleep(LOOK);
        }
        let work = self.folder.node(&part.node.name).join("work");
        match std::fs::remove_dir_all(&work) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", work.display()))
            }
            _ => Ok(()),
        }
    }

    /// The controller wrote down when the job began; the node did so by its own clock a moment later.
    fn clock(&self, part: Part<'_>, started_at: &str) -> Option<ClockOffset> {
        let name = part.handle.split_once('/')?.0;
        let known = [self.queue(name).ok()?, self.accounts(name).unwrap_or_default()].concat();
        let there: Timestamp = started_at.parse().ok()?;
        let here: Timestamp = format!("{}Z", task_of(part.handle, &known)?.start).parse().ok()?;
        let offset_ns = i64::try_from(there.as_nanosecond() - here.as_nanosecond()).ok()?;
        Some(ClockOffset { offset_ns, error_ns: START_ERROR_NS, source: "start of the job by Slurm's controller".into() })
    }
}

fn task_of<'a>(handle: &str, known: &'a [Task]) -> Option<&'a Task> {
    let (name, index) = handle.split_once('/')?;
    let index = index.parse().ok()?;
    known.iter().find(|task| task.is(name, index))
}

/// The state of every node that Slurm has.
///
/// # Errors
/// When there is no Slurm, or its controller does not answer.
fn node_states() -> Result<BTreeMap<String, String>> {
    let said = output(command("sinfo", &["--noheader", "--Node", "--format=%N|%T"]))?;
    let node = |line: &str| line.split_once('|').map(|(name, state)| (name.trim().to_owned(), state.trim().to_owned()));
    Ok(said.lines().filter_map(node).collect())
}

/// Reason against handing a node over: a job for it would wait for ever, and its whole array with it.
fn unfit(state: Option<&str>) -> Option<String> {
    // Without the star it is that of every node for some seconds after the controller has begun.
    if state == Some("unknown*") {
        return Some("Slurm has not heard of the node since its controller began".into());
    }
    let state = state.map(|state| state.trim_end_matches(['*', '~', '#', '!', '%', '$', '@', '^', '-', '+']));
    match state {
        None => Some("Slurm has no node of this name".into()),
        Some(state) if ["down", "drain", "fail", "error"].iter().any(|word| state.starts_with(word)) => {
            Some(format!("Slurm says that the node is {}", visible(state)))
        }
        Some(_) => None,
    }
}

fn command(program: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    // Times are told in the zone of whoever asks.
    command.env("TZ", "UTC").args(words);
    command
}

/// Runs a program of Slurm and gives its output.
///
/// # Errors
/// When it is not there, or fails: its last line.
fn output(mut command: Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = with_input(&mut command, b"")?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it fails without a word").to_owned();
    match line.contains("partition") {
        true => bail!("{}; `sinfo` lists the partitions", visible(&line)),
        false if line.starts_with(&name) => bail!("{}", visible(&line)),
        false => bail!("{name}: {}", visible(&line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_away_gets_no_job() {
        assert!(["idle", "allocated", "mixed", "idle~", "planned", "unknown"].iter().all(|state| unfit(Some(state)).is_none()));
        assert!(["down*", "drained", "draining", "fail", "unknown*"].iter().all(|state| unfit(Some(state)).is_some()));
        assert!(unfit(None).unwrap().contains("no node"));
    }
}
