//! Claims that are bounds: a maximum, or a figure whose qualifier is "maximum". One counter-example breaks them, and to stay well below is no cause for doubt.

use super::{Threshold, reason};
use crate::claim::{Claim, Metric, Qualifier, Statistic};
use crate::facts::Layer;
use crate::finding::Effect;
use crate::measured::{Context, Measured};
use crate::stats::{Estimate, IntervalMethod};
use crate::units::latency;
use crate::verdict::Reason;

pub(super) fn is_bound(claim: &Claim) -> bool {
    claim.metric == Metric::Latency && (claim.statistic == Some(Statistic::Max) || claim.qualifier == Qualifier::Maximum)
}

/// The worst that was seen in any run: of a maximum the longest I/O, of another statistic the worst run's.
pub(super) fn worst(measured: &Measured, statistic: Option<Statistic>, of_runs: Estimate) -> Estimate {
    let longest = measured.merged_latency().max_ns().map(|ns| ns as f64).filter(|_| statistic == Some(Statistic::Max));
    let runs: Vec<f64> = measured.rounds.iter().filter_map(|round| measured.statistic_ns(&round.latency(), statistic?)).collect();
    // Not the end of the interval, which is widened: only what was seen breaks a bound.
    let worst = runs.iter().copied().chain(longest).reduce(f64::max).unwrap_or(of_runs.median);
    Estimate { median: worst, low: worst, high: worst, runs: of_runs.runs, method: IntervalMethod::Worst }
}

/// A bound is kept where nothing exceeds it. A filesystem adds time of its own, so that through one it is broken only where that cannot explain it.
pub(super) fn threshold(layer: Layer, usual: Threshold) -> Threshold {
    let misses = if layer == Layer::Filesystem { usual.misses } else { 1.0 };
    Threshold { meets: 1.0, misses }
}

/// Where the generator lost its CPU for as long as the longest I/O is over the rest, that I/O may be the host's.
pub(super) fn hosts_own(context: &Context, worst: Option<Estimate>) -> Option<Reason> {
    let jitter_ns = context.record.self_test.as_ref()?.jitter_ns_max as f64;
    let text = format!("this machine itself stopped for up to {} before the run", latency(jitter_ns));
    (jitter_ns * 2.0 >= worst?.median).then(|| reason("host-jitter", Effect::Harder, &text))
}
