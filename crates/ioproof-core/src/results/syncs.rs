//! The cost of durable writes: each way of making them durable with its rate, the latency of write and sync apart, and what of it reached the drive.

mod answer;
mod goal;
mod table;
mod words;

pub use crate::planned::plan::Goal;
pub use goal::GoalResult;
pub use table::title;

use crate::finding::Finding;
use crate::histogram::Histogram;
use crate::measured::{Context, Measured};
use crate::record::{Part, Round};
use crate::stats::Estimate;
use crate::workload::{Durability, Workload};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

pub use crate::record::verbs::SYNC as VERB;

/// The ways of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Syncs {
    /// Those that were measured, in the order of the plan.
    pub ways: Vec<Way>,
    /// Answers to what people hold such loads against.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalResult>,
    /// The meaning of it, a sentence each.
    pub says: Vec<String>,
}

/// One way of writing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Way {
    /// Position of its job in the run's list.
    pub job: u32,
    /// The conditions.
    pub workload: Workload,
    /// Writes per second.
    pub writes_per_s: Estimate,
    /// Commits per second: writes, or groups of them, that were made durable. None where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_per_s: Option<Estimate>,
    /// Bytes read and bytes written per second by a mix of reads and writes, medians of the rounds; none where nothing is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed_bytes_per_s: Option<(f64, f64)>,
    /// Latency of a write.
    pub write: Times,
    /// Latency of a sync; none where the write itself is durable, or nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<Times>,
    /// Flushes that the drive was sent for a commit; of several drives the one that was sent most. None where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes_per_commit: Option<f64>,
    /// Bytes that reached the drives for a byte written; none where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_at_drives_per_byte: Option<f64>,
}

/// Percentiles of all rounds together; none where too few samples lie beyond. Nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// Number of samples.
    pub samples: u64,
    /// Median.
    pub p50_ns: Option<u64>,
    /// 99 %.
    pub p99_ns: Option<u64>,
    /// 99.9 %.
    pub p999_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
}

impl Syncs {
    /// The ways of a run with these findings; `None` where it is of another verb, or nothing was measured.
    pub fn of(context: &Context, findings: &[Finding]) -> Option<Self> {
        let plan = context.record.plan.as_ref().filter(|_| context.record.verb == VERB)?;
        let measured = |workload: &Workload| context.counted().find(|measured| measured.workload() == workload);
        let ways: Vec<Way> = plan.all().filter_map(|planned| Way::of(context, measured(&planned.workload)?)).collect();
        let confidence = context.record.policy.confidence;
        let goals = plan.goals.iter().map(|goal| goal.held_against(measured(&goal.workload), confidence, findings)).collect();
        let says = words::describe(context, &ways);
        (!ways.is_empty()).then_some(Self { ways, goals, says })
    }

    /// The usual way: one writer whose every write is synced, best by fdatasync.
    pub fn usual(&self) -> Option<&Way> {
        words::usual(&self.ways)
    }
}

fn mixed_bytes_per_s(measured: &Measured) -> Option<(f64, f64)> {
    let median = |bytes: fn(&Round) -> u64| measured.median_of(|part| part.per_second(bytes(part.round)));
    (measured.workload().read_percent > 0).then_some(median(|round| round.read.bytes)?).zip(median(|round| round.write.bytes))
}

impl Way {
    fn of(context: &Context, measured: &Measured) -> Option<Self> {
        let (workload, confidence) = (measured.workload(), context.record.policy.confidence);
        let writes: Vec<f64> = measured.rounds.iter().map(|part| part.per_second(part.write.ios)).collect();
        let times = |of: fn(&Round) -> Cow<'_, Histogram>| {
            let all = measured.rounds.iter().map(|part| of(part.round)).collect();
            Times::of(&all, context.record.policy.percentile_samples)
        };
        let commits: Option<Vec<f64>> = measured.rounds.iter().map(|part| commits_per_s(part)).collect();
        Some(Self {
            job: measured.index,
            workload: workload.clone(),
            writes_per_s: Estimate::of(&writes, confidence)?,
            commits_per_s: commits.and_then(|values| Estimate::of(&values, confidence)),
            mixed_bytes_per_s: mixed_bytes_per_s(measured),
            write: times(|round| round.write.timed()),
            sync: Some(times(|round| round.sync.timed())).filter(|times| times.samples > 0),
            flushes_per_commit: measured.median_counted(flushes_per_commit),
            bytes_at_drives_per_byte: measured.median_counted(bytes_per_byte),
        })
    }
}

impl Times {
    /// Times of these samples, of percentiles beyond which so many of them lie.
    pub fn of(all: &Histogram, beyond: u64) -> Self {
        let at = |q| all.quantile_ns(q).filter(|_| all.samples_beyond(q) >= beyond);
        Self { samples: all.count(), p50_ns: at(0.5), p99_ns: at(0.99), p999_ns: at(0.999), max_ns: all.max_ns() }
    }
}

/// Writes or syncs of a round that each made something durable; `None` where nothing was.
fn commits(part: &Part) -> Option<f64> {
    let files = f64::from(part.job.workload.shape.more_files) + 1.0;
    match part.job.workload.durability {
        Durability::None | Durability::SyncFileRangeEvery(_) => None,
        Durability::Dsync | Durability::Sync | Durability::Fua => Some(part.write.ios as f64),
        // Of writes that no sync came after, nothing is known to be durable.
        _ if part.sync.ios == 0 => None,
        Durability::FsyncAllEvery(_) => Some(part.sync.ios as f64 / files),
        _ => Some(part.sync.ios as f64),
    }
}

/// Writes, or groups of them, that a round made durable, per second; `None` where nothing was.
pub(crate) fn commits_per_s(part: &Part) -> Option<f64> {
    Some(commits(part)? * 1e9 / part.elapsed_ns.max(1) as f64)
}

/// All that a round moved, for each that it moved within the measurement: the counters around it have its ramp too.
fn whole_for_measured(part: &Part) -> Option<f64> {
    let measured = part.write.bytes.saturating_add(part.read.bytes);
    (measured > 0).then(|| part.total_bytes.0.saturating_add(part.total_bytes.1) as f64 / measured as f64)
}

/// Flushes that the drive was sent in a round for a commit, of several drives the one that was sent most; `None` where they were not counted.
pub(crate) fn flushes_per_commit(part: &Part) -> Option<f64> {
    let flushes = part.stage.counted_drives()?.iter().map(|drive| drive.flush_ios).max()?;
    let commits = commits(part)? * whole_for_measured(part)?;
    (commits > 0.0).then(|| flushes as f64 / commits)
}

/// Bytes that were written to the drives in a round for a commit; `None` where they were not counted.
pub(crate) fn drive_bytes_per_commit(part: &Part) -> Option<f64> {
    let at_drives: u64 = part.stage.counted_drives()?.iter().map(|drive| drive.write_bytes).sum();
    let commits = commits(part)? * whole_for_measured(part)?;
    (commits > 0.0 && part.job.workload.is_counted_by_kernel()).then(|| at_drives as f64 / commits)
}

/// Bytes that were written to the drives in a round for a byte that it wrote; `None` where they were not counted.
pub(crate) fn bytes_per_byte(part: &Part) -> Option<f64> {
    if !part.job.workload.is_counted_by_kernel() {
        return None;
    }
    let at_drives: u64 = part.stage.counted_drives()?.iter().map(|drive| drive.write_bytes).sum();
    (part.total_bytes.1 > 0).then(|| at_drives as f64 / part.total_bytes.1 as f64)
}

#[cfg(test)]
pub(crate) mod tests;
