//! `cargo xtask rig`: a virtual machine with drives that may be destroyed.
//!
//! `rig/README.md` is the guide for users.

pub mod cuttable;
mod drives;
mod host;
mod machine;
mod nbd;
mod parts;
mod zfs;

use crate::debian::{self, Package};
use crate::{Verb, package, workspace_root};
use anyhow::{Context, Result, bail, ensure};
use machine::Job;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub const VERB: Verb = Verb {
    name: "rig",
    usage: "run SCRIPT | shell",
    about: "a virtual machine with NVMe, SATA, SCSI and virtio drives",
    help: include_str!("../../rig/README.md"),
    run: main,
};

pub const QEMU: Package =
    Package { name: "qemu-system-x86", provides: "qemu-system-x86_64", why: "to emulate a machine with drives of every kind" };

const TIMEOUT_DEFAULT: Duration = Duration::from_secs(300);

fn main(args: &[String]) -> Result<ExitCode> {
    const USAGE: &str =
        "usage: cargo xtask rig run [--program FILE]... [--timeout SECONDS] [--drive-mib MIB] SCRIPT [ARGUMENT]... | rig shell";
    let (verb, mut rest) = args.split_first().context(USAGE)?;
    let mut job = Job { timeout: TIMEOUT_DEFAULT, drive_bytes: drives::DRIVE_BYTES, ..Job::default() };
    while let [flag, value, after @ ..] = rest {
        match flag.as_str() {
            "--program" => job.programs.push(value.into()),
            "--timeout" => job.timeout = Duration::from_secs(value.parse().with_context(|| format!("--timeout {value}"))?),
            "--drive-mib" => job.drive_bytes = value.parse::<u64>().with_context(|| format!("--drive-mib {value}"))? << 20,
            _ => break,
        }
        rest = after;
    }
    match (verb.as_str(), rest) {
        ("run", [script, arguments @ ..]) if !script.starts_with('-') => {
            (job.script, job.arguments) = (Some(script.into()), arguments.to_vec());
        }
        ("shell", []) => {}
        _ => bail!(USAGE),
    }
    run(job).map(ExitCode::from)
}

pub fn test_scripts() -> Result<Vec<PathBuf>> {
    let folder = workspace_root().join("rig/tests");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut scripts: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    scripts.sort();
    Ok(scripts)
}

pub fn run_test(script: &Path) -> Result<()> {
    let (script, timeout) = (Some(script.to_owned()), 3 * TIMEOUT_DEFAULT);
    match run(Job { script: script.clone(), timeout, drive_bytes: drives::DRIVE_BYTES, ..Job::default() })? {
        0 => Ok(()),
        status => bail!("{} ended with exit status {status} in the guest", script.unwrap_or_default().display()),
    }
}

fn run(mut job: Job) -> Result<u8> {
    ensure!(cfg!(target_arch = "x86_64"), "the rig emulates a PC with programs built for x86-64, and this host is none");
    debian::require(&[&QEMU])?;
    if job.programs.is_empty() {
        job.programs.push(package::build_static()?);
    }
    let mut parts = parts::ensure(&workspace_root())?;
    let needed = job.script.as_deref().map(needs).transpose()?.unwrap_or_default();
    job.iommu = needed.iter().any(|need| need == "iommu");
    if needed.iter().any(|need| need == "zfs") {
        parts = zfs::ensure(&workspace_root(), &parts)?;
        job.drive_bytes = job.drive_bytes.max(zfs::DRIVE_BYTES);
    }
    machine::run(&parts, &job)
}

/// Extras that its opening comment lines ask for: `zfs`, and with it drives that are large enough, or `iommu`.
fn needs(script: &Path) -> Result<Vec<String>> {
    let bytes = std::fs::read(script).with_context(|| format!("cannot read {}", script.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let comments = text.lines().take_while(|line| line.starts_with('#'));
    Ok(comments.filter_map(|line| line.strip_prefix("# needs: ")).map(str::to_owned).collect())
}
