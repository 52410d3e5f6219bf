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
use ioproof_engine::{BackendChoice, Control, Options, Snapshot};
use ioproof_target::{Handle, JobFiles, System};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Size of a write.
const BLOCK: u64 = 1 << 20;

/// Before that nothing is said.
const SILENT: Duration = Duration::from_secs(2);

/// Fills all files that need it, each once.
///
/// # Errors
/// When a file cannot be written, or the user ends it.
pub fn all(system: &System, asked: &Asked, permit: &mut JobFiles<'_>, clones: &[Clone], stop: &AtomicBool) -> Result<()> {
    let files = wanted(asked, clones);
    let missing = |file: &File| file.handle.size_bytes() - file.content_bytes;
    let mut work = Work {
        system,
        stop,
        all: files.iter().map(|file| missing(file)).sum(),
        done: 0,
        started: Instant::now(),
        progress: Progress::new(),
    };
    for file in files {
        work.fill(file)?;
        work.done += missing(file);
        permit.filled(&file.path);
    }
    Ok(())
}

/// The files that lack content which a job needs, each once.
fn wanted<'a>(asked: &Asked, clones: &'a [Clone]) -> Vec<&'a File> {
    let mut seen = BTreeSet::new();
    let needs = |clone: &&Clone| {
        let files = &asked.job(clone).settings.files;
        clone.compiled.spec.workload.read_percent > 0 || files.overwrite || files.create_only
    };
    let lacks = |file: &&File| file.is_regular() && file.content_bytes < file.handle.size_bytes();
    clones.iter().filter(needs).flat_map(|clone| &clone.files).filter(lacks).filter(|file| seen.insert(&file.path)).collect()
}

/// The laying out of all files.
struct Work<'a> {
    system: &'a System,
    stop: &'a AtomicBool,
    /// Bytes to be written, and written so far in files that are done.
    all: u64,
    done: u64,
    started: Instant,
    progress: Progress,
}

impl Work<'_> {
    /// Writes what has no content yet, and syncs it.
    fn fill(&mut self, file: &File) -> Result<()> {
        let handle = file.handle.again(false)?;
        let begin = file.content_bytes;
        let missing = file.handle.size_bytes() - begin;
        let whole = missing / BLOCK * BLOCK;
        let parts = [(begin, whole, BLOCK), (begin + whole, missing - whole, missing - whole)];
        for (offset_bytes, length_bytes, block) in parts.into_iter().filter(|(_, length, block)| *length > 0 && *block >= 512) {
            self.write(&handle, &job(Span { offset_bytes, length_bytes }, block as u32), file)?;
        }
        Ok(rustix::fs::fsync(&handle)?)
    }

    fn write(&mut self, handle: &Handle, spec: &JobSpec, file: &File) -> Result<()> {
        let before = spec.span.offset_bytes - file.content_bytes;
        let Self { system, stop, all, done, started, progress } = self;
        let mut observe = |now: Snapshot| show(progress, *all, *done + before + now.written_bytes, started.elapsed());
        let options = Options::new(BackendChoice::Psync, clock_choice(system));
        let outcome = ioproof_engine::run(spec, &[handle], &options, Control { stop, observe: &mut observe })?;
        match (outcome.outcome, outcome.errors.first) {
            (RoundOutcome::Complete, None) => Ok(()),
            (RoundOutcome::Interrupted, _) => bail!("interrupted while {} was laid out", file.path.display()),
            (_, Some(error)) => bail!("cannot lay out {}: {}", file.path.display(), error.message),
            _ => bail!("cannot lay out {}", file.path.display()),
        }
    }
}

/// Nothing is said of what is done within two seconds.
fn show(progress: &mut Progress, all: u64, done: u64, elapsed: Duration) {
    if elapsed >= SILENT && done > 0 {
        let left = elapsed.mul_f64(all.saturating_sub(done) as f64 / done as f64);
        progress.step(&format!("laying out {} of {}", binary_size(done), binary_size(all)), left);
    }
}

/// Ascending writes over a span.
fn job(span: Span, block_bytes: u32) -> JobSpec {
    JobSpec {
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
    }
}
