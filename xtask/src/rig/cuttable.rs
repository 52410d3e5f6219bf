//! A machine that carries out orders of the host until its power is cut, and comes up again on what its drive kept.
//!
//! A cut is SIGKILL to QEMU once the drive is dark. Orders are shell commands (`rig/orders.sh`).

use super::parts::Parts;
use super::{drives, machine, nbd, parts, zfs};
use crate::cached::CachedDrive;
use crate::cached::faulty::FaultyDrive;
use crate::workspace_root;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Address of the host in the guest's network (QEMU's documentation, "Using the user mode network stack").
pub const HOST: &str = "10.0.2.2";

/// An order hangs when it takes longer. Emulation is slow, and so is a loaded host.
const LIMIT: Duration = Duration::from_secs(180);
const FILES: [(&str, &str); 3] = [("lib.sh", "lib.sh"), ("orders.sh", "script.sh"), ("powercut.sh", "powercut.sh")];

pub struct Cuttable {
    folder: PathBuf,
    parts: Parts,
    pub serial: &'static str,
    pub drive: Arc<FaultyDrive>,
    qemu: Option<Child>,
    orders: u32,
}

pub struct Done {
    pub status: i32,
    pub out: String,
    pub errors: String,
}

impl Cuttable {
    /// Makes one without power: the guest's parts, a folder that it shares with us, and a server of the drive with this serial number.
    pub fn new(folder: &Path, serial: &'static str, drive: FaultyDrive, program: &Path, needs_zfs: bool) -> Result<Self> {
        let mut parts = parts::ensure(&workspace_root())?;
        if needs_zfs {
            parts = zfs::ensure(&workspace_root(), &parts)?;
        }
        let share = folder.join("share");
        fs::create_dir_all(share.join("bin")).with_context(|| format!("cannot make {}", share.display()))?;
        machine::copy(program, &share.join("bin/ioproof"))?;
        FILES.iter().try_for_each(|(from, to)| machine::copy(&workspace_root().join("rig").join(from), &share.join(to)))?;
        fs::write(share.join("arguments"), "").context("cannot write the guest's arguments")?;
        let row = drives::DRIVES.iter().find(|row| row.serial == serial).with_context(|| format!("there is no drive {serial}"))?;
        let drive = Arc::new(drive);
        nbd::serve(&row.socket(folder), &drive)?;
        Ok(Self { folder: folder.to_owned(), parts, serial, drive, qemu: None, orders: 0 })
    }

    pub fn share(&self) -> PathBuf {
        self.folder.join("share")
    }

    /// Brings the power back, and waits until the guest takes orders.
    pub fn power_on(&mut self) -> Result<()> {
        self.drive.with(CachedDrive::power_on);
        for _ in 0..machine::STARTS {
            self.start()?;
            let until = Instant::now() + machine::BOOT;
            while Instant::now() < until && self.is_running()? {
                if self.share().join("ready").exists() {
                    return Ok(());
                }
                std::thread::sleep(machine::POLL);
            }
            self.kill()?;
        }
        bail!("the machine did not come up in {} starts; {}", machine::STARTS, machine::console(&self.folder))
    }

    pub fn order(&mut self, text: &str) -> Result<Done> {
        self.orders += 1;
        let name = format!("orders/{}", self.orders);
        let half = self.share().join(format!("{name}.half"));
        fs::write(&half, text).and_then(|()| fs::rename(&half, half.with_extension("sh"))).context("cannot give an order")?;
        let until = Instant::now() + LIMIT;
        while !self.share().join(format!("{name}.status")).exists() {
            if Instant::now() > until || !self.is_running()? {
                let said = self.said(&format!("{name}.err"));
                bail!("no end of an order to the guest: {text}\n{said}\n{}", machine::console(&self.folder));
            }
            std::thread::sleep(machine::POLL);
        }
        let status = self.said(&format!("{name}.status")).trim().parse().context("an order ended without a status")?;
        Ok(Done { status, out: self.said(&format!("{name}.out")), errors: self.said(&format!("{name}.err")) })
    }

    pub fn must(&mut self, text: &str) -> Result<String> {
        let done = self.order(text)?;
        ensure!(done.status == 0, "in the guest `{text}` ended with {}: {} {}", done.status, done.out.trim(), done.errors.trim());
        Ok(done.out.trim().to_owned())
    }

    pub fn said(&self, name: &str) -> String {
        fs::read_to_string(self.share().join(name)).unwrap_or_default()
    }

    /// Waits until the drive is dark, and kills the machine at once.
    pub fn cut(&mut self, limit: Duration) -> Result<()> {
        self.drive.wait_for_cut(limit)?;
        self.kill()
    }

    pub fn kill(&mut self) -> Result<()> {
        let Some(mut qemu) = self.qemu.take() else { return Ok(()) };
        qemu.kill().context("cannot kill QEMU")?;
        qemu.wait().context("cannot wait for QEMU").map(drop)
    }

    fn start(&mut self) -> Result<()> {
        let _ = fs::remove_file(self.share().join("ready"));
        let orders = self.share().join("orders");
        let _ = fs::remove_dir_all(&orders);
        fs::create_dir(&orders).with_context(|| format!("cannot make {}", orders.display()))?;
        self.orders = 0;
        let mut arguments = machine::bare_arguments(&self.parts, &self.folder, true);
        arguments.extend(["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile="].map(str::to_owned));
        arguments.extend(drives::arguments(&self.folder, Some(self.serial)));
        let said = File::create(self.folder.join("said")).context("cannot make a file for what the guest says")?;
        let errors = said.try_clone().context("cannot use that file twice")?;
        let qemu = machine::qemu(arguments).stdin(Stdio::piped()).stdout(said).stderr(errors).spawn();
        self.qemu = Some(qemu.context("cannot start QEMU")?);
        Ok(())
    }

    fn is_running(&mut self) -> Result<bool> {
        let Some(qemu) = self.qemu.as_mut() else { return Ok(false) };
        Ok(qemu.try_wait().context("cannot look at QEMU")?.is_none())
    }
}

impl Drop for Cuttable {
    fn drop(&mut self) {
        // Before its drive, and before the folder that it works in.
        let _ = self.kill();
    }
}
