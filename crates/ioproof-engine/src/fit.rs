//! Whether a job fits its targets and its backend, asked before anything is started. Each line of the tables is one reason to refuse.

use crate::api::{EngineError, Options};
use crate::backend::BackendChoice;
use crate::offsets;
use ioproof_core::job::{JobSpec, Span};
use ioproof_core::shape::{Fill, Shape};
use ioproof_core::workload::Workload;
use ioproof_target::Handle;

/// Refuses what cannot be run as asked, before anything is done to the targets. [`crate::run`] asks the same itself.
///
/// # Errors
/// Says what does not fit.
pub fn check(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Result<(), EngineError> {
    if spec.workload.writes() && targets.iter().any(|t| !t.may_write()) {
        return Err(EngineError::NotPermitted);
    }
    let reasons = workload(&spec.workload)
        .or_else(|| shape(&spec.workload))
        .or_else(|| backend(&spec.workload, options))
        .or_else(|| targets.iter().enumerate().find_map(|(number, t)| target(spec, number, t)))
        .or_else(|| spans(spec))
        .or_else(|| ledger(spec, targets, options));
    match reasons.map(str::to_owned).or_else(|| memory(&spec.workload)) {
        Some(reason) => Err(EngineError::BadJob(reason)),
        None => offsets::check(spec).map_err(EngineError::BadJob),
    }
}

fn workload(w: &Workload) -> Option<&'static str> {
    let sizes = [w.block_bytes, w.smallest_block_bytes(), w.largest_block_bytes()];
    match () {
        () if w.workers == 0 || w.depth == 0 => Some("no workers or no queue depth"),
        () if w.workers > 65536 || w.depth > 65536 => Some("more than 65536 workers or a queue deeper than that"),
        () if sizes.iter().any(|s| !(512..=1 << 30).contains(s)) => Some("block size outside 512 B to 1 GiB"),
        () if w.read_percent > 100 || w.shape.trim_percent > 100 - w.read_percent => Some("reads and trims are more than 100 % together"),
        () => None,
    }
}

/// Buffers of all workers must leave memory to everybody else; the kernel would rather kill than refuse.
fn memory(w: &Workload) -> Option<String> {
    let parts = if w.read_percent > 0 && w.writes() { 2 } else { 1 };
    let each = u64::from(w.largest_block_bytes()).next_multiple_of(4096);
    let needed = [u64::from(w.workers), u64::from(w.depth), parts].into_iter().fold(each, u64::saturating_mul);
    let system = rustix::system::sysinfo();
    let there = (system.totalram as u64).saturating_mul(system.mem_unit.into());
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    (needed > there / 2).then(|| {
        format!("its buffers take {:.1} GiB, and this host has {:.1}: fewer workers, less depth or smaller blocks", gib(needed), gib(there))
    })
}

fn shape(w: &Workload) -> Option<&'static str> {
    let Shape { data, pace, limits, think, .. } = &w.shape;
    let each = [limits.read_ios_per_s, limits.write_ios_per_s, limits.read_bytes_per_s, limits.write_bytes_per_s];
    let shares = data.compressible_percent > 0 || data.duplicate_percent > 0;
    match () {
        () if pace.ios_per_s() == Some(0) || each.contains(&Some(0)) => Some("a rate of nothing"),
        () if pace.ios_per_s().is_some() && think.is_some() => Some("an open loop has its own times and knows no pauses"),
        () if think.is_some_and(|t| t.every == 0) => Some("a pause after every 0 I/Os"),
        () if data.compressible_percent > 99 || data.duplicate_percent > 99 => Some("compressible or duplicate shares go up to 99 %"),
        () if shares && (data.fill == Fill::Zero || data.fill.pattern().is_some()) => {
            Some("zeros and patterns have no share that compresses")
        }
        () if data.fill.pattern().is_some_and(|(bytes, _)| bytes.is_empty()) => Some("an empty pattern"),
        () if data.fill.pattern().is_some_and(|(bytes, places)| places.iter().any(|place| place + 8 > bytes.len())) => {
            Some("an offset has eight bytes, for which the pattern has no room")
        }
        () if data.checked && (shares || matches!(data.fill, Fill::Fresh | Fill::Zero)) => {
            Some("checked data has headers of its own or is a pattern: no other data with it")
        }
        () if data.checked && w.trims() => Some("what is trimmed cannot be checked"),
        () => None,
    }
}

