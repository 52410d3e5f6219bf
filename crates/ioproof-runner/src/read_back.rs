//! Data that is known again: the ledger of what was written where, and reading it back.

use crate::failure::Failure;
use crate::task::Task;
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::{CheckResult, Direction, QueueUse, RoundOutcome};
use ioproof_core::shape::{Data, Limits, Order, Pace, SizeRange};
use ioproof_core::workload::{Durability, Pattern, Workload};
use ioproof_engine::{BackendChoice, ClockChoice, Control, EngineError, LedgerError, Options, Outcome, WriteLedger};
use ioproof_target::Handle;
use rustix::io::Errno;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// I/Os outstanding while data is read back, and their memory. Bytes.
const DEPTH: u64 = 32;
const MEMORY_BYTES: u64 = 64 << 20;

/// The ledger of a task whose writes are to be known again: the one it was given, or one of its own.
///
/// # Errors
/// When its blocks do not consist of 512 bytes, or it is too large.
pub(crate) fn ledger(task: &Task, salt: u64) -> Result<Option<Arc<WriteLedger>>, EngineError> {
    let spec = &task.spec;
    if task.check.ledger.is_some() || !is_kept(spec) {
        return Ok(task.check.ledger.clone());
    }
    let made = WriteLedger::of_targets(spans(spec), unit_of(spec), spec.seed ^ salt);
    let made = made.map(|ledger| if task.check.only_plans { ledger.planned() } else { ledger });
    made.map(|ledger| Some(Arc::new(ledger))).map_err(unfit)
}

/// Makes ledgers, and tells beforehand where one cannot be made.
#[derive(Debug, Clone, Copy)]
pub struct Ledgers;

impl Ledgers {
    /// Tells where a ledger for this load could not be made.
    ///
    /// # Errors
    /// When its blocks do not consist of 512 bytes, or it is too large.
    pub fn fit(spec: &JobSpec) -> Result<(), Failure> {
        let fits = if is_kept(spec) { WriteLedger::fits(spans(spec), unit_of(spec)) } else { Ok(()) };
        Ok(fits.map_err(unfit)?)
    }
}

/// True where a record of what is written where is to be kept.
fn is_kept(spec: &JobSpec) -> bool {
    spec.workload.shape.data.checked && spec.workload.writes()
}

/// The largest piece of which all blocks of the workload consist, wherever they may begin.
#[must_use]
pub fn unit_bytes(workload: &Workload) -> u32 {
    let shape = &workload.shape;
    let ranges = [shape.read_range, shape.write_range].into_iter().flatten().map(|range| range.least_bytes);
    let named = shape.write_sizes.iter().chain(&shape.read_sizes).map(|size| size.bytes);
    let sizes = named.chain(ranges).chain([workload.block_bytes]);
    let steps = steps_bytes(&shape.order).into_iter().filter(|step| *step > 0 && step.is_multiple_of(512));
    let common = |unit: u32, step: u64| greatest_common_divisor(unit, u32::try_from(step % u64::from(unit.max(1))).unwrap_or(0));
    steps.fold(sizes.fold(workload.smallest_block_bytes(), greatest_common_divisor), common)
}

/// The same of a job, by what it goes over.
fn unit_of(spec: &JobSpec) -> u32 {
    unit_over(&spec.workload, spans(spec).iter().map(|span| span.length_bytes))
}

/// The same over parts of these lengths, at whose ends a load that goes backwards begins.
fn unit_over(workload: &Workload, lengths: impl Iterator<Item = u64>) -> u32 {
    let unit = unit_bytes(workload);
    let Order::Skipping { skip_bytes: ..0, .. } = workload.shape.order else { return unit };
    let common = |unit: u32, length: u64| greatest_common_divisor(unit, (length % u64::from(unit.max(1))) as u32);
    lengths.filter(|length| length.is_multiple_of(512)).fold(unit, common)
}

