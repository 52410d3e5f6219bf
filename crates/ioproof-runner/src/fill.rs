//! Writing a target in full before anything is read of it, and looking at what reads will find.

use crate::event::{Event, Observer};
use crate::execute::Execute;
use crate::failure::Failure;
use crate::presence;
use crate::task::{Generate, Task};
use ioproof_core::facts::{ContentFacts, StackNode};
use ioproof_core::job::{JobSpec, Span, Until};
use ioproof_core::record::{Fill, RoundOutcome, RunStatus};
use ioproof_core::units::{binary_size, throughput};
use ioproof_core::workload::{Pattern, Workload};
use ioproof_engine::{Control, JobSnapshot};
use ioproof_target::{Handle, System};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The blocks by which all but the end of a target is filled. Bytes.
const LARGE_BYTES: u64 = 1 << 20;

/// A target that is to be written in full.
pub struct ToFill<'a> {
    /// Its position among all handles.
    pub handle_position: usize,
    /// Its handle.
    pub handle: &'a Handle,
    /// The devices below it.
    pub stack: Option<&'a StackNode>,
    /// The part that is written.
    pub span: Span,
    /// The way in which I/O is made.
    pub generate: Generate,
    /// Seed of the data.
    pub seed: u64,
    /// An I/O outstanding for longer than this ends it. Nanoseconds.
    pub io_timeout_ns: u64,
    /// Time until all is done.
    pub left: Duration,
}

/// Writes a target in full, in one ascending pass of large blocks, and flushes it. Gives the bytes and the time, and the status of the run after it.
///
/// # Errors
/// When it cannot be written or flushed.
pub fn fill(
    system: &System,
    execute: &dyn Execute,
    to_fill: &ToFill<'_>,
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<(Fill, RunStatus), Failure> {
    let began_ns = execute.elapsed_ns();
    let length_bytes = to_fill.span.length_bytes;
    observer.observe(&Event::Step { text: &format!("writing {} in full first", binary_size(length_bytes)), left: Some(to_fill.left) });
    let (mut bytes, mut status) = (0, RunStatus::Running);
    for part in parts(to_fill.span).filter(|part| part.length_bytes > 0) {
        let observe = &mut |now: JobSnapshot<'_>| {
            let rate = now.written_bytes as f64 * 1e9 / now.elapsed_ns.max(1) as f64;
            let share = (bytes + now.written_bytes) as f64 / length_bytes as f64 * 100.0;
            observer.observe(&Event::Progress { text: &format!("{share:.0} %, {}", throughput(rate)) });
        };
        let outcome = execute.run(&task(to_fill, part), Control { stop, observe })?.outcome;
        bytes += outcome.total_bytes.1;
        status = match outcome.outcome {
            RoundOutcome::Complete => continue,
            RoundOutcome::Interrupted => RunStatus::Interrupted,
            RoundOutcome::Hung => RunStatus::Hung { reason: "a write never came back while the target was filled".into() },
            RoundOutcome::Failed => return Err(unwritten(system, to_fill.stack, &outcome.errors)),
        };
        break;
    }
    if !matches!(status, RunStatus::Hung { .. }) {
        let flushed = to_fill.handle.sync();
        flushed.map_err(|e| {
            Failure::from((format!("the target could not be flushed after it was filled: {e}"), e.raw_os_error().unwrap_or_default()))
        })?;
    }
    let elapsed_ns = execute.elapsed_ns().saturating_sub(began_ns);
    Ok((Fill { bytes, elapsed_ns }, status))
}

/// The part that large blocks fill, and the rest.
fn parts(span: Span) -> impl Iterator<Item = Span> {
    let rest_bytes = span.length_bytes % LARGE_BYTES;
    let large = Span { length_bytes: span.length_bytes - rest_bytes, ..span };
    [large, Span { offset_bytes: span.offset_bytes + large.length_bytes, length_bytes: rest_bytes }].into_iter()
}

fn task(to_fill: &ToFill<'_>, span: Span) -> Task {
    let workload = workload(span.length_bytes, to_fill.handle.alignment_bytes());
    let plain = JobSpec::plain(workload, span, Until::SpanCovered);
    let spec = JobSpec { seed: to_fill.seed, io_timeout_ns: to_fill.io_timeout_ns, ..plain };
    Task::plain(0, "filling", spec, vec![to_fill.handle_position], to_fill.generate)
}

/// One ascending pass, in large blocks where they fill it.
fn workload(length_bytes: u64, alignment_bytes: u32) -> Workload {
    let is_large = length_bytes.is_multiple_of(LARGE_BYTES);
    Workload::plain(Pattern::Sequential, 0, if is_large { LARGE_BYTES as u32 } else { alignment_bytes.max(512) }, 1, 8)
}

fn unwritten(system: &System, stack: Option<&StackNode>, errors: &ioproof_core::record::IoErrors) -> Failure {
    if let Some(gone) = presence::gone(system, stack, errors, true) {
        return Failure::from((gone, errors.first.as_ref().map_or(0, |e| e.errno)));
    }
    let first = errors.first.as_ref();
    let reason = first.map_or_else(String::new, |e| format!(": {}", e.sentence()));
    Failure::from((format!("the target could not be written in full{reason}"), first.map_or(0, |e| e.errno)))
}

/// Looks at what reads of a target will find: bytes never written, and samples that are zero. `None` where it cannot be told, with the reason.
pub fn look_at_content(
    handle: &Handle,
    span: Span,
    (samples, seed): (u64, u64),
    filled_bytes: u64,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> (ContentFacts, Option<String>) {
    match ioproof_target::content(handle, span, samples, seed, goes_on) {
        Ok(seen) => (ContentFacts { filled_bytes, ..seen }, None),
        // A drive that cannot be sampled may still be measured; the stages will tell.
        Err(e) => {
            let note = format!("could not look whether what is read was written before: {e}");
            (ContentFacts { filled_bytes, ..ContentFacts::default() }, Some(note))
        }
    }
}
