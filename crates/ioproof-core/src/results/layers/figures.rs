//! The figures of a round of a database, by its own count.

use crate::record::{DatabaseRound, RunRecord};
use crate::syncs::Times;

/// Name of a figure, its statistic, unit and value.
pub type Figured = (&'static str, &'static str, &'static str, Option<f64>);

/// All of them; none is without a value that nobody counted.
pub fn figures(round: &DatabaseRound, record: &RunRecord) -> Vec<Figured> {
    let counted = |n: u64| Some(n as f64);
    let of_times = |ns: Option<u64>| ns.and_then(counted);
    let latency = round.timed();
    let times = Times::of(&latency, record.policy.percentile_samples);
    let (wal, begun) = (round.wal.as_ref(), round.checkpoints_begun.as_ref());
    vec![
        ("transactions", "mean", "1/s", Some(round.per_s())),
        ("transaction_latency", "mean", "ns", latency.mean_ns()),
        ("transaction_latency", "p50", "ns", of_times(times.p50_ns)),
        ("transaction_latency", "p99", "ns", of_times(times.p99_ns)),
        ("transaction_latency", "p99.9", "ns", of_times(times.p999_ns)),
        ("transaction_latency", "max", "ns", of_times(times.max_ns)),
        ("commit_latency", "mean", "ns", round.commit.as_ref().and_then(|commit| commit.mean_ns())),
        ("transactions", "count", "", counted(round.transactions)),
        ("transactions_of_whole_round", "count", "", counted(round.total_transactions)),
        ("transactions_failed", "count", "", counted(round.failed)),
        ("transactions_retried", "count", "", counted(round.retried)),
        ("elapsed", "sum", "ns", counted(round.elapsed_ns)),
        ("written", "sum", "B", round.written_bytes.and_then(counted)),
        ("cpu_time", "sum", "ns", round.cpu_ns.and_then(counted)),
        ("log_written", "sum", "B", wal.and_then(|wal| counted(wal.bytes))),
        ("log_records", "count", "", wal.and_then(|wal| counted(wal.records))),
        ("log_page_images", "count", "", wal.and_then(|wal| counted(wal.full_page_images))),
        ("checkpoints", "count", "", round.checkpoints.and_then(counted)),
        ("checkpoints_timed", "count", "", begun.and_then(|begun| counted(begun.timed))),
        ("checkpoints_requested", "count", "", begun.and_then(|begun| counted(begun.requested))),
    ]
}
