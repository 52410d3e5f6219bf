//! Loop devices and mounts of tests that need root, taken off when dropped.

use super::{Sandbox, wait_until};
use rustix::fs::{Mode, OFlags, SeekFrom};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a tool that has to do well; gives its output.
#[track_caller]
pub fn tool(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Nothing of it is left to the kernel, which would write it in the background once it is mounted.
#[track_caller]
pub fn mkfs(device: &str) {
    tool("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device]);
}

/// A file that is one hole, in the folder where the program is run.
pub fn hole(sandbox: &Sandbox, name: &str, size: u64) -> PathBuf {
    let path = sandbox.work().join(name);
    File::create(&path).unwrap().set_len(size).unwrap();
    path
}

/// Makes a folder where the program is run.
pub fn folder(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.work().join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A loop device.
pub struct LoopDevice {
    pub backing: PathBuf,
    pub device: String,
}

impl LoopDevice {
    /// Attaches a file or device. Another losetup that looked for a free one at the same time may hold this one for a moment, and be a user of it; so this
    /// waits until all of them have ended.
    #[track_caller]
    pub fn new(flags: &[&str], backing: &Path) -> Self {
        // Its path need not be text.
        let output = Command::new("losetup").args(["--find", "--show"]).args(flags).arg(backing).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let device = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        let others = || Command::new("pgrep").args(["-x", "losetup"]).output().is_ok_and(|found| !found.stdout.is_empty());
        wait_until("the end of every other losetup", || !others());
        Self { backing: backing.to_owned(), device }
    }

    /// The device of this name, on a file. Where it was detached just now, whoever looked through all devices may hold it for a moment longer.
    #[track_caller]
    pub fn at(device: &str, backing: &Path) -> Self {
        let attach = || Command::new("losetup").arg(device).arg(backing).output().unwrap().status.success();
        wait_until("a loop device that is free again", attach);
        Self { backing: backing.to_owned(), device: device.to_owned() }
    }

    /// On a new file that is one hole.
    pub fn empty(sandbox: &Sandbox, name: &str, size: u64) -> Self {
        Self::new(&[], &hole(sandbox, name, size))
    }

    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// Claims it as a mount does; fails where anybody has it.
    pub fn hold(&self) -> rustix::io::Result<rustix::fd::OwnedFd> {
        rustix::fs::open(&self.device, OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC, Mode::empty())
    }

    /// Reads that the device has done so far.
    pub fn reads(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", self.name())).unwrap();
        stat.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Takes bytes of it away while it is in use.
    pub fn shrink(&self, size: u64) {
        File::options().write(true).open(&self.backing).unwrap().set_len(size).unwrap();
        tool("losetup", &["--set-capacity", &self.device]);
    }

    /// Its file, which has all that was written to the device.
    fn synced(&self) -> File {
        File::open(&self.device).unwrap().sync_all().unwrap();
        File::open(&self.backing).unwrap()
    }

    /// All that it holds: number and bytes of each block of 4 KiB that is not of zeros.
    pub fn content(&self) -> Vec<(u64, Vec<u8>)> {
        let file = self.synced();
        let (mut at, mut found) = (0, Vec::new());
        while let Ok(start) = rustix::fs::seek(&file, SeekFrom::Data(at)) {
            at = rustix::fs::seek(&file, SeekFrom::Hole(start)).unwrap();
            let mut bytes = vec![0; (at - start) as usize];
            file.read_exact_at(&mut bytes, start).unwrap();
            let blocks = (start / 4096..).zip(bytes.chunks(4096));
            found.extend(blocks.filter(|(_, block)| **block != [0; 4096][..block.len()]).map(|(number, block)| (number, block.to_vec())));
        }
        found
    }

    /// The same as a whole.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.synced().read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// Asserts that a command is refused for these reasons, and that not a byte changes.
    #[track_caller]
    pub fn refuses(&self, sandbox: &Sandbox, words: &[&str], reasons: &[&str]) {
        let before = self.content();
        sandbox.run(words).refuses(reasons);
        assert!(before == self.content(), "{words:?} changed it");
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        // A partition that a test made outlives the file behind it, and is in use a moment longer than its mount.
        let part = PathBuf::from(format!("{}p1", self.device));
        let gone = || !part.exists() || Command::new("delpart").args([&self.device, "1"]).status().is_ok_and(|status| status.success());
        (0..500).take_while(|_| !gone()).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(10)));
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

/// Something that is mounted.
pub struct Mount(pub PathBuf);

impl Mount {
    /// At a folder where the program is run, which is made.
    #[track_caller]
    pub fn new(sandbox: &Sandbox, name: &str, args: &[&str]) -> Self {
        Self::at(folder(sandbox, name), args)
    }

    #[track_caller]
    pub fn at(point: PathBuf, args: &[&str]) -> Self {
        std::fs::create_dir_all(&point).unwrap();
        tool("mount", &[args, &[point.to_str().unwrap()]].concat());
        Self(point)
    }

    /// A filesystem in memory.
    #[track_caller]
    pub fn memory(sandbox: &Sandbox, name: &str, options: &str) -> Self {
        Self::new(sandbox, name, &["-t", "tmpfs", "-o", options, "none"])
    }

    /// A new filesystem on a new loop device of this size, both by these names.
    #[track_caller]
    pub fn of(sandbox: &Sandbox, kind: &str, name: &str, mib: u64) -> (Self, LoopDevice) {
        let device = LoopDevice::empty(sandbox, &format!("{name}.img"), mib << 20);
        if kind == "ext4" {
            mkfs(&device.device)
        } else {
            drop(tool(&format!("mkfs.{kind}"), &["-q", &device.device]))
        }
        (Self::new(sandbox, name, &[&device.device]), device)
    }

    /// `above` is served by a program (FUSE) and shows `below`.
    #[track_caller]
    pub fn served(sandbox: &Sandbox, options: &[&str]) -> (PathBuf, Self) {
        let (below, above) = (folder(sandbox, "below"), folder(sandbox, "above"));
        tool("bindfs", &[options, &[below.to_str().unwrap(), above.to_str().unwrap()]].concat());
        (below, Self(above))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Leaves no room.
    pub fn fill(&self) {
        let mut full = File::create(self.0.join("ballast")).unwrap();
        std::io::copy(&mut File::open("/dev/zero").unwrap(), &mut full).unwrap_err();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
