//! Latency by place: a drive, or what lies behind it, may be slower in one part than in another, or in each so-manieth stripe.

use serde::{Deserialize, Serialize};

/// Most parts of a span.
pub const PARTS: usize = 16;

/// Stripes that are told apart. Their pattern is seen where it repeats within 4 MiB.
pub const STRIPES: usize = 64;

/// The binary logarithm of the size of a stripe: 64 KiB.
pub const STRIPE_SHIFT: u32 = 16;

/// I/Os of one direction by the part of the span in which they began, and the sum of their latencies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Places {
    /// Size of a part, a power of two; the span has at most 16 parts. Bytes.
    pub part_bytes: u64,
    /// I/Os of each part, from the beginning of the span on.
    pub ios: Vec<u64>,
    /// Sum of their service times. Nanoseconds.
    pub sum_ns: Vec<u64>,
    /// The same by stripe of the target.
    #[serde(default, skip_serializing_if = "Stripes::is_empty")]
    pub stripes: Stripes,
}

/// I/Os of one direction by the stripe of 64 KiB in which they began, which is its number modulo 64, and the sum of their latencies. A stripe set, and the
/// channels of a drive, take stripes in turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stripes {
    /// I/Os of each stripe.
    pub ios: Vec<u64>,
    /// Sum of their service times. Nanoseconds.
    pub sum_ns: Vec<u64>,
}

impl Stripes {
    pub fn is_empty(&self) -> bool {
        self.ios.is_empty()
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.ios, &other.ios);
        add(&mut self.sum_ns, &other.sum_ns);
    }
}

/// The binary logarithm of the size of a part of a span of so many bytes.
pub fn part_shift(span_bytes: u64) -> u32 {
    span_bytes.div_ceil(PARTS as u64).max(1).checked_next_power_of_two().map_or(63, u64::ilog2)
}

impl Places {
    /// Adds another's counts. Parts of another size are left aside.
    pub fn merge(&mut self, other: &Self) {
        if self.ios.is_empty() {
            self.part_bytes = other.part_bytes;
        }
        if self.part_bytes == other.part_bytes {
            add(&mut self.ios, &other.ios);
            add(&mut self.sum_ns, &other.sum_ns);
        }
        self.stripes.add(&other.stripes);
    }

    /// Mean latency of each part; none where nothing was done. Nanoseconds.
    pub fn means_ns(&self) -> impl Iterator<Item = Option<f64>> {
        means_ns(&self.ios, &self.sum_ns)
    }
}

/// Mean latency from I/Os and the sum of their times; none where nothing was done. Nanoseconds.
pub(crate) fn means_ns(ios: &[u64], sum_ns: &[u64]) -> impl Iterator<Item = Option<f64>> {
    ios.iter().zip(sum_ns).map(|(ios, sum)| (*ios > 0).then(|| *sum as f64 / *ios as f64))
}

fn add(mine: &mut Vec<u64>, theirs: &[u64]) {
    mine.resize(mine.len().max(theirs.len()), 0);
    mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = mine.saturating_add(*theirs));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_nine_to_sixteen_parts() {
        for span in [1, 15, 16, 17, 4096, 1 << 30, (1 << 30) + 1, 3_000_000_000_000, u64::MAX] {
            let shift = part_shift(span);
            assert!((span - 1) >> shift < PARTS as u64, "{span}");
            assert!(span < 16 || (span - 1) >> shift >= 7, "{span}");
        }
    }

    #[test]
    fn counts_of_equal_parts_add_up() {
        let stripes = Stripes { ios: vec![1], sum_ns: vec![7] };
        let one = Places { part_bytes: 8, ios: vec![1, 0], sum_ns: vec![10, 0], stripes };
        let mut all = Places::default();
        all.merge(&one);
        all.merge(&Places { part_bytes: 8, ios: vec![3, 2, 1], sum_ns: vec![50, 8, 9], ..Places::default() });
        all.merge(&Places { part_bytes: 4, ..one });
        assert_eq!((all.ios.clone(), all.means_ns().collect::<Vec<_>>()), (vec![4, 2, 1], vec![Some(15.0), Some(4.0), Some(9.0)]));
        assert_eq!((all.stripes.ios, all.stripes.sum_ns), (vec![2], vec![14]));
    }
}
