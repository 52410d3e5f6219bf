//! Files with the content that a cause wants. Beside this, `scene.rs` says where they lie.

use super::cause::Content;
use anyhow::Result;
use rustix::fs::{FallocateFlags, fallocate};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Size of every file that is measured. MiB.
pub const MIB: u64 = 256;

pub fn make(path: &Path, content: Content) -> Result<()> {
    let file = File::create_new(path)?;
    file.set_len(MIB << 20)?;
    if content == Content::Allocated {
        fallocate(&file, FallocateFlags::empty(), 0, MIB << 20)?;
    }
    fill(&file, content)?;
    Ok(file.sync_all()?)
}

pub fn fill(file: &File, content: Content) -> Result<()> {
    let Some(step) = step_mib(content) else { return Ok(()) };
    let mut block = text();
    for mib in (0..MIB).step_by(step) {
        match content {
            Content::Text => {}
            _ => File::open("/dev/urandom")?.read_exact(&mut block)?,
        }
        file.write_all_at(&block, mib << 20)?;
    }
    Ok(())
}

/// Every how many MiB one is written; none for what is not written at all.
fn step_mib(content: Content) -> Option<usize> {
    match content {
        Content::Random | Content::Text => Some(1),
        Content::HalfHoles => Some(2),
        Content::Sparse | Content::Allocated => None,
    }
}

fn text() -> Vec<u8> {
    let lines = (0..).flat_map(|n: u32| format!("line {n:>9} of a text that a compressor makes much smaller\n").into_bytes());
    lines.take(1 << 20).collect()
}
