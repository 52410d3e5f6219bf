//! A log-linear histogram of nanoseconds, for the hot path and for the record.
//!
//! Every power of two is divided into 128 bins, so a value is known to within 1/256 of itself (0.4 %). Values up to 73 minutes have bins
//! of their own; longer ones are counted in the last. Percentiles are clamped to the observed minimum and maximum. Histograms are
//! merged by adding bins; percentiles are never averaged.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::{Borrow, Cow};

const SUB_BITS: u32 = 7;
const SUB: u64 = 1 << SUB_BITS;
const TOP_BITS: u32 = 42;
pub const BINS: usize = ((TOP_BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Half the width of a bin over its value: the largest relative error of a recorded value.
pub const RELATIVE_ERROR: f64 = 1.0 / (2 * SUB) as f64;

/// Counts of latencies in nanoseconds.
#[derive(Clone, PartialEq, Eq)]
pub struct Histogram {
    bins: Box<[u64]>,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Histogram {
    #[inline]
    fn default() -> Self {
        Self { bins: vec![0; BINS].into_boxed_slice(), count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

/// All of them together.
impl<H: Borrow<Histogram>> FromIterator<H> for Histogram {
    fn from_iter<I: IntoIterator<Item = H>>(all: I) -> Self {
        all.into_iter().fold(Self::default(), |mut sum, one| {
            sum.merge(one.borrow());
            sum
        })
    }
}

impl std::fmt::Debug for Histogram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Histogram {{ count: {}, min_ns: {:?}, max_ns: {:?} }}", self.count, self.min_ns(), self.max_ns())
    }
}

impl Histogram {
    /// A histogram of what was counted elsewhere, in bins as [`bin_of`] names them. Where nothing was counted, the other figures are left aside.
    #[inline]
    pub fn from_bins(counts: impl Iterator<Item = u64>, sum_ns: u128, min_ns: u64, max_ns: u64) -> Self {
        let mut histogram = Self::default();
        for (mine, counted) in histogram.bins.iter_mut().zip(counts) {
            *mine = counted;
            histogram.count = histogram.count.saturating_add(counted);
        }
        if histogram.count > 0 {
            (histogram.sum_ns, histogram.min_ns, histogram.max_ns) = (sum_ns, min_ns, max_ns);
        }
        histogram
    }

    /// Counts of some bins, each by its number; [`BINS`] and above do not count. Sum and extremes as in [`Self::from_bins`].
    pub fn from_counted(counted: impl Iterator<Item = (usize, u64)>, sum_ns: u128, min_ns: u64, max_ns: u64) -> Self {
        let mut histogram = Self::default();
        for (bin, count) in counted {
            if let Some(mine) = histogram.bins.get_mut(bin) {
                *mine = mine.saturating_add(count);
                histogram.count = histogram.count.saturating_add(count);
            }
        }
        if histogram.count > 0 {
            (histogram.sum_ns, histogram.min_ns, histogram.max_ns) = (sum_ns, min_ns, max_ns);
        }
        histogram
    }

    /// Counts one value. Allocates nothing.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.bins[bin_of(ns)] += 1;
        self.count += 1;
        self.sum_ns += u128::from(ns);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Forgets everything. Allocates nothing.
    #[inline]
    pub fn clear(&mut self) {
        self.bins.fill(0);
        (self.count, self.sum_ns, self.min_ns, self.max_ns) = (0, 0, u64::MAX, 0);
    }

    /// These counts and those of another, where there is one.
    #[must_use]
    pub fn and(&self, other: Option<&Histogram>) -> Cow<'_, Histogram> {
        let Some(other) = other else { return Cow::Borrowed(self) };
        let mut all = self.clone();
        all.merge(other);
        Cow::Owned(all)
    }

    /// Adds the counts of another.
    #[inline]
    pub fn merge(&mut self, other: &Histogram) {
        let chunks = self.bins.chunks_mut(CHUNK).zip(other.bins.chunks(CHUNK));
        for (mine, theirs) in chunks.filter(|(_, theirs)| !is_empty(theirs)) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = mine.saturating_add(*theirs);
            }
        }
        // Stored counts can be anything; sums of them must not panic.
        self.count = self.count.saturating_add(other.count);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The values that were counted after `earlier`, which was a copy of this one. The smallest and the largest of them are known by their bins only.
    #[must_use]
    #[inline]
    pub fn since(&self, earlier: &Histogram) -> Self {
        let counts = self.bins.iter().zip(&earlier.bins).map(|(now, before)| now.saturating_sub(*before));
        Self::from_bins(counts, self.sum_ns.saturating_sub(earlier.sum_ns), 0, u64::MAX)
    }

    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of all values, exact.
    #[inline]
    pub fn sum_ns(&self) -> u128 {
        self.sum_ns
    }

    /// Smallest value, exact.
    #[inline]
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min_ns)
    }

    /// Largest value, exact.
    #[inline]
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max_ns)
    }

    /// Arithmetic mean, exact.
    #[inline]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }

    /// The value below or at which a share `q` (0 to 1) of all values lies, within [`RELATIVE_ERROR`].
    #[inline]
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        let rank = ((self.count as f64 * q.clamp(0.0, 1.0)).ceil() as u64).max(1);
        let mut seen = 0;
        for (bin, n) in self.filled() {
            seen = n.saturating_add(seen);
            if seen >= rank {
                return Some(middle_of(bin).clamp(self.min_ns, self.max_ns));
            }
        }
        None
    }

    /// Number of values beyond the quantile `q`, which a percentile rests on.
    #[inline]
    pub fn samples_beyond(&self, q: f64) -> u64 {
        // Rounded first, because 1 - 0.999 is a little more than 0.001.
        ((1.0 - q) * self.count as f64 + 1e-6).floor() as u64
    }

    /// Values of at least so much: how many, and their share of the sum of all, both by the middle of each bin.
    pub fn at_least(&self, least_ns: u64) -> (u64, f64) {
        let (mut count, mut sum_ns) = (0_u64, 0.0);
        for (bin, n) in self.filled().filter(|(bin, _)| middle_of(*bin) >= least_ns) {
            count = count.saturating_add(n);
            sum_ns += middle_of(bin) as f64 * n as f64;
        }
        (count, (sum_ns / (self.sum_ns as f64).max(1.0)).min(1.0))
    }

    /// The bins that hold something, ascending: the lowest value of each, its width, and how many values. Nanoseconds.
    pub fn counted(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.filled().map(|(bin, n)| (lowest_of(bin), width_of(bin), n))
    }

    #[inline]
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let chunks = self.bins.chunks(CHUNK).enumerate().filter(|(_, bins)| !is_empty(bins));
        let bins = chunks.flat_map(|(chunk, bins)| bins.iter().enumerate().map(move |(at, n)| (chunk * CHUNK + at, *n)));
        bins.filter(|(_, n)| *n > 0)
    }
}

