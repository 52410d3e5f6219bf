//! One clone of a job, with the sizes of its files known -> what the engine is to do. Whatever differs from what the job asks for is said in a note.

mod by_name;
mod data;
mod host;
mod load;
mod metadata;
mod order;
mod replay;
mod zbd;

pub use replay::compile_replay;

use super::region::{Existing, gaps, places};
use super::settings::{EngineName, JobSettings, OpenSync};
use super::values::{Mode, Suffix};
use ioproof_core::job::{JobSpec, Recording, Span, Until};
use ioproof_core::shape::Order;
use ioproof_core::workload::{Durability, Workload};

/// An I/O that does not come back for so long ends the job as hung. Nanoseconds.
const IO_TIMEOUT_NS: u64 = 300_000_000_000;

/// Most I/Os of a clone that logs show one by one, where no size bounds them.
const NOTED_IOS: u64 = 8_000_000;

/// Files whose last syncs are recorded beside as many I/Os as there may be.
const FILES_SYNCED: u64 = 10_000;

/// Slices of the run over time are at most so long. Nanoseconds.
const SLICE_NS: u64 = 100_000_000;

/// And at least so long. Nanoseconds.
const SHORTEST_SLICE_NS: u64 = 1_000_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    pub spec: JobSpec,
    pub engine: EngineName,
    pub polled: bool,
    pub kernel_submits: bool,
    /// Filling of the queue, where the job says so: I/Os of one call, and the I/Os that a queue that was full falls to before it is filled again.
    pub batching: Option<(u32, u32)>,
    pub reads_back: bool,
    pub only_verifies: bool,
    pub needs_bytes: Vec<u64>,
    pub notes: Vec<String>,
}

impl Compiled {
    pub fn writes(&self) -> bool {
        let changes = if self.engine.has_data() { self.spec.workload.writes() } else { self.engine.changes_files() };
        changes && !self.only_verifies
    }
}

/// Makes the engine's job of clone `clone` (from 0) on its files. `seed` is drawn by the caller; jobs that ask for the same offsets in every run do not use it.
///
/// # Errors
/// Says what of the job cannot be done, with these files.
pub fn compile(settings: &JobSettings, clone: u32, number: u32, existing: &[Existing], seed: u64) -> Result<Compiled, String> {
    metadata::check(settings, existing)?;
    let names = existing.len();
    let (of_names, endless) = (by_name::settings(settings, names)?, [Existing { is_endless: true, ..Existing::default() }]);
    let (settings, existing) = of_names.as_ref().map_or((settings, existing), |of_names| (of_names, &endless[..]));
    let settings = &*zbd::in_bytes(settings)?;
    let mut places = places(settings, clone, existing, of_clone(settings, number, seed))?;
    let mut notes = Vec::new();
    let mut workload = workload(settings, &mut notes)?;
    zbd::whole_zones(settings, &workload.shape.order, &mut places)?;
    if let Order::Skipping { wraps, skip_bytes, .. } = &mut workload.shape.order {
        *wraps = gaps::wrap(&places, existing);
        if *skip_bytes < 0 && places.spans.iter().any(|span| span.offset_bytes > 0) {
            notes.push("going backwards begins at the offset, where fio begins as far before size as the gap goes back".into());
        }
    }
    let (until, at_most_ns) = until(settings, &workload, places.total_bytes);
    let first = places.spans.first().copied().unwrap_or(Span { offset_bytes: 0, length_bytes: 0 });
    let each = if workload.shape.trims_first { 2 } else { 1 };
    let ios = (places.total_bytes / u64::from(workload.smallest_block_bytes().max(1))).saturating_mul(each);
    let spec = JobSpec {
        recording: recording(settings, ios),
        placement: host::placement(settings, clone, &places.spans, &mut notes)?,
        span: first,
        ramp_ns: settings.time.ramp_ns,
        until,
        at_most_ns,
        at_most_bytes: matches!(until, Until::Ios(_)).then_some(places.total_bytes),
        seed: of_clone(settings, number, seed),
        io_timeout_ns: IO_TIMEOUT_NS,
        error_limit: if settings.errors.survived.is_empty() && settings.errors.ignored.iter().all(Vec::is_empty) { 1 } else { u64::MAX },
        end_fsync: workload.writes() && (settings.syncs.end_fsync || settings.syncs.fsync_on_close),
        workload,
    };
    let writes_checked = spec.workload.shape.data.checked && spec.workload.writes();
    let engine = &settings.engine;
    Ok(Compiled {
        spec,
        engine: engine.name,
        polled: engine.polled,
        kernel_submits: engine.kernel_thread,
        batching: batching(settings),
        reads_back: writes_checked && settings.verify.after_writing,
        only_verifies: writes_checked && settings.verify.only,
        needs_bytes: if of_names.is_some() { by_name::needs_bytes(settings, names) } else { places.needs_bytes },
        notes,
    })
}

