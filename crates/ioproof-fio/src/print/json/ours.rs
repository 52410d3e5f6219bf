//! Figures that fio does not know, under the key `ioproof`.

use super::side;
use super::value::{JsonValue, object};
use crate::print::latency::Latency;
use crate::results::{JobResult, Results};
use ioproof_core::record::CheckResult;

pub(super) fn run(results: &Results) -> JsonValue {
    let failed = results
        .failures
        .iter()
        .map(|one| object([("job", one.job.as_str().into()), ("text", one.text.as_str().into()), ("hint", one.hint.as_deref().into())]));
    let failed: Vec<JsonValue> = failed.collect();
    let failures = results.failures.iter().map(ToString::to_string);
    let notes = results.warnings.iter().chain(&results.notes).cloned().chain(failures);
    object([
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("run_id", results.run_id.as_deref().into()),
        ("notes", notes.map(|note| note.as_str().into()).collect::<Vec<JsonValue>>().into()),
        ("interrupted", results.interrupted.then_some(1u64).into()),
        ("failures", Some(failed).filter(|failed| !failed.is_empty()).into()),
    ])
}

/// Response times where I/O was asked for at a pace, and the result of reading back; `None` where there is nothing to tell.
pub(super) fn of_job(job: &JobResult) -> Option<JsonValue> {
    let sides = [("read_response_ns", &job.read), ("write_response_ns", &job.write), ("trim_response_ns", &job.trim)];
    let responses = sides.map(|(name, side)| {
        let latency = side.io.response.as_ref().map(|times| Latency::from_histogram(Some(times), &job.percentiles));
        (name, latency.map(|latency| side::latency(&latency, true, false)).into())
    });
    let failed = ("failed_ios", Some(job.errors_total).filter(|failed| *failed > 0).into());
    let ours = object([failed].into_iter().chain(responses).chain([("check", job.check.as_ref().map(check).into())]));
    Some(ours).filter(|ours| *ours != JsonValue::Object(Vec::new()))
}

fn check(found: &CheckResult) -> JsonValue {
    object([
        ("good", found.good.into()),
        ("unwritten", found.unwritten.into()),
        ("corrupt", found.corrupt.into()),
        ("misplaced", found.misplaced.into()),
        ("stale", found.stale.into()),
        ("torn", found.torn.into()),
        ("unreadable", found.unreadable.into()),
        ("first", found.first.as_deref().into()),
    ])
}
