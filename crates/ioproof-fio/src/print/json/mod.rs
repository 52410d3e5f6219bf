//! JSON and JSON+ with every key of fio 3.33, in its order and with its numbers.
//!
//! What fio does not know stands under one new key, `ioproof`, at the root and in a job; nothing else is added, so that readers of fio's JSON
//! find what they know.

mod disk;
mod job;
mod latency;
mod ours;
mod side;
mod steady;
mod value;

use super::FIO_VERSION;
use crate::results::Results;
use value::{Json, Object};

/// The report as JSON; with `bins` as JSON+, which adds the histogram behind each percentile.
#[must_use]
pub fn json(results: &Results, bins: bool) -> String {
    let mut root = Object::default()
        .with("fio version", FIO_VERSION)
        .with("timestamp", results.timestamp_ms / 1000)
        .with("timestamp_ms", results.timestamp_ms)
        .with("time", results.time.as_str());
    if !results.global_options.is_empty() {
        root.add("global options", options(&results.global_options));
    }
    root.add("jobs", results.jobs.iter().map(|job| job::job(job, bins)).collect::<Vec<Object>>());
    if !results.disks.is_empty() {
        root.add("disk_util", disk::disks(&results.disks));
    }
    root.add("ioproof", ours::run(results));
    root.print()
}

/// Options as typed. Where one is repeated, JSON can hold but the last, which is the one in force.
fn options(typed: &[(String, String)]) -> Object {
    let last = |n: usize, key: &String| !typed[n + 1..].iter().any(|(later, _)| later == key);
    Object::of(typed.iter().enumerate().filter(|(n, (key, _))| last(*n, key)).map(|(_, (key, value))| (key.as_str(), value.as_str())))
}

fn floats(values: &[f64]) -> impl Iterator<Item = Json> {
    values.iter().map(|value| Json::Float(*value))
}
