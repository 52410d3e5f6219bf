//! `ioproof check`: a quick look at drives without load, for monitoring and for schedulers. Nothing is written to a drive, and none is waited for longer than a few
//! seconds.

mod drain;
mod look;

use anyhow::{Context, Result};
use clap::Args;
use ioproof_core::drive_check::{CheckState, DriveCheck, complaints, nagios_line, worst};
use ioproof_process::output::{self, print_document, print_lines};
use ioproof_process::written_file::found;
use ioproof_target::System;
use ioproof_target::output_file::{OutputError, OutputFile};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

pub const EXAMPLES: &str = "Examples:
  ioproof check                                    every drive here: health, link, last verdict
  ioproof check /dev/nvme0n1 --nagios              one line with figures, and the exit status of a plugin
  ioproof check --slurm-health --drain             as HealthCheckProgram of slurm.conf: drains this node with the reason
  ioproof check --node-exporter /var/lib/node_exporter/textfile/ioproof_drives.prom
                                                   for node_exporter's textfile collector
Critical: the drive says that it fails, or its last verdict is *misses*. Warning: worn, to be watched, or a link below what the drive could do.
Exit status: 1 something is critical; 3 a drive could not be asked (as not root); else 0. With --nagios 0 OK, 1 warning, 2 critical, 3 unknown.";

/// Flags of `check`.
#[derive(Debug, Args)]
pub struct CheckFlags {
    /// Only the drives that these are or lie on: devices, kernel names, files, directories
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Print one line for Nagios, Icinga and others that run its plugins, and end with their exit status
    #[arg(long, group = "form")]
    pub nagios: bool,
    /// Print a reason and end with 1 where a drive is critical, and print nothing else
    #[arg(long, group = "form")]
    pub slurm_health: bool,
    /// Drain this node in Slurm where a drive is critical (`scontrol update`); one that is drained already stays as it is
    #[arg(long, requires = "slurm_health")]
    pub drain: bool,
    /// Name of this node in Slurm [default: $SLURMD_NODENAME, else the host's name]
    #[arg(long, requires = "drain", value_name = "NAME")]
    pub node: Option<String>,
    /// Write the figures to this file as OpenMetrics; it is replaced whole
    #[arg(long, value_name = "FILE")]
    pub node_exporter: Option<PathBuf>,
    /// Print JSON on standard output
    #[arg(long, group = "form")]
    pub json: bool,
}

/// The document of `check --json`.
#[derive(Serialize)]
struct CheckDocument<'a> {
    state: CheckState,
    drives: &'a [DriveCheck],
}

/// Runs the verb and gives the exit status.
///
/// # Errors
/// When there is no such target, the file cannot be written, or the node cannot be drained.
pub fn run(args: &CheckFlags) -> Result<u8> {
    let names = look::names(&System::host(), &args.targets)?;
    let drives = look::look(&names);
    if let Some(path) = &args.node_exporter {
        write(path, &ioproof_report::drive_metrics(&drives, &ioproof_runner::now().rfc3339))?;
    }
    let state = worst(&drives);
    let status = match state {
        CheckState::Critical => 1,
        CheckState::Unknown => 3,
        CheckState::Ok | CheckState::Warning => 0,
    };
    match args {
        CheckFlags { nagios: true, .. } => output::print(&(nagios_line(&drives) + "\n")).map(|()| state.nagios_status()),
        CheckFlags { slurm_health: true, .. } => slurm_health(args, &drives),
        CheckFlags { json: true, .. } => print_document(&CheckDocument { state, drives: &drives }).map(|()| status),
        CheckFlags { node_exporter: Some(_), .. } => Ok(status),
        _ => print_lines(drives.iter().map(|drive| format!("{:<8}  {}", drive.state().title(), drive.sentence()))).map(|()| status),
    }
}

fn slurm_health(args: &CheckFlags, drives: &[DriveCheck]) -> Result<u8> {
    let critical = complaints(drives, CheckState::Critical);
    if critical.is_empty() {
        return Ok(0);
    }
    let reason = format!("ioproof: {}", critical.join(", "));
    output::print(&format!("{reason}\n"))?;
    if args.drain {
        drain::drain(args.node.as_deref(), &reason)?;
    }
    Ok(1)
}

/// Writes a file whole: a reader sees the old one or the new one.
fn write(path: &Path, text: &str) -> Result<()> {
    let file = OutputFile::open_folder(path)?;
    let standing = file.look(false)?;
    let put = || -> Result<(), OutputError> {
        let mut new = file.begin()?;
        new.write_all(text.as_bytes()).map_err(|source| OutputError::Io { path: path.to_path_buf(), doing: "write", source })?;
        file.put(new, &standing).map(drop)
    };
    put().with_context(|| format!("{} is not written", path.display()))?;
    found(&file)
}
