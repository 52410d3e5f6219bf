//! The write rule where two names mean one file: names that are no text, files that were deleted, hard links, windows at an offset. Needs root.

use crate::common::*;
use ioproof_target::{System, stack};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A loop device on a file whose name may be of any bytes.
struct Attached(PathBuf);

impl Attached {
    fn new(file: &Path, options: &[&str]) -> Self {
        let output = Command::new("losetup").args(["--find", "--show"]).args(options).arg(file).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        Self(String::from_utf8(output.stdout).unwrap().trim().into())
    }

    fn name(&self) -> &str {
        self.0.file_name().unwrap().to_str().unwrap()
    }

    fn refused(&self) -> Vec<&'static str> {
        refused(&self.0, &destroy_unknown(self.name()))
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

fn file(folder: &Path, name: &[u8]) -> PathBuf {
    let path = folder.join(OsStr::from_bytes(name));
    std::fs::File::create(&path).unwrap().set_len(64 * MIB).unwrap();
    path
}

fn formatted(device: &Attached) -> Mounted {
    run("mkfs.ext4", &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device.0.to_str().unwrap()]);
    Mounted::new(&device.0, "noatime")
}

#[test]
fn a_mounted_filesystem_further_back_in_a_file_whose_name_is_no_text() {
    let folder = folder();
    let path = file(folder.path(), b"non\xffutf8.img");
    let (front, back) = (Attached::new(&path, &["--sizelimit", "33554432"]), Attached::new(&path, &["--offset", "33554432"]));
    let _mounted = formatted(&back);
    run("sync", &[]);
    let before = checksum(&path);
    assert_eq!(front.refused(), ["loop-backing"]);
    assert_eq!(back.refused(), ["mounted", "loop-backing", "signature"]);
    assert_eq!(checksum(&path), before);
}

#[test]
fn a_file_that_was_deleted() {
    let folder = folder();
    let path = file(folder.path(), b"gone.img");
    let (front, back) = (Attached::new(&path, &[]), Attached::new(&path, &["--offset", "33554432"]));
    let _mounted = formatted(&back);
    std::fs::remove_file(&path).unwrap();
    // The copies of the superblock further back may have reached the file, or not yet.
    assert_eq!(front.refused()[0], "loop-backing");
    // Another file of that name is another file, also one that is called as sysfs calls the first.
    for name in [&b"gone.img"[..], b"gone.img (deleted)"] {
        let other = Attached::new(&file(folder.path(), name), &[]);
        permit(&other.0, &destroy(other.name())).unwrap();
        assert_eq!(front.refused()[0], "loop-backing");
    }
}

#[test]
fn one_deleted_file_alone_may_be_written() {
    let folder = folder();
    let path = file(folder.path(), b"gone.img");
    let device = Attached::new(&path, &[]);
    std::fs::remove_file(&path).unwrap();
    permit(&device.0, &destroy(device.name())).unwrap();
}

#[test]
fn two_hard_links_of_one_file() {
    let folder = folder();
    let path = file(folder.path(), b"one");
    let other = folder.path().join("two");
    std::fs::hard_link(&path, &other).unwrap();
    let (first, _second) = (Attached::new(&path, &[]), Attached::new(&other, &[]));
    assert_eq!(first.refused(), ["loop-backing"]);
}

#[test]
fn a_file_of_any_name_that_backs_a_loop_device_is_not_overwritten() {
    let folder = folder();
    let path = file(folder.path(), b"non\xffutf8.img");
    let hard = folder.path().join("plain");
    std::fs::hard_link(&path, &hard).unwrap();
    let _device = Attached::new(&path, &[]);
    std::fs::remove_file(&path).unwrap();
    assert!(refused(&hard, &overwrite(&hard)).contains(&"open-elsewhere"));
}

#[test]
fn somebody_who_writes_to_the_file_behind() {
    let folder = folder();
    let path = file(folder.path(), b"file");
    let device = Attached::new(&path, &[]);
    let writer = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    assert_eq!(device.refused(), ["writers"]);
    drop(writer);
    permit(&device.0, &destroy(device.name())).unwrap();
}

#[test]
fn what_a_loop_device_lies_on_is_told_whatever_the_name() {
    let folder = folder();
    let plain = Attached::new(&file(folder.path(), b"plain"), &[]);
    let under = |device: &Attached| stack::of_device(&System::host(), device.name()).unwrap().under;
    let odd = file(folder.path(), b"non\xffutf8.img");
    let device = Attached::new(&odd, &[]);
    assert_eq!(under(&device), under(&plain));
    std::fs::remove_file(&odd).unwrap();
    assert_eq!(under(&device), under(&plain));
}
