//! Chooses where to look when a device is too large to be read: one block in each of many equal strata, by a seed.
//!
//! The strata are visited in rounds, each of which is spread evenly over the whole and goes from its beginning to its end, as a drive that turns likes it.
//! So whoever stops after a round has looked everywhere alike.

use crate::system::threads;
use ioproof_core::splitmix;
use std::io;

/// Rounds in which the strata are visited; a power of two.
pub(crate) const ROUNDS: u64 = 16;

/// Indices of at most `samples` blocks among `blocks`, in rounds, each ascending and each index in its own stratum; all of them where there are no more.
pub(crate) fn rounds(blocks: u64, samples: u64, seed: u64) -> Vec<Vec<u64>> {
    let count = samples.min(blocks);
    let edge = |i: u64| (u128::from(i) * u128::from(blocks) / u128::from(count)) as u64;
    let place = |i: u64| edge(i) + splitmix::nth(seed, i) % (edge(i + 1) - edge(i));
    // The order of the rounds halves the gaps again and again: 0, 8, 4, 12, 2 and so on.
    let first = |round: u64| round.reverse_bits() >> (u64::BITS - ROUNDS.trailing_zeros());
    (0..ROUNDS).map(|round| (first(round)..count).step_by(ROUNDS as usize).map(place).collect()).collect()
}

/// As many blocks, ascending.
pub(crate) fn stratified(blocks: u64, samples: u64, seed: u64) -> impl Iterator<Item = u64> {
    let mut all: Vec<u64> = rounds(blocks, samples, seed).into_iter().flatten().collect();
    all.sort_unstable();
    all.into_iter()
}

/// Samples that are under way at a time: enough for a drive to choose their order.
const QUEUE: usize = 16;

/// Does the same work in several threads, this one among them and no more than there are pieces; gives what each found.
pub(crate) fn by_several<T: Send>(pieces: usize, work: &(impl Fn() -> io::Result<T> + Sync)) -> io::Result<Vec<T>> {
    std::thread::scope(|scope| {
        let spawn = |_| threads::spawn_within(scope, "search", work).ok();
        let readers: Vec<_> = (1..QUEUE.min(pieces)).filter_map(spawn).collect();
        // Where no thread can be had, this one does it alone.
        let own = work();
        let others = readers.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a reader failed"))));
        std::iter::once(own).chain(others).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_stratum_has_one(blocks in 0u64..u64::MAX, samples in 0u64..300, seed: u64) {
            let found: Vec<u64> = stratified(blocks, samples, seed).collect();
            prop_assert_eq!(found.len() as u64, samples.min(blocks));
            prop_assert!(found.is_sorted_by(|a, b| a < b));
            prop_assert!(found.iter().all(|b| *b < blocks));
            prop_assert_eq!(found, stratified(blocks, samples, seed).collect::<Vec<_>>());
        }

        #[test]
        fn any_number_of_rounds_is_spread_over_the_whole(samples in 64u64..2000, done in 1usize..=16) {
            let blocks = 1u64 << 40;
            let rounds = rounds(blocks, samples, 3);
            prop_assert!(rounds.iter().all(|round| round.is_sorted()));
            let mut seen: Vec<u64> = rounds.into_iter().take(done).flatten().collect();
            seen.sort_unstable();
            let gaps = seen.windows(2).map(|pair| pair[1] - pair[0]);
            let round = blocks / samples * ROUNDS;
            prop_assert!(gaps.max().unwrap_or(0) <= 2 * round, "no gap is larger than two strata of one round");
        }
    }

    #[test]
    fn few_blocks_are_all_visited() {
        assert_eq!(stratified(5, 256, 9).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
