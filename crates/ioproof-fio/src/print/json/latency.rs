//! One latency.

use super::formatter::{Decimal, Pairs};
use crate::print::bins::value_of;
use crate::print::latency::Latency;
use serde::Serialize;

/// Smallest, largest, mean, deviation, count; percentiles and the bins behind them where they are wanted and there are any. Nanoseconds.
#[derive(Serialize)]
pub(super) struct LatencyJson {
    min: u64,
    max: u64,
    mean: Decimal,
    stddev: Decimal,
    #[serde(rename = "N")]
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentile: Option<Pairs<String, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Pairs<String, u64>>,
}

impl LatencyJson {
    /// The figures of a latency.
    pub fn of(latency: &Latency, percentiles: bool, bins: bool) -> Self {
        let percentiles = percentiles && !latency.percentiles.is_empty();
        Self {
            min: latency.min,
            max: latency.max,
            mean: Decimal(latency.mean),
            stddev: Decimal(latency.deviation),
            count: latency.count,
            percentile: percentiles.then(|| Pairs::of(latency.percentiles.iter().map(|(p, ns)| (format!("{p:.6}"), *ns)))),
            bins: (percentiles && bins).then(|| Pairs::of(latency.bins.iter().map(|(bin, n)| (value_of(*bin).to_string(), *n)))),
        }
    }
}
