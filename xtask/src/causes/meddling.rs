//! Disturbances of a measurement: processes that burn CPU or use the disk, control groups, settings of a queue. All of it is undone when dropped.
//!
//! Beside this, `scene.rs` knows the paths that a row means.

use super::cause::{Meddling, Where};
use super::scene::Scene;
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const CGROUPS: &str = "/sys/fs/cgroup";

const FREEZER: &str = "freezer.state";

/// Burns a CPU until whoever started it has ended, however that was.
const BURN: &str = "while [ -d /proc/$PPID ]; do n=0; while [ $n -lt 50000 ]; do n=$((n+1)); done; done";

pub fn start(scene: &mut Scene, meddling: Meddling) -> Result<()> {
    match meddling {
        Meddling::Burners(count) => burn(scene, count, BURN)?,
        Meddling::NicedBurners(count) => burn(scene, count, &format!("exec nice -n 19 sh -c '{BURN}'"))?,
        Meddling::Reading(place) => {
            let path = path_of(scene, place)?;
            let script = "while [ -d /proc/$PPID ] && dd if=\"$1\" of=/dev/null bs=64k iflag=direct status=none; do :; done";
            scene.kept.keep(Process::start(script, &path)?);
        }
        Meddling::Writing(place) => {
            let path = path_of(scene, place)?;
            let script =
                "while [ -d /proc/$PPID ] && dd if=/dev/zero of=\"$1\" bs=64k count=4000 oflag=direct conv=notrunc status=none; do :; done";
            scene.kept.keep(Process::start(script, &path)?);
        }
        Meddling::Group { controller, file, value } => {
            let group = Group::make(controller, &scene.name())?;
            std::fs::write(group.0.join(file), value.replace("DEVICE", &scene.device_numbers()?))
                .with_context(|| format!("cannot set {file}"))?;
            scene.groups.push(group.0.clone());
            scene.kept.keep(group);
        }
        Meddling::Freezing => {
            let group = Group::make("freezer", &scene.name())?;
            scene.groups.push(group.0.clone());
            let state = group.0.join(FREEZER);
            scene.kept.keep(group);
            let script = "while [ -d /proc/$PPID ] && sleep 1.5; do echo FROZEN > \"$1\"; sleep 0.5; echo THAWED > \"$1\"; done";
            scene.kept.keep(Process::start(script, &state)?);
        }
        Meddling::Through(starter) => scene.starter = Some(starter),
        Meddling::Queue { file, value } => {
            let path = Path::new("/sys/block").join(scene.kernel_name()).join("queue").join(file);
            scene.kept.keep(Setting::change(path, value)?);
        }
    }
    Ok(())
}

fn burn(scene: &mut Scene, count: usize, script: &str) -> Result<()> {
    (0..count).try_for_each(|_| {
        scene.kept.keep(Process::start(script, Path::new(""))?);
        Ok(())
    })
}

pub fn obstacle(meddling: &Meddling) -> Option<String> {
    match meddling {
        Meddling::Group { controller, .. } => lacks(controller),
        Meddling::Freezing => lacks("freezer"),
        _ => None,
    }
}

fn lacks(controller: &str) -> Option<String> {
    let there = Path::new(CGROUPS).join(controller).join("cgroup.procs").exists();
    (!there).then(|| format!("no control groups of version 1 with {controller}"))
}

pub fn sweep(name: &str) {
    for controller in ["blkio", "cpu", "freezer"] {
        drop(std::fs::remove_dir(Path::new(CGROUPS).join(controller).join(name)));
    }
}

fn path_of(scene: &Scene, place: Where) -> Result<PathBuf> {
    match place {
        Where::Target => Ok(scene.target.clone()),
        Where::Backing => scene.backing.clone().context("nothing is behind the target"),
        Where::SameDisk => scene.other_file(),
    }
}

struct Process(Child);

impl Process {
    fn start(script: &str, path: &Path) -> Result<Self> {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(path).stdin(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Self(command.spawn()?))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

struct Group(PathBuf);

impl Group {
    fn make(controller: &str, name: &str) -> Result<Self> {
        let path = Path::new(CGROUPS).join(controller).join(name);
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => bail!("cannot make {}: {error}", path.display()),
            _ => Ok(Self(path)),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What is frozen ends no more.
        let _ = std::fs::write(self.0.join(FREEZER), "THAWED");
        // The kernel needs a moment after its last process.
        for _ in 0..50 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

struct Setting {
    path: PathBuf,
    before: String,
}

impl Setting {
    fn change(path: PathBuf, value: &str) -> Result<Self> {
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        std::fs::write(&path, value).with_context(|| format!("cannot write {value} to {}", path.display()))?;
        Ok(Self { path, before: chosen(&text).to_owned() })
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.path, &self.before);
    }
}

/// The value of a file, or the one in brackets of a choice.
fn chosen(text: &str) -> &str {
    let choice = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    choice.map_or(text.trim(), |(chosen, _)| chosen)
}