fn backend(w: &Workload, options: &Options) -> Option<&'static str> {
    use BackendChoice::{Auto, IoUring, Libaio, Null, PosixAio, Psync, Pvsync2};
    let choice = options.backend;
    match () {
        () if w.trims() && matches!(choice, IoUring | Libaio | PosixAio) => {
            Some("trim has no asynchronous call; use psync, which takes a thread for each outstanding I/O")
        }
        () if options.polled && !matches!(choice, IoUring | Auto | Pvsync2) => Some("only io_uring and pvsync2 can poll"),
        () if options.kernel_submits && !matches!(choice, IoUring | Auto) => Some("only io_uring has a kernel thread that submits"),
        () if options.faults.is_some() && !matches!(choice, IoUring | Auto | Psync) => Some("faults go into io_uring and psync only"),
        () if choice == Null && w.shape.data.checked => Some("without I/O there is nothing to check"),
        () => None,
    }
}

fn target(spec: &JobSpec, number: usize, target: &Handle) -> Option<&'static str> {
    let aligned = |bytes: u64| bytes.is_multiple_of(target.alignment_bytes().into());
    let Shape { read_sizes, write_sizes, read_range, write_range, .. } = &spec.workload.shape;
    let ranges = [read_range, write_range].into_iter().flatten().map(|r| r.least_bytes);
    let mut sizes = read_sizes.iter().chain(write_sizes).map(|s| s.bytes).chain(ranges).chain([spec.workload.block_bytes]);
    let end = |span: &Span| span.offset_bytes.checked_add(span.length_bytes);
    let own = spec.placement.target_spans.get(number);
    let mut spans = own.map_or_else(|| [&[spec.span][..], &spec.placement.spans].concat(), |own| vec![*own]).into_iter();
    match () {
        () if spec.workload.read_percent > 0 && !target.may_read() => Some("it reads, and the target cannot be read"),
        () if !sizes.all(|s| aligned(s.into())) => Some("block size is no multiple of the target's block"),
        () if spans.clone().any(|s| !aligned(s.offset_bytes)) => Some("span does not begin at a block of the target"),
        () if spans.any(|s| end(&s).is_none_or(|end| end > target.size_bytes())) => Some("span exceeds the target"),
        () => None,
    }
}

fn spans(spec: &JobSpec) -> Option<&'static str> {
    let w = &spec.workload;
    let room = |span: &Span, workers: u32| span.length_bytes / u64::from(w.largest_block_bytes()) >= workers.into();
    let own = &spec.placement.spans;
    let own_targets = &spec.placement.target_spans;
    match () {
        () if own_targets.iter().any(|s| !room(s, 1)) => Some("a target's span is smaller than one block"),
        () if own.is_empty() && own_targets.is_empty() && !room(&spec.span, w.workers) => Some("span is smaller than one block a worker"),
        () if own.iter().any(|s| !room(s, 1)) => Some("a worker's span is smaller than one block"),
        () => None,
    }
}

fn ledger(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Option<&'static str> {
    let Shape { data, read_sizes, write_sizes, read_range, write_range, .. } = &spec.workload.shape;
    let ranges = [read_range, write_range].into_iter().flatten().map(|r| r.least_bytes);
    let mut sizes = read_sizes.iter().chain(write_sizes).map(|s| s.bytes).chain(ranges).chain([spec.workload.block_bytes]);
    let Some(ledger) = options.ledger else {
        return match () {
            () if !data.checked && !options.read_back => None,
            () if options.read_back || spec.workload.writes() => Some("checked data needs a ledger"),
            // What an earlier job wrote is known by itself.
            () if data.fill.pattern().is_none() && !sizes.all(|s| s.is_multiple_of(512)) => Some("headers are in pieces of 512 bytes"),
            () => None,
        };
    };
    let spans = &spec.placement.target_spans;
    let whole = [spec.span].into_iter().chain(spec.placement.spans.iter().copied());
    let mut all: Vec<(usize, Span)> = spans.iter().copied().enumerate().collect();
    all.extend(whole.filter(|_| spans.is_empty()).map(|span| (0, span)));
    match () {
        () if targets.len() != ledger.targets() => Some("the ledger is of other targets"),
        () if options.read_back && spec.workload.writes() => Some("reading back writes nothing"),
        () if all.iter().any(|(target, span)| !ledger.of(*target as u32).covers(*span)) => Some("the ledger is of another span"),
        () if !sizes.all(|s| s.is_multiple_of(ledger.unit_bytes())) => Some("the ledger's unit is no part of a block"),
        () => None,
    }
}
