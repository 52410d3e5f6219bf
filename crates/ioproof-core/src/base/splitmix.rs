//! SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): small, fast, and the same for the same seed everywhere.

/// From one state to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number of a state, which also spreads any number over all bits.
#[inline]
pub const fn mixed(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[inline]
pub const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(STEP);
    mixed(*state)
}

/// Number `n`, from 0, of a seed.
#[inline]
pub const fn nth(seed: u64, n: u64) -> u64 {
    mixed(seed.wrapping_add(n.wrapping_add(1).wrapping_mul(STEP)))
}

/// Brings items into a random order, the same for the same state.
pub fn shuffle<T>(items: &mut [T], state: &mut u64) {
    for last in (1..items.len()).rev() {
        items.swap(last, (next(state) % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first numbers of the seed 1234567, as other implementations publish them.
    #[test]
    fn it_gives_the_published_numbers() {
        let mut state = 1_234_567;
        let numbers = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([(); 3].map(|()| next(&mut state)), numbers);
        assert_eq!([0, 1, 2].map(|n| nth(1_234_567, n)), numbers);
    }
}
