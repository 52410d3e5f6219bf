//! A round over time, slice by slice.

use super::spread::{BEYOND, Spread};
use crate::base::serde_skip::is_zero;
use serde::{Deserialize, Serialize};

/// One slice of a round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// End of the slice since the measurement began. Nanoseconds.
    pub end_ns: u64,
    /// Length of the slice. Nanoseconds.
    pub length_ns: u64,
    /// Reads completed in it.
    pub read_ios: u64,
    /// Writes completed in it.
    pub write_ios: u64,
    /// Bytes read in it.
    pub read_bytes: u64,
    /// Bytes written in it.
    pub write_bytes: u64,
    /// Trims completed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_ios: u64,
    /// Bytes trimmed in it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub trim_bytes: u64,
    /// Service time of the reads in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_latency: Option<SliceLatency>,
    /// Service time of the writes in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_latency: Option<SliceLatency>,
    /// Service time of the trims in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim_latency: Option<SliceLatency>,
}

/// Latency within one slice. A percentile is left out where fewer than ten samples lie beyond it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SliceLatency {
    /// Mean. Nanoseconds.
    pub mean_ns: u64,
    /// Mean of the part until the kernel had accepted the I/O, where submission is timed. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission_mean_ns: Option<u64>,
    /// Largest, within the width of a bin (0.4 %). Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Median. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<u64>,
    /// 99 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<u64>,
    /// 99.9 %. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p999_ns: Option<u64>,
    /// All of them, counted in wide bins; empty in records of older versions.
    #[serde(default, skip_serializing_if = "Spread::is_empty")]
    pub spread: Spread,
}

impl SliceLatency {
    /// This and the latency of a clone in the same slice, or of the slice after it, of so many I/Os each. The percentiles are those of both spreads together
    /// and as wide as their bins; none where one of the two has no spread: percentiles cannot be merged.
    #[must_use]
    pub fn beside(self, ios: u64, other: &Self, other_ios: u64) -> Option<Self> {
        if self.spread.is_empty() || other.spread.is_empty() {
            return None;
        }
        let mean = |mine: u64, theirs: u64| {
            let sum = u128::from(mine) * u128::from(ios) + u128::from(theirs) * u128::from(other_ios);
            u64::try_from(sum / u128::from(ios.saturating_add(other_ios).max(1))).unwrap_or(u64::MAX)
        };
        let mut spread = self.spread;
        spread.merge(&other.spread);
        let all = spread.histogram();
        let told = |q: f64| all.quantile_ns(q).filter(|_| all.samples_beyond(q) >= BEYOND);
        Some(Self {
            mean_ns: mean(self.mean_ns, other.mean_ns),
            submission_mean_ns: self.submission_mean_ns.zip(other.submission_mean_ns).map(|(mine, theirs)| mean(mine, theirs)),
            max_ns: self.max_ns.max(other.max_ns),
            p50_ns: told(0.5),
            p99_ns: told(0.99),
            p999_ns: told(0.999),
            spread,
        })
    }
}

/// Latencies of one direction of two clones in the same slice. A clone that did nothing in it adds nothing.
fn both(mine: Option<SliceLatency>, ios: u64, theirs: Option<&SliceLatency>, other_ios: u64) -> Option<SliceLatency> {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => mine.beside(ios, theirs, other_ios),
        (Some(mine), None) => Some(mine).filter(|_| other_ios == 0),
        (None, theirs) => theirs.filter(|_| ios == 0).cloned(),
    }
}

impl Interval {
    /// The slices of two parts of a job that ran at the same time, added up one by one. Parts begin within milliseconds of each other, so slices with the
    /// same number are of the same time; a part that ran longer keeps its last ones.
    pub fn side_by_side(mut all: Vec<Interval>, others: &[Interval]) -> Vec<Interval> {
        all.iter_mut().zip(others).for_each(|(mine, theirs)| mine.add(theirs));
        all.extend_from_slice(others.get(all.len()..).unwrap_or_default());
        all
    }

    fn add(&mut self, other: &Interval) {
        self.end_ns = self.end_ns.max(other.end_ns);
        self.length_ns = self.length_ns.max(other.length_ns);
        self.read_latency = both(self.read_latency.take(), self.read_ios, other.read_latency.as_ref(), other.read_ios);
        self.write_latency = both(self.write_latency.take(), self.write_ios, other.write_latency.as_ref(), other.write_ios);
        self.trim_latency = both(self.trim_latency.take(), self.trim_ios, other.trim_latency.as_ref(), other.trim_ios);
        let counts = [
            (&mut self.read_ios, other.read_ios),
            (&mut self.write_ios, other.write_ios),
            (&mut self.read_bytes, other.read_bytes),
            (&mut self.write_bytes, other.write_bytes),
            (&mut self.trim_ios, other.trim_ios),
            (&mut self.trim_bytes, other.trim_bytes),
        ];
        counts.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{BINS, bin_of};

    /// A slice with so many reads of each of these latencies.
    fn slice(of_each: u64, values_ns: &[u64]) -> Interval {
        let mut counts = vec![0; BINS];
        values_ns.iter().for_each(|ns| counts[bin_of(*ns)] += of_each);
        let ios = of_each * values_ns.len() as u64;
        let latency = SliceLatency {
            mean_ns: values_ns.iter().copied().fold(0, u64::saturating_add) / values_ns.len() as u64,
            max_ns: values_ns.iter().copied().max(),
            spread: Spread::of_bins(counts.into_iter()),
            ..SliceLatency::default()
        };
        Interval { end_ns: 100, length_ns: 100, read_ios: ios, read_latency: Some(latency), ..Interval::default() }
    }

    #[test]
    fn latencies_of_clones_are_those_of_both_together() {
        let (slow, fast) = (slice(100, &[1_000_000]), slice(300, &[10_000]));
        let all = Interval::side_by_side(vec![slow.clone()], std::slice::from_ref(&fast));
        let latency = all[0].read_latency.clone().unwrap();
        assert_eq!((all[0].read_ios, latency.mean_ns, latency.max_ns), (400, 257_500, Some(1_000_000)));
        let near = |told: Option<u64>, ns: f64| (told.unwrap() as f64 / ns - 1.0).abs() < 0.07;
        assert!(near(latency.p50_ns, 10_000.0), "{latency:?}");
        assert_eq!((latency.p99_ns, latency.p999_ns), (None, None), "four samples lie beyond 99 %");
        assert_eq!(Interval::side_by_side(vec![slow], &[fast.clone(), fast.clone()])[1], fast, "a clone that ran longer keeps its own");
    }

    #[test]
    fn percentiles_without_a_spread_cannot_be_merged() {
        let bare = |mut slice: Interval| {
            slice.read_latency.as_mut().unwrap().spread = Spread::default();
            slice
        };
        let (one, other) = (slice(100, &[1000]), bare(slice(100, &[2000])));
        assert_eq!(Interval::side_by_side(vec![one.clone()], &[other])[0].read_latency, None);
        let idle = Interval { end_ns: 100, length_ns: 100, ..Interval::default() };
        assert_eq!(Interval::side_by_side(vec![one.clone()], &[idle])[0], one);
    }
}
