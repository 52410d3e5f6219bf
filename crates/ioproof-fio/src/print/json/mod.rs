//! JSON and JSON+ with every key of fio 3.33, in its order and with its numbers.
//!
//! Figures that fio does not know stand under one new key, `ioproof`, at the root and in a job; nothing else is added, so that readers of fio's JSON find
//! what they know.

mod job;
mod ours;
mod side;
mod value;

use super::FIO_VERSION;
use super::disk::{below, flat};
use crate::results::{DiskUse, Results};
use value::{JsonValue, object};

/// The report as JSON; with `bins` as JSON+, which adds the histogram behind each percentile.
pub fn json(results: &Results, bins: bool) -> String {
    let disks: Vec<JsonValue> = results.disks.iter().flat_map(flat).map(disk).collect();
    let document = object([
        ("fio version", FIO_VERSION.into()),
        ("timestamp", (results.timestamp_ms / 1000).into()),
        ("timestamp_ms", results.timestamp_ms.into()),
        ("time", results.time.as_str().into()),
        ("global options", Some(job::options(&results.global_options)).filter(|_| !results.global_options.is_empty()).into()),
        ("jobs", results.jobs.iter().map(|one| job::job(one, bins)).collect::<Vec<_>>().into()),
        ("disk_util", Some(disks).filter(|disks| !disks.is_empty()).into()),
        ("ioproof", ours::run(results)),
    ]);
    document.print()
}

/// One disk; those below it follow it, and are put together in it. Ticks and the time in the queue are milliseconds.
fn disk(disk: &DiskUse) -> JsonValue {
    // fio writes `aggr_write_merge` without an s.
    let counts = |prefix: &str, merges: &str, of: &DiskUse| {
        let counts = [
            ("read_ios", of.ios.0),
            ("write_ios", of.ios.1),
            ("read_merges", of.merges.0),
            (merges, of.merges.1),
            ("read_ticks", of.ticks_ms.0),
            ("write_ticks", of.ticks_ms.1),
            ("in_queue", of.in_queue_ms),
        ];
        let counts = counts.map(|(key, count)| (format!("{prefix}{key}"), count.into()));
        counts.into_iter().chain([(format!("{prefix}util"), of.busy_percent.into())]).collect::<Vec<(String, JsonValue)>>()
    };
    let own = counts("", "write_merges", disk);
    let all = below(disk).map(|all| counts("aggr_", "write_merge", &all)).unwrap_or_default();
    object([("name".to_owned(), disk.name.as_str().into())].into_iter().chain(own).chain(all))
}
