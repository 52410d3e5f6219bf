//! A campaign on this kernel, one cut after another: a served drive and all that stands on it, from the file up to the filesystem, is set up, loses its power, and is
//! taken down again to the last page of memory. What stands after a cut is what the next one is made on, unless the drive lies: then the next one begins anew.
//!
//! The process that serves touches none of it (`fuse.rs` says why): every step is a program of its own. A loop device knows no FUA: the block layer makes a WRITE
//! and an FSYNC of it. FUA is seen on the file itself, as a WRITE with O_DSYNC.

use super::judged::Found;
use super::layer::Layer;
use super::prover::{Prover, Target};
use crate::cached::behaviours::Behaviour;
use crate::cached::faulty::FaultyDrive;
use crate::cached::{Action, CachedDrive};
use crate::command::{LIMIT, tool, wait_until};
use crate::fuse::{self, EIO, Mounted};
use crate::kept::queue;
use crate::random::Random;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Threads that serve: requests are carried out one at a time, and the second one reads the next from the kernel meanwhile.
const SLOTS: usize = 2;

impl fuse::Drive for FaultyDrive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes() as u64
    }

    fn io(&self, action: Action) -> Result<Vec<u8>, i32> {
        self.carry_out(action).map_err(|_| EIO)
    }
}

struct Standing {
    folder: PathBuf,
    layer: Layer,
    drive: Arc<FaultyDrive>,
    says_write_through: bool,
    served: Option<Mounted>,
    device: Option<String>,
    is_mounted: bool,
}

impl Standing {
    fn new(folder: &Path, layer: Layer, drive: FaultyDrive, says_write_through: bool) -> Result<Self> {
        fs::create_dir_all(folder.join("mounted")).with_context(|| format!("cannot make {}", folder.display()))?;
        let folder = folder.to_owned();
        Ok(Self { folder, layer, drive: Arc::new(drive), says_write_through, served: None, device: None, is_mounted: false })
    }

    fn attach(&mut self) -> Result<()> {
        let file = self.folder.join("drive");
        self.served = Some(Mounted::start(&file, SLOTS, &self.drive)?);
        if self.layer.has_device {
            let device = tool("losetup", &["--find", "--show", "--direct-io=on", &file.display().to_string()])?;
            // A loop device keeps what somebody set for the file before.
            let cache = set_cache(&device, if self.says_write_through { "write through" } else { "write back" });
            self.device = Some(device);
            cache?;
        }
        Ok(())
    }

    fn make(&mut self) -> Result<()> {
        let Some((kind, mkfs, _)) = self.layer.filesystem else { return Ok(()) };
        tool(&format!("mkfs.{kind}"), &[mkfs, &[self.device()?]].concat()).map(drop)
    }

    fn mount(&mut self) -> Result<()> {
        let Some((kind, _, options)) = self.layer.filesystem else { return Ok(()) };
        tool("mount", &["-t", kind, "-o", options, self.device()?, &self.folder.join("mounted").display().to_string()])?;
        self.is_mounted = true;
        Ok(())
    }

    fn target(&self) -> Result<Target> {
        let path = match self.layer.filesystem {
            Some(_) => self.folder.join("mounted/blocks"),
            None if self.layer.has_device => self.device()?.into(),
            None => self.folder.join("drive"),
        };
        Ok(Target { path, is_device: self.layer.filesystem.is_none() })
    }

    /// Takes everything down, whatever it is that stands; an error where something stays.
    fn take_down(&mut self) -> Result<()> {
        if self.is_mounted {
            let point = self.folder.join("mounted").display().to_string();
            let mut last = String::new();
            let unmount = || tool("umount", &[&point]).map_err(|error| last = format!("{error:#}")).is_ok();
            wait_until("the end of a mount", unmount).with_context(|| last)?;
            self.is_mounted = false;
        }
        if let Some(device) = self.device.clone() {
            set_cache(&device, "write back")?;
            tool("losetup", &["--detach", &device])?;
            // It goes when its last user does.
            let backing = queue(Path::new(&device)).with_file_name("loop").join("backing_file");
            wait_until("the end of a loop device", || !backing.exists())?;
            self.device = None;
        }
        // Ends when the last user of the file is gone.
        self.served = None;
        Ok(())
    }

    fn device(&self) -> Result<&str> {
        self.device.as_deref().context("the drive is not attached")
    }
}

impl Drop for Standing {
    fn drop(&mut self) {
        // A dead drive answers at once, so nothing that holds it hangs. What stays all the same is the next call's.
        let _ = self.take_down();
    }
}

/// By another process: the kernel waits for I/O under way, which this one serves.
fn set_cache(device: &str, mode: &str) -> Result<()> {
    let file = queue(Path::new(device)).join("write_cache");
    tool("sh", &["-c", "echo \"$1\" > \"$2\"", "sh", mode, &file.display().to_string()]).map(drop)
}

/// Requests after which the power fails, from and below: some tens of acknowledgements through a journal, and hundreds without one.
const REQUESTS: (u64, u64) = (100, 400);

pub struct Campaign<'a> {
    behaviour: &'static Behaviour,
    standing: Standing,
    prover: &'a mut Prover,
    seed: u64,
    cuts: u64,
    is_up: bool,
}

impl<'a> Campaign<'a> {
    pub fn new(behaviour: &'static Behaviour, layer: Layer, prover: &'a mut Prover, seed: u64, folder: &Path) -> Result<Self> {
        let drive = FaultyDrive::of(CachedDrive::new(layer.drive_bytes, behaviour.habits, Random::of(seed, "drive", 0).next()));
        let standing = Standing::new(folder, layer, drive, behaviour.says_write_through)?;
        Ok(Self { behaviour, standing, prover, seed, cuts: 0, is_up: false })
    }

    /// Makes one cut and looks. An error is the rig's.
    pub fn cut(&mut self) -> Result<Found> {
        let number = self.cuts;
        self.cuts += 1;
        self.cycle(number).with_context(|| format!("cut {} of a drive that is {}", number + 1, self.behaviour.name))
    }

    fn cycle(&mut self, number: u64) -> Result<Found> {
        if !self.is_up {
            self.set_up().context("setting up")?;
        }
        let mut random = Random::of(self.seed, "cut", number as usize);
        let target = self.standing.target()?;
        self.prover.begin(&target)?;
        self.standing.drive.with(|drive| drive.cut_after(REQUESTS.0 + random.below(REQUESTS.1 - REQUESTS.0)));
        self.standing.drive.wait_for_cut(LIMIT)?;
        self.prover.end()?;
        self.standing.take_down().context("taking down what lost its power")?;
        self.standing.drive.with(CachedDrive::power_on);
        let found = self.look()?;
        self.is_up = found.is_clean() && self.behaviour.lie.is_none();
        if !self.is_up {
            self.standing.take_down().context("taking down")?;
        }
        Ok(found)
    }

    fn set_up(&mut self) -> Result<()> {
        self.standing.attach()?;
        self.standing.make()?;
        self.standing.mount()
    }

    /// Looks after the power is back. That a journal cannot be replayed is the drive's doing.
    fn look(&mut self) -> Result<Found> {
        self.standing.attach().context("attaching the drive again")?;
        if self.standing.mount().is_err() {
            return Ok(Found::all_gone("not mountable"));
        }
        let target = self.standing.target()?;
        self.prover.check(&target)
    }
}
