//! Validation of a job against its targets and its backend, before anything is started. Each line of the tables is one reason to refuse.

pub(crate) mod memory;
mod replay;

use crate::api::{EngineError, Options};
use crate::backend::BackendChoice;
use crate::buffers::buffer_bytes;
use crate::offsets;
use ioproof_core::job::{JobSpec, Span};
use ioproof_core::shape::{DataCommand, Fill, Order, Shape};
use ioproof_core::workload::{Durability, Workload};
use ioproof_target::Handle;
use std::io;

/// The properties of a target that decide whether a job fits it, so that a target that is not open can be asked about too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetLimits {
    /// True where it can be read.
    pub may_read: bool,
    /// True where it may be written.
    pub may_write: bool,
    /// True where the page cache is passed by.
    pub direct: bool,
    /// Unit of offsets and lengths of I/O. Bytes.
    pub alignment_bytes: u32,
    /// Its size. Bytes.
    pub size_bytes: u64,
    /// True where commands to an NVMe namespace reach its bytes.
    pub takes_nvme_commands: bool,
    /// True for an NVMe namespace that commands can reach past the block layer.
    pub takes_passthrough: bool,
    /// True where SCSI commands reach its bytes.
    pub takes_scsi_commands: bool,
    /// True where it was named by its character device, which takes commands only.
    pub is_character_device: bool,
    /// True for a drive that was taken from the kernel.
    pub is_bound: bool,
}

impl From<&Handle> for TargetLimits {
    fn from(handle: &Handle) -> Self {
        Self {
            may_read: handle.may_read(),
            may_write: handle.may_write(),
            direct: handle.direct(),
            alignment_bytes: handle.alignment_bytes(),
            size_bytes: handle.size_bytes(),
            takes_nvme_commands: handle.takes_nvme_commands(),
            takes_passthrough: handle.takes_passthrough(),
            takes_scsi_commands: handle.takes_scsi_commands(),
            is_character_device: handle.is_character_device(),
            is_bound: handle.drive().is_some(),
        }
    }
}

