//! Rounds of databases: the figures of each, by its own count, and what it did second by second.

use super::layers::given;
use super::rounds::describe_outcome;
use super::stages::describe_purpose;
use ioproof_core::record::{DatabaseRound, DatabaseSlice, RunRecord, Stage};
use ioproof_core::syncs::Times;
use ioproof_core::text::visible;

/// Name of a figure, its statistic, unit and value.
pub(crate) type Figured = (&'static str, &'static str, &'static str, Option<f64>);

/// A round of a database.
pub(crate) struct DatabaseRoundView {
    pub stage: u32,
    pub purpose: &'static str,
    pub repetition: u32,
    pub started_at: String,
    pub outcome: &'static str,
    /// The database.
    pub title: String,
    /// Its target as it was given.
    pub target: String,
    pub clients: u32,
    /// Figures of the whole round; none is there that nobody counted.
    pub figures: Vec<Figured>,
    pub slices: Vec<DatabaseSlice>,
    pub error: String,
}

/// All of them in the order of time.
pub(super) fn rounds(record: &RunRecord) -> Vec<DatabaseRoundView> {
    let all = record.stages.iter().flat_map(|stage| stage.databases.iter().map(move |round| (round, stage)));
    all.filter_map(|(round, stage)| view(round, stage, record)).collect()
}

fn view(round: &DatabaseRound, stage: &Stage, record: &RunRecord) -> Option<DatabaseRoundView> {
    let database = record.databases.get(round.database as usize)?;
    Some(DatabaseRoundView {
        stage: stage.index,
        purpose: describe_purpose(stage.purpose),
        repetition: stage.repetition,
        started_at: visible(&stage.started_at),
        outcome: describe_outcome(round.outcome),
        title: visible(&database.title),
        target: given(record, database.target),
        clients: database.clients,
        figures: figures(round, record).into_iter().filter(|(.., value)| value.is_some()).collect(),
        slices: round.intervals.clone(),
        error: round.error.as_deref().map(visible).unwrap_or_default(),
    })
}

fn figures(round: &DatabaseRound, record: &RunRecord) -> Vec<Figured> {
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
