//! Figures of durable writes, which only runs of `sync` and `layers` are held against each other by: commits, and of `sync` the latencies of write and sync apart.

use crate::claim::{Metric, Statistic};
use crate::histogram::Histogram;
use crate::layers;
use crate::measured::Measured;
use crate::record::{Round, RunRecord};
use crate::stats::Estimate;
use crate::syncs;
use crate::workload::Workload;
use serde::Serialize;
use std::borrow::Cow;

/// The part of a durable write that a figure is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durable {
    /// Writes, or groups of them, that were made durable, or transactions of a database that write, per second.
    Commits,
    /// The write alone.
    Write,
    /// The sync alone; of a database the commit of a transaction alone.
    Sync,
}

/// A figure that runs are held against each other by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DurableFigure {
    pub metric: Metric,
    pub statistic: Option<Statistic>,
    pub durable: Option<Durable>,
}

pub(super) const fn rate(metric: Metric, durable: Option<Durable>) -> DurableFigure {
    DurableFigure { metric, statistic: None, durable }
}

pub(super) const fn latency(statistic: Statistic, durable: Option<Durable>) -> DurableFigure {
    DurableFigure { metric: Metric::Latency, statistic: Some(statistic), durable }
}

/// Rate by which a workload is judged, and its latencies.
const OF_IOS: [DurableFigure; 5] = [
    rate(Metric::Iops, None),
    rate(Metric::Throughput, None),
    latency(Statistic::Mean, None),
    latency(Statistic::P99, None),
    latency(Statistic::P999, None),
];

/// The same of writes with a sync apart, where the latency of both together would say nothing that those of each do not.
const OF_SYNCS: [DurableFigure; 7] = [
    rate(Metric::Iops, Some(Durable::Commits)),
    rate(Metric::Iops, None),
    rate(Metric::Throughput, None),
    latency(Statistic::P50, Some(Durable::Write)),
    latency(Statistic::P99, Some(Durable::Write)),
    latency(Statistic::P50, Some(Durable::Sync)),
    latency(Statistic::P99, Some(Durable::Sync)),
];

/// Figures of a load beside a database: its rate, and whole times as those of a transaction are.
fn of_layer(workload: &Workload) -> Vec<DurableFigure> {
    vec![rate(Metric::Iops, workload.writes().then_some(Durable::Commits)), latency(Statistic::P99, None)]
}

/// The figures of a workload in these runs. Where each write is a commit its rate is that of commits, and is told once.
pub(super) fn figures(records: &[&RunRecord], of: &[Option<&Measured>]) -> Vec<DurableFigure> {
    if let (true, Some(one)) = (records.iter().all(|record| record.verb == layers::VERB), of.iter().flatten().next()) {
        return of_layer(one.workload());
    }
    let has = |told: fn(&Round) -> bool| of.iter().flatten().any(|measured| measured.rounds.iter().any(|part| told(part.round)));
    let commits = || of.iter().flatten().any(|measured| measured.rounds.iter().all(|part| syncs::commits_per_s(part).is_some()));
    let mut figures = match records.iter().all(|record| record.verb == syncs::VERB) {
        true if has(|round| round.sync.ios > 0) => OF_SYNCS.to_vec(),
        true if commits() => [&OF_SYNCS[..1], &OF_IOS].concat(),
        _ => return OF_IOS.to_vec(),
    };
    if of.iter().flatten().any(|measured| all_are_commits(measured.workload())) && commits() {
        figures.retain(|figure| figure.metric == Metric::Latency || figure.durable.is_some());
    }
    figures
}

fn all_are_commits(workload: &Workload) -> bool {
    workload.read_percent == 0 && workload.durability.is_of_each_write()
}

impl Durable {
    /// The figure of each round; empty where a round has none.
    pub(super) fn values(self, measured: &Measured, statistic: Option<Statistic>) -> Vec<f64> {
        let of_rounds =
            |value: &dyn Fn(&crate::record::Part) -> Option<f64>| measured.rounds.iter().map(value).collect::<Option<Vec<f64>>>();
        let values = match self.latencies() {
            Some(of) => of_rounds(&|part| measured.statistic_ns(&of(part.round), statistic?)),
            None => of_rounds(&syncs::commits_per_s),
        };
        values.unwrap_or_default()
    }

