//! Figures with intervals. A median and its ends share one unit, so that they can be compared at a glance.

use ioproof_core::claim::Metric;
use ioproof_core::stats::{Estimate, IntervalMethod};
use ioproof_core::units::{percent, three_digits};
use ioproof_core::verdict::Match;

/// A unit to print a metric in, chosen by one value and kept for its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    metric: Metric,
    /// Stored units in one printed unit.
    pub factor: f64,
    /// `kIOPS`, `MB/s`, `µs`.
    pub unit: &'static str,
}

impl Scale {
    /// The unit in which `ioproof_core::units` prints this value.
    pub(crate) fn of(metric: Metric, value: f64) -> Self {
        let (factor, unit) = match metric {
            Metric::Iops if value >= 10_000.0 => (1e3, "kIOPS"),
            Metric::Iops => (1.0, "IOPS"),
            Metric::Throughput => (1e6, "MB/s"),
            Metric::Latency => latency_unit(value),
        };
        Self { metric, factor, unit }
    }

    /// A value in this unit, without naming it.
    pub(crate) fn number(&self, value: f64) -> String {
        let scaled = value / self.factor;
        let whole = self.metric == Metric::Throughput && scaled >= 100.0 || self.metric == Metric::Iops && self.factor == 1.0;
        if whole { format!("{scaled:.0}") } else { three_digits(scaled) }
    }

    /// `441 kIOPS (438 to 444)`; a single run has no ends. Ends that this unit cannot show have units of their own: `65 IOPS (47 IOPS to 103 kIOPS)`.
    pub(crate) fn with_interval(&self, e: &Estimate) -> String {
        let median = format!("{} {}", self.number(e.median), self.unit);
        match e.runs {
            0 | 1 => median,
            _ if self.shows(e.low) && self.shows(e.high) => format!("{median} ({} to {})", self.number(e.low), self.number(e.high)),
            _ => format!("{median} ({} to {})", self.metric.show(e.low), self.metric.show(e.high)),
        }
    }

    /// `441 kIOPS (438-444)`.
    pub(crate) fn short_interval(&self, e: &Estimate) -> String {
        let bare = self.bare_interval(e);
        match bare.split_once(' ') {
            Some((median, _)) if !(self.shows(e.low) && self.shows(e.high)) => {
                format!("{median} {} ({} - {})", self.unit, self.metric.show(e.low), self.metric.show(e.high))
            }
            Some((median, ends)) => format!("{median} {} {ends}", self.unit),
            None => format!("{bare} {}", self.unit),
        }
    }

    /// True where a value is read at a glance in this unit: at most four digits before the point, and not all of them behind it.
    fn shows(&self, value: f64) -> bool {
        let scaled = (value / self.factor).abs();
        scaled < 10_000.0 && (scaled >= 0.095 || value == 0.0)
    }

    /// `441 (438-444)` for a narrow column that names the unit elsewhere.
    pub(crate) fn bare_interval(&self, e: &Estimate) -> String {
        let median = self.number(e.median);
        if e.runs < 2 { median } else { format!("{median} ({}-{})", self.number(e.low), self.number(e.high)) }
    }
}

fn latency_unit(ns: f64) -> (f64, &'static str) {
    match ns {
        n if n < 1e3 => (1.0, "ns"),
        n if n < 1e6 => (1e3, "µs"),
        n if n < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// The probability with which the ends enclose the median; `None` for a mere spread.
pub(crate) fn coverage(e: &Estimate) -> Option<f64> {
    match e.method {
        IntervalMethod::Rank { coverage, .. } => Some(coverage),
        IntervalMethod::Spread | IntervalMethod::Worst => None,
    }
}

/// The mark of a spread, for tables without words for it.
pub(crate) const SPREAD_LEGEND: &str = "In square brackets: the smallest and the largest of too few runs for an interval.";

/// Number of runs and coverage of the interval: `6 (96.9 %)`, `3 (spread)`, `1`.
pub(crate) fn runs_text(measured: Option<Estimate>) -> String {
    let Some(e) = measured else { return "-".into() };
    match coverage(&e) {
        Some(coverage) => format!("{} ({:.1} %)", e.runs, coverage * 100.0),
        None if e.method == IntervalMethod::Worst => format!("{} (the worst)", e.runs),
        None if e.runs > 1 => format!("{} (spread)", e.runs),
        None => e.runs.to_string(),
    }
}

/// The share of a claim that was delivered.
pub(crate) fn share(matched: Option<Match>) -> Option<String> {
    matched.map(|m| percent(m.share))
}

/// The ends of that share: `97.8 to 99.1 %`.
pub(crate) fn match_range(matched: Option<Match>) -> Option<String> {
    matched.map(|m| format!("{} to {}", percent(m.low).trim_end_matches(" %"), percent(m.high)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn median_and_ends_share_a_unit() {
        let e = Estimate::of(&[900.0, 1100.0, 1200.0], 0.95).unwrap();
        assert_eq!(Scale::of(Metric::Latency, e.median).with_interval(&e), "1.1 µs (0.9 to 1.2)");
        assert_eq!(Scale::of(Metric::Latency, 20.0).bare_interval(&e), "1100 (900-1200)");
        let wide = Estimate { low: 47.0, high: 103_246.0, median: 65.0, ..e };
        assert_eq!(Scale::of(Metric::Iops, 65.0).with_interval(&wide), "65 IOPS (47 IOPS to 103 kIOPS)");
        assert_eq!(Scale::of(Metric::Iops, 65.0).short_interval(&wide), "65 IOPS (47 IOPS - 103 kIOPS)");
        let one = Estimate::of(&[4.5e8], 0.95).unwrap();
        assert_eq!(Scale::of(Metric::Throughput, 1.0).with_interval(&one), "450 MB/s");
        assert_eq!(Scale::of(Metric::Throughput, 1.0).short_interval(&one), "450 MB/s");
        assert_eq!(Scale::of(Metric::Latency, 1e3).short_interval(&e), "1.1 µs (0.9-1.2)");
    }

    proptest! {
        #[test]
        fn a_scale_prints_as_the_units_do(value in 0.0f64..1e11) {
            for metric in [Metric::Iops, Metric::Throughput, Metric::Latency] {
                let scale = Scale::of(metric, value);
                prop_assert_eq!(format!("{} {}", scale.number(value), scale.unit), metric.show(value));
            }
        }
    }
}
