//! Latency: the mean of each operation, each percentile with enough samples beyond it, and the largest.

use super::Lines;
use super::line::Line;
use super::results::figure;
use crate::view::{LatencyView, View};
use ioproof_core::claim::{Metric, Statistic};

pub(super) fn lines<'a>(lines: &Lines<'a>, view: &View) -> Vec<Line<'a>> {
    view.latencies.iter().flat_map(|row| of_operation(lines, view, row)).collect()
}

fn of_operation<'a>(lines: &Lines<'a>, view: &View, row: &LatencyView) -> Vec<Line<'a>> {
    let start =
        || lines.of_job(view, Some(row.job)).conditions(&row.conditions).text("timed", &row.operation).count("samples", row.samples);
    let of = |statistic: Statistic| figure(Metric::Latency, statistic.title());
    let mean = row.mean_ns.map(|e| start().estimate(of(Statistic::Mean), Some(&e)));
    let single = row.percentiles_ns.iter().copied().chain([(Statistic::Max, row.max_ns)]);
    let single = single.filter_map(|(statistic, ns)| ns.map(|ns| start().figure(of(statistic), Some(ns as f64))));
    mean.into_iter().chain(single).collect()
}
