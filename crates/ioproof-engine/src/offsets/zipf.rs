//! Ranks that are drawn in proportion to `1 / rank^theta`.
//!
//! Rejection-inversion after Hörmann and Derflinger ("Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 1996):
//! a point is drawn evenly below the integral of `1 / x^theta`, taken back to its `x` and rounded; what the rounding gave too much is drawn again, which is rare.
//! It is exact for any number of ranks, at the same cost, without a sum over them.

use crate::random::Draws;

/// The distribution over ranks from 0.
#[derive(Debug, Clone)]
pub(crate) struct Zipf {
    theta: f64,
    ranks: f64,
    /// The integral at the upper edge of the first rank, widened by what belongs to that rank alone.
    low: f64,
    /// The integral at the upper edge of the last rank.
    high: f64,
    /// Closer than this above its point a rank is taken without a further look.
    sure: f64,
}

impl Zipf {
    /// Over `ranks` ranks.
    pub(super) fn new(ranks: u64, theta_milli: u32) -> Self {
        let (theta, ranks) = (f64::from(theta_milli) / 1e3, ranks.max(1) as f64);
        let mut zipf = Self { theta, ranks, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(ranks + 0.5);
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// Draws a rank; 0 is the most frequent one.
    #[inline]
    pub(super) fn rank(&self, random: &mut Draws) -> u64 {
        loop {
            let area = self.high + random.fraction() * (self.low - self.high);
            let point = self.inverse(area);
            let rank = point.round().clamp(1.0, self.ranks);
            if rank - point <= self.sure || area >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of the weight from 1 to `x`; `exp_m1` keeps its digits where theta is close to 1.
    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.theta;
        (power * x.ln()).exp_m1() / power
    }

    /// The `x` to which the integral reaches.
    fn inverse(&self, area: f64) -> f64 {
        let power = 1.0 - self.theta;
        ((power * area).ln_1p() / power).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 400_000;

    fn shares(ranks: u64, theta_milli: u32) -> Vec<f64> {
        let weights: Vec<f64> = (1..=ranks).map(|r| (r as f64).powf(-f64::from(theta_milli) / 1e3)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect()
    }

    fn counts(ranks: u64, theta_milli: u32) -> Vec<u64> {
        let (zipf, mut random) = (Zipf::new(ranks, theta_milli), Draws::new(7));
        let mut counts = vec![0; ranks as usize];
        (0..DRAWS).for_each(|_| counts[zipf.rank(&mut random) as usize] += 1);
        counts
    }

    /// Chi-square and its degrees of freedom; ranks that are expected fewer than ten times are taken together.
    fn chi_square(counts: &[u64], shares: &[f64]) -> (f64, f64) {
        let (mut sum, mut bins) = (0.0, 0.0);
        let (mut seen, mut expected, mut left) = (0, 0.0, 1.0);
        for (count, share) in counts.iter().zip(shares) {
            (seen, expected, left) = (seen + count, expected + share * DRAWS as f64, left - share);
            if expected >= 10.0 && left * DRAWS as f64 >= 10.0 {
                (sum, bins) = (sum + (seen as f64 - expected).powi(2) / expected, bins + 1.0);
                (seen, expected) = (0, 0.0);
            }
        }
        (sum + (seen as f64 - expected).powi(2) / expected, bins)
    }

    /// Distance of chi-square above its expectation, in standard deviations.
    fn surprise(ranks: u64, drawn_milli: u32, theory_milli: u32) -> f64 {
        let (sum, freedom) = chi_square(&counts(ranks, drawn_milli), &shares(ranks, theory_milli));
        (sum - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn draws_follow_the_theory() {
        for ranks in [2, 3, 10, 1000, 20_000] {
            for theta in [1, 200, 900, 999, 1001, 1200, 2000, 5000] {
                let surprise = surprise(ranks, theta, theta);
                assert!(surprise.abs() < 4.0, "{ranks} ranks, theta {theta}: {surprise}");
            }
        }
    }

    #[test]
    fn the_oracle_knows_another_theta() {
        assert!(surprise(1000, 1200, 1220) > 8.0 && surprise(1000, 900, 880) > 8.0);
    }

    #[test]
    fn the_first_rank_has_its_share() {
        let first = counts(1000, 1200)[0] as f64 / DRAWS as f64;
        // 1/H is 0.2307; four deviations of 400000 draws are 0.0027.
        assert!((first - shares(1000, 1200)[0]).abs() < 0.0027, "{first}");
    }

    #[test]
    fn extremes_stay_in_range() {
        let mut random = Draws::new(1);
        for (ranks, theta) in [(1, 1200), (1, 1), (2, 9999), (1 << 50, 1), (1 << 50, 999), (1 << 50, 1001), (1 << 50, 9999)] {
            let zipf = Zipf::new(ranks, theta);
            assert!((0..10_000).all(|_| zipf.rank(&mut random) < ranks), "{ranks} {theta}");
        }
    }
}
