//! Every block of a part once per pass in random order.
//!
//! A pass keeps no map of visited blocks: it counts from 0 to the next power of two through a keyed bijection and passes over what lies
//! beyond the part. So a pass over a drive of any size costs no memory, and each pass has another order.

use super::part::Part;
use super::scatter::Scatter;
use crate::random::Draws;

/// One pass after the other.
#[derive(Debug, Clone)]
pub(crate) struct Shuffle {
    start: u64,
    block: u64,
    blocks: u64,
    counter: u64,
    scatter: Scatter,
    random: Draws,
    once: bool,
}

impl Shuffle {
    /// Over `part`, for ever or `once`, until another pass is begun.
    pub(super) fn new(part: Part, seed: u64, once: bool) -> Self {
        let mut random = Draws::new(seed);
        let scatter = Scatter::new(part.units, &mut random);
        // Past the end from the start where there is no block at all.
        let (counter, once) = if part.units == 0 { (u64::MAX, true) } else { (0, once) };
        Self { start: part.start, block: part.unit, blocks: part.units, counter, scatter, random, once }
    }

    /// Begins another pass after the one that is over, in another order.
    pub(super) fn begin_pass(&mut self) {
        if self.blocks > 0 {
            self.counter = 0;
            self.scatter.rekey(&mut self.random);
        }
    }

    /// The next places, as many as there is room for; fewer where the only pass ends. Gives how many.
    #[inline]
    pub(super) fn fill(&mut self, places: &mut [u64]) -> usize {
        let mut filled = 0;
        while filled < places.len() {
            if self.counter > self.scatter.mask {
                if self.once {
                    break;
                }
                self.begin_pass();
            }
            filled += self.fill_of_pass(&mut places[filled..]);
        }
        filled
    }

    /// The same within this pass.
    #[inline]
    fn fill_of_pass(&mut self, places: &mut [u64]) -> usize {
        let Self { start, block, blocks, .. } = *self;
        let (scatter, mut counter) = (self.scatter.clone(), self.counter);
        let mut filled = 0;
        while counter <= scatter.mask
            && let Some(place) = places.get_mut(filled)
        {
            let index = scatter.within_mask(counter);
            counter += 1;
            // A place beyond the part is overwritten by the next.
            *place = start.wrapping_add(index.wrapping_mul(block));
            filled += usize::from(index < blocks);
        }
        self.counter = counter;
        filled
    }

    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<u64> {
        loop {
            if self.counter > self.scatter.mask {
                if self.once {
                    return None;
                }
                self.begin_pass();
            }
            let index = self.scatter.within_mask(self.counter);
            self.counter += 1;
            if index < self.blocks {
                return Some(self.start + index * self.block);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn over(blocks: u64, seed: u64, once: bool) -> Shuffle {
        Shuffle::new(Part { start: 8192, unit: 4096, units: blocks }, seed, once)
    }

    fn take(shuffle: &mut Shuffle, n: u64) -> Vec<u64> {
        (0..n).map_while(|_| shuffle.next()).map(|o| (o - 8192) / 4096).collect()
    }

    proptest! {
        #[test]
        fn a_pass_visits_every_block_once(blocks in 1u64..5000, seed: u64) {
            let mut shuffle = over(blocks, seed, false);
            for _ in 0..3 {
                let mut seen = take(&mut shuffle, blocks);
                seen.sort_unstable();
                prop_assert!(seen.into_iter().eq(0..blocks));
            }
        }

        #[test]
        fn many_at_once_are_those_that_come_one_by_one(blocks in 1u64..200, seed: u64, once: bool, room in 1usize..40) {
            let (mut shuffle, mut singly) = (over(blocks, seed, once), over(blocks, seed, once));
            for _ in 0..20 {
                let mut places = vec![0; room];
                let filled = shuffle.fill(&mut places);
                let expected: Vec<u64> = (0..room).map_while(|_| singly.next()).collect();
                prop_assert_eq!(&places[..filled], &expected[..]);
            }
        }

        #[test]
        fn a_single_pass_ends_and_stays_so(blocks in 0u64..5000, seed: u64) {
            let mut shuffle = over(blocks, seed, true);
            prop_assert_eq!(take(&mut shuffle, blocks + 1).len() as u64, blocks);
            prop_assert_eq!(shuffle.next(), None);
            shuffle.begin_pass();
            prop_assert_eq!(take(&mut shuffle, blocks + 1).len() as u64, blocks);
        }
    }

    #[test]
    fn passes_differ() {
        let mut shuffle = over(1000, 3, false);
        assert_ne!(take(&mut shuffle, 1000), take(&mut shuffle, 1000));
    }

    #[test]
    fn a_pass_looks_random() {
        // Neighbouring visits are rarely neighbouring blocks, and both halves are visited alike in the first tenth.
        let blocks = 100_000;
        let order = take(&mut over(blocks, 3, false), 10_000);
        let near = order.windows(2).filter(|w| w[0].abs_diff(w[1]) < 16).count();
        let low = order.iter().filter(|b| **b < blocks / 2).count();
        assert!(near < 50, "{near} near steps");
        assert!((4500..5500).contains(&low), "{low} in the lower half");
    }
}
