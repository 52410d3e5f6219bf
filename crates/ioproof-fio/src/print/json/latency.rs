//! One latency.

use super::value::Object;
use crate::print::bins::value_of;
use crate::print::latency::Latency;

/// Smallest, largest, mean, deviation, count; percentiles and the bins behind them where they are wanted and there are any.
pub(super) fn latency(latency: &Latency, percentiles: bool, bins: bool) -> Object {
    let mut object = Object::default()
        .with("min", latency.min)
        .with("max", latency.max)
        .with("mean", latency.mean)
        .with("stddev", latency.deviation)
        .with("N", latency.count);
    if percentiles && !latency.percentiles.is_empty() {
        object.add("percentile", Object::of(latency.percentiles.iter().map(|(p, ns)| (format!("{p:.6}"), *ns))));
        if bins {
            object.add("bins", Object::of(latency.bins.iter().map(|(bin, n)| (value_of(*bin).to_string(), *n))));
        }
    }
    object
}