pub(crate) fn workload(settings: &JobSettings, notes: &mut Vec<String>) -> Result<Workload, String> {
    let JobSettings { access, blocks, submission, engine, .. } = settings;
    let (read_percent, trim_percent, nominal) = match access.rw.mode {
        Mode::Read => (100, 0, blocks.size.read),
        Mode::Write => (0, 0, blocks.size.write),
        Mode::Trim => (0, 100, blocks.size.trim),
        Mode::ReadWrite => (load::read_percent(settings), 0, blocks.size.read),
        Mode::TrimWrite => (0, 50, blocks.size.write),
    };
    let mut shape = load::shape(settings)?;
    shape.trim_percent = trim_percent;
    shape.trims_first = access.rw.mode == Mode::TrimWrite;
    shape.order = order::order(settings, notes)?;
    shape.separate_streams = access.rw.mode == Mode::ReadWrite
        && (!access.rw.random || matches!(access.rw.suffix, Suffix::Every(2..)) || settings.region.zones.strided);
    shape.data = data::data(settings, notes)?;
    if access.rw.mode == Mode::ReadWrite && read_percent == 100 && shape.data.checked {
        shape.data.checked = false;
        notes.push("a job that reads and writes verifies what it wrote, and this one writes nothing: nothing is verified".into());
    }
    let depth = if engine.name.is_synchronous() || trim_percent > 0 { 1 } else { submission.depth.max(1) };
    let durability = if read_percent == 100 || trim_percent == 100 { Durability::None } else { durability(settings, notes) };
    let pattern = if access.rw.random { ioproof_core::workload::Pattern::Random } else { ioproof_core::workload::Pattern::Sequential };
    let block_bytes = u32::try_from(nominal).map_err(|_| format!("blocks of {nominal} bytes are too large"))?;
    let backend = (!engine.name.has_data()).then(|| engine.name.word().to_owned());
    let mut workload = Workload { durability, shape, backend, ..Workload::plain(pattern, read_percent, block_bytes, 1, depth) };
    order::ask_for_map(settings, &mut workload, notes);
    Ok(workload)
}

const ONE_WAY: &str = "of several ways to sync only one is done: that of sync, else of fsync, else of fdatasync, else of sync_file_range";

fn durability(settings: &JobSettings, notes: &mut Vec<String>) -> Durability {
    let syncs = &settings.syncs;
    let every = [syncs.fsync_every > 0, syncs.fdatasync_every > 0, syncs.range_every > 0, syncs.open != OpenSync::None];
    if every.iter().filter(|asked| **asked).count() > 1 {
        notes.push(ONE_WAY.into());
    }
    match (syncs.open, syncs.fsync_every, syncs.fdatasync_every, syncs.range_every) {
        (OpenSync::Sync, ..) => Durability::Sync,
        (OpenSync::Dsync, ..) => Durability::Dsync,
        (_, 1.., ..) => Durability::FsyncEvery(syncs.fsync_every),
        (_, _, 1.., _) => Durability::FdatasyncEvery(syncs.fdatasync_every),
        (.., 1..) => Durability::SyncFileRangeEvery(syncs.range_every),
        _ => Durability::None,
    }
}

fn until(settings: &JobSettings, workload: &Workload, total_bytes: u64) -> (Until, Option<u64>) {
    let time = &settings.time;
    let at_most_ns = (time.runtime_ns > 0).then_some(time.runtime_ns);
    if let (true, Some(ns)) = (time.time_based && !settings.files.append, at_most_ns) {
        return (Until::ElapsedNs(ns), None);
    }
    match settings.region.ios {
        Some(ios) => {
            let all = ios.saturating_mul(u64::from(time.loops.max(1)));
            (Until::Ios(all.min(total_bytes.div_ceil(workload.smallest_block_bytes().max(1).into()))), at_most_ns)
        }
        None => (Until::Bytes(total_bytes), at_most_ns),
    }
}

/// Offsets repeat from run to run unless the job asks for others; clones never share theirs.
fn of_clone(settings: &JobSettings, number: u32, drawn: u64) -> u64 {
    let random = &settings.random;
    let base = match random.seed {
        Some(seed) => seed,
        None if random.same_offsets || random.same_everything => 0x5eed,
        None => drawn,
    };
    // Below 2^53, so that every reader of JSON gives the same number back.
    base.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)) & ((1 << 53) - 1)
}

/// Where a call is an I/O there is no queue to fill.
fn batching(settings: &JobSettings) -> Option<(u32, u32)> {
    let submission = &settings.submission;
    let at_once = submission.at_once().filter(|_| !settings.engine.name.is_synchronous());
    at_once.map(|at_once| (at_once, submission.refill_at()))
}

fn recording(settings: &JobSettings, ios: u64) -> Recording {
    let (logs, report) = (&settings.logs, &settings.report);
    let wants_log = [&logs.bandwidth, &logs.latency, &logs.iops].into_iter().any(Option::is_some);
    let each = wants_log && logs.average_ns == 0 || logs.histogram.is_some();
    let bounded = if settings.time.time_based { NOTED_IOS } else { ios.saturating_add(1).min(NOTED_IOS) };
    // Completion is timed from the end of the submission.
    let is_told = !report.no_slat || !report.no_clat;
    let has_queue = !settings.engine.name.is_synchronous() && settings.engine.name != EngineName::Null;
    Recording {
        latency: !(report.no_lat && report.no_clat),
        split: is_told && has_queue,
        slice_ns: slice_ns(logs.average_ns, logs.sample_times().shortest_ns()),
        noted_ios: if each { bounded } else { 0 },
        // Syncs are recorded too, and no more of them come than one an I/O and one a file.
        recorded_ios: if settings.replay.record.is_some() {
            bounded.saturating_mul(2).saturating_add(FILES_SYNCED).min(NOTED_IOS)
        } else {
            0
        },
        to_the_last: true,
    }
}

/// A slice that the shortest sample of rates is a whole number of, and a window of the logs too.
fn slice_ns(window_ns: u64, sample_ns: u64) -> u64 {
    let part = |whole: u64, most: u64| if whole == 0 { most } else { whole / whole.div_ceil(most) };
    part(window_ns, part(sample_ns, SLICE_NS).max(SHORTEST_SLICE_NS)).max(SHORTEST_SLICE_NS)
}

#[cfg(test)]
mod tests;
