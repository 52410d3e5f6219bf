//! Claims in sentences: their conditions and source.

use super::{Claim, ClaimSpan, Confidence, DriveState, Qualifier};
use crate::text::visible;
use crate::units::{binary_size, decimal_size};
use crate::workload::Pattern;
use std::fmt::Write;

/// Renders the claim's own conditions and its source: `typical, queue depth 128 in total over 4 workers, full span; source: page 7`.
pub fn describe(claim: &Claim) -> String {
    format!("{}; source: {}", describe_conditions(claim), describe_source(claim))
}

/// Renders the claim's own conditions. One that the maker leaves open is called not stated.
pub fn describe_conditions(claim: &Claim) -> String {
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
pub fn capacities(claim: &Claim) -> Option<String> {
    let all: Vec<String> = claim.capacities_bytes.iter().map(|bytes| decimal_size(*bytes)).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The place where the maker says so, and how far it is to be believed.
pub fn describe_source(claim: &Claim) -> String {
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

/// The load and the figure: `random read 4 KiB, 450 kIOPS`.
pub fn describe_figure(claim: &Claim) -> String {
    let pattern = if claim.pattern == Pattern::Random { "random" } else { "sequential" };
    let direction = match claim.read_percent {
        100.. => "read".to_owned(),
        0 => "write".to_owned(),
        r => format!("{r}/{} mix", 100 - r),
    };
    format!("{pattern} {direction} {}, {}", binary_size(claim.block_bytes.into()), claim.metric.show(claim.value))
}
