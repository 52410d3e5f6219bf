//! Loop devices and mounts of tests that need root, taken off when dropped.

use super::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a tool that must succeed; gives its output.
#[track_caller]
pub fn succeeds(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Something that is mounted, and taken off when dropped.
pub struct Mounted(pub PathBuf);

impl Mounted {
    /// Mounts at a folder, which is made where it is missing.
    pub fn new(at: PathBuf, args: &[&str]) -> Self {
        std::fs::create_dir_all(&at).unwrap();
        succeeds("mount", &[args, &[at.to_str().unwrap()]].concat());
        Self(at)
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A loop device on a file, detached when dropped.
pub struct LoopDevice {
    pub backing: PathBuf,
    pub device: String,
}

impl LoopDevice {
    pub fn attach(flags: &[&str], backing: &Path) -> Self {
        Self { backing: backing.to_owned(), device: super::attach(flags, backing) }
    }

    /// On a file of the sandbox, which is made of holes where it is missing.
    pub fn new(sandbox: &Sandbox, name: &str, size: u64, flags: &[&str]) -> Self {
        let backing = sandbox.work().join(name);
        if !backing.exists() {
            std::fs::File::create(&backing).unwrap().set_len(size).unwrap();
        }
        Self::attach(flags, &backing)
    }

    pub fn name(&self) -> &str {
        self.device.trim_start_matches("/dev/")
    }

    /// Reads that the device has done so far.
    pub fn reads(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", self.name())).unwrap();
        stat.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

/// Makes a folder where the program is run.
pub fn folder(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.work().join(name);
    std::fs::create_dir(&path).unwrap();
    path
}
