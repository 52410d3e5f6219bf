//! Latencies of one slice, counted in wide bins: few enough to be kept for every slice of a run, and counts, so that slices of clones can be added up.
//!
//! A bin holds sixteen of the histogram's ([`crate::histogram`]), eight a power of two: a value is known to within 7 % of itself. The round's own histogram
//! is the one for figures; this one is for what changes over time.
//!
//! Stored are the counts of the bins from the first on, and below zero how many bins nobody counted in: most of what was counted is in neighbouring bins, and a
//! minute has hundreds of slices. Pairs of bin and count, as they were stored before, take more than twice the room and are still read.

use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};

/// Bins of the histogram in one of ours.
const WIDTH: usize = 16;

/// Samples that must lie beyond a percentile of a slice for it to be told.
pub const BEYOND: u64 = 10;

/// Pairs of bin and count, ascending; empty where nobody counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Vec<Stored>", into = "Vec<Stored>")]
pub struct Spread(Vec<(u16, u32)>);

/// A part of a stored spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Stored {
    /// The count of the next bin; below zero the number of bins without any.
    Count(i64),
    /// A bin and its count, in older records.
    Pair(u16, u32),
}

impl From<Vec<Stored>> for Spread {
    fn from(stored: Vec<Stored>) -> Self {
        let (mut pairs, mut bin) = (Vec::new(), 0_u16);
        for part in stored {
            match part {
                Stored::Pair(at, count) => pairs.push((at, count)),
                Stored::Count(count) => {
                    let counted = u32::try_from(count).ok().filter(|count| *count > 0);
                    pairs.extend(counted.map(|count| (bin, count)));
                    let bins = if count < 0 { u16::try_from(count.unsigned_abs()).unwrap_or(u16::MAX) } else { 1 };
                    bin = bin.saturating_add(bins);
                }
            }
        }
        Self(pairs).in_order()
    }
}

impl From<Spread> for Vec<Stored> {
    fn from(spread: Spread) -> Self {
        let (mut parts, mut next) = (Vec::new(), 0);
        for (bin, count) in spread.0 {
            match i64::from(bin) - next {
                0 => {}
                1 => parts.push(Stored::Count(0)),
                without => parts.push(Stored::Count(-without)),
            }
            parts.push(Stored::Count(count.into()));
            next = i64::from(bin) + 1;
        }
        parts
    }
}

impl Spread {
    /// Counts of the histogram's bins, in their order.
    #[inline]
    pub fn of_bins(counts: impl Iterator<Item = u64>) -> Self {
        Self::of_counted(counts.enumerate())
    }

    /// Some of the histogram's bins with their counts.
    #[inline]
    pub fn of_counted(counted: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut pairs: Vec<(u16, u32)> = Vec::new();
        for (bin, count) in counted.filter(|(_, count)| *count > 0) {
            pairs.push((u16::try_from(bin / WIDTH).unwrap_or(u16::MAX), u32::try_from(count).unwrap_or(u32::MAX)));
        }
        Self(pairs).in_order()
    }

    /// True where nobody counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        self.0.extend(&other.0);
        self.0 = std::mem::take(self).in_order().0;
    }

    /// The same as a histogram: each value stands in the middle of its bin. The sum is of these middles.
    pub fn histogram(&self) -> Histogram {
        // A run of an hour has tens of thousands of spreads, so the bins that hold nothing are not gone through.
        let counted = self.0.iter().map(|(bin, count)| (usize::from(*bin) * WIDTH + WIDTH / 2, u64::from(*count)));
        Histogram::from_counted(counted, 0, 0, u64::MAX)
    }

    /// Sorts the pairs and adds up those of one bin.
    #[inline]
    fn in_order(mut self) -> Self {
        self.0.sort_unstable_by_key(|(bin, _)| *bin);
        self.0.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 = if is_same { kept.1.saturating_add(next.1) } else { kept.1 };
            is_same
        });
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::{BINS, bin_of};

    fn spread(values_ns: &[u64]) -> Spread {
        let mut counts = vec![0; BINS];
        values_ns.iter().for_each(|ns| counts[bin_of(*ns)] += 1);
        Spread::of_bins(counts.into_iter())
    }

    #[test]
    fn a_value_is_known_to_within_a_fourteenth() {
        for ns in [1_u64, 99, 1000, 77_777, 5_000_000, 60_000_000_000] {
            let seen = spread(&[ns]).histogram().quantile_ns(0.5).unwrap() as f64;
            assert!((seen - ns as f64).abs() <= (ns as f64 * 0.07).max(8.0), "{ns} ns is {seen}");
        }
    }

    #[test]
    fn counts_of_clones_are_added_up() {
        let (mut one, other) = (spread(&[1000, 1001, 9000]), spread(&[1000, 50]));
        one.merge(&other);
        assert_eq!(one, spread(&[50, 1000, 1000, 1001, 9000]));
        assert_eq!(one.histogram().count(), 5);
        let stored = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Spread>(&stored).unwrap(), one);
    }

    #[test]
    fn what_is_stored_names_no_bins() {
        let pairs: Spread = serde_json::from_str("[[70, 9], [71, 2], [73, 1], [85, 2884]]").unwrap();
        let stored = serde_json::to_string(&pairs).unwrap();
        assert_eq!(stored, "[-70,9,2,0,1,-11,2884]");
        assert_eq!(serde_json::from_str::<Spread>(&stored).unwrap(), pairs, "as before, without bins");
        assert_eq!(serde_json::to_string(&Spread::default()).unwrap(), "[]");
    }

    #[test]
    fn a_stored_bin_that_is_none_is_left_out() {
        for odd in ["[[65535, 3], [10, 2]]", "[-65535, 3, 7, -9223372036854775808, 5, [10, 2]]"] {
            let odd: Spread = serde_json::from_str(odd).unwrap();
            assert_eq!(odd.histogram().count(), 2);
        }
        assert_eq!(
            serde_json::from_str::<Spread>("[9999999999, 4]").unwrap(),
            serde_json::from_str("[[1, 4]]").unwrap(),
            "too many to be true"
        );
    }

    proptest::proptest! {
        #[test]
        fn every_spread_is_read_back(pairs in proptest::collection::btree_map(0_u16.., 1_u32.., 0..40)) {
            let spread = Spread(pairs.into_iter().collect());
            let stored = serde_json::to_string(&spread).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<Spread>(&stored).unwrap(), spread);
        }
    }
}
