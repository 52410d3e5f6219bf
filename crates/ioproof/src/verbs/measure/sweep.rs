//! The verb `sweep`: what differs in its front is the preset, what goes with a sweep, and the request of one that was interrupted.

pub mod presets;

use super::verify::measure;
use crate::flags::verify::VerifyFlags;
use crate::settle::{self, RunOutputs};
use crate::{flags, reports};
use anyhow::Result;
use clap::{Args, ValueEnum};
use ioproof_core::record::{RunRecord, RunStatus};
use ioproof_core::sweep;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::complaint;
use ioproof_session::request::{RunKind, SessionRequest};
use ioproof_target::System;
use presets::SweepPreset;
use std::ffi::OsString;
use std::path::PathBuf;

pub const EXAMPLES: &str = "Examples:
  ioproof sweep /dev/nvme0n1              random reads of 4 KiB by one worker, queue depth 1 to 256
  ioproof sweep /dev/nvme0n1 --as wal --destroy S4YPNE0N800120 -o wal.html
                                          a write-ahead log, 1 to 8 workers: ALL DATA ON THE DRIVE IS LOST
  ioproof sweep /mnt/data --as threads    1 to 128 threads, on a scratch file
  ioproof sweep big.img --overwrite big.img --rw randread,randrw:70 --bs 4KiB,16KiB --workers 1,4
                                          the axes of your own; those left out are the preset's
  ioproof sweep big.img --backend io_uring,psync,libaio
                                          a series for each backend
  ioproof sweep /dev/nvme0n1 --as wal --path block,passthrough,polled --destroy S4YPNE0N800120
                                          what the kernel takes of each write: ALL DATA ON THE DRIVE IS LOST
  ioproof sweep /dev/nvme0n1 --live       on a full screen
  ioproof sweep --resume last             goes on with a sweep that was interrupted

A series is climbed until two steps in a row bring no more throughput; --full measures what is beyond too. Knee: the greatest throughput per latency, beyond
which latency grows faster than throughput. Flags are those of verify; a sweep takes 5 minutes unless --time says otherwise.";

/// Flags of `sweep`.
#[derive(Debug, Args)]
pub struct SweepFlags {
    /// The axes that this question needs  [default: depth]
    #[arg(long = "as", value_name = "PRESET", value_parser = presets::names())]
    pub preset: Option<SweepPreset>,
    /// Also measure cells beyond the point where more only queues
    #[arg(long)]
    pub full: bool,
    /// Go on with this sweep, which was interrupted, on the same file or device: its id, the beginning of one, its short id, its name, or `last`
    #[arg(long, value_name = "RUN")]
    pub resume: Option<String>,
    /// A series for each path to an NVMe drive: `block` is the kernel's block layer (io_uring), `passthrough` goes past it (io_uring_cmd), `polled` past the
    /// kernel (ioproof's own driver; takes the drive from the kernel meanwhile)
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "backend")]
    pub path: Vec<DrivePath>,
    /// Flags of `verify`.
    #[command(flatten)]
    pub verify: VerifyFlags,
}

/// A path to an NVMe drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DrivePath {
    /// The kernel's block layer, by io_uring.
    Block,
    /// NVMe commands past it, by `io_uring_cmd`.
    Passthrough,
    /// Past the kernel, by `polled`.
    Polled,
}

impl DrivePath {
    fn backend(self) -> BackendChoice {
        match self {
            Self::Block => BackendChoice::IO_URING,
            Self::Passthrough => BackendChoice::IO_URING_CMD,
            Self::Polled => BackendChoice::POLLED,
        }
    }
}

/// Runs `sweep` and gives the exit status.
///
/// # Errors
/// When nothing can be measured, or there is nothing to take up.
pub fn run(args: SweepFlags) -> Result<u8> {
    let system = System::host();
    let (request, outputs) = match &args.resume {
        Some(run) => taken_up(run, &args, &system)?,
        None => settle(args, &system)?,
    };
    measure(&system, &request, &outputs)
}

fn settle(args: SweepFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    let mut verify = args.verify;
    if verify.load.check || verify.load.latency_target.is_some() {
        return Err(complaint("a sweep checks no data and searches for no rate", "`ioproof verify` does (--check, --latency-target)"));
    }
    if !verify.interleave.is_empty() || !verify.more.is_empty() {
        return Err(complaint("a sweep has one target", "sweep each, and hold them against each other: ioproof compare RUN RUN"));
    }
    if !args.path.is_empty() {
        verify.load.backend = args.path.iter().map(|path| path.backend()).collect();
    }
    presets::fill(&mut verify.load, args.preset.unwrap_or(presets::USUAL));
    let (mut request, outputs) = settle::settle(verify, system)?;
    request.plan.kind = RunKind::Sweep { full: args.full, taken_up: None };
    Ok((request, outputs))
}

