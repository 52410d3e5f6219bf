//! Disturbances of a measurement: processes that burn CPU or use the disk, control groups, settings of a queue. All of it is undone when dropped.
//!
//! Beside this, `scene.rs` knows the paths that a row means.

use super::cause::{Meddling, Where};
use super::scene::Scene;
use crate::kept::queue;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const CGROUPS: &str = "/sys/fs/cgroup";
const FREEZER: &str = "freezer.state";

/// Burns a CPU until whoever started it has ended, however that was.
const BURN: &str = "while [ -d /proc/$PPID ]; do n=0; while [ $n -lt 50000 ]; do n=$((n+1)); done; done";

pub fn start(scene: &mut Scene, meddling: Meddling) -> Result<()> {
    match meddling {
        Meddling::Burners(count) => (0..count).try_for_each(|_| scene.kept.run(BURN, Path::new(""))),
        Meddling::NicedBurners(count) => {
            let script = format!("exec nice -n 19 sh -c '{BURN}'");
            (0..count).try_for_each(|_| scene.kept.run(&script, Path::new("")))
        }
        Meddling::Reading(place) => {
            let path = path_of(scene, place)?;
            scene.kept.run("while [ -d /proc/$PPID ] && dd if=\"$1\" of=/dev/null bs=64k iflag=direct status=none; do :; done", &path)
        }
        Meddling::Writing(place) => {
            let path = path_of(scene, place)?;
            let script = "dd if=/dev/zero of=\"$1\" bs=64k count=4000 oflag=direct conv=notrunc status=none";
            scene.kept.run(&format!("while [ -d /proc/$PPID ] && {script}; do :; done"), &path)
        }
        Meddling::Group(controller, file, value) => {
            let (group, value) = (group(scene, controller)?, value.replace("DEVICE", &scene.device_numbers()?));
            std::fs::write(group.join(file), value).with_context(|| format!("cannot set {file}"))
        }
        Meddling::Freezing => {
            let state = group(scene, "freezer")?.join(FREEZER);
            let script = "while [ -d /proc/$PPID ] && sleep 1.5; do echo FROZEN > \"$1\"; sleep 0.5; echo THAWED > \"$1\"; done";
            scene.kept.run(script, &state)
        }
        Meddling::Through(starter) => {
            scene.starter = Some(starter);
            Ok(())
        }
        Meddling::Queue(file, value) => {
            let path = queue(&scene.target).join(file);
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            // Its value, or the one in brackets of a choice.
            let choice = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            let before = choice.map_or(text.trim(), |(chosen, _)| chosen);
            scene.kept.undo("sh", &["-c", "echo \"$1\" > \"$2\"", "sh", before, &path.display().to_string()]);
            std::fs::write(&path, value).with_context(|| format!("cannot write {value} to {}", path.display()))
        }
    }
}

fn group(scene: &mut Scene, controller: &str) -> Result<PathBuf> {
    let path = Path::new(CGROUPS).join(controller).join(scene.name());
    if let Err(error) = std::fs::create_dir(&path).or_else(|error| if path.is_dir() { Ok(()) } else { Err(error) }) {
        bail!("cannot make {}: {error}", path.display());
    }
    // What is frozen ends no more, and the kernel needs a moment after its last process.
    let remove = format!("[ -e $0/{FREEZER} ] && echo THAWED >$0/{FREEZER}; for n in $(seq 50); do rmdir $0 && exit; sleep 0.02; done");
    scene.kept.undo("sh", &["-c", &remove, &path.display().to_string()]);
    scene.groups.push(path.clone());
    Ok(path)
}

pub fn obstacle(meddling: &Meddling) -> Option<String> {
    match meddling {
        Meddling::Group(controller, ..) => lacks(controller),
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
