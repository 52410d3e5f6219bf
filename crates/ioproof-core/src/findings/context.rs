//! A record arranged for rules: each planned workload with the rounds that count and the figures that follow from them.

use crate::claim::{Metric, Statistic};
use crate::histogram::Histogram;
use crate::plan::Planned;
use crate::record::{Round, RunRecord};
use crate::stats::{Estimate, median};
use crate::workload::{Pattern, Workload};

/// The record as rules see it.
#[derive(Debug)]
pub struct Context<'a> {
    /// The record itself.
    pub record: &'a RunRecord,
    /// What was measured, in the order of the plan; workloads without a round that counts have none.
    pub measured: Vec<Measured<'a>>,
}

/// One workload and its rounds.
#[derive(Debug)]
pub struct Measured<'a> {
    /// The workload and the claims that it answers.
    pub planned: &'a Planned,
    /// Every round.
    pub all: Vec<&'a Round>,
    /// The rounds whose figures count, in the order of time.
    pub rounds: Vec<&'a Round>,
    confidence: f64,
    percentile_samples: u64,
}

impl<'a> Context<'a> {
    /// Arranges a record.
    #[must_use]
    pub fn new(record: &'a RunRecord) -> Self {
        let measured = record.plan.all().map(|planned| {
            let all: Vec<&Round> = record.rounds_of(&planned.workload).collect();
            let rounds = all.iter().copied().filter(|r| r.counts()).collect();
            let policy = &record.policy;
            Measured { planned, all, rounds, confidence: policy.confidence, percentile_samples: policy.percentile_samples }
        });
        Self { record, measured: measured.collect() }
    }

    /// What was measured of one workload.
    #[must_use]
    pub fn of(&self, workload: &Workload) -> Option<&Measured<'a>> {
        self.measured.iter().find(|m| m.planned.workload == *workload)
    }

    /// Mean latency of a single I/O of this kind with nothing else outstanding: (reads, writes), as far as measured. Nanoseconds.
    #[must_use]
    pub fn unloaded_latency_ns(&self, pattern: Pattern) -> (Option<f64>, Option<f64>) {
        let of = |read_percent| {
            let fits = |m: &&Measured| {
                let w = &m.planned.workload;
                w.is_unloaded()
                    && w.pattern == pattern
                    && w.read_percent == read_percent
                    && w.durability == Default::default()
                    && w.shape.is_plain()
            };
            self.measured.iter().find(fits).and_then(|m| m.estimate(Metric::Latency, Some(Statistic::Mean))).map(|e| e.median)
        };
        (of(100), of(0))
    }
}

impl Measured<'_> {
    /// The conditions.
    #[must_use]
    pub fn workload(&self) -> &Workload {
        &self.planned.workload
    }

    /// The figure over all rounds that count. A percentile is taken where every round has enough samples beyond it, else once from the merged histogram
    /// of all rounds, else not at all.
    #[must_use]
    pub fn estimate(&self, metric: Metric, statistic: Option<Statistic>) -> Option<Estimate> {
        let values: Vec<f64> = self.rounds.iter().filter_map(|r| self.value(r, metric, statistic)).collect();
        if !values.is_empty() && values.len() == self.rounds.len() {
            return Estimate::of(&values, self.confidence);
        }
        let merged = self.statistic_ns(&self.merged_latency(), statistic?)?;
        Estimate::of(&[merged], self.confidence)
    }

    /// Latencies of all rounds together.
    #[must_use]
    pub fn merged_latency(&self) -> Histogram {
        let mut merged = Histogram::default();
        self.rounds.iter().for_each(|r| merged.merge(&r.latency()));
        merged
    }

    /// Median over the rounds of anything that a round gives.
    #[must_use]
    pub fn median_of(&self, value: impl Fn(&Round) -> f64) -> Option<f64> {
        median(&self.rounds.iter().map(|r| value(r)).collect::<Vec<_>>())
    }

    /// A percentile of the latencies of all rounds, where enough samples lie beyond it. Nanoseconds.
    #[must_use]
    pub fn statistic_ns(&self, histogram: &Histogram, statistic: Statistic) -> Option<f64> {
        match (statistic, statistic.quantile()) {
            (Statistic::Mean, _) => histogram.mean_ns(),
            (Statistic::Max, _) => histogram.max_ns().map(|ns| ns as f64),
            (_, Some(q)) if histogram.samples_beyond(q) >= self.percentile_samples => histogram.quantile_ns(q).map(|ns| ns as f64),
            _ => None,
        }
    }

    fn value(&self, round: &Round, metric: Metric, statistic: Option<Statistic>) -> Option<f64> {
        match metric {
            Metric::Iops => Some(round.iops()),
            Metric::Throughput => Some(round.bytes_per_s()),
            Metric::Latency => self.statistic_ns(&round.latency(), statistic.unwrap_or(Statistic::Mean)),
        }
    }
}
