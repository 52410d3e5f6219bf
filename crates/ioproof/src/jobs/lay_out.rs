//! Files that are read, or of which only existing blocks are to be written, get content before the clock starts.

use super::ask::Asked;
use super::prepare::{Clone, File};
use crate::progress::Progress;
use crate::stages::bench::clock_choice;
use anyhow::{Result, bail};
use ioproof_core::job::{JobSpec, Placement, Recording, Span, Until};
use ioproof_core::record::RoundOutcome;
use ioproof_core::units::binary_size;
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{BackendChoice, Control, Options};
use ioproof_target::{Handle, JobFiles, System};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Size of a write.
const BLOCK: u64 = 1 << 20;

/// Fills all files that need it, each once.
///
/// # Errors
/// When a file cannot be written, or the user ends it.
pub fn all(system: &System, asked: &Asked, permit: &mut JobFiles<'_>, clones: &[Clone], stop: &AtomicBool) -> Result<()> {
    let mut done = BTreeSet::new();
    let mut progress = Progress::new();
    for clone in clones {
        let settings = &asked.job(clone).settings;
        let reads = clone.compiled.spec.workload.read_percent > 0;
        let wanted = reads || settings.files.overwrite || settings.files.create_only;
        for file in clone.files.iter().filter(|file| wanted && file.is_regular()) {
            let size = file.handle.size_bytes();
            if file.content_bytes < size && done.insert(file.path.clone()) {
                progress.step(&format!("laying out {} of {}", binary_size(size), file.path.display()), Duration::ZERO);
                fill(system, file, size, stop)?;
                permit.filled(&file.path);
            }
        }
    }
    Ok(())
}

/// Writes what has no content yet, and syncs it.
fn fill(system: &System, file: &File, size: u64, stop: &AtomicBool) -> Result<()> {
    let handle = file.handle.again(false)?;
    let whole = (size - file.content_bytes) / BLOCK * BLOCK;
    let parts = [
        (file.content_bytes, whole, BLOCK),
        (file.content_bytes + whole, size - file.content_bytes - whole, size - file.content_bytes - whole),
    ];
    for (offset_bytes, length_bytes, block) in parts.into_iter().filter(|(_, length, block)| *length > 0 && *block >= 512) {
        write(system, &handle, Span { offset_bytes, length_bytes }, block as u32, stop, file)?;
    }
    Ok(rustix::fs::fsync(&handle)?)
}

fn write(system: &System, handle: &Handle, span: Span, block_bytes: u32, stop: &AtomicBool, file: &File) -> Result<()> {
    let spec = JobSpec {
        workload: Workload::plain(Pattern::Sequential, 0, block_bytes, 1, 1),
        span,
        ramp_ns: 0,
        until: Until::SpanCovered,
        at_most_ns: None,
        seed: 1,
        io_timeout_ns: 300_000_000_000,
        error_limit: 1,
        placement: Placement::default(),
        recording: Recording::default(),
        end_fsync: false,
    };
    let options = Options::new(BackendChoice::Psync, clock_choice(system));
    let outcome = ioproof_engine::run(&spec, &[handle], &options, Control { stop, observe: &mut |_| {} })?;
    match (outcome.outcome, outcome.errors.first) {
        (RoundOutcome::Complete, None) => Ok(()),
        (RoundOutcome::Interrupted, _) => bail!("interrupted while {} was laid out", file.path.display()),
        (_, Some(error)) => bail!("cannot lay out {}: {}", file.path.display(), error.message),
        _ => bail!("cannot lay out {}", file.path.display()),
    }
}
