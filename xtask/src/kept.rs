//! Loop devices, mounts, files and processes that are kept while something runs. Undone in the opposite order; of killed calls, by the next one.

use crate::command::{self, tool};
use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::any::Any;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

#[derive(Default)]
pub struct Kept(Vec<Box<dyn Any>>);

struct Undo(&'static str, Vec<String>);

impl Drop for Undo {
    fn drop(&mut self) {
        drop(tool(self.0, &self.1.iter().map(String::as_str).collect::<Vec<_>>()));
    }
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

impl Kept {
    pub fn attach(&mut self, file: &Path, flags: &[&str]) -> Result<PathBuf> {
        let file = file.display().to_string();
        let device = tool("losetup", &[&["--find", "--show"], flags, &[file.as_str()]].concat())?;
        self.undo("losetup", &["--detach", &device]);
        Ok(device.into())
    }

    /// The node of a device's partition, told to the kernel where it has not read the table. Sectors.
    pub fn partition(&mut self, device: &Path, start: &str, length: &str) -> Result<PathBuf> {
        let device = device.display().to_string();
        let path = PathBuf::from(format!("{device}p1"));
        if !path.exists() {
            tool("addpart", &[&device, "1", start, length])?;
        }
        // It would outlive the loop device, and stand on the next one.
        self.undo("delpart", &[&device, "1"]);
        Ok(path)
    }

    pub fn mount(&mut self, words: &[&str], point: &Path) -> Result<()> {
        std::fs::create_dir_all(point)?;
        let point = point.display().to_string();
        tool("mount", &[words, &[point.as_str()]].concat())?;
        self.undo("umount", &["--lazy", &point]);
        Ok(())
    }

    pub fn keep(&mut self, thing: impl Any) {
        self.0.push(Box::new(thing));
    }

    pub fn undo(&mut self, program: &'static str, words: &[&str]) {
        self.keep(Undo(program, words.iter().map(ToString::to_string).collect()));
    }

    /// A shell that runs this script with a path, and all that it starts.
    pub fn run(&mut self, script: &str, path: &Path) -> Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(path).stdin(Stdio::null()).stderr(Stdio::null()).process_group(0);
        self.keep(Process(command.spawn()?));
        Ok(())
    }

    /// A process that maps a page of this file to write to it, and has no descriptor of it.
    pub fn map(&mut self, path: &Path) -> Result<()> {
        // mmap(2) is call 9 on x86-64 and 222 on 64-bit ARM; the arguments are those of a shared page to read and write.
        let number = if cfg!(target_arch = "x86_64") { "9" } else { "222" };
        let script = "open(F,'+<',$ARGV[1]) or die; syscall($ARGV[0]+0,0,4096,3,1,fileno(F),0)>0 or die; close F; $|=1; print 'x'; <STDIN>";
        let mut command = Command::new("perl");
        command.args(["-e", script, number]).arg(path).process_group(0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let ready = child.stdout.as_mut().map_or(Ok(()), |out| out.read_exact(&mut [0]));
        self.keep(Process(child));
        ready.with_context(|| format!("cannot map {}", path.display()))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Folder of the settings of a device's queue.
pub fn queue(device: &Path) -> PathBuf {
    Path::new("/sys/block").join(device.file_name().unwrap_or_default()).join("queue")
}

/// A fresh folder for this call below `target/`. What stands below those of calls that were killed is undone, and by `undo`, which is given such a folder.
pub fn fresh_folder(kind: &str, undo: impl Fn(&Path)) -> Result<PathBuf> {
    let all = command::target_folder().join(kind);
    for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            sweep(&entry.path());
            undo(&entry.path());
        }
    }
    let folder = all.join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// ioproof from this tree, copied into a folder: it stays what it is when somebody builds meanwhile.
pub fn program(folder: &Path, release: bool) -> Result<PathBuf> {
    let copy = folder.join("ioproof");
    std::fs::copy(command::ioproof(release)?, &copy).context("cannot copy ioproof")?;
    Ok(copy)
}

/// Undoes mounts and loop devices below a folder that a campaign left which was killed.
pub fn sweep(folder: &Path) {
    // Loop devices first: without its mount nobody knows where a file was. One that is mounted goes when it is no longer.
    let loops = tool("losetup", &["--list", "--noheadings", "--output", "NAME,BACK-FILE"]).unwrap_or_default();
    for (device, file) in loops.lines().filter_map(|line| line.split_once(' ')) {
        if Path::new(file.trim()).starts_with(folder) {
            drop(tool("delpart", &[device, "1"]));
            drop(tool("losetup", &["--detach", device]));
        }
    }
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1)).filter(|point| Path::new(point).starts_with(folder));
    points.for_each(|point| drop(tool("umount", &["--lazy", point])));
}
