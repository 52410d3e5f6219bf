//! Answers of further runs in the same record: with twice the depth, or one more worker, either clearly more is done, and that was the limit, or not.

use crate::finding::{Evidence, Unit};
use crate::limited_by::{LimitConfidence, LimitedBy, Outcome};
use crate::measured::Measured;
use crate::record::{Part, Purpose, RunRecord};
use crate::search::LEAST_DELIVERED;
use crate::stats::median;
use crate::units::{iops, latency};

/// From this multiple on more is done, and up to this one as much as before; between the two it is not told.
const MORE: f64 = 1.1;
const AS_MUCH: f64 = 1.05;

/// Rounds that a further run needs to tell anything.
const LEAST_ROUNDS: usize = 2;

/// Takes the answer of a further run into the limit and its words, where the record has one.
pub(super) fn told(record: &RunRecord, measured: &Measured, words: String, limit: LimitedBy) -> (String, LimitedBy) {
    let Some(LimitAnswer { change, then, now, then_ns }) = answer(record, measured, &limit) else { return (words, limit) };
    let asked = measured.workload().shape.pace.ios_per_s();
    let Some(is_more) = is_more(then / now, asked.is_some_and(|asked| then >= LEAST_DELIVERED * asked as f64)) else {
        return (words, limit);
    };
    let Some([more, as_many]) = limit.telling_run.as_ref().and_then(|run| <&[Outcome; 2]>::try_from(run.outcomes.as_slice()).ok()) else {
        return (words, limit);
    };
    let (place, other) = if is_more { (more.place, as_many.place) } else { (as_many.place, more.place) };
    let words = match place {
        _ if is_more => format!("{}: {change} does {}, {} an I/O", place.title(), iops(then), latency(then_ns)),
        _ if place == limit.place => format!("{words}; {change} does no more"),
        _ => format!("{}: {change} does no more", place.title()),
    };
    let rate = Evidence::number(&format!("rate with {change}"), then, Unit::IosPerSecond).against(now);
    let time = Evidence::number(&format!("mean latency with {change}"), then_ns, Unit::Nanoseconds);
    let evidence = limit.evidence.iter().cloned().chain([rate, time]).collect();
    let left = limit.left.iter().copied().filter(|left| ![place, other].contains(left)).collect();
    let confidence = if is_more { LimitConfidence::Certain } else { LimitConfidence::Likely };
    (words, LimitedBy { place, confidence, evidence, left, telling_run: None, ..limit })
}

/// True where so many times as much is more, false where it is as much; none between the two. An open loop that keeps its pace does no more than that, whatever it
/// could.
fn is_more(times: f64, keeps_its_pace: bool) -> Option<bool> {
    match times {
        _ if keeps_its_pace && times > 1.0 || times >= MORE => Some(true),
        _ if times <= AS_MUCH => Some(false),
        _ => None,
    }
}

/// Outcome of a further run beside the one that is limited.
struct LimitAnswer {
    change: &'static str,
    /// Its rate, and that of the one that is limited.
    then: f64,
    now: f64,
    /// Its mean latency. Nanoseconds.
    then_ns: f64,
}

fn answer(record: &RunRecord, measured: &Measured, limit: &LimitedBy) -> Option<LimitAnswer> {
    let workload = limit.telling_run.as_ref()?.workload.as_ref()?;
    let change = match measured.workload() {
        now if workload.workers > now.workers => "one more worker",
        now if workload.depth > now.depth => "twice the depth",
        _ => return None,
    };
    let is_it = |part: &Part| part.job.workload == *workload && part.job.targets == measured.job.targets && part.counts();
    let telling = record.stages.iter().filter(|stage| matches!(stage.purpose, Purpose::Tell | Purpose::Measure));
    let parts: Vec<Part> = telling.flat_map(|stage| stage.parts(&record.jobs)).filter(is_it).collect();
    let now = measured.median_of(|part| part.iops()).filter(|now| *now > 0.0)?;
    let of_parts = |value: fn(&Part) -> f64| median(&parts.iter().map(value).collect::<Vec<_>>());
    let (then, then_ns) = (of_parts(|part| part.iops())?, of_parts(|part| part.latency().mean_ns().unwrap_or(0.0))?);
    (parts.len() >= LEAST_ROUNDS).then_some(LimitAnswer { change, then, now, then_ns })
}

#[cfg(test)]
mod tests {
    use super::is_more;

    #[test]
    fn more_is_a_tenth_but_of_a_pace_all_of_it() {
        assert_eq!([1.1, 1.07, 1.05, 0.5].map(|times| is_more(times, false)), [Some(true), None, Some(false), Some(false)]);
        assert_eq!([1.05, 1.0].map(|times| is_more(times, true)), [Some(true), Some(false)]);
    }
}
