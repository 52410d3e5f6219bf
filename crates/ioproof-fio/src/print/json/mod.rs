//! JSON and JSON+ with every key of fio 3.33, in its order and with its numbers.
//!
//! A structure a part of the document, whose fields are its keys in their order; `formatter` gives it fio's look. Figures that fio does not know stand under one new key,
//! `ioproof`, at the root and in a job; nothing else is added, so that readers of fio's JSON find what they know.

mod disk;
mod formatter;
mod job;
mod latency;
mod ours;
mod side;
mod steady;

use super::FIO_VERSION;
use crate::results::Results;
use disk::Disk;
use formatter::Pairs;
use job::Job;
use serde::Serialize;

/// The root.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(rename = "fio version")]
    fio_version: &'static str,
    timestamp: u64,
    timestamp_ms: u64,
    time: &'a str,
    #[serde(rename = "global options", skip_serializing_if = "Option::is_none")]
    global_options: Option<Options<'a>>,
    jobs: Vec<Job<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disk_util: Vec<Disk<'a>>,
    ioproof: ours::Run<'a>,
}

/// Options as typed.
type Options<'a> = Pairs<&'a str, &'a str>;

/// The report as JSON; with `bins` as JSON+, which adds the histogram behind each percentile.
#[must_use]
pub fn json(results: &Results, bins: bool) -> String {
    formatter::print(&Document {
        fio_version: FIO_VERSION,
        timestamp: results.timestamp_ms / 1000,
        timestamp_ms: results.timestamp_ms,
        time: &results.time,
        global_options: options(&results.global_options),
        jobs: results.jobs.iter().map(|job| Job::of(job, bins)).collect(),
        disk_util: disk::disks(&results.disks),
        ioproof: ours::Run::of(results),
    })
}

/// The options that are in force, `None` where there are none. Where one is repeated, JSON can hold but the last, which is the one in force.
fn options(typed: &[(String, String)]) -> Option<Options<'_>> {
    let last = |n: usize, key: &String| !typed[n + 1..].iter().any(|(later, _)| later == key);
    let kept = typed.iter().enumerate().filter(|(n, (key, _))| last(*n, key)).map(|(_, (key, value))| (key.as_str(), value.as_str()));
    (!typed.is_empty()).then(|| Pairs::of(kept))
}
