//! Latencies in words and units.

use super::{Conditions, Scale};
use ioproof_core::claim::{Metric, Statistic};
use ioproof_core::judge;
use ioproof_core::judgement::{Judgement, LatencyRow};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::units;

/// Latency of one operation of a job.
pub(crate) struct LatencyView {
    /// Position of its job.
    pub job: u32,
    pub conditions: Conditions,
    pub operation: String,
    pub samples: u64,
    /// Operations per second, the median of rounds.
    pub iops: Option<f64>,
    pub mean_ns: Option<Estimate>,
    pub percentiles_ns: Vec<(Statistic, Option<u64>)>,
    pub max_ns: Option<u64>,
    /// True where the user named the workload, or one I/O is outstanding: of others the rate is what is looked for.
    is_told: bool,
}

impl LatencyView {
    fn new(row: &LatencyRow, iops: Option<f64>, record: &RunRecord) -> Self {
        Self {
            iops,
            is_told: record.is_asked() || row.workload.is_unloaded(),
            job: row.job,
            conditions: Conditions::of_job(row.job, record).unwrap_or_else(|| Conditions::new(&row.workload)),
            operation: visible(&row.operation),
            samples: row.samples,
            mean_ns: row.mean_ns,
            percentiles_ns: row.percentiles_ns.clone(),
            max_ns: row.max_ns,
        }
    }

    pub(crate) fn percentile(&self, statistic: Statistic) -> Option<u64> {
        self.percentiles_ns.iter().find(|(s, _)| *s == statistic).and_then(|(_, ns)| *ns)
    }

    /// True for one direction of a mix, which has a row for both together.
    pub(crate) fn is_side_of_mix(&self) -> bool {
        ["read", "write"].contains(&self.operation.as_str()) && (1..100).contains(&self.conditions.read_percent)
    }

    /// True where a screen has room for it.
    pub(crate) fn is_in_short(&self) -> bool {
        self.is_told && !self.is_side_of_mix()
    }

    /// The rate without an interval.
    pub(crate) fn iops_text(&self) -> Option<String> {
        self.iops.map(units::iops)
    }

    pub(crate) fn mean_text(&self) -> Option<String> {
        self.mean_ns.map(|e| Scale::of(Metric::Latency, e.median).with_interval(&e))
    }
}

pub(super) fn latencies(record: &RunRecord, judgement: &Judgement) -> Vec<LatencyView> {
    judge::latencies(record, judgement).iter().map(|(row, rate)| LatencyView::new(row, *rate, record)).collect()
}
