//! Loop devices and mounts of tests that need root, taken off when dropped.

use super::Sandbox;
use std::path::PathBuf;
use std::process::Command;

/// Runs a tool that has to do well.
pub fn succeeds(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
}

/// Something that is mounted, and taken off when dropped.
pub struct Mounted(pub PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// A loop device, detached when dropped.
pub struct Loop(pub String);

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.0]).status();
    }
}

/// Makes a folder where the program is run.
pub fn folder(sandbox: &Sandbox, name: &str) -> PathBuf {
    let path = sandbox.work().join(name);
    std::fs::create_dir(&path).unwrap();
    path
}
