//! Latency by place: a drive, or what lies behind it, may be slower in one part than in another.

use serde::{Deserialize, Serialize};

/// Most parts of a span.
pub const PARTS: usize = 16;

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
}

/// The binary logarithm of the size of a part of a span of so many bytes.
#[must_use]
pub fn part_shift(span_bytes: u64) -> u32 {
    span_bytes.div_ceil(PARTS as u64).max(1).checked_next_power_of_two().map_or(63, u64::ilog2)
}

impl Places {
    /// Adds another's counts. Parts of another size are left aside.
    pub fn merge(&mut self, other: &Self) {
        if self.ios.is_empty() {
            self.clone_from(other);
        } else if self.part_bytes == other.part_bytes {
            add(&mut self.ios, &other.ios);
            add(&mut self.sum_ns, &other.sum_ns);
        }
    }

    /// Mean latency of each part; none where nothing was done. Nanoseconds.
    pub fn means_ns(&self) -> impl Iterator<Item = Option<f64>> {
        self.ios.iter().zip(&self.sum_ns).map(|(ios, sum)| (*ios > 0).then(|| *sum as f64 / *ios as f64))
    }
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
        let one = Places { part_bytes: 8, ios: vec![1, 0], sum_ns: vec![10, 0] };
        let mut all = Places::default();
        all.merge(&one);
        all.merge(&Places { part_bytes: 8, ios: vec![3, 2, 1], sum_ns: vec![50, 8, 9] });
        all.merge(&Places { part_bytes: 4, ..one });
        assert_eq!((all.ios.clone(), all.means_ns().collect::<Vec<_>>()), (vec![4, 2, 1], vec![Some(15.0), Some(4.0), Some(9.0)]));
    }
}
