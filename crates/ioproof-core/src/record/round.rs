//! A round: a job's part of a stage.

use super::{CheckResult, DepthFound, Direction, EngineFacts, Interval, IoErrors, QueueUse, WorkerUsage};
use crate::base::serde_skip::is_zero;
use crate::claim::Metric;
use crate::counts::merge_some;
use crate::histogram::Histogram;
use crate::warm_up::{FEWEST, warm_up};
use serde::{Deserialize, Serialize};

/// End of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RoundOutcome {
    /// It ran its time.
    #[default]
    Complete,
    /// Ended early by the user; its figures count for nothing, unless the job is a job file's, which counts the time that it ran.
    Interrupted,
    /// Ended by failed I/O.
    Failed,
    /// An I/O did not come back.
    Hung,
}

impl RoundOutcome {
    pub fn title(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Hung => "hung",
        }
    }
}

/// One job's part of a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Round {
    /// Position of the job in the run's list.
    pub job: u32,
    /// Its end.
    pub outcome: RoundOutcome,
    /// Length of the measurement without ramp and drain. Nanoseconds.
    pub elapsed_ns: u64,
    /// Completed reads.
    pub read: Direction,
    /// Completed writes.
    pub write: Direction,
    /// Completed syncs (fdatasync).
    pub sync: Direction,
    /// Write and the sync that made it durable together, where the workload syncs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<Histogram>,
    /// The same where the sync ended after the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable_late: Option<Histogram>,
    /// I/O time inside the measurement that no completed I/O in it accounts for, less the time before it that some do: the sum of all latencies and this is
    /// the time integral of the I/O outstanding. Nanoseconds.
    pub edge_ns: i64,
    /// Completed trims.
    #[serde(skip_serializing_if = "Direction::is_empty")]
    pub trim: Direction,
    /// Use of the queue.
    #[serde(skip_serializing_if = "QueueUse::is_empty")]
    pub queue: QueueUse,
    /// The depth that a search within it led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_found: Option<DepthFound>,
    /// Results of reading back, where data that was read had been written with headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckResult>,
    /// Time that reading back took after the measurement, where it belongs to the job. Nanoseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub read_back_ns: u64,
    /// Failed I/O.
    pub errors: IoErrors,
    /// Per worker.
    pub workers: Vec<WorkerUsage>,
    /// Bytes completed during the whole job, ramp, drain and reading back included; to hold against the stage's counters. (read, write)
    pub total_bytes: (u64, u64),
    /// Reads of ioproof itself from a device within the stage, to see that it was still as it had been: the stage's counters hold them too. Bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub looked_at_bytes: u64,
    /// The way in which it was generated.
    pub engine: EngineFacts,
    /// Throughput over time.
    pub intervals: Vec<Interval>,
}

impl Round {
    /// Completed reads, writes and trims.
    pub fn ios(&self) -> u64 {
        self.read.ios.saturating_add(self.write.ios).saturating_add(self.trim.ios)
    }

    /// I/O operations per second, all directions.
    pub fn iops(&self) -> f64 {
        self.per_second(self.ios())
    }

    /// Bytes read, written and trimmed per second.
    pub fn bytes_per_s(&self) -> f64 {
        self.per_second(self.read.bytes.saturating_add(self.write.bytes).saturating_add(self.trim.bytes))
    }

    /// I/Os outstanding on average over the measurement, by the time that each was under way.
    pub fn outstanding(&self) -> f64 {
        let sum = |histogram: &Histogram| histogram.sum_ns() as f64;
        // Where a sync follows each write, the latency of both together is the time that they hold their place of the queue.
        let written_ns = self.durable.as_ref().map_or_else(|| sum(&self.write.latency) + sum(&self.sync.latency), sum);
        let under_way_ns = sum(&self.read.latency) + written_ns + sum(&self.trim.latency) + self.edge_ns as f64;
        if self.elapsed_ns == 0 { 0.0 } else { under_way_ns / self.elapsed_ns as f64 }
    }

    /// So many over its measurement, a second.
    pub(crate) fn per_second(&self, n: u64) -> f64 {
        if self.elapsed_ns == 0 { 0.0 } else { n as f64 * 1e9 / self.elapsed_ns as f64 }
    }

    /// Latency of the operation that the workload is about: write + sync where it syncs, else reads, writes and trims together, those that outlived the
    /// measurement among them.
    pub fn latency(&self) -> Histogram {
        if let Some(durable) = &self.durable {
            return durable.and(self.durable_late.as_ref()).into_owned();
        }
        [&self.read, &self.write, &self.trim].into_iter().map(Direction::timed).collect()
    }

    /// A figure of it, in the metric's stored unit; of latency the mean.
    pub fn value_of(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Throughput => self.bytes_per_s(),
            Metric::Iops => self.iops(),
            Metric::Latency => self.latency().mean_ns().unwrap_or(0.0),
        }
    }

    /// This and another part of the same job that ran at the same time, as one with the workers of both. Slices of equal length are added up.
    #[must_use]
    pub fn beside(mut self, other: &Round) -> Self {
        self.outcome = if self.outcome == RoundOutcome::Complete { other.outcome } else { self.outcome };
        self.elapsed_ns = self.elapsed_ns.max(other.elapsed_ns);
        for (mine, theirs) in
            [(&mut self.read, &other.read), (&mut self.write, &other.write), (&mut self.trim, &other.trim), (&mut self.sync, &other.sync)]
        {
            mine.merge(theirs);
        }
        merge_some(&mut self.durable, other.durable.as_ref());
        merge_some(&mut self.durable_late, other.durable_late.as_ref());
        self.edge_ns = self.edge_ns.saturating_add(other.edge_ns);
        self.read_back_ns = self.read_back_ns.max(other.read_back_ns);
        self.queue.merge(&other.queue);
        match (&mut self.depth_found, &other.depth_found) {
            (Some(mine), Some(theirs)) => mine.beside(theirs),
            (mine, theirs) => *mine = mine.take().or(theirs.clone()),
        }
        if let Some(check) = &other.check {
            self.check.get_or_insert_default().merge(check);
        }
        self.errors.merge(&other.errors);
        self.workers.extend(other.workers.iter().copied());
        self.total_bytes = (self.total_bytes.0.saturating_add(other.total_bytes.0), self.total_bytes.1.saturating_add(other.total_bytes.1));
        self.looked_at_bytes = self.looked_at_bytes.saturating_add(other.looked_at_bytes);
        self.intervals = Interval::side_by_side(std::mem::take(&mut self.intervals), &other.intervals);
        self
    }

    /// Time at the start of the measurement whose rate lies outside the spread of the rest: warm-up that the ramp did not cover. Nanoseconds; `None` where
    /// there are too few slices to tell.
    pub fn warm_up_ns(&self) -> Option<u64> {
        let bytes = |slice: &Interval| slice.read_bytes.saturating_add(slice.write_bytes).saturating_add(slice.trim_bytes);
        let timed: Vec<&Interval> = self.intervals.iter().filter(|slice| slice.length_ns > 0).collect();
        let rates: Vec<f64> = timed.iter().map(|slice| bytes(slice) as f64 / slice.length_ns as f64).collect();
        (rates.len() >= FEWEST).then(|| warm_up(&rates).checked_sub(1).map_or(0, |last| timed[last].end_ns))
    }

    pub fn counts(&self) -> bool {
        self.outcome == RoundOutcome::Complete && self.ios() > 0
    }
}