/// Refuses a job that cannot be run as asked, before anything is done to the targets. [`crate::run`] asks the same itself.
///
/// # Errors
/// Says why the job does not fit.
pub fn check(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Result<(), EngineError> {
    let limits: Vec<TargetLimits> = targets.iter().map(|handle| TargetLimits::from(*handle)).collect();
    on_targets(spec, &limits, options)?;
    replay::check(spec, &limits, options)?;
    buffers(spec, options)?;
    ledger(spec, targets, options).map_or(Ok(()), |reason| Err(EngineError::BadJob(reason.to_owned())))
}

/// Refuses a file for buffers that may not be written, or does not hold them.
fn buffers(spec: &JobSpec, options: &Options) -> Result<(), EngineError> {
    match options.buffers_in {
        Some(file) if !file.may_write() => Err(EngineError::NotPermitted),
        Some(file) if file.size_bytes() < buffer_bytes(spec) => {
            Err(EngineError::BadJob(format!("the file for its buffers has {} of {} bytes", file.size_bytes(), buffer_bytes(spec))))
        }
        _ => Ok(()),
    }
}

/// Tells without any I/O whether a job could be started, on targets that need not be open; what it is compared with (the ledger) is left aside.
///
/// # Errors
/// The error of [`crate::run`], and the one that polling would meet with its first I/O.
pub fn preview(spec: &JobSpec, targets: &[TargetLimits], options: &Options) -> Result<(), EngineError> {
    on_targets(spec, targets, options)?;
    let choice = on(options.backend, targets);
    let refused = |cause| EngineError::NoBackend { choice, cause };
    if choice != BackendChoice::AUTO {
        choice.probe().map_err(refused)?;
    }
    if options.polled && choice.polls_only_direct() && targets.iter().any(|target| !target.direct) {
        return Err(refused(io::Error::from_raw_os_error(libc::EOPNOTSUPP)));
    }
    Ok(())
}

/// The backend that a choice comes to on these targets.
fn on(choice: BackendChoice, targets: &[TargetLimits]) -> BackendChoice {
    choice.on(targets.iter().map(|target| target.is_character_device)).on_bound(targets.iter().map(|target| target.is_bound))
}

fn on_targets(spec: &JobSpec, targets: &[TargetLimits], options: &Options) -> Result<(), EngineError> {
    if (spec.workload.writes() || options.backend.changes_files()) && targets.iter().any(|target| !target.may_write) {
        return Err(EngineError::NotPermitted);
    }
    let options = &Options { backend: on(options.backend, targets), ..*options };
    let reasons = workload(&spec.workload).or_else(|| shape(&spec.workload)).map(str::to_owned);
    let reason = reasons
        .or_else(|| backend(&spec.workload, options))
        .or_else(|| targets.iter().enumerate().find_map(|(number, one)| path(one, options.backend).or_else(|| target(spec, number, one))))
        .or_else(|| spans(spec).map(str::to_owned))
        .or_else(|| memory::refusal(spec, memory::there_bytes()));
    match reason {
        Some(reason) => Err(EngineError::BadJob(reason)),
        None => offsets::check(spec).map_err(EngineError::BadJob),
    }
}

fn workload(w: &Workload) -> Option<&'static str> {
    let sizes = [w.block_bytes, w.smallest_block_bytes(), w.largest_block_bytes()];
    match () {
        () if w.workers == 0 || w.depth == 0 => Some("no workers or no queue depth"),
        () if w.workers > 65536 || w.depth > 65536 => Some("more than 65536 workers or a queue deeper than that"),
        () if sizes.iter().any(|s| !(1..=1 << 30).contains(s)) => Some("block size outside 1 B to 1 GiB"),
        () if w.trims() && sizes.iter().any(|s| s % 512 != 0) => Some("what is trimmed is no multiple of 512 B"),
        () if w.shape.trims_first && (w.read_percent > 0 || w.depth > 1) => {
            Some("blocks are trimmed and then written one at a time, without reads")
        }
        () if w.read_percent > 100 || w.shape.trim_percent > 100 - w.read_percent => Some("reads and trims are more than 100 % together"),
        () => None,
    }
}

fn shape(w: &Workload) -> Option<&'static str> {
    let Shape { data, pace, limits, think, .. } = &w.shape;
    let each = [limits.read_ios_per_s, limits.write_ios_per_s, limits.read_bytes_per_s, limits.write_bytes_per_s];
    let shares = data.compressible_percent > 0 || data.duplicate_percent > 0;
    match () {
        () if pace.ios_per_s() == Some(0) || each.contains(&Some(0)) => Some("a rate of 0"),
        () if pace.ios_per_s().is_some() && think.is_some() => Some("an open loop has its own times and knows no pauses"),
        () if think.is_some_and(|t| t.every == 0 && t.every_ns == 0) => Some("a pause after every 0 I/Os"),
        () if data.compressible_percent > 99 || data.duplicate_percent > 99 => Some("compressible or duplicate shares go up to 99 %"),
        () if shares && (data.fill == Fill::Zero || data.fill.pattern().is_some()) => {
            Some("zeros and patterns take no share that compresses or is a duplicate")
        }
        () if data.fill.pattern().is_some_and(|(bytes, _)| bytes.is_empty()) => Some("an empty pattern"),
        () if data.fill.pattern().is_some_and(|(bytes, places)| places.iter().any(|place| place + 8 > bytes.len())) => {
            Some("the pattern has no room for the eight bytes of an offset")
        }
        () if data.checked && (shares || matches!(data.fill, Fill::Fresh | Fill::Zero)) => {
            Some("checked data has headers of its own or is a pattern: no other data goes with it")
        }
        () if data.checked && !data.command.moves_writes() => Some("zeros and what is not written cannot be checked"),
        () if data.command == DataCommand::Compare && !is_comparable(w) => {
            Some("Compare needs a pattern without offsets whose length divides every block size, and a job that reads or writes, not both")
        }
        () if data.checked && w.trims() => Some("trimmed blocks cannot be checked"),
        () => None,
    }
}