/// Bins that are looked at together: most hold nothing.
const CHUNK: usize = 64;

#[inline]
fn is_empty(bins: &[u64]) -> bool {
    bins == &[0; CHUNK][..bins.len()]
}

/// The bin that counts a value; below [`BINS`].
#[inline]
pub fn bin_of(ns: u64) -> usize {
    if ns < SUB {
        return ns as usize;
    }
    let ns = ns.min((1 << TOP_BITS) - 1);
    let shift = 63 - ns.leading_zeros() - SUB_BITS;
    ((u64::from(shift) << SUB_BITS) + (ns >> shift)) as usize
}

#[inline]
fn shift_of(bin: usize) -> u32 {
    ((bin as u64 >> SUB_BITS).saturating_sub(1)) as u32
}

#[inline]
fn lowest_of(bin: usize) -> u64 {
    let shift = shift_of(bin);
    (bin as u64 - (u64::from(shift) << SUB_BITS)) << shift
}

#[inline]
fn width_of(bin: usize) -> u64 {
    1 << shift_of(bin)
}

#[inline]
fn middle_of(bin: usize) -> u64 {
    lowest_of(bin) + width_of(bin) / 2
}

/// The stored form: only the bins that hold something.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct StoredHistogram {
    /// Bins a power of two; a reader that knows another number must refuse.
    bins_per_octave: u64,
    count: u64,
    sum_ns: u128,
    min_ns: Option<u64>,
    max_ns: Option<u64>,
    /// Pairs of bin and count.
    bins: Vec<(usize, u64)>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Histogram {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Histogram".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        StoredHistogram::json_schema(generator)
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StoredHistogram {
            bins_per_octave: SUB,
            count: self.count,
            sum_ns: self.sum_ns,
            min_ns: self.min_ns(),
            max_ns: self.max_ns(),
            bins: self.filled().collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = StoredHistogram::deserialize(deserializer)?;
        restore(stored).map_err(serde::de::Error::custom)
    }
}