    /// The figure of a run: a rate is the median of rounds, a latency is of all rounds together.
    pub(super) fn estimate(self, measured: &Measured, statistic: Option<Statistic>) -> Option<Estimate> {
        let estimate = measured.estimate_of(&self.values(measured, statistic));
        let Some(of) = self.latencies() else { return estimate };
        let merged = measured.statistic_ns(&measured.rounds.iter().map(|part| of(part.round)).collect(), statistic?)?;
        estimate.or_else(|| measured.estimate_of(&[merged])).map(|estimate| estimate.about(merged))
    }

    fn latencies(self) -> Option<fn(&Round) -> Cow<'_, Histogram>> {
        match self {
            Self::Commits => None,
            Self::Write => Some(|round| round.write.timed()),
            Self::Sync => Some(|round| round.sync.timed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Answer, Row, compare};
    use crate::syncs::tests::{each, run};
    use crate::workload::Durability;

    fn rows(first: &RunRecord, second: &RunRecord) -> Vec<Row> {
        compare(&[first, second]).rows
    }

    fn row(rows: &[Row], durable: Durable, statistic: Option<Statistic>) -> &Row {
        rows.iter().find(|row| (row.durable, row.statistic) == (Some(durable), statistic)).unwrap()
    }

    #[test]
    fn commits_write_and_sync_are_told_apart_with_the_flushes() {
        let (fast, mut slow) = (run(&[each()], 100_000, 1), run(&[each()], 900_000, 4));
        slow.rounds_mut().for_each(|round| round.elapsed_ns *= 2);
        let rows = rows(&fast, &slow);
        let commits = row(&rows, Durable::Commits, None);
        let medians: Vec<f64> = commits.measured.iter().map(|one| one.unwrap().median.round()).collect();
        assert_eq!((medians.as_slice(), commits.against[0].as_ref().unwrap().answer), (&[1000.0, 500.0][..], Answer::Worse));
        assert_eq!(commits.flushes_per_commit.iter().map(|n| n.unwrap().round()).collect::<Vec<_>>(), [1.0, 0.0]);
        assert_eq!(row(&rows, Durable::Sync, Some(Statistic::P50)).against[0].as_ref().unwrap().answer, Answer::Worse);
        assert_eq!(row(&rows, Durable::Write, Some(Statistic::P50)).against[0].as_ref().unwrap().answer, Answer::CannotTell);
        assert!(rows.iter().all(|row| row.metric != Metric::Latency || row.durable.is_some()), "no latency of both together");
    }

    #[test]
    fn a_durable_write_has_commits_and_what_is_never_durable_none() {
        let ways = [Durability::Dsync, Durability::None].map(|durability| Workload { durability, ..each() });
        let mut one = run(&ways, 100_000, 1);
        one.rounds_mut().for_each(|round| round.sync = Default::default());
        let rows = rows(&one, &one);
        let of = |durability| rows.iter().filter(|row| row.workload.durability == durability).filter_map(|row| row.durable).count();
        assert_eq!((of(Durability::Dsync), of(Durability::None)), (1, 0));
    }

    #[test]
    fn the_rate_of_writes_that_are_each_a_commit_is_told_once() {
        let ways = [Durability::FdatasyncEach, Durability::Dsync, Durability::FdatasyncEvery(8)];
        let mut one = run(&ways.map(|durability| Workload { durability, ..each() }), 100_000, 1);
        let of_dsync = one.rounds_mut().filter(|round| round.job == 1);
        of_dsync.for_each(|round| round.sync = Default::default());
        let rows = rows(&one, &one);
        let rates = |durability| rows.iter().filter(|row| row.workload.durability == durability && row.metric != Metric::Latency).count();
        assert_eq!(ways.map(rates), [1, 1, 2]);
    }

    #[test]
    fn other_verbs_keep_their_figures() {
        let mut one = run(&[each()], 100_000, 1);
        one.verb = "verify".into();
        assert!(rows(&one, &one).iter().all(|row| row.durable.is_none() && row.flushes_per_commit.is_empty()));
    }
}