/// Distances from one start to another that are no multiple of the block by themselves.
fn steps_bytes(order: &Order) -> Vec<u64> {
    match order {
        Order::Aligned { bytes } => vec![*bytes],
        Order::Skipping { skip_bytes, .. } => vec![skip_bytes.unsigned_abs()],
        Order::Strided { stride_bytes } => vec![*stride_bytes],
        Order::InZones { range_bytes, skip_bytes, .. } => vec![*range_bytes, *skip_bytes],
        _ => Vec::new(),
    }
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

fn unfit(error: LedgerError) -> EngineError {
    EngineError::BadJob(format!("verify: {error}"))
}

/// The parts of the files that a clone goes over.
fn spans(spec: &JobSpec) -> &[Span] {
    let own = &spec.placement.target_spans;
    if own.is_empty() { std::slice::from_ref(&spec.span) } else { own }
}

/// Goes through all I/O of a load without doing it, so that it is known what would have been written where.
///
/// # Errors
/// When there is no memory to do nothing on.
pub(crate) fn plan(spec: &JobSpec, handles: &[&Handle], options: &Options, control: Control) -> Result<Outcome, EngineError> {
    let nothing: Result<Vec<Handle>, _> = handles.iter().map(|handle| ioproof_target::nothing(handle.size_bytes())).collect();
    let nothing = nothing.map_err(|cause| EngineError::System { what: "take memory for I/O that is not done", cause })?;
    let mut spec = JobSpec { end_fsync: false, ramp_ns: 0, ..spec.clone() };
    spec.workload.durability = Durability::None;
    let shape = &mut spec.workload.shape;
    (shape.data, shape.pace, shape.limits, shape.think) = (Data::default(), Pace::Closed, Limits::default(), None);
    let options = Options { backend: BackendChoice::NULL, polled: false, kernel_submits: false, flow: None, ..*options };
    let planned = ioproof_engine::run(
        &spec,
        &nothing.iter().collect::<Vec<_>>(),
        &options,
        Control { stop: control.stop, observe: control.observe },
    )?;
    Ok(undone(planned))
}

/// Nothing that was only gone through counts as done.
fn undone(planned: Outcome) -> Outcome {
    Outcome {
        read: Direction::default(),
        write: Direction::default(),
        trim: Direction::default(),
        edge_ns: 0,
        noted: Vec::new(),
        recorded: Vec::new(),
        by_priority: Vec::new(),
        queue: QueueUse::default(),
        total_bytes: (0, 0),
        intervals: Vec::new(),
        ..planned
    }
}

/// Brings what was written through the page cache to the drive and drops it from memory, so that the drive is what is read back; gives the error of the first
/// target that did not take it.
pub(crate) fn leave_memory(handles: &[&Handle]) -> Option<Failure> {
    let mut failed = None;
    for handle in handles.iter().filter(|handle| !handle.direct() && handle.may_write()) {
        if let Err(error) = rustix::fs::fsync(*handle)
            && !has_nothing_to_sync(error)
        {
            failed.get_or_insert_with(|| {
                Failure::from((format!("what was written could not be brought to the drive: {error}"), error.raw_os_error()))
            });
        }
        // A device or filesystem that cannot do it keeps its pages.
        drop(handle.drop_cache());
    }
    failed
}

/// Gives the error of the first target that did not take what was written through the page cache, as far as the kernel has tried by now.
pub(crate) fn not_written_back(handles: &[&Handle]) -> Option<Failure> {
    let cached = handles.iter().filter(|handle| !handle.direct() && handle.may_write());
    let error = cached.filter_map(|handle| handle.write_back_error()).next()?;
    Some((format!("what was written through the page cache did not all reach the drive: {error}"), error.raw_os_error()).into())
}

/// True for what knows no fsync(2), as `/dev/null`.
fn has_nothing_to_sync(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOTSUP)
}

/// One ascending pass over what was written, a read for each write, past the page cache where the targets can be read so. It is not ended early: what a
/// killed pass says is worth nothing.
///
/// # Errors
/// When it cannot be started.
pub(crate) fn read_back(
    spec: &JobSpec,
    handles: &[&Handle],
    clock: ClockChoice,
    ledger: &Arc<WriteLedger>,
) -> Result<Outcome, EngineError> {
    let options = Options { ledger: Some(ledger), read_back: true, ..Options::new(BackendChoice::AUTO, clock) };
    let past = past_memory(spec, handles, &options);
    let handles: Vec<&Handle> = past.as_ref().map_or_else(|| handles.to_vec(), |past| past.iter().collect());
    let never = AtomicBool::new(false);
    let control = Control { stop: &never, observe: &mut |_| {} };
    let mut outcome = ioproof_engine::run(&pass(spec, &handles), &handles, &options, control)?;
    outcome.engine.fallbacks.extend((!are_direct(&handles)).then(|| IN_MEMORY.to_owned()));
    Ok(outcome)
}

