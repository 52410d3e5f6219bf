//! Images of filesystems and partition tables, each made once by its own tool and copied for every attempt.

use crate::attack::{Setting, locked};
use crate::command::tool;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const MIB: u64 = 1 << 20;

pub struct Image {
    pub name: &'static str,
    size_bytes: u64,
    make: fn(&str) -> Result<()>,
    /// Type and options for mount(8), where it can be mounted. Only to be read, so that the kernel itself changes nothing.
    pub mounts: Option<(&'static str, &'static str)>,
}

/// Nothing of it is left to the kernel, which would write it in the background.
const EXT: [&str; 4] = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"];

pub const IMAGES: &[Image] = &[
    Image { name: "ext4", size_bytes: 8 * MIB, make: |path| make("mkfs.ext4", &EXT, path), mounts: Some(("ext4", "ro")) },
    Image { name: "ext2", size_bytes: 4 * MIB, make: |path| make("mkfs.ext2", &EXT, path), mounts: Some(("ext2", "ro")) },
    Image { name: "xfs", size_bytes: 300 * MIB, make: |path| make("mkfs.xfs", &["-q", "-f"], path), mounts: Some(("xfs", "ro,nouuid")) },
    Image { name: "btrfs", size_bytes: 128 * MIB, make: |path| make("mkfs.btrfs", &["-q", "-f"], path), mounts: Some(("btrfs", "ro")) },
    Image { name: "swap", size_bytes: 4 * MIB, make: |path| make("mkswap", &[], path), mounts: None },
    Image { name: "gpt", size_bytes: 16 * MIB, make: |path| make("sgdisk", &["--new=1:2048:18431"], path), mounts: None },
    Image { name: "mbr", size_bytes: 16 * MIB, make: mbr, mounts: None },
];

fn make(program: &str, words: &[&str], path: &str) -> Result<()> {
    tool(program, &[words, &[path]].concat()).map(drop)
}

fn mbr(path: &str) -> Result<()> {
    let program = crate::command::find_program("sfdisk").context("sfdisk is not there")?;
    let mut child = Command::new(program).args(["--quiet", path]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    child.stdin.take().context("sfdisk reads nothing")?.write_all(b"start=2048, size=16384, type=83\n")?;
    anyhow::ensure!(child.wait()?.success(), "sfdisk failed");
    Ok(())
}

/// Puts a copy of the image at this path. Btrfs is made anew, because the kernel takes two with one identity for parts of one.
pub fn copy(setting: &Setting, image: &'static Image, to: &Path) -> Result<()> {
    let create = |path: &Path| {
        File::create(path)?.set_len(image.size_bytes)?;
        (image.make)(&path.display().to_string())
    };
    if image.name == "btrfs" {
        return create(to);
    }
    let original = setting.folder.join(format!("{}.image", image.name));
    let mut made = locked(&setting.images);
    if !made.contains(image.name) {
        create(&original)?;
        made.insert(image.name);
    }
    drop(made);
    tool("cp", &["--sparse=always", "--reflink=auto", &original.display().to_string(), &to.display().to_string()]).map(drop)
}
