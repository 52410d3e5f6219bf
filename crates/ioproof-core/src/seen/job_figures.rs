//! Figures of each job that charts are drawn of: latency by percentile over all its runs, the figures of each run, and throughput over time (`timeline` has the rest of
//! what changes over time).

use super::timeline::Timeline;
use crate::claim::Metric;
use crate::histogram::Histogram;
use crate::measured::{Measured, with_rounds};
use crate::record::{Interval, Round, RunRecord};
use crate::verdict::Row;

const CURVE_POINTS: u32 = 64;

/// The data of one job's charts.
#[derive(Debug, Clone)]
pub struct JobFigures {
    pub job: u32,
    /// I/Os behind the curve.
    pub samples: u64,
    /// Quantile on the scale of nines, -log10(1 - q), and latency in nanoseconds; ends where too few samples lie beyond.
    pub curve: Vec<(f64, f64)>,
    /// IOPS or bytes per second, whichever the workload is judged by.
    pub metric: Metric,
    /// One per round.
    pub traces: Vec<JobTrace>,
    /// The claim in the unit of the traces, where there is one.
    pub claimed: Option<f64>,
    /// The figures of each run, in the order of time.
    pub runs: Vec<RunFigures>,
    pub timeline: Timeline,
}

#[derive(Debug, Clone, Copy)]
pub struct RunFigures {
    iops: f64,
    bytes_per_s: f64,
    latency_mean_ns: f64,
}

impl RunFigures {
    pub fn of(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Iops => self.iops,
            Metric::Throughput => self.bytes_per_s,
            Metric::Latency => self.latency_mean_ns,
        }
    }
}

/// Throughput over one round: its length, and end in seconds and value of each slice. Slices of a job's clones, which ran side by side, are added up.
#[derive(Debug, Clone)]
pub struct JobTrace {
    pub length_s: f64,
    pub points: Vec<(f64, f64)>,
}

/// Of each job that has rounds which count, in the order of the record.
pub fn job_figures(record: &RunRecord, rows: &[Row]) -> Vec<JobFigures> {
    with_rounds(record).iter().map(|measured| of_job(measured, rows, record)).collect()
}

fn of_job(measured: &Measured, rows: &[Row], record: &RunRecord) -> JobFigures {
    let latency = measured.merged_latency();
    let row = rows.iter().find(|row| row.job == Some(measured.index) && row.metric != Metric::Latency);
    let metric = row.map_or_else(|| measured.workload().rate_metric(), |row| row.metric);
    let drives: Vec<&str> = record.drives_of(measured.job).iter().map(|drive| drive.name.as_str()).collect();
    JobFigures {
        job: measured.index,
        samples: latency.count(),
        curve: curve(&latency, record.policy.percentile_samples),
        metric,
        traces: measured.rounds.iter().map(|round| trace(round, metric)).collect(),
        claimed: row.and_then(|row| row.claimed),
        runs: measured.rounds.iter().map(|round| figures(round)).collect(),
        timeline: Timeline::new(&measured.rounds, metric, &drives),
    }
}

fn figures(round: &Round) -> RunFigures {
    RunFigures { iops: round.iops(), bytes_per_s: round.bytes_per_s(), latency_mean_ns: round.value_of(Metric::Latency) }
}

fn curve(latency: &Histogram, least_beyond: u64) -> Vec<(f64, f64)> {
    let nines = (latency.count() as f64 / least_beyond.max(1) as f64).log10();
    if !nines.is_finite() || nines <= 0.0 {
        return Vec::new();
    }
    let at = |n: u32| nines * f64::from(n) / f64::from(CURVE_POINTS);
    let point = |x: f64| latency.quantile_ns(1.0 - 10f64.powf(-x)).map(|ns| (x, ns as f64));
    (0..=CURVE_POINTS).filter_map(|n| point(at(n))).collect()
}

fn trace(round: &Round, metric: Metric) -> JobTrace {
    let points = round.intervals.iter().filter(|i| i.length_ns > 0);
    JobTrace { length_s: round.elapsed_ns as f64 / 1e9, points: points.map(|i| (i.end_ns as f64 / 1e9, rate(i, metric))).collect() }
}

fn rate(interval: &Interval, metric: Metric) -> f64 {
    let n = match metric {
        Metric::Throughput => interval.read_bytes as f64 + interval.write_bytes as f64 + interval.trim_bytes as f64,
        _ => interval.read_ios as f64 + interval.write_ios as f64 + interval.trim_ios as f64,
    };
    n * 1e9 / interval.length_ns as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_ends_where_too_few_samples_lie_beyond() {
        let mut h = Histogram::default();
        (1..=10_000).for_each(|ns| h.record(ns));
        let curve = curve(&h, 100);
        assert_eq!(curve.last().map(|(x, _)| *x), Some(2.0));
        assert!(curve.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1));
        assert!(super::curve(&h, 10_000).is_empty());
        assert!(super::curve(&Histogram::default(), 0).is_empty());
    }
    #[test]
    fn a_rate_counts_every_direction_of_a_slice() {
        let part =
            Interval { end_ns: 500_000_000, length_ns: 500_000_000, read_ios: 3, trim_ios: 2, trim_bytes: 4096, ..Interval::default() };
        let both = Interval::side_by_side(vec![part.clone()], &[part]);
        assert_eq!((rate(&both[0], Metric::Iops), rate(&both[0], Metric::Throughput)), (20.0, 16_384.0));
        let round = Round { elapsed_ns: 500_000_000, intervals: both, ..Round::default() };
        assert_eq!(trace(&round, Metric::Iops).points, [(0.5, 20.0)], "clones side by side are one trace");
    }
}
