//! A keyed bijection: it puts numbers in an order that looks random, without a table.

use crate::random::Draws;

/// A permutation of the numbers below a bound.
#[derive(Debug, Clone)]
pub(crate) struct Scatter {
    bound: u64,
    /// The next power of two at or above the bound, less one.
    pub(super) mask: u64,
    shift: u32,
    /// Factor, odd, and summand of each of two steps.
    keys: [(u64, u64); 2],
}

impl Scatter {
    /// Of the numbers below `bound`, by keys that are drawn from `random`.
    pub(super) fn new(bound: u64, random: &mut Draws) -> Self {
        let bound = bound.max(1);
        let bits = 64 - (bound - 1).leading_zeros();
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        Self { bound, mask, shift: (bits / 2).max(1), keys: keys(random) }
    }

    /// Another permutation of the same numbers.
    pub(super) fn rekey(&mut self, random: &mut Draws) {
        self.keys = keys(random);
    }

    /// The place of `number`, which must be below the bound. A place beyond the bound is put through again until it is not; as a walk along
    /// a cycle of a bijection this is one itself, and takes less than two steps on average.
    #[inline]
    pub(super) fn of(&self, number: u64) -> u64 {
        let mut place = self.within_mask(number);
        while place >= self.bound {
            place = self.within_mask(place);
        }
        place
    }

    /// A bijection on the numbers up to the mask: each step (odd multiplication, addition, xor with own high bits) can be undone.
    #[inline]
    pub(super) fn within_mask(&self, number: u64) -> u64 {
        let [(factor, summand), (last_factor, last_summand)] = self.keys;
        let mut x = number.wrapping_mul(factor).wrapping_add(summand) & self.mask;
        x ^= x >> self.shift;
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15) & self.mask;
        x ^= x >> self.shift;
        x = x.wrapping_mul(last_factor).wrapping_add(last_summand) & self.mask;
        x ^ (x >> self.shift)
    }
}

fn keys(random: &mut Draws) -> [(u64, u64); 2] {
    [random.next(), random.next()].map(|key| (key | 1, key >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_is_left_out_and_nothing_comes_twice(bound in 1u64..5000, seed: u64) {
            let scatter = Scatter::new(bound, &mut Draws::new(seed));
            let mut places: Vec<u64> = (0..bound).map(|n| scatter.of(n)).collect();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..bound));
        }

        #[test]
        fn bounds_of_any_size_hold(bound in 1u64.., number: u64, seed: u64) {
            prop_assert!(Scatter::new(bound, &mut Draws::new(seed)).of(number % bound) < bound);
        }
    }

    #[test]
    fn neighbours_are_torn_apart() {
        let bound = 100_000;
        let mean_step = |seed| {
            let scatter = Scatter::new(bound, &mut Draws::new(seed));
            (0..1000).map(|n| scatter.of(n).abs_diff(scatter.of(n + 1))).sum::<u64>() / 1000
        };
        // Two numbers drawn at random are a third of the bound apart on average.
        let mean = (0..20).map(mean_step).sum::<u64>() / 20;
        assert!(mean.abs_diff(bound / 3) < bound / 20, "{mean}");
    }
}