/// Limit of a pass through the page cache.
const IN_MEMORY: &str = "what was written was read back through the page cache, as it cannot be read with O_DIRECT here: what another process has mapped comes \
                         from memory";

/// The same targets past the page cache, which keeps its own copy of all that a process has mapped; none where they are open so, or cannot be.
fn past_memory(spec: &JobSpec, handles: &[&Handle], options: &Options) -> Option<Vec<Handle>> {
    if are_direct(handles) {
        return None;
    }
    let past: Vec<Handle> = handles.iter().map(|handle| handle.again(true)).collect::<Result<_, _>>().ok()?;
    let all: Vec<&Handle> = past.iter().collect();
    ioproof_engine::check(&pass(spec, &all), &all, options).is_ok().then_some(past)
}

fn are_direct(handles: &[&Handle]) -> bool {
    handles.iter().all(|handle| handle.direct())
}

/// The job that reads back.
fn pass(spec: &JobSpec, handles: &[&Handle]) -> JobSpec {
    JobSpec {
        workload: reads(&spec.workload, unit_of(spec), are_direct(handles)),
        ramp_ns: 0,
        until: Until::SpanCovered,
        at_most_ns: None,
        at_most_bytes: None,
        error_limit: u64::MAX,
        end_fsync: false,
        ..spec.clone()
    }
}

/// Reads of all that the workload may have written at once. Through the page cache they come one at a time, since that reads ahead by itself.
fn reads(workload: &Workload, least_bytes: u32, direct: bool) -> Workload {
    let most_bytes = workload.largest_block_bytes();
    let most = if direct { DEPTH } else { 1 };
    let depth = (MEMORY_BYTES / u64::from(most_bytes)).clamp(1, most) as u32;
    let mut reads = Workload::plain(Pattern::Sequential, 100, least_bytes, 1, depth);
    reads.shape.read_range = (most_bytes > least_bytes).then_some(SizeRange { least_bytes, most_bytes });
    reads.shape.data = workload.shape.data.clone();
    reads
}

/// True where the first difference was to end the task, and there is one.
pub(crate) fn is_over(task: &Task, outcome: &Outcome) -> bool {
    task.spec.workload.shape.data.ends_at_difference && outcome.check.as_ref().is_some_and(|check| check.bad() > 0)
}

/// The failure of a task that wrote and of which nothing could be compared, although it was read back: that proves nothing.
pub(crate) fn compared_nothing(outcome: &Outcome, back: &Outcome) -> Option<Failure> {
    let compared = back.check.as_ref().is_some_and(|check| check.good + check.bad() > 0);
    let went_well = outcome.errors.failed == 0 && back.errors.failed == 0 && back.outcome == RoundOutcome::Complete;
    let text = "verify: nothing of what was written could be compared with what stands there";
    (outcome.write.ios + back.read.ios > 0 && went_well && !compared)
        .then(|| Failure::from((text.to_owned(), Errno::NODATA.raw_os_error())))
}

/// The difference between what was read and what was written, in words, and the errno that tells it.
pub(crate) fn failure(workload: &Workload, check: Option<&CheckResult>) -> Option<(String, i32)> {
    let check = check.filter(|check| check.bad() > 0)?;
    let one = check.bad() == 1;
    let pieces = if one { "1 piece of 512 bytes".to_owned() } else { format!("{} pieces of 512 bytes", check.bad()) };
    let first = check.first.as_deref().unwrap_or("unknown");
    let text = match (is_of_others(workload, check), one) {
        (true, _) => {
            format!(
                "nothing that was read ({pieces}) bears headers of ioproof: all of it is lost, or was written by other programs, whose data cannot be verified"
            )
        }
        (false, true) => format!("{pieces} is not what was written, the first: {first}"),
        (false, false) => format!("{pieces} are not what was written, the first: {first}"),
    };
    Some((format!("verify: {text}"), Errno::ILSEQ.raw_os_error()))
}

/// True where headers were looked for and none was found.
fn is_of_others(workload: &Workload, check: &CheckResult) -> bool {
    let by_headers = workload.shape.data.fill.pattern().is_none();
    by_headers && !workload.writes() && check.good == 0 && check.seeds.is_empty() && check.corrupt == check.bad()
}

