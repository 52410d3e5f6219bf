//! Files, zram devices and stored runs with the content that a cause wants. Beside this, `scene.rs` says where files lie.

use super::cause::{Content, Edit};
use crate::command::tool;
use crate::kept::Kept;
use anyhow::{Context, Result};
use rustix::fs::{FallocateFlags, fallocate};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub const MIB: u64 = 256;

pub fn file(path: &Path, content: Content) -> Result<()> {
    let file = File::create_new(path)?;
    file.set_len(MIB << 20)?;
    if content == Content::Allocated {
        fallocate(&file, FallocateFlags::empty(), 0, MIB << 20)?;
    }
    fill(&file, content)?;
    Ok(file.sync_all()?)
}

fn fill(file: &File, content: Content) -> Result<()> {
    // Every how many MiB one is written.
    let step = match content {
        Content::Random | Content::Text => 1,
        Content::HalfHoles => 2,
        Content::Sparse | Content::Allocated => return Ok(()),
    };
    let lines = (0..).flat_map(|n: u32| format!("line {n:>9} of a text that a compressor makes much smaller\n").into_bytes());
    let mut block: Vec<u8> = lines.take(1 << 20).collect();
    for mib in (0..MIB).step_by(step) {
        if content != Content::Text {
            File::open("/dev/urandom")?.read_exact(&mut block)?;
        }
        file.write_all_at(&block, mib << 20)?;
    }
    Ok(())
}

const ZRAM: &str = "/sys/class/zram-control";

/// A zram device of its own, added and removed by the kernel's control files (Documentation/admin-guide/blockdev/zram.rst); gives its node.
pub fn zram(kept: &mut Kept, content: Content) -> Result<PathBuf> {
    let number = std::fs::read_to_string(Path::new(ZRAM).join("hot_add")).context("cannot add a zram device")?;
    let (number, node) = (number.trim(), PathBuf::from(format!("/dev/zram{}", number.trim())));
    // Whoever looks at new devices may have it open for a moment.
    let remove = "for n in $(seq 50); do echo 1 >/sys/block/zram$0/reset; echo $0 >\"$1/hot_remove\" && exit; sleep 0.02; done";
    kept.undo("sh", &["-c", remove, number, ZRAM]);
    std::fs::write(format!("/sys/block/zram{number}/disksize"), format!("{MIB}M"))?;
    fill(&File::options().write(true).open(&node)?, content)?;
    Ok(node)
}

const RUN: &str = "fixtures/runs/20261203-101500-7b21";

/// A stored run of the fixtures with changed facts, to be judged again: for drives and links that no host has.
pub fn stored(folder: &Path, edits: &[Edit]) -> Result<PathBuf> {
    let run = folder.join("20261203-101500-7b21");
    tool("cp", &["-r", &crate::workspace_root().join(RUN).display().to_string(), &run.display().to_string()])?;
    for edit in edits {
        let file = run.join(edit.file);
        let mut record: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
        let (parent, name) = edit.at.rsplit_once('/').context("an edit needs a place")?;
        let parent = record.pointer_mut(parent).and_then(Value::as_object_mut).with_context(|| format!("there is no {}", edit.at))?;
        parent.insert(name.to_owned(), serde_json::from_str(edit.value)?);
        std::fs::write(file, record.to_string())?;
    }
    Ok(run)
}
