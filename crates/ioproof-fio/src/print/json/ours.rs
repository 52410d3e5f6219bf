//! What fio does not know, under the key `ioproof`.

use super::latency::latency;
use super::value::Object;
use crate::print::latency::Latency;
use crate::results::{JobFailure, JobResult, Results};
use ioproof_core::record::CheckResult;

/// Of the run.
pub(super) fn run(results: &Results) -> Object {
    let mut object = Object::default().with("version", env!("CARGO_PKG_VERSION"));
    if let Some(id) = &results.run_id {
        object.add("run_id", id.as_str());
    }
    let failures = results.failures.iter().map(ToString::to_string);
    object.add("notes", results.notes.iter().cloned().chain(failures).collect::<Vec<_>>());
    if results.interrupted {
        object.add("interrupted", 1u64);
    }
    if !results.failures.is_empty() {
        object.add("failures", results.failures.iter().map(failure).collect::<Vec<_>>());
    }
    object
}

fn failure(one: &JobFailure) -> Object {
    let mut object = Object::default().with("job", one.job.as_str()).with("text", one.text.as_str());
    if let Some(hint) = &one.hint {
        object.add("hint", hint.as_str());
    }
    object
}

/// Of a job: response times where I/O was asked for at a pace, and what reading back showed. Empty where there is neither.
pub(super) fn job(job: &JobResult) -> Object {
    let mut object = Object::default();
    if job.errors_total > 0 {
        object.add("failed_ios", job.errors_total);
    }
    for (name, side) in [("read", &job.read), ("write", &job.write), ("trim", &job.trim)] {
        if let Some(response) = &side.io.response {
            object.add(format!("{name}_response_ns"), latency(&Latency::of(Some(response), &job.percentiles), true, false));
        }
    }
    if let Some(found) = &job.check {
        object.add("check", check(found));
    }
    object
}

/// Counted in pieces of 512 bytes.
fn check(found: &CheckResult) -> Object {
    let mut object = Object::default()
        .with("good", found.good)
        .with("unwritten", found.unwritten)
        .with("corrupt", found.corrupt)
        .with("misplaced", found.misplaced)
        .with("stale", found.stale)
        .with("torn", found.torn)
        .with("unreadable", found.unreadable);
    if let Some(first) = &found.first {
        object.add("first", first.as_str());
    }
    object
}