/// A note on data that earlier jobs or runs wrote.
#[must_use]
pub fn note_of_writers(check: &CheckResult) -> Option<String> {
    let seeds = &check.seeds;
    let several = if seeds.len() == CheckResult::SEEDS_MAX { "or more " } else { "" };
    let text = || {
        let list: Vec<String> = seeds.iter().map(|seed| format!("{seed:016x}")).collect();
        format!("verify: {} {several}jobs or runs wrote what was read, by the seeds {}", seeds.len(), list.join(", "))
    };
    (seeds.len() > 1).then(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ioproof_core::shape::{Fill, Shape, SizeShare};

    #[test]
    fn reads_are_as_large_as_the_largest_write_and_take_little_memory() {
        let mut workload = Workload::plain(Pattern::Random, 0, 4096, 1, 8);
        let [past, through] = [true, false].map(|direct| reads(&workload, unit_bytes(&workload), direct));
        assert_eq!((past.block_bytes, past.shape.read_range, past.depth, through.depth), (4096, None, 32, 1));
        workload.shape.write_sizes = [4096, 6144, 8 << 20].map(|bytes| SizeShare { bytes, percent: 33 }).to_vec();
        let pass = reads(&workload, unit_bytes(&workload), true);
        assert_eq!((pass.shape.read_range, pass.depth), (Some(SizeRange { least_bytes: 2048, most_bytes: 8 << 20 }), 8));
        assert!(!pass.writes());
        assert_eq!(unit_bytes(&workload), 2048, "a unit is part of every block");
        let begins =
            |order| unit_bytes(&Workload { shape: Shape { order, ..Shape::PLAIN }, ..Workload::plain(Pattern::Random, 0, 12_288, 1, 1) });
        assert_eq!(begins(Order::Aligned { bytes: 8192 }), 4096, "wherever they begin");
        assert_eq!(begins(Order::InZones { range_bytes: 65_536, io_bytes: 65_536, skip_bytes: 65_536 }), 4096);
        let mut backwards = workload.clone();
        backwards.shape = Shape { order: Order::Skipping { skip_bytes: -131_072, passes: 1, wraps: true }, ..Shape::PLAIN };
        (backwards.shape.write_sizes, backwards.block_bytes) = (Vec::new(), 65_536);
        assert_eq!(
            [1024 << 10, 1000 << 10, 100_000].map(|length| unit_over(&backwards, [length].into_iter())),
            [65_536, 8192, 65_536],
            "it begins at the end"
        );
        let range = |least_bytes| Some(SizeRange { least_bytes, most_bytes: 32 << 10 });
        let shape = Shape { read_range: range(4096), write_range: range(3072), ..Shape::PLAIN };
        assert_eq!(unit_bytes(&Workload { shape, ..Workload::plain(Pattern::Random, 50, 4096, 1, 1) }), 1024, "of either direction");
        assert_eq!([begins(Order::Plain), begins(Order::Aligned { bytes: 1000 })], [12_288; 2]);
    }

    #[test]
    fn what_others_wrote_is_told_from_damage() {
        let none = CheckResult { corrupt: 8, first: Some("corrupt at byte 0".into()), ..CheckResult::default() };
        let words = |read_percent: u8, fill: Fill, check: CheckResult| {
            let mut workload = Workload::plain(Pattern::Sequential, read_percent, 4096, 1, 1);
            workload.shape.data = Data { fill, checked: true, ..Data::default() };
            failure(&workload, Some(&check)).map_or_else(String::new, |(text, _)| text)
        };
        assert!(words(100, Fill::Random, none.clone()).contains("nothing that was read (8 pieces of 512 bytes) bears headers of ioproof"));
        for other in [
            words(0, Fill::Random, none.clone()),
            words(100, Fill::Pattern(vec![1]), none.clone()),
            words(100, Fill::Random, CheckResult { good: 1, ..none.clone() }),
            words(100, Fill::Random, CheckResult { misplaced: 1, ..none.clone() }),
            words(100, Fill::Random, CheckResult { seeds: vec![4], ..none }),
        ] {
            assert!(other.ends_with("are not what was written, the first: corrupt at byte 0"), "{other}");
        }
        assert_eq!(words(100, Fill::Random, CheckResult { good: 8, ..CheckResult::default() }), "");
    }

    #[test]
    fn several_writers_are_said() {
        let of = |seeds: &[u64]| note_of_writers(&CheckResult { seeds: seeds.to_vec(), ..CheckResult::default() });
        assert_eq!((of(&[]), of(&[7])), (None, None));
        assert!(
            of(&[7, 255])
                .is_some_and(|text| text.contains("2 jobs or runs wrote what was read, by the seeds 0000000000000007, 00000000000000ff"))
        );
    }
}