/// True where each block holds the same bytes wherever it stands, and all reads are checked.
fn is_comparable(w: &Workload) -> bool {
    let divides = |bytes: &[u8]| !bytes.is_empty() && sizes(w).all(|size| (size as usize).is_multiple_of(bytes.len()));
    let fits = w.shape.data.fill.pattern().is_some_and(|(bytes, places)| places.is_empty() && divides(bytes));
    w.shape.data.checked && fits && matches!(w.read_percent, 0 | 100)
}

fn backend(w: &Workload, options: &Options) -> Option<String> {
    let choice = options.backend;
    let only = |can| BackendChoice::names_of(can);
    match () {
        () if w.trims() && !choice.can_trim() => {
            Some("trim has no asynchronous call; use psync, which takes a thread for each outstanding I/O".into())
        }
        () if options.polled && !choice.can_poll() => Some(format!("only {} can poll", only(BackendChoice::can_poll))),
        () if options.kernel_submits && !choice.kernel_can_submit() => {
            Some(format!("only {} has a kernel thread that submits", only(BackendChoice::kernel_can_submit)))
        }
        () if options.faults.is_some() && !choice.takes_faults() => {
            Some(format!("faults go into {} only", only(BackendChoice::takes_faults)))
        }
        () if w.durability == Durability::Fua && !choice.can_write_fua() => {
            Some(format!("writes with FUA go by {} only (--backend psync)", only(BackendChoice::can_write_fua)))
        }
        () if w.shape.data.command != DataCommand::Transfer && !choice.is_passthrough() => {
            Some(format!("only {} sends Write Zeroes, Verify and Compare", only(BackendChoice::is_passthrough)))
        }
        () if !choice.moves_data() && w.shape.data.checked => Some("without I/O there is nothing to check".into()),
        () => None,
    }
}

/// FUA on what is no whole NVMe namespace.
const NO_FUA: &str = "FUA by NVMe's own command needs a whole NVMe namespace (/dev/nvme0n1), not a file, a partition or another drive; `--sync dsync` has the \
                      kernel use FUA where a drive has it, on a raw drive with a flush behind it";

/// Sizes that are named; those of a range are multiples of its least.
fn sizes(workload: &Workload) -> impl Iterator<Item = u32> {
    let Shape { read_sizes, write_sizes, read_range, write_range, .. } = &workload.shape;
    let ranges = [read_range, write_range].into_iter().flatten().map(|range| range.least_bytes);
    read_sizes.iter().chain(write_sizes).map(|share| share.bytes).chain(ranges).chain([workload.block_bytes])
}

/// The way to a target: commands go to NVMe namespaces only, and to the character device of one goes nothing else.
fn path(target: &TargetLimits, choice: BackendChoice) -> Option<String> {
    let commands = BackendChoice::IO_URING_CMD.name();
    match () {
        () if choice.is_driver() && !target.is_bound => Some(
            "polled needs a drive that was taken from the kernel: `ioproof device bind SERIAL`, then `trtype:PCIe traddr:ADDRESS`".into(),
        ),
        () if target.is_bound && choice.moves_data() && !choice.is_driver() => {
            Some("the kernel does not drive it: use polled, or give it back with `ioproof device unbind SERIAL`".into())
        }
        () if choice.is_passthrough() && !target.takes_passthrough => {
            Some(format!("{} needs a whole NVMe namespace with its character device (/dev/nvme0n1 with /dev/ng0n1)", choice.name()))
        }
        () if choice.is_scsi() && !target.takes_scsi_commands => {
            Some("sg needs a whole SCSI or SATA disk (/dev/sda), no partition, mapped device or file; psync works on those".into())
        }
        () if target.is_character_device && choice.moves_data() && !choice.is_passthrough() => Some(format!(
            "the character device of an NVMe namespace takes commands only: use {commands}, or name the block device (/dev/nvme0n1)"
        )),
        () => None,
    }
}

