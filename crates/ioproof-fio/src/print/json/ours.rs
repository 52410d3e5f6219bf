//! Figures that fio does not know, under the key `ioproof`.

use super::formatter::Pairs;
use super::latency::LatencyJson;
use crate::print::latency::Latency;
use crate::results::{JobFailure, JobResult, Results};
use ioproof_core::record::CheckResult;
use serde::Serialize;

/// Of the run.
#[derive(Serialize)]
pub(super) struct Run<'a> {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<&'a str>,
    notes: Vec<String>,
    /// 1 where the run was interrupted.
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<Failure<'a>>,
}

#[derive(Serialize)]
struct Failure<'a> {
    job: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
}

impl<'a> Run<'a> {
    /// The notes and failures of a run.
    pub fn of(results: &'a Results) -> Self {
        let failures = results.failures.iter().map(ToString::to_string);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            run_id: results.run_id.as_deref(),
            notes: results.warnings.iter().chain(&results.notes).cloned().chain(failures).collect(),
            interrupted: results.interrupted.then_some(1),
            failures: results.failures.iter().map(failure).collect(),
        }
    }
}

fn failure(one: &JobFailure) -> Failure<'_> {
    Failure { job: &one.job, text: &one.text, hint: one.hint.as_deref() }
}

/// Of a job: response times where I/O was asked for at a pace, and the result of reading back.
#[derive(Serialize)]
pub(super) struct OfJob<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_ios: Option<u64>,
    #[serde(flatten)]
    responses: Pairs<&'static str, LatencyJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<Check<'a>>,
}

impl<'a> OfJob<'a> {
    /// `None` where there is nothing to tell.
    pub fn of(job: &'a JobResult) -> Option<Self> {
        let sides = [("read_response_ns", &job.read), ("write_response_ns", &job.write), ("trim_response_ns", &job.trim)];
        let response = |(name, side): (_, &crate::results::Side)| {
            let latency = Latency::of(Some(side.io.response.as_ref()?), &job.percentiles);
            Some((name, LatencyJson::of(&latency, true, false)))
        };
        let ours = Self {
            failed_ios: Some(job.errors_total).filter(|failed| *failed > 0),
            responses: Pairs::of(sides.into_iter().filter_map(response)),
            check: job.check.as_ref().map(check),
        };
        (ours.failed_ios.is_some() || !ours.responses.0.is_empty() || ours.check.is_some()).then_some(ours)
    }
}

/// Pieces of 512 bytes by what reading back showed, and the first bad one.
#[derive(Serialize)]
struct Check<'a> {
    good: u64,
    unwritten: u64,
    corrupt: u64,
    misplaced: u64,
    stale: u64,
    torn: u64,
    unreadable: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<&'a str>,
}

fn check(found: &CheckResult) -> Check<'_> {
    Check {
        good: found.good,
        unwritten: found.unwritten,
        corrupt: found.corrupt,
        misplaced: found.misplaced,
        stale: found.stale,
        torn: found.torn,
        unreadable: found.unreadable,
        first: found.first.as_deref(),
    }
}
