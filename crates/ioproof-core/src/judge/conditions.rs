//! Differences between the conditions of a claim and those of the run, and whom each favours.
//!
//! The layer is not among them: it sets the threshold. What the maker does not state does not differ, except the span: a figure that is not tied to a
//! fresh drive or to a cache is taken to hold for the whole drive.

use super::reason;
use crate::claim::{Claim, ClaimSpan, DriveState, Metric};
use crate::datasheet::matches_model;
use crate::finding::Effect;
use crate::limited_by::LimitedBy;
use crate::measured::Measured;
use crate::preconditioning::Preconditioning;
use crate::record::{Freshness, JobRecord, RunRecord};
use crate::units::{binary_size, decimal_size, throughput};
use crate::verdict::Reason;
use crate::workload::Workload;

/// Every difference, with its effect.
pub(super) fn differences(record: &RunRecord, measured: &Measured, claim: &Claim) -> Vec<Reason> {
    let job = measured.job;
    [
        model(record, job),
        span(record, job, claim),
        state(record, measured, claim),
        queue_depth(claim, &job.workload),
        capacity(record, job, claim),
        link(record, measured),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The share of the drive that counts as the whole of it.
const WHOLE: f64 = 0.95;

fn span(record: &RunRecord, job: &JobRecord, claim: &Claim) -> Option<Reason> {
    let run = job.span.length_bytes;
    let in_cache = matches!(claim.state, Some(DriveState::Fresh | DriveState::SlcCached));
    match claim.span {
        None if in_cache => None,
        Some(ClaimSpan::Bytes(bytes)) if run < bytes => Some(span_reason(Effect::Easier, &binary_size(bytes), run, None)),
        Some(ClaimSpan::Bytes(bytes)) if run > bytes => Some(span_reason(Effect::Harder, &binary_size(bytes), run, None)),
        Some(ClaimSpan::Bytes(_)) => None,
        None | Some(ClaimSpan::Full) => {
            let capacity = record.drive_of(job).map(|d| d.capacity_bytes.value);
            let whole = capacity.is_some_and(|c| run as f64 >= WHOLE * c as f64);
            (!whole).then(|| span_reason(Effect::Easier, "whole drive", run, capacity))
        }
    }
}

fn span_reason(effect: Effect, claimed: &str, run: u64, capacity: Option<u64>) -> Reason {
    let of = capacity.map_or(String::new(), |c| format!(" of {}", decimal_size(c)));
    reason("span", effect, &format!("claim {claimed}, run {}{of}", binary_size(run)))
}

/// The state that the claim is of, against that which the drive is known to be in. Reads depend little on it.
fn state(record: &RunRecord, measured: &Measured, claim: &Claim) -> Option<Reason> {
    if claim.read_percent == 100 {
        return None;
    }
    match claim.state? {
        DriveState::Steady if Preconditioning::of(record).is_some_and(|done| done.is_steady()) => None,
        DriveState::Steady => Some(reason("drive state", Effect::Easier, "claim steady state, run not preconditioned")),
        DriveState::AfterSlc => Some(reason("drive state", Effect::Easier, "claim after its cache is full, run perhaps within it")),
        DriveState::Fresh if is_fresh(record, measured) => None,
        DriveState::Fresh => Some(reason("drive state", Effect::Harder, "claim fresh drive, run as found")),
        DriveState::SlcCached => Some(reason("drive state", Effect::Harder, "claim within its cache, run as found")),
    }
}

/// True where all rounds of a job ended within the first capacity of writes after the drive was purged or made.
fn is_fresh(record: &RunRecord, measured: &Measured) -> bool {
    let history = record.targets_of(measured.job).next().and_then(|target| target.history.as_ref());
    let last = measured.rounds.last().map(|part| part.stage.state_before.written_bytes.saturating_add(part.round.total_bytes.1));
    let capacity = record.drive_of(measured.job).map(|drive| drive.capacity_bytes.value);
    let known = history.zip(last).zip(capacity);
    known.is_some_and(|((history, bytes), capacity)| history.freshness(capacity, bytes) == Freshness::Fresh)
}

fn queue_depth(claim: &Claim, workload: &Workload) -> Option<Reason> {
    let (claimed, run) = (claim.queue_depth_total?, workload.outstanding());
    let more_is_easier = claim.metric != Metric::Latency;
    let effect = if (run > claimed) == more_is_easier { Effect::Easier } else { Effect::Harder };
    (run != claimed).then(|| reason("queue depth", effect, &format!("claim {claimed} in total, run {run}")))
}

/// A maker that names no queue depth promises nothing of the one that was run, unless more would bring no more.
pub(super) fn depth_untold(limit: &LimitedBy, claim: &Claim, workload: &Workload) -> Option<Reason> {
    let is_open = claim.queue_depth_total.is_none() && claim.metric != Metric::Latency && limit.is_depth_open();
    let text = || format!("claim names none, run {}: nothing shows that more would give no more", workload.outstanding());
    is_open.then(|| reason("queue depth", Effect::HeldBack, &text()))
}

/// A figure without a capacity is the best over the family; a smaller drive is slower.
fn capacity(record: &RunRecord, job: &JobRecord, claim: &Claim) -> Option<Reason> {
    let used = record.datasheet_of(job)?;
    let one_size = used.datasheet.variants.len() == 1 && used.capacity_bytes.is_some();
    match (claim.capacities_bytes.is_empty(), used.capacity_bytes) {
        // A datasheet that knows no sizes has one figure for all of them.
        (true, _) if !one_size && !used.datasheet.variants.is_empty() => {
            Some(reason("capacity", Effect::Harder, "claim is the best over the family, of any capacity"))
        }
        (false, None) => {
            Some(reason("capacity", Effect::Incomparable, "claim for certain capacities, this drive's is none of the datasheet's"))
        }
        _ => None,
    }
}

/// A datasheet that was asked for stands for a drive that does not say its model, and not for one that says another.
fn model(record: &RunRecord, job: &JobRecord) -> Option<Reason> {
    let sheet = &record.datasheet_of(job)?.datasheet;
    let model = record.drive_of(job)?.model.as_ref()?.value.as_str();
    let another = !sheet.models.is_empty() && !sheet.models.iter().any(|pattern| matches_model(pattern, model));
    another.then(|| reason("model", Effect::Incomparable, &format!("claim for {}, the drive says it is {model}", sheet.family)))
}

/// From this share of what a link carries on, it may be what holds the drive back.
const LINK_NEAR: f64 = 0.6;

/// A link that runs below the drive's ability holds the drive back, where what was measured comes near to what it carries.
fn link(record: &RunRecord, measured: &Measured) -> Option<Reason> {
    let link = record.drive_of(measured.job)?.link.as_ref()?;
    let got = measured.estimate(Metric::Throughput, None)?.high;
    if got < LINK_NEAR * link.limit_bytes_per_s {
        return None;
    }
    let capable = link.capable_bytes_per_s.filter(|c| *c > link.limit_bytes_per_s * 1.02)?;
    let text = format!("{} carries {}, the drive could use {}", link.title, throughput(link.limit_bytes_per_s), throughput(capable));
    Some(reason("link", Effect::Harder, &text))
}
