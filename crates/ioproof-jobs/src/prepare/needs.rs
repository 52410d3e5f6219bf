//! Needs of a clone of each of its files, and the room that they take of their filesystems.

use crate::request::FioRequest;
use anyhow::Result;
use ioproof_core::job::Until;
use ioproof_core::shape::Order;
use ioproof_fio::compile::Compiled;
use ioproof_fio::jobs::FioJob;
use ioproof_fio::schedule::Instance;
use ioproof_fio::settings::{EngineName, Fallocate};
use ioproof_target::{Growth, OpenRequest, Space};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The files of a clone. Without I/O there are none.
pub fn paths(job: &FioJob, instance: &Instance) -> Vec<PathBuf> {
    if job.settings.engine.name == EngineName::Null { Vec::new() } else { instance.files.iter().map(PathBuf::from).collect() }
}

/// True where files get content before the clock starts: those that are read, and those of which only existing blocks are to be written.
pub fn is_filled(job: &FioJob, compiled: &Compiled) -> bool {
    let files = &job.settings.files;
    compiled.spec.workload.read_percent > 0 || files.overwrite || files.create_only
}

/// Request of a clone for each of its files. A file that is too small must be written to be made larger.
pub fn wishes(job: &FioJob, instance: &Instance, compiled: &Compiled, readonly: bool) -> Vec<(PathBuf, OpenRequest)> {
    let files = &job.settings.files;
    let (space, whole) = match compiled.engine {
        EngineName::Filecreate => (Space::Sparse, false),
        _ => (space(job, compiled), is_whole(job, compiled)),
    };
    let wish = |path: &PathBuf, needs: u64| {
        let grows = !readonly && std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() < needs);
        let write = compiled.writes() || grows;
        let only_grows = grows && !compiled.writes();
        OpenRequest {
            write,
            only_grows,
            direct: (job.settings.access.direct || compiled.engine == EngineName::Sg) && compiled.engine.has_data(),
            size_bytes: needs,
            space,
            whole,
            make: files.may_create && !readonly,
        }
    };
    paths(job, instance).into_iter().zip(&compiled.needs_bytes).map(|(path, needs)| (path.clone(), wish(&path, *needs))).collect()
}

/// With `create_on_open` a file that is only written is made empty.
fn is_empty_at_first(job: &FioJob, compiled: &Compiled) -> bool {
    job.settings.files.create_on_open && !needs_length(job, compiled)
}

/// True where files must have their length first: blocks that are read, mapped or trimmed must exist.
fn needs_length(job: &FioJob, compiled: &Compiled) -> bool {
    let workload = &compiled.spec.workload;
    is_filled(job, compiled) || !compiled.writes() || workload.trims() || workload.shape.data.checked || compiled.engine == EngineName::Mmap
}

/// True where the job is to meet the end of the space by its writes, so that none is set aside for it.
fn is_to_fill(job: &FioJob) -> bool {
    job.settings.files.fill_device
}

fn space(job: &FioJob, compiled: &Compiled) -> Space {
    match job.settings.files.fallocate {
        _ if is_empty_at_first(job, compiled) || is_to_fill(job) => Space::Sparse,
        Fallocate::None | Fallocate::Truncate => Space::Sparse,
        Fallocate::Keep => Space::Kept,
        Fallocate::Native | Fallocate::Posix => Space::Reserved,
    }
}

/// True where a file has its length before it is written.
fn is_whole(job: &FioJob, compiled: &Compiled) -> bool {
    let files = &job.settings.files;
    let grows = matches!(files.fallocate, Fallocate::None | Fallocate::Keep) || files.create_on_open || is_to_fill(job);
    needs_length(job, compiled) || !grows
}

/// Refuses before anything is made where the files of all clones do not fit.
pub fn check_room<'a>(request: &FioRequest, clones: impl Iterator<Item = (&'a Instance, &'a Compiled)>) -> Result<()> {
    if request.line.general.readonly {
        return Ok(());
    }
    let mut files: BTreeMap<PathBuf, Growth> = BTreeMap::new();
    for (instance, compiled) in clones {
        let job = &request.jobs[instance.job];
        // It is meant to meet the end of the space.
        if is_to_fill(job) || !job.settings.files.may_create {
            continue;
        }
        let files_and_growths = paths(job, instance).into_iter().zip(growths(job, compiled));
        for (path, one) in files_and_growths.filter(|(path, _)| !ioproof_target::is_drive_name(path)) {
            files.entry(path).and_modify(|other| *other = other.and(one)).or_insert(one);
        }
    }
    Ok(ioproof_target::check_free_space(files.iter().map(|(path, growth)| (path.as_path(), *growth)))?)
}

fn growths(job: &FioJob, compiled: &Compiled) -> impl Iterator<Item = Growth> {
    let laid_out = is_filled(job, compiled) || space(job, compiled) != Space::Sparse;
    let (spec, most_bytes) = (&compiled.spec, most_written_bytes(compiled));
    compiled.needs_bytes.iter().enumerate().map(move |(at, size_bytes)| {
        let span = spec.placement.target_spans.get(at).copied().unwrap_or(spec.span);
        Growth {
            size_bytes: *size_bytes,
            laid_out_bytes: if laid_out { *size_bytes } else { 0 },
            written_bytes: if compiled.engine.is_by_name() { 0 } else { reach_bytes(compiled, span.length_bytes).min(most_bytes) },
            least_write_bytes: u64::from(spec.workload.smallest_block_bytes()),
            span_bytes: span.length_bytes,
        }
    })
}

/// Bytes of a span that a pass comes to: gaps between its I/Os stay as they are, with every pass that begins at the same place.
fn reach_bytes(compiled: &Compiled, span_bytes: u64) -> u64 {
    let workload = &compiled.spec.workload;
    let (block, largest) = (u64::from(workload.smallest_block_bytes()), u64::from(workload.largest_block_bytes()));
    match workload.shape.order {
        Order::Skipping { skip_bytes, wraps: false, .. } if skip_bytes > 0 && block == largest => {
            let ios = span_bytes.div_ceil(block.saturating_add(skip_bytes.unsigned_abs()).max(1));
            ios.saturating_mul(block).min(span_bytes)
        }
        _ => span_bytes,
    }
}

/// Most that a clone writes, of each of its files as of all of them: nobody knows beforehand which blocks a random one takes, or how far it comes in its time.
fn most_written_bytes(compiled: &Compiled) -> u64 {
    let (spec, workload) = (&compiled.spec, &compiled.spec.workload);
    if workload.write_percent() == 0 {
        return 0;
    }
    let of_worker = match spec.until {
        Until::Bytes(bytes) => bytes,
        Until::Ios(ios) => ios.saturating_mul(workload.largest_block_bytes().into()),
        Until::ElapsedNs(_) | Until::SpanCovered => u64::MAX,
    };
    of_worker.saturating_mul(workload.workers.into())
}