fn restore(stored: StoredHistogram) -> Result<Histogram, String> {
    if stored.bins_per_octave != SUB {
        return Err(format!("histogram with {} bins per octave; this version reads {SUB}", stored.bins_per_octave));
    }
    let mut histogram = Histogram::default();
    let mut count = 0u64;
    for (bin, n) in stored.bins {
        *histogram.bins.get_mut(bin).ok_or_else(|| format!("histogram has no bin {bin}"))? = n;
        count = count.checked_add(n).ok_or("histogram counts overflow")?;
    }
    if count != stored.count {
        return Err(format!("histogram bins hold {count} values, its count says {}", stored.count));
    }
    histogram.count = count;
    histogram.sum_ns = stored.sum_ns;
    histogram.min_ns = stored.min_ns.unwrap_or(u64::MAX);
    histogram.max_ns = stored.max_ns.unwrap_or(0);
    if count > 0 && histogram.min_ns > histogram.max_ns {
        return Err("histogram minimum exceeds its maximum".into());
    }
    Ok(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut h = Histogram::default();
        values.iter().for_each(|v| h.record(*v));
        h
    }

    #[test]
    fn bins_follow_each_other_without_gap() {
        for bin in 0..BINS - 1 {
            assert_eq!(lowest_of(bin) + width_of(bin), lowest_of(bin + 1), "bin {bin}");
            assert_eq!(bin_of(lowest_of(bin)), bin);
            assert_eq!(bin_of(lowest_of(bin) + width_of(bin) - 1), bin);
        }
        assert!(lowest_of(BINS - 1) > 3_600_000_000_000, "an hour has a bin of its own");
        assert_eq!(bin_of(u64::MAX), BINS - 1);
    }

    #[test]
    fn percentiles_are_clamped_to_what_was_seen() {
        let h = of(&[1_000_003]);
        assert_eq!(h.quantile_ns(0.5), Some(1_000_003));
        assert_eq!(h.quantile_ns(0.999), Some(1_000_003));
        assert_eq!(Histogram::default().quantile_ns(0.5), None);
    }

    #[test]
    fn samples_beyond_a_percentile() {
        let mut h = Histogram::default();
        (0..100_000).for_each(|v| h.record(v));
        assert_eq!(h.samples_beyond(0.999), 100);
        assert_eq!(h.samples_beyond(0.99), 1000);
    }

    #[test]
    fn a_stored_histogram_that_contradicts_itself_is_refused() {
        let text = r#"{"bins_per_octave":128,"count":3,"sum_ns":1,"min_ns":1,"max_ns":1,"bins":[[1,1]]}"#;
        assert!(serde_json::from_str::<Histogram>(text).unwrap_err().to_string().contains("count says 3"));
        let text = r#"{"bins_per_octave":64,"count":0,"sum_ns":0,"min_ns":null,"max_ns":null,"bins":[]}"#;
        assert!(serde_json::from_str::<Histogram>(text).is_err());
        let text = r#"{"bins_per_octave":128,"count":1,"sum_ns":0,"min_ns":1,"max_ns":1,"bins":[[9999999,1]]}"#;
        assert!(serde_json::from_str::<Histogram>(text).is_err());
    }

    proptest! {
        #[test]
        fn a_value_is_known_within_the_stated_error(ns in 0u64..1 << TOP_BITS) {
            let middle = middle_of(bin_of(ns)) as f64;
            prop_assert!((middle - ns as f64).abs() <= (ns as f64 * RELATIVE_ERROR).max(0.5));
        }

        #[test]
        fn quantiles_agree_with_sorted_values(mut values in prop::collection::vec(0u64..10_000_000_000, 1..300), q in 0.0f64..1.0) {
            let h = of(&values);
            values.sort_unstable();
            let rank = ((values.len() as f64 * q).ceil() as usize).max(1);
            let exact = values[rank - 1] as f64;
            let got = h.quantile_ns(q).unwrap() as f64;
            prop_assert!((got - exact).abs() <= (exact * 2.0 * RELATIVE_ERROR).max(1.0), "{got} for {exact}");
        }

        #[test]
        fn merging_is_recording_both(a in prop::collection::vec(any::<u64>(), 0..50), b in prop::collection::vec(any::<u64>(), 0..50)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            prop_assert!(merged == of(&[a, b].concat()));
        }

        #[test]
        fn storing_loses_nothing(values in prop::collection::vec(any::<u64>(), 0..100)) {
            let h = of(&values);
            let text = serde_json::to_string(&h).unwrap();
            prop_assert!(serde_json::from_str::<Histogram>(&text).unwrap() == h);
        }
    }
}
