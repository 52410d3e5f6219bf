//! Claims in sentences: their conditions and source, and those that the run did not measure.

use ioproof_core::claim::{Claim, ClaimSpan, Confidence, DriveState, Qualifier};
use ioproof_core::plan::SkipReason;
use ioproof_core::record::RunRecord;
use ioproof_core::text::visible;
use ioproof_core::units::{binary_size, decimal_size};
use ioproof_core::verdict::Row;
use std::fmt::Write;

/// The claims that a job is judged by; without a job those of the first datasheet.
pub(super) fn claims_of(job: Option<u32>, record: &RunRecord) -> &[Claim] {
    let of_job = job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
    let used = of_job.or_else(|| record.targets.iter().find_map(|target| target.datasheet.as_ref()));
    used.map(|used| used.datasheet.claims.as_slice()).unwrap_or_default()
}

/// Renders the claim's own conditions and its source: `typical, queue depth 128 in total over 4 workers, full span; source: page 7`.
pub(super) fn describe(claim: &Claim) -> String {
    format!("{}; source: {}", describe_conditions(claim), describe_source(claim))
}

/// Renders the claim's own conditions. One that the maker leaves open is called not stated.
pub(super) fn describe_conditions(claim: &Claim) -> String {
    let mut text = format!("{}, {}", describe_qualifier(claim.qualifier), describe_depth(claim));
    let _ = write!(text, ", {}, {}", describe_span(claim.span), describe_state(claim.state));
    if let Some(tool) = &claim.tool {
        let _ = write!(text, ", {}", visible(tool));
    }
    if let Some(capacities) = capacities(claim) {
        let _ = write!(text, ", for {capacities}");
    }
    text
}

/// The capacities that a claim is made for: `2 TB, 4 TB`; none for one of the whole family.
pub(super) fn capacities(claim: &Claim) -> Option<String> {
    let all: Vec<String> = claim.capacities_bytes.iter().map(|bytes| decimal_size(*bytes)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The place where the maker says so, and how far it is to be believed.
pub(super) fn describe_source(claim: &Claim) -> String {
    let mut text = visible(&claim.source);
    if claim.confidence != Confidence::High {
        text.push_str(if claim.confidence == Confidence::Low { " (doubtful)" } else { " (second hand)" });
    }
    if let Some(note) = &claim.note {
        let _ = write!(text, "; {}", visible(note));
    }
    text
}

fn describe_qualifier(qualifier: Qualifier) -> &'static str {
    match qualifier {
        Qualifier::UpTo => "up to",
        Qualifier::Typical => "typical",
        Qualifier::Maximum => "maximum",
    }
}

fn describe_depth(claim: &Claim) -> String {
    match (claim.queue_depth_total, claim.workers) {
        (Some(depth), Some(1)) => format!("queue depth {depth} in total, 1 worker"),
        (Some(depth), Some(workers)) => format!("queue depth {depth} in total over {workers} workers"),
        (Some(depth), None) => format!("queue depth {depth} in total, workers not stated"),
        (None, Some(workers)) => format!("queue depth not stated, {workers} workers"),
        (None, None) => "queue depth and workers not stated".into(),
    }
}

fn describe_span(span: Option<ClaimSpan>) -> String {
    match span {
        Some(ClaimSpan::Full) => "full span".into(),
        Some(ClaimSpan::Bytes(bytes)) if bytes % (1 << 30) == 0 => format!("span {}", binary_size(bytes)),
        Some(ClaimSpan::Bytes(bytes)) => format!("span {}", decimal_size(bytes)),
        None => "span not stated".into(),
    }
}

fn describe_state(state: Option<DriveState>) -> &'static str {
    match state {
        Some(DriveState::Fresh) => "fresh drive",
        Some(DriveState::SlcCached) => "into the fast cache",
        Some(DriveState::AfterSlc) => "after the fast cache",
        Some(DriveState::Steady) => "steady state",
        None => "state not stated",
    }
}

/// A claim that the run did not measure.
pub(crate) struct SkippedView {
    pub claim: String,
    pub reason: &'static str,
}

/// The skipped claims that have no row of their own. A figure for another capacity is not about this drive and is left out.
pub(crate) fn skipped(record: &RunRecord, rows: &[Row]) -> Vec<SkippedView> {
    let claims = claims_of(None, record);
    let of_this_drive = record.plan.iter().flat_map(|plan| &plan.skipped).filter(|s| s.reason != SkipReason::OtherCapacity);
    let without_row = of_this_drive.filter(|s| !rows.iter().any(|row| row.claim == Some(s.claim)));
    without_row
        .map(|s| SkippedView {
            claim: claims.get(s.claim).map_or_else(|| format!("claim {}", s.claim), describe_skipped),
            reason: s.reason.title(),
        })
        .collect()
}

fn describe_skipped(claim: &Claim) -> String {
    let pattern = if claim.pattern == ioproof_core::workload::Pattern::Random { "random" } else { "sequential" };
    let direction = match claim.read_percent {
        100.. => "read".to_owned(),
        0 => "write".to_owned(),
        r => format!("{r}/{} mix", 100 - r),
    };
    format!("{pattern} {direction} {}, {}", binary_size(claim.block_bytes.into()), claim.metric.show(claim.value))
}
