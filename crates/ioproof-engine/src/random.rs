//! The source of chance of the engine: small, fast, and the same for the same seed on every host.

use ioproof_core::splitmix;

/// A seeded generator.
#[derive(Debug, Clone)]
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        splitmix::next(&mut self.0)
    }

    /// True for a share of `percent` / 100 of the calls.
    #[inline]
    pub(crate) fn hits(&mut self, percent: u8) -> bool {
        ((self.next() >> 32) * 100) >> 32 < u64::from(percent)
    }

    /// A number below `bound`; 0 where that is 0. No number is preferred by more than `bound` / 2^64.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 to just below 1, in steps of 2^-53.
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next() >> 11) as f64 * STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_keep_their_share() {
        let mut random = Draws::new(1);
        let hits = (0..100_000).filter(|_| random.hits(70)).count();
        assert!((69_300..70_700).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| random.hits(100)) && !(0..1000).any(|_| random.hits(0)));
    }

    #[test]
    fn numbers_below_a_bound_are_alike() {
        let mut random = Draws::new(2);
        let mut counts = [0u32; 7];
        (0..70_000).for_each(|_| counts[random.below(7) as usize] += 1);
        // Four deviations of a binomial with 70000 draws of one in seven are 370.
        assert!(counts.iter().all(|n| n.abs_diff(10_000) < 370), "{counts:?}");
        assert_eq!((random.below(0), random.below(1)), (0, 0));
        assert!((0..1000).any(|_| random.below(u64::MAX) > u64::MAX / 2));
    }

    #[test]
    fn fractions_fill_the_interval() {
        let mut random = Draws::new(3);
        let all: Vec<f64> = (0..100_000).map(|_| random.fraction()).collect();
        assert!(all.iter().all(|f| (0.0..1.0).contains(f)));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        // Four deviations of the mean of 100000 even draws are 0.0037.
        assert!((mean - 0.5).abs() < 0.0037, "{mean}");
        assert!(all.iter().any(|f| *f < 0.001) && all.iter().any(|f| *f > 0.999));
    }
}
