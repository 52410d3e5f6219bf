//! Request of a run: from what was typed to jobs and their schedule, or an answer to a question about them (`--cmdhelp`, `--showcmd`, `--parse-only`).

pub mod help;
pub mod loader;

use crate::files::log_folders::LogFolders;
use crate::files::results_file::ResultsFile;
use crate::request::loader::HostLoader;
use anyhow::{Result, bail};
use ioproof_core::text::visible;
use ioproof_fio::command_line::{self, CommandLine};
use ioproof_fio::complaint::Complaint;
use ioproof_fio::iolog::IoLog;
use ioproof_fio::jobs::{FioJob, jobs};
use ioproof_fio::schedule::{Schedule, schedule};
use ioproof_fio::values::{Present, ValueContext};
use ioproof_fio::{options, showcmd};
use ioproof_process::complaint::complaint;
use ioproof_process::{messages, output};
use ioproof_session::compared::{Baseline, FailIf};
use ioproof_target::System;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;

/// A request to run job files.
#[derive(Debug)]
pub struct FioRequest {
    pub line: CommandLine,
    pub typed: Vec<String>,
    /// The whole command line, for the record.
    pub command: Vec<String>,
    pub jobs: Vec<FioJob>,
    pub schedule: Schedule,
    pub context: ValueContext,
    pub results_file: ResultsFile,
    pub log_folders: LogFolders,
    /// Logs that clones replay.
    pub replays: Replays,
    /// The run that this one is held against as it ends.
    pub baseline: Option<Baseline>,
}

impl FioRequest {
    pub fn job(&self, clone: &super::subjob::Subjob) -> &FioJob {
        &self.jobs[clone.job]
    }
}

/// Logs that clones replay, by the numbers of the clones, from 1.
#[derive(Debug, Default)]
pub struct Replays(pub BTreeMap<u32, Arc<IoLog>>);

impl Replays {
    pub fn of(&self, number: u32) -> Option<&Arc<IoLog>> {
        self.0.get(&number)
    }
}

/// Outcome of reading the command line.
pub enum ReadRequest {
    /// The question is answered; the exit status.
    Answered(u8),
    Run(Box<FioRequest>),
}

/// An argument as text: a name that is made readable would be that of another file.
fn text(argument: &OsString) -> Result<String> {
    let complaint = || complaint(format!("{} is no UTF-8 text", visible(&argument.to_string_lossy())), "name such a file through a link");
    argument.to_str().map(str::to_owned).ok_or_else(complaint)
}

/// Reads the arguments.
///
/// # Errors
/// With everything that is wrong, a line each.
pub fn read(system: &System, arguments: &[OsString], command: Vec<String>) -> Result<ReadRequest> {
    let typed = arguments.iter().map(text).collect::<Result<Vec<String>>>()?;
    let line = command_line::parse(&typed, &options::names()).map_err(|all| said(&all))?;
    // Programs that start fio so take any line on standard error for a failure; the stored run has them all.
    if line.general.output.is_some() && !stderr().is_terminal() {
        messages::set_quiet(true);
    }
    for note in &line.general.notes {
        messages::note(note);
    }
    if let Some(text) = answered(&line)? {
        output::print(&text)?;
        return Ok(ReadRequest::Answered(0));
    }
    let (host, context) = (HostLoader::default(), context(system, line.general.parse_only));
    if line.general.showcmd {
        let shown = showcmd::show(&line, &context, &host).map_err(|all| said(&all))?;
        output::print_lines(shown.lines().map(|line| visible(line).to_string()))?;
        return Ok(ReadRequest::Answered(0));
    }
    let jobs = jobs(&line, &context, &host);
    unset(&line, &host)?;
    let jobs = jobs.map_err(|all| said(&all))?;
    let baseline = baseline(&line)?;
    let (results_file, log_folders) = (ResultsFile::default(), LogFolders::default());
    let (schedule, replays) = (schedule(&jobs), Replays::default());
    let request = FioRequest { schedule, line, typed, command, jobs, context, results_file, log_folders, replays, baseline };
    check(&request)?;
    if request.line.general.parse_only {
        return Ok(ReadRequest::Answered(0));
    }
    Ok(ReadRequest::Run(Box::new(request)))
}

/// The flags of a comparison at the end.
fn baseline(line: &CommandLine) -> Result<Option<Baseline>> {
    let fail_if = match (line.own.fail_if.as_deref(), &line.own.baseline) {
        (None, _) => None,
        (Some(_), None) => return Err(complaint("--fail-if is about a baseline, and none is named", "add --baseline RUN")),
        (Some("worse"), Some(_)) => Some(FailIf::Worse),
        (Some(other), Some(_)) => return Err(complaint(format!("--fail-if={} is not known", visible(other)), "known: worse")),
    };
    Baseline::find(line.own.baseline.as_deref(), fail_if)
}

/// Answers that need no job.
fn answered(line: &CommandLine) -> Result<Option<String>> {
    let general = &line.general;
    Ok(match (&general.cmdhelp, &general.enghelp) {
        _ if general.version => Some(format!("{} (ioproof {})\n", ioproof_fio::print::FIO_VERSION, env!("CARGO_PKG_VERSION"))),
        (Some(None), _) => Some(help::list()),
        (Some(Some(name)), _) => Some(known(name)?),
        (_, Some(_)) => Some(help::engines()),
        _ if general.help || line.parts.is_empty() => Some(HELP.to_owned()),
        _ => None,
    })
}

fn known(name: &str) -> Result<String> {
    if name == "all" {
        return Ok(help::list());
    }
    match help::page(name) {
        Some(text) => Ok(text),
        None => bail!(complaint(format!("{} is no option", visible(name)), "`ioproof run --cmdhelp` lists them all")),
    }
}

