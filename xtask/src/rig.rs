//! `cargo xtask rig`: a virtual machine with drives that may be destroyed.
//!
//! QEMU emulates a PC with Debian's kernel, a small guest made of Debian packages, and drives on every kind of bus. A script from
//! the host runs in it as root and its output and exit status come back. `rig/README.md` is the guide for users; `parts.rs` makes
//! kernel and initramfs, `drives.rs` says which drives there are, `machine.rs` starts it, `host.rs` does what the guest commands.

mod apt;
mod cpio;
pub mod cuttable;
mod drives;
mod host;
mod list;
mod machine;
mod modules;
mod nbd;
mod needs;
mod parts;
mod qmp;
mod zfs;

pub use nbd::drive;

use crate::debian::{self, Package};
use crate::{Verb, package, workspace_root};
use anyhow::{Context, Result, bail};
use machine::{Job, Outcome};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub const VERB: Verb = Verb {
    name: "rig",
    usage: "run SCRIPT | shell",
    about: "a virtual machine with NVMe, SATA, SCSI and virtio drives",
    help: "
cargo xtask rig run [--program FILE]... [--timeout SECONDS] SCRIPT [ARGUMENT]...
    boots the machine, runs the script in it as root, prints what it prints, and ends with its exit status
cargo xtask rig shell [--program FILE]...
    boots it with a shell on this terminal; `exit` or Ctrl-A X powers off

--program FILE    a static program to put into the guest's /bin under its own name, instead of ioproof built from this tree; may be repeated
--timeout SECONDS power off and fail when the script has not ended (default 300)

Needs an x86-64 host with Debian's apt and QEMU, which is installed when you are root. Nothing else is installed: the guest's
packages are fetched and unpacked below target/rig. rig/README.md says more.
",
    run: main,
};

pub const QEMU: Package =
    Package { name: "qemu-system-x86", provides: "qemu-system-x86_64", why: "to emulate a machine with drives of every kind" };

const TIMEOUT_DEFAULT: Duration = Duration::from_secs(300);

/// Arguments of the command line.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    /// Programs to put in; none means ioproof.
    programs: Vec<PathBuf>,
    timeout: Duration,
    /// The script; none for a shell.
    script: Option<PathBuf>,
    arguments: Vec<String>,
}

fn main(args: &[String]) -> Result<ExitCode> {
    let request = parse(args)?;
    let programs = if request.programs.is_empty() { vec![package::build_static()?] } else { request.programs };
    let job = Job { arguments: request.arguments, programs, timeout: request.timeout, ..job(request.script) };
    Ok(match run(job)? {
        Outcome::Ended(0) => ExitCode::SUCCESS,
        Outcome::Ended(status) => ExitCode::from(status),
    })
}

fn parse(args: &[String]) -> Result<Request> {
    let (verb, mut rest) = args.split_first().context("say `rig run SCRIPT` or `rig shell`")?;
    let mut request = Request { programs: Vec::new(), timeout: TIMEOUT_DEFAULT, script: None, arguments: Vec::new() };
    while let [flag, value, after @ ..] = rest {
        match flag.as_str() {
            "--program" => request.programs.push(value.into()),
            "--timeout" => request.timeout = Duration::from_secs(value.parse().with_context(|| format!("--timeout {value}"))?),
            _ => break,
        }
        rest = after;
    }
    match (verb.as_str(), rest) {
        ("run", [script, arguments @ ..]) if !script.starts_with('-') => {
            request.script = Some(script.into());
            request.arguments = arguments.to_vec();
        }
        ("shell", []) => {}
        _ => bail!("usage: cargo xtask rig run [--program FILE]... [--timeout SECONDS] SCRIPT [ARGUMENT]... | rig shell"),
    }
    Ok(request)
}

/// The scripts in `rig/tests`, in order of their names.
pub fn test_scripts() -> Result<Vec<PathBuf>> {
    let folder = workspace_root().join("rig/tests");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let paths = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    let mut scripts: Vec<PathBuf> = paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "sh")).collect();
    scripts.sort();
    if scripts.is_empty() {
        bail!("there is no test in {}", folder.display());
    }
    Ok(scripts)
}

/// Runs one of them with ioproof from this tree; an error unless it ends with 0.
pub fn run_test(script: &Path) -> Result<()> {
    let programs = vec![package::build_static()?];
    let job = Job { programs, timeout: 3 * TIMEOUT_DEFAULT, ..job(Some(script.to_owned())) };
    match run(job)? {
        Outcome::Ended(0) => Ok(()),
        Outcome::Ended(status) => bail!("{} ended with exit status {status} in the guest", script.display()),
    }
}

fn job(script: Option<PathBuf>) -> Job {
    Job { script, arguments: Vec::new(), programs: Vec::new(), timeout: TIMEOUT_DEFAULT, drive_bytes: drives::DRIVE_BYTES }
}

fn run(mut job: Job) -> Result<Outcome> {
    if !cfg!(target_arch = "x86_64") {
        bail!("the rig emulates a PC with programs built for x86-64, and this host is none");
    }
    if !debian::ensure(&[&QEMU])?.is_empty() {
        bail!("the rig cannot start without {}", QEMU.name);
    }
    let needs = job.script.as_deref().map(needs::of).transpose()?.unwrap_or_default();
    let mut parts = parts::ensure(&workspace_root())?;
    if needs.zfs {
        parts = zfs::ensure(&workspace_root(), &parts)?;
        job.drive_bytes = zfs::DRIVE_BYTES;
    }
    machine::run(&parts, &job)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(line: &str) -> Result<Request> {
        parse(&line.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_run_has_a_script_with_its_own_arguments() {
        let request = request("run --timeout 5 --program a --program b t.sh --quick x").unwrap();
        assert_eq!(request.programs, [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!((request.timeout.as_secs(), request.script), (5, Some("t.sh".into())));
        assert_eq!(request.arguments, ["--quick", "x"]);
    }

    #[test]
    fn a_shell_has_none() {
        assert_eq!(request("shell").unwrap().script, None);
        assert!(request("shell x").is_err());
    }

    #[test]
    fn half_a_command_is_refused() {
        for line in ["", "run", "run --timeout", "run --timeout x t.sh", "run --unknown x t.sh", "boot"] {
            assert!(request(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_rig_has_tests_and_they_are_scripts() {
        assert!(test_scripts().unwrap().iter().all(|p| p.extension().is_some_and(|e| e == "sh")));
    }
}