fn target(spec: &JobSpec, number: usize, target: &TargetLimits) -> Option<String> {
    let block_bytes = target.alignment_bytes;
    let aligned = |bytes: u64| bytes.is_multiple_of(block_bytes.into());
    let mut sizes = sizes(&spec.workload);
    let end = |span: &Span| span.offset_bytes.checked_add(span.length_bytes);
    let own = spec.placement.target_spans.get(number);
    let mut spans = own.map_or_else(|| [&[spec.span][..], &spec.placement.spans].concat(), |own| vec![*own]).into_iter();
    let odd = |what: &str, bytes: u64| format!("{what} {bytes} bytes, and the target takes multiples of {block_bytes} only (O_DIRECT)");
    if spec.workload.durability == Durability::Fua && !target.takes_nvme_commands {
        return Some(NO_FUA.into());
    }
    if spec.workload.read_percent > 0 && !target.may_read {
        return Some("it reads, and the target cannot be read".into());
    }
    if let Some(size) = sizes.find(|size| !aligned((*size).into())) {
        return Some(odd("a block size is", size.into()));
    }
    if let Some(span) = spans.clone().find(|span| !aligned(span.offset_bytes)) {
        return Some(odd("the span begins at", span.offset_bytes));
    }
    spans.any(|span| end(&span).is_none_or(|end| end > target.size_bytes)).then(|| "span exceeds the target".into())
}

fn spans(spec: &JobSpec) -> Option<&'static str> {
    let w = &spec.workload;
    let room = |span: &Span, workers: u32| span.length_bytes / u64::from(offsets::least_room_bytes(w)) >= workers.into();
    let own = &spec.placement.spans;
    let own_targets = &spec.placement.target_spans;
    match () {
        // Each I/O is held against its target by itself.
        () if w.shape.order == Order::Recorded => None,
        () if own_targets.iter().any(|s| !room(s, 1)) => Some("a target's span is smaller than one block"),
        () if own.is_empty() && own_targets.is_empty() && !room(&spec.span, w.workers) => Some("span is smaller than one block a worker"),
        () if own.iter().any(|s| !room(s, 1)) => Some("a worker's span is smaller than one block"),
        () => None,
    }
}

fn ledger(spec: &JobSpec, targets: &[&Handle], options: &Options) -> Option<&'static str> {
    let (data, mut sizes) = (&spec.workload.shape.data, sizes(&spec.workload));
    let Some(ledger) = options.ledger else {
        return match () {
            () if !data.checked && !options.read_back => None,
            () if options.read_back || spec.workload.writes() => Some("checked data needs a ledger"),
            // What an earlier job wrote is known by itself.
            () if data.fill.pattern().is_none() && !sizes.all(|s| s.is_multiple_of(512)) => {
                Some("blocks with headers must be multiples of 512 bytes")
            }
            () => None,
        };
    };
    let spans = &spec.placement.target_spans;
    let whole = [spec.span].into_iter().chain(spec.placement.spans.iter().copied());
    let mut all: Vec<(usize, Span)> = spans.iter().copied().enumerate().collect();
    all.extend(whole.filter(|_| spans.is_empty()).map(|span| (0, span)));
    match () {
        () if targets.len() != ledger.targets() => Some("the ledger is of other targets"),
        () if options.read_back && spec.workload.writes() => Some("a job that reads back must not write"),
        () if all.iter().any(|(target, span)| !ledger.of(*target as u32).covers(*span)) => Some("the ledger is of another span"),
        () if !sizes.all(|s| s.is_multiple_of(ledger.unit_bytes())) => Some("a block size is no multiple of the ledger's unit"),
        () => None,
    }
}
