//! Answers of further runs in the same record: with twice the depth either clearly more is done, and concurrency was the limit, or not.

use crate::finding::{Evidence, Unit};
use crate::findings::Measured;
use crate::limited_by::{LimitConfidence, LimitedBy, Place};
use crate::record::{Part, Purpose, RunRecord};
use crate::stats::median;
use crate::units::{iops, latency};

/// From this multiple on more is done, and up to this one as much as before; between the two it is not told.
const MORE: f64 = 1.1;
const AS_MUCH: f64 = 1.05;

/// Rounds that a further run needs to tell anything.
const LEAST_ROUNDS: usize = 2;

/// Takes the answer of a further run into the limit and its words, where the record has one.
pub(super) fn told(record: &RunRecord, measured: &Measured, words: String, limit: LimitedBy) -> (String, LimitedBy) {
    let Some((then, now, then_ns)) = deeper(record, measured, &limit) else { return (words, limit) };
    let times = then / now;
    let is_more = times >= MORE;
    if !is_more && times > AS_MUCH {
        return (words, limit);
    }
    let outcomes = limit.telling_run.iter().flat_map(|run| &run.outcomes);
    let Some(place) = outcomes.map(|outcome| outcome.place).find(|place| (*place == Place::Concurrency) == is_more) else {
        return (words, limit);
    };
    let words = match place {
        Place::Concurrency => format!("concurrency: twice the depth does {}, {} an I/O", iops(then), latency(then_ns)),
        _ if place == limit.place => format!("{words}; twice the depth does no more"),
        _ => format!("{}: twice the depth does no more", place.title()),
    };
    let rate = Evidence::number("rate with twice the depth", then, Unit::IosPerSecond).against(now);
    let time = Evidence::number("mean latency with twice the depth", then_ns, Unit::Nanoseconds);
    let evidence = limit.evidence.iter().cloned().chain([rate, time]).collect();
    let left = limit.left.iter().copied().filter(|left| *left != place && *left != Place::Concurrency).collect();
    let confidence = if place == Place::Concurrency { LimitConfidence::Certain } else { LimitConfidence::Likely };
    (words, LimitedBy { place, confidence, evidence, left, telling_run: None, ..limit })
}

/// The rate with twice the depth and the one that is limited, and the mean latency with twice the depth.
fn deeper(record: &RunRecord, measured: &Measured, limit: &LimitedBy) -> Option<(f64, f64, f64)> {
    let workload = limit.telling_run.as_ref()?.workload.as_ref().filter(|workload| workload.depth > measured.workload().depth)?;
    let is_it = |part: &Part| part.job.workload == *workload && part.job.targets == measured.job.targets && part.counts();
    let telling = record.stages.iter().filter(|stage| matches!(stage.purpose, Purpose::Tell | Purpose::Measure));
    let parts: Vec<Part> = telling.flat_map(|stage| stage.parts(&record.jobs)).filter(is_it).collect();
    let now = measured.median_of(|part| part.iops()).filter(|now| *now > 0.0)?;
    let of_parts = |value: fn(&Part) -> f64| median(&parts.iter().map(value).collect::<Vec<_>>());
    let (then, then_ns) = (of_parts(|part| part.iops())?, of_parts(|part| part.latency().mean_ns().unwrap_or(0.0))?);
    (parts.len() >= LEAST_ROUNDS).then_some((then, now, then_ns))
}
