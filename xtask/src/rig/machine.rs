//! One life of the machine: a folder for it, QEMU's command line, waiting for the end, what came of it.
//!
//! **No status is a failure of the rig and never a result of the script.**

use super::parts::Parts;
use super::{drives, host};
use crate::{kept, package, workspace_root};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub struct Job {
    pub script: Option<PathBuf>,
    pub arguments: Vec<String>,
    pub programs: Vec<PathBuf>,
    pub timeout: Duration,
    pub drive_bytes: u64,
    /// With an IOMMU, so that drives can be handed to a program.
    pub iommu: bool,
}

const CONSOLE_LINES: usize = 50;

pub(super) const POLL: Duration = Duration::from_millis(20);

/// The machine is up within ten seconds, on a busy host within thirty. Now and then the emulation loses an interrupt while the drives are found, and it never is.
pub(super) const BOOT: Duration = Duration::from_secs(120);

pub(super) const STARTS: u32 = 3;

pub fn run(parts: &Parts, job: &Job) -> Result<u8> {
    for _ in 1..STARTS {
        if let Some(status) = once(parts, job)? {
            return Ok(status);
        }
        println!("rig: not up after {} s; started again", BOOT.as_secs());
    }
    once(parts, job)?.with_context(|| format!("the machine did not come up in {STARTS} starts"))
}

/// One start; nothing where the machine did not come up.
fn once(parts: &Parts, job: &Job) -> Result<Option<u8>> {
    let life = Life::begin(job)?;
    // Dropped before the life whose folder it works in.
    let _host = host::Host::begin(&life.folder, job.drive_bytes)?;
    let start = Instant::now();
    let mut qemu = life.start(parts, job)?;
    if job.script.is_none() {
        qemu.wait().context("cannot wait for QEMU")?;
        return Ok(Some(0));
    }
    let printer = qemu.stdout.take().map(|output| std::thread::spawn(move || io::copy(&mut { output }, &mut io::stdout())));
    let mut is_killed = false;
    while qemu.try_wait().context("cannot wait for QEMU")?.is_none() {
        let elapsed = start.elapsed();
        if elapsed >= job.timeout || elapsed >= BOOT && life.shared("up").is_empty() {
            is_killed = true;
            qemu.kill().and_then(|()| qemu.wait()).context("cannot kill QEMU")?;
        }
        std::thread::sleep(POLL);
    }
    if let Some(Err(error)) = printer.and_then(|thread| thread.join().ok()) {
        bail!("cannot print what the guest says: {error}");
    }
    if is_killed && start.elapsed() < job.timeout {
        return Ok(None);
    }
    ensure!(!is_killed, "no end after {} s; powered off\n{}", job.timeout.as_secs(), console(&life.folder));
    let status = life.shared("status").trim().parse().ok();
    let status = status.with_context(|| format!("the machine ended without an exit status\n{}", console(&life.folder)))?;
    println!("rig: up after {} s, off after {:.1} s, exit status {status}", life.shared("up").trim(), start.elapsed().as_secs_f64());
    Ok(Some(status))
}

/// The folder of one run: images, shared files, console. Removed when dropped.
struct Life {
    folder: PathBuf,
}

impl Life {
    fn begin(job: &Job) -> Result<Self> {
        let life = Self { folder: kept::fresh_folder("rig/runs", |abandoned| drop(fs::remove_dir_all(abandoned)))? };
        let share = life.folder.join("share");
        fs::create_dir_all(share.join("bin")).with_context(|| format!("cannot make {}", share.display()))?;
        drives::make_images(&life.folder, job.drive_bytes)?;
        for program in &job.programs {
            package::require_static(program).context("the guest has no libraries for it")?;
            copy(program, &share.join("bin").join(program.file_name().unwrap_or_default()))?;
        }
        for name in ["lib.sh", "verdict_cases.sh", "write_cases.sh", "write_rule.sh"] {
            copy(&workspace_root().join("rig").join(name), &share.join(name))?;
        }
        job.script.iter().try_for_each(|script| copy(script, &share.join("script.sh")))?;
        fs::write(share.join("arguments"), job.arguments.join(" ")).context("cannot write the guest's arguments")?;
        Ok(life)
    }

    fn start(&self, parts: &Parts, job: &Job) -> Result<Child> {
        let mut qemu = qemu(arguments(parts, &self.folder, job));
        if job.script.is_some() {
            // Pipes of its own: at the end of its input QEMU closes the guest's port, and it makes its output non-blocking, which
            // would reach every program that shares ours.
            qemu.stdin(Stdio::piped()).stdout(Stdio::piped());
        }
        qemu.spawn().context("cannot start QEMU")
    }

    fn shared(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join("share").join(name)).unwrap_or_default()
    }
}

pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} into the guest", from.display())).map(drop)
}

pub(super) fn console(folder: &Path) -> String {
    let bytes = fs::read(folder.join("console")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    format!("the end of its console:\n{}", lines[lines.len().saturating_sub(CONSOLE_LINES)..].join("\n"))
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("xtask: cannot remove {}: {error}", self.folder.display());
        }
    }
}

/// QEMU, which must not outlive this program, however that ends.
pub(super) fn qemu(arguments: Vec<String>) -> Command {
    let mut qemu = Command::new("setpriv");
    qemu.args(["--pdeathsig", "KILL", "qemu-system-x86_64"]).args(arguments);
    qemu
}

fn arguments(parts: &Parts, folder: &Path, job: &Job) -> Vec<String> {
    let mut args = bare_arguments(parts, folder, job.script.is_some());
    if job.iommu {
        // QEMU wants it before any device; the kernel's own drives are left untranslated.
        args.splice(0..0, ["-device", "intel-iommu,intremap=on"].map(String::from));
        let append = args.iter().position(|arg| arg == "-append").map(|at| at + 1);
        append.and_then(|at| args.get_mut(at)).into_iter().for_each(|line| line.push_str(" intel_iommu=on iommu=pt"));
    }
    args.extend(host::arguments(folder));
    args.extend(drives::arguments(folder, None));
    args
}

/// QEMU's command line. qboot and an uncompressed kernel save seconds against the usual firmware.
pub(super) fn bare_arguments(parts: &Parts, folder: &Path, has_script: bool) -> Vec<String> {
    let mut args: Vec<String> =
        ["-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", "1024", "-smp", "2"].map(String::from).into();
    args.extend(["-bios", "qboot.rom", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"].map(String::from));
    let mut add = |flag: &str, value: String| args.extend([flag.to_owned(), value]);
    add("-kernel", parts.kernel.display().to_string());
    add("-initrd", parts.initramfs.display().to_string());
    let script = if has_script { " rig.script=script.sh" } else { "" };
    let line = "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable no_timer_check nvme.poll_queues=1";
    add("-append", format!("{line}{script}"));
    add("-fsdev", format!("local,id=share,security_model=none,path={}", drives::quoted(&folder.join("share"))));
    add("-device", "virtio-9p-pci,fsdev=share,mount_tag=share".to_owned());
    if has_script {
        add("-serial", format!("file:{}", folder.join("console").display()));
        add("-chardev", "stdio,id=output,signal=off".to_owned());
        add("-device", "virtio-serial-pci".to_owned());
        add("-device", "virtserialport,chardev=output".to_owned());
    } else {
        add("-serial", "mon:stdio".to_owned());
    }
    args
}