/// Values that depend on this machine. A job file that is only read may be meant for another one, with other CPUs and memory nodes.
fn context(system: &System, is_only_read: bool) -> ValueContext {
    let memory = system.proc_text("meminfo").unwrap_or_default();
    let online = |list| system.sys_text(list).filter(|_| !is_only_read).and_then(|list| Present::parse(list.trim()));
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().trim_end_matches(" kB").parse::<u64>().ok());
    ValueContext {
        kb_base: 1024,
        cpus: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        memory_bytes: kib.unwrap_or(1 << 20) << 10,
        page_bytes: rustix::param::page_size() as u64,
        online_cpus: online("devices/system/cpu/online"),
        online_nodes: online("devices/system/node/online"),
    }
}

/// Refuses what the command line forbids.
fn check(request: &FioRequest) -> Result<()> {
    let FioRequest { line, jobs, schedule, .. } = request;
    if let Some(most) = line.general.max_jobs.filter(|most| schedule.clones.len() > *most as usize) {
        return Err(complaint(format!("{} clones are more than --max-jobs={most}", schedule.clones.len()), "raise it, or lower numjobs"));
    }
    let writer = jobs.iter().find(|job| job.settings.changes_files());
    if let (true, Some(job)) = (line.general.readonly, writer) {
        return Err(complaint(
            format!("{}: job {} writes, and --readonly was given", job.place, visible(&job.name)),
            "leave out one of them",
        ));
    }
    let commands = jobs.iter().find(|job| job.settings.hooks.before.is_some() || job.settings.hooks.after.is_some());
    if let (false, Some(job)) = (line.own.allow_exec, commands) {
        let text = format!("{}: job {} runs commands (exec_prerun, exec_postrun)", job.place, visible(&job.name));
        return Err(complaint(text, "--allow-exec allows it"));
    }
    Ok(())
}

/// Names variables that are unset: what is left of a value without them may be good and mean something else.
fn unset(line: &CommandLine, host: &HostLoader) -> Result<()> {
    let all = host.unset.take();
    let strict = line.is_strict();
    all.iter().for_each(|text| messages::with_weight(if strict { "error" } else { "warning" }, text));
    match all.len() {
        0 => Ok(()),
        n if strict => Err(complaint(format!("{n} variables are unset, and --strict was given"), "set them in the environment")),
        _ => Ok(()),
    }
}

/// Complaints that are shown before the last; a file that is no job file has thousands.
const MOST_COMPLAINTS: usize = 30;

/// All complaints as one error; each but the last is printed as it is.
fn said(all: &[Complaint]) -> anyhow::Error {
    let Some((last, others)) = all.split_last() else { return anyhow::anyhow!("nothing can be run") };
    for one in others.iter().take(MOST_COMPLAINTS) {
        messages::error(&told(one));
        if let Some(hint) = &one.hint {
            messages::hint(hint);
        }
    }
    if others.len() > MOST_COMPLAINTS {
        messages::error(&format!("{} more errors are not shown", others.len() - MOST_COMPLAINTS));
    }
    match &last.hint {
        Some(hint) => complaint(told(last), visible(hint)),
        None => anyhow::anyhow!("{}", told(last)),
    }
}

fn told(one: &Complaint) -> String {
    let place = one.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    visible(&format!("{place}{}", one.text))
}

const HELP: &str = "Runs fio job files, and jobs given by fio's own options.

Usage: ioproof run [OPTIONS] [JOB FILE]...

Examples:
  ioproof run job.fio                          runs a job file as it is
  ioproof run --filename=/dev/nvme0n1 job.fio  with a file or device that it leaves open; only reading
  ioproof run job.fio --destroy S4YPNE0N800120 --filename=/dev/nvme0n1
                                               with jobs that write: ALL DATA ON THE DRIVE IS LOST
  ioproof run --name=test --rw=randread --bs=4k --size=1g --ioengine=io_uring --iodepth=32 --direct=1
  ioproof run job.fio --output-format=json --output=result.json
  ioproof run job.fio --live                   on a full screen: IOPS, MB/s, latency, depth, CPU, findings while it runs
  ioproof run job.fio --dry-run                says what would be done, and does nothing

Flags of fio: --output FILE --output-format normal,json,json+,terse --section NAME --showcmd --parse-only --readonly --eta WHEN
--status-interval TIME --max-jobs N --cmdhelp[=OPTION] --enghelp; every option of a job as --OPTION=VALUE.
Flags of ioproof:
  --destroy SERIAL             the drive that may be written, by its serial number (a loop device by its name); may be repeated
  --destroy-unknown-content    also where no signature is known and yet something is there
  --destroy-unseen-users       also where processes that use a file or device cannot be seen (a container, no rights)
  --overwrite FILE             a file of a job, --output or a log that ioproof did not make and that may be written; may be repeated
  --overwrite-all-in DIR       every file in this directory and below it
  --allow-exec                 run the commands of exec_prerun and exec_postrun
  --strict                     mistakes that the audit finds in a job are errors; its remarks (note:) are not
  --live                       show a full screen of the run while it goes on, instead of the status line; q ends it
  --dry-run                    say what would be done and whether it would be allowed; nothing is made or written
  --baseline RUN               when it ends, hold it against this stored run; said on standard error, fio's outputs stay as they are
  --fail-if worse              exit status 1 where a figure is worse than the baseline's

`ioproof run --cmdhelp` lists every option with what becomes of it. Results go to standard output, notes and warnings to standard error.
Exit status: 2 a job failed or could not be run; 1 data that was read back is not what was written, or --fail-if; 3 interrupted; else 0.
";
