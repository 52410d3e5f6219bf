//! The verb `sweep`: what differs in its front is the preset, what goes with a sweep, and the request of one that was interrupted.

pub mod presets;

use super::resume;
use super::verify::measure;
use crate::flags::verify::VerifyFlags;
use crate::settle::{self, RunOutputs};
use anyhow::Result;
use clap::{Args, ValueEnum};
use ioproof_core::sweep;
use ioproof_engine::BackendChoice;
use ioproof_process::complaint::complaint;
use ioproof_session::request::{RunKind, SessionRequest};
use ioproof_session::spdk_perf::SpdkPerf;
use ioproof_target::System;
use presets::SweepPreset;

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
    /// Also run this program on the cells of ioproof's own driver, on the whole drive, and show both
    #[arg(long, value_name = "PROGRAM", requires = "path", conflicts_with_all = ["size", "offset"])]
    pub with: Option<PeerProgram>,
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

/// A program that drives NVMe by itself, as the path `polled` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PeerProgram {
    /// SPDK's.
    SpdkNvmePerf,
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
    let with = peer(&args)?;
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
    request.plan.kind = RunKind::Sweep { full: args.full, with, taken_up: None };
    Ok((request, outputs))
}

/// The program that runs the same cells; it needs the drive as the own driver does.
fn peer(args: &SweepFlags) -> Result<Option<SpdkPerf>> {
    let Some(PeerProgram::SpdkNvmePerf) = args.with else { return Ok(None) };
    if !args.path.contains(&DrivePath::Polled) || args.path.len() < 2 {
        return Err(complaint("--with runs the cells of ioproof's own driver, which is not among the paths", "--path block,polled"));
    }
    SpdkPerf::find().map(Some)
}

/// The request of an interrupted sweep as it was typed, with the same seed and with what was measured.
fn taken_up(run: &str, args: &SweepFlags, system: &System) -> Result<(SessionRequest, RunOutputs)> {
    let record = resume::interrupted(run, ("sweep", &["--full"]), |record| record.verb == sweep::VERB)?;
    // As it was typed at first, so that this run can be taken up in its turn.
    let (command, mut typed): (_, SweepFlags) = resume::typed(&record, "sweep")?;
    resume::anew(&mut typed.verify, &args.verify, &record)?;
    let full = args.full || typed.full;
    let (mut request, outputs) = settle(typed, system)?;
    (request.plan.command, request.plan.seed) = (command, record.config.seed);
    if let RunKind::Sweep { full: of_kind, taken_up, .. } = &mut request.plan.kind {
        (*of_kind, *taken_up) = (full, Some(Box::new(record)));
    }
    Ok((request, resume::outputs(outputs, &args.verify)?))
}
