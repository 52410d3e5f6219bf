//! Files that are read, or of which only existing blocks are to be written, get content before the clock starts.
//!
//! The content is such that a file of a run that is killed can be known again ([`laid_out`]). A file is written in one ascending pass by plain writes:
//! thousands of small files are many, and to start the engine for each would take longer than to write it.

use super::ask::Asked;
use super::clone::{Clone, File};
use super::patience::Patience;
use super::prepare::is_filled;
use anyhow::{Context, Result, bail};
use ioproof_core::units::binary_size;
use ioproof_target::{Handle, JobFiles, laid_out};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

/// Size of a write. Bytes.
const PIECE_BYTES: u64 = 1 << 20;

/// Fills all files that need it, each once.
///
/// # Errors
/// When a file cannot be written, or the user ends it.
pub fn all(asked: &Asked, permit: &mut JobFiles<'_>, clones: &[Clone], stop: &AtomicBool) -> Result<()> {
    let files = wanted(asked, clones);
    let missing = |(file, _): &(&File, bool)| file.handle.size_bytes() - file.content_bytes;
    let mut patience = Patience::new(stop, files.iter().map(missing).sum());
    let mut piece = vec![0; PIECE_BYTES as usize];
    for (file, sync) in files {
        fill(file, sync, &mut piece, &mut patience).with_context(|| format!("cannot lay out {}", file.path.display()))?;
        permit.filled(&file.path);
    }
    permit.laid_out();
    Ok(())
}

/// The files that lack content which a job needs, each once, and whether they are synced.
fn wanted<'a>(asked: &Asked, clones: &'a [Clone]) -> Vec<(&'a File, bool)> {
    let mut seen = BTreeSet::new();
    let lacks = |file: &&File| file.is_regular() && file.content_bytes < file.handle.size_bytes();
    let needy = clones.iter().filter(|clone| is_filled(asked.job(clone), &clone.compiled));
    let files = needy.flat_map(|clone| clone.files.iter().filter(lacks).map(|file| (file, asked.job(clone).settings.files.create_fsync)));
    files.filter(|(file, _)| seen.insert(&file.path)).collect()
}

/// Writes what has no content yet.
fn fill(file: &File, sync: bool, piece: &mut [u8], patience: &mut Patience<'_>) -> Result<()> {
    let handle = file.handle.again(false)?;
    let stat = rustix::fs::fstat(&handle)?;
    let end = handle.size_bytes();
    let mut at = file.content_bytes;
    while at < end {
        let length = (end - at).min(PIECE_BYTES - at % PIECE_BYTES);
        let piece = &mut piece[..length as usize];
        laid_out::fill((stat.st_dev, stat.st_ino), at, piece);
        write(&handle, piece, at)?;
        at += length;
        patience.step(length, |done, all| format!("laying out {} of {}", binary_size(done), binary_size(all)))?;
    }
    if sync {
        rustix::fs::fsync(&handle)?;
    }
    Ok(())
}

fn write(handle: &Handle, mut piece: &[u8], mut at: u64) -> Result<()> {
    while !piece.is_empty() {
        let written = match rustix::io::pwrite(handle, piece, at) {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) => bail!("the system wrote nothing and gave no reason"),
            other => other?,
        };
        piece = &piece[written..];
        at += written as u64;
    }
    Ok(())
}
