//! Chooses where to look when a device is too large to be read: one block in each of many equal strata, by a seed.

use ioproof_core::splitmix;

/// Indices of at most `samples` blocks among `blocks`, ascending, each in its own stratum; all of them where there are no more.
pub(crate) fn stratified(blocks: u64, samples: u64, seed: u64) -> impl Iterator<Item = u64> {
    let count = samples.min(blocks);
    let mut state = seed;
    (0..count).map(move |i| {
        let edge = |i: u64| (u128::from(i) * u128::from(blocks) / u128::from(count)) as u64;
        let (first, next) = (edge(i), edge(i + 1));
        first + splitmix::next(&mut state) % (next - first)
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
    }

    #[test]
    fn few_blocks_are_all_visited() {
        assert_eq!(stratified(5, 256, 9).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }
}
