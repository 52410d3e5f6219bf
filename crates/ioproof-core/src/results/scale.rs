//! Figures with intervals. A median and its ends share one unit, so that they can be compared at a glance.

use crate::claim::Metric;
use crate::stats::Estimate;
use crate::units::three_digits;

/// A unit to print a metric in, chosen by one value and kept for its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    metric: Metric,
    /// Stored units in one printed unit.
    pub factor: f64,
    /// `kIOPS`, `MB/s`, `µs`.
    pub unit: &'static str,
}

impl Scale {
    /// The unit in which `crate::units` prints this value.
    pub fn of(metric: Metric, value: f64) -> Self {
        let (factor, unit) = match metric {
            Metric::Iops if value >= 10_000.0 => (1e3, "kIOPS"),
            Metric::Iops => (1.0, "IOPS"),
            Metric::Throughput => (1e6, "MB/s"),
            Metric::Latency => latency_unit(value),
        };
        Self { metric, factor, unit }
    }

    /// A value in this unit, without naming it.
    pub fn number(&self, value: f64) -> String {
        let scaled = value / self.factor;
        let whole = self.metric == Metric::Throughput && scaled >= 100.0 || self.metric == Metric::Iops && self.factor == 1.0;
        if whole { format!("{scaled:.0}") } else { three_digits(scaled) }
    }

    /// `441 kIOPS (438 to 444)`; a single run has no ends. Ends that this unit cannot show have units of their own: `65 IOPS (47 IOPS to 103 kIOPS)`.
    pub fn with_interval(&self, e: &Estimate) -> String {
        let median = format!("{} {}", self.number(e.median), self.unit);
        match e.runs {
            0 | 1 => median,
            _ if self.shows(e.low) && self.shows(e.high) => format!("{median} ({} to {})", self.number(e.low), self.number(e.high)),
            _ => format!("{median} ({} to {})", self.metric.show(e.low), self.metric.show(e.high)),
        }
    }

    /// `441 kIOPS (438-444)`.
    pub fn short_interval(&self, e: &Estimate) -> String {
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
    pub fn bare_interval(&self, e: &Estimate) -> String {
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
