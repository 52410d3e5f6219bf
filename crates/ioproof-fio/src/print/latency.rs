//! Figures of a latency as fio shows them, made from a histogram: smallest, largest, mean, deviation, percentiles, bins.

use super::bins;
use ioproof_core::histogram::Histogram;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Latency {
    pub count: u64,
    pub min: u64,
    pub max: u64,
    pub mean: f64,
    pub deviation: f64,
    /// fio's bins that hold something: number and count, ascending.
    pub bins: Vec<(usize, u64)>,
    /// Percentiles (percent) with their values, ascending. Empty where they are not reported.
    pub percentiles: Vec<(f64, u64)>,
}

impl Latency {
    pub fn from_histogram(histogram: Option<&Histogram>, percentiles: &[f64]) -> Self {
        let Some(histogram) = histogram.filter(|h| h.count() > 0) else {
            return Self::default();
        };
        let counted = bins::counted(histogram);
        let mean = histogram.mean_ns().unwrap_or(0.0);
        let mut latency = Self {
            count: histogram.count(),
            min: histogram.min_ns().unwrap_or(0),
            max: histogram.max_ns().unwrap_or(0),
            mean,
            deviation: deviation(&counted, mean, histogram),
            bins: bins::folded(&counted),
            percentiles: Vec::new(),
        };
        latency.percentiles = latency.at(percentiles);
        latency
    }

    fn at(&self, percentiles: &[f64]) -> Vec<(f64, u64)> {
        let mut wanted: Vec<f64> = percentiles.iter().copied().filter(|p| (0.0..=100.0).contains(p)).collect();
        wanted.sort_by(f64::total_cmp);
        wanted.into_iter().map(|p| (p, self.percentile(p))).collect()
    }

    /// The first bin at which the share is reached, by its name. It may exceed the largest latency, as fio's does.
    fn percentile(&self, percent: f64) -> u64 {
        let wanted = percent / 100.0 * self.count as f64;
        let mut seen = 0u64;
        let reached = self.bins.iter().find(|(_, n)| {
            seen = seen.saturating_add(*n);
            seen as f64 >= wanted
        });
        reached.or(self.bins.last()).map_or(0, |(bin, _)| bins::value_of(*bin))
    }
}

/// From the middles of the bins; each middle lies between the smallest and the largest. A value is at most half a bin, 1/256 of it, away from its middle, so
/// the deviation is off by at most that share of the root mean square.
fn deviation(counted: &[(u64, u64, u64)], mean: f64, histogram: &Histogram) -> f64 {
    let (min, max) = (histogram.min_ns().unwrap_or(0), histogram.max_ns().unwrap_or(0));
    if histogram.count() < 2 || min >= max {
        return 0.0;
    }
    let squares = |(lowest, width, n): &(u64, u64, u64)| {
        let middle = (lowest + width / 2).clamp(min, max) as f64;
        (middle - mean).powi(2) * *n as f64
    };
    (counted.iter().map(squares).sum::<f64>() / (histogram.count() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(latencies: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        latencies.iter().for_each(|ns| histogram.record(*ns));
        histogram
    }

    #[test]
    fn percentiles_are_names_of_bins() {
        let latency = Latency::from_histogram(Some(&histogram(&[1000, 2000, 3000])), &[1.0, 33.0, 50.0, 66.0, 99.99]);
        assert_eq!(latency.percentiles, [(1.0, 1004), (33.0, 1004), (50.0, 2008), (66.0, 2008), (99.99, 2992)]);
    }

    #[test]
    fn what_was_not_done_is_zero() {
        assert_eq!(Latency::from_histogram(None, &[50.0]), Latency::default());
        assert_eq!(Latency::from_histogram(Some(&histogram(&[])), &[50.0]), Latency::default());
        assert_eq!(Latency::from_histogram(Some(&histogram(&[7, 7])), &[]).deviation, 0.0);
    }

    proptest! {
        #[test]
        fn deviation_is_that_of_the_values(values in prop::collection::vec(1_000u64..1_000_000, 2..200)) {
            let mean = values.iter().sum::<u64>() as f64 / values.len() as f64;
            let exact = (values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt();
            let latency = Latency::from_histogram(Some(&histogram(&values)), &[]);
            prop_assert!((latency.mean - mean).abs() < 1e-6 * mean);
            let root = (values.iter().map(|v| (*v as f64).powi(2)).sum::<f64>() / (values.len() - 1) as f64).sqrt();
            prop_assert!((latency.deviation - exact).abs() <= root / 256.0 * (1.0 + 1e-9), "{} for {exact}", latency.deviation);
        }

        #[test]
        fn percentiles_ascend(values in prop::collection::vec(any::<u64>(), 1..100), wanted in prop::collection::vec(0.0f64..100.0, 0..20)) {
            let latency = Latency::from_histogram(Some(&histogram(&values)), &wanted);
            prop_assert!(latency.percentiles.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1));
            prop_assert_eq!(latency.percentiles.len(), wanted.len());
        }
    }
}