/// The request of an interrupted sweep as it was typed, with the same seed and with what was measured.
fn taken_up(run: &str, args: &SweepFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    if let Some(word) = beside_resume(&settle::command()) {
        return Err(complaint(
            format!("--resume takes everything from the run, and `{word}` is typed beside it"),
            "only --full, --json, --format, --live, -o, --baseline, --fail-if and consent to write go with it",
        ));
    }
    if ioproof_store::folder_of(run).is_ok_and(|folder| !ioproof_store::is_from_here(&folder)) {
        return Err(complaint(format!("run {run} was measured on another machine"), "go on with it there"));
    }
    let record = ioproof_store::find(run)?.record;
    if record.verb != sweep::VERB {
        return Err(complaint(format!("run {} is no sweep", record.id), "`ioproof runs list --verb sweep` shows the sweeps"));
    }
    if matches!(record.status, RunStatus::Running) {
        return Err(complaint(format!("run {} still goes on", record.id), "wait until it has ended"));
    }
    if matches!(record.status, RunStatus::Complete) {
        return Err(complaint(format!("run {} was not interrupted", record.id), "begin a new one: ioproof sweep TARGET"));
    }
    // As it was typed at first, so that this run can be taken up in its turn.
    let command = record.config.command.clone();
    let Some(mut typed) = flags::read::<SweepFlags>(command.iter().skip(1).map(OsString::from)) else {
        return Err(complaint(format!("the command of run {} cannot be read again", record.id), "begin a new one: ioproof sweep TARGET"));
    };
    // What is the last run has changed since; a baseline is named anew.
    typed.verify.baseline = args.verify.baseline.clone();
    target_from_anywhere(&mut typed.verify, &record);
    consent_anew(&mut typed.verify, &args.verify)?;
    let full = args.full || typed.full;
    let (mut request, outputs) = settle(typed, system)?;
    request.plan.command = command;
    request.plan.seed = record.config.seed;
    request.plan.kind = RunKind::Sweep { full, taken_up: Some(Box::new(record)) };
    Ok((request, RunOutputs { reports: reports::settle(&args.verify.outputs)?, live: args.verify.live, ..outputs }))
}

/// Names the target by its whole path: what was typed, or left out, meant something from the folder of that run only.
fn target_from_anywhere(of_run: &mut VerifyFlags, record: &RunRecord) {
    let typed = of_run.target.as_ref().or(of_run.dir.as_ref());
    let measured = record.targets.first().map(|target| PathBuf::from(&target.facts.resolved));
    if let Some(measured) = measured.filter(|path| path.is_absolute() && typed.is_none_or(|typed| typed.is_relative())) {
        (of_run.target, of_run.dir) = (Some(measured), None);
    }
}

/// Puts the consent that was typed now in the place of that of the run: what stands at the name may be somebody else's since.
///
/// # Errors
/// When the run had consent to write, and none is given anew.
fn consent_anew(of_run: &mut VerifyFlags, now: &VerifyFlags) -> Result<()> {
    let serials = of_run.destroy.iter().map(|serial| format!("--destroy {serial}"));
    let files = of_run.overwrite.iter().map(|file| format!("--overwrite {}", file.display()));
    let had: Vec<String> = serials.chain(files).collect();
    if !had.is_empty() && now.destroy.is_empty() && now.overwrite.is_empty() {
        return Err(complaint(
            "the interrupted run was allowed to write, and consent is given for each run anew",
            format!("add {}", had.join(" ")),
        ));
    }
    (of_run.destroy, of_run.overwrite) = (now.destroy.clone(), now.overwrite.clone());
    (of_run.destroy_unknown_content, of_run.destroy_unseen_users) = (now.destroy_unknown_content, now.destroy_unseen_users);
    Ok(())
}

/// The first word of a command line that does not go with `--resume`.
fn beside_resume(command: &[String]) -> Option<&String> {
    let mut words = command.iter().skip_while(|word| *word != "sweep").skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--resume" | "-o" | "--output" | "--format" | "--baseline" | "--fail-if" | "--overwrite" | "--destroy" => drop(words.next()),
            "--full" | "--json" | "--live" | "--destroy-unknown-content" | "--destroy-unseen-users" => {}
            joined
                if ["--resume=", "--output=", "--format=", "--baseline=", "--fail-if=", "--overwrite=", "--destroy=", "-o"]
                    .iter()
                    .any(|flag| joined.starts_with(flag)) => {}
            _ => return Some(word),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consent_is_given_anew() {
        let parsed = |line: &str| flags::read::<SweepFlags>(line.split(' ').skip(1)).unwrap_or_else(|| panic!("{line}")).verify;
        let of_run = || parsed("ioproof sweep x.img --overwrite x.img --destroy-unseen-users");
        let refused = consent_anew(&mut of_run(), &parsed("ioproof sweep --resume last")).unwrap_err();
        assert!(refused.to_string().contains("anew"), "{refused}");
        let (mut same, mut other) = (of_run(), of_run());
        consent_anew(&mut same, &parsed("ioproof sweep --resume last --overwrite x.img")).unwrap();
        assert!(same.overwrite.len() == 1 && !same.destroy_unseen_users);
        consent_anew(&mut other, &parsed("ioproof sweep --resume last --overwrite y.img")).unwrap();
        assert_eq!(other.overwrite, [std::path::PathBuf::from("y.img")]);
    }

    #[test]
    fn only_outputs_go_with_taking_up_a_sweep() {
        let beside = |line: &str| beside_resume(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).cloned();
        for line in [
            "ioproof sweep --resume last",
            "ioproof sweep --resume=last --live --json -o x.html -oy.md --output z.csv --full --format csv --baseline a --fail-if=worse",
        ] {
            assert_eq!(beside(line), None, "{line}");
        }
        for (line, word) in [
            ("--resume last --dry-run", "--dry-run"),
            ("x.img --resume last", "x.img"),
            ("--resume last --destroy loop1 --size 1", "--size"),
        ] {
            assert_eq!(beside(&format!("ioproof sweep {line}")).as_deref(), Some(word));
        }
    }
}
