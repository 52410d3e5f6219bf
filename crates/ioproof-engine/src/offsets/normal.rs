//! Places that are normally distributed about the middle or another place; what falls outside is drawn again.

use crate::random::Draws;

/// The distribution over places from 0.
#[derive(Debug, Clone)]
pub(crate) struct Normal {
    places: f64,
    /// Shares of all places.
    mean: f64,
    deviation: f64,
    /// Draws come in pairs; the second one waits here.
    spare: Option<f64>,
}

impl Normal {
    /// Over `places` places; without a centre, about the middle.
    pub(super) fn new(places: u64, deviation_milli: u32, center_ppm: Option<u32>) -> Self {
        let mean = f64::from(center_ppm.unwrap_or(500_000)) / 1e6;
        Self { places: places as f64, mean, deviation: f64::from(deviation_milli) / 1e3, spare: None }
    }

    /// Draws a place. Where the deviation is the whole span, the widest there is, 38 % of the draws about the middle are inside, and 34 % of those about an end.
    #[inline]
    pub(super) fn index(&mut self, random: &mut Draws) -> u64 {
        loop {
            let share = self.mean + self.deviation * self.standard(random);
            if (0.0..1.0).contains(&share) {
                return (share * self.places) as u64;
            }
        }
    }

    /// Draws from the standard normal distribution by the polar method (Marsaglia and Bray, SIAM Review 1964).
    #[inline]
    fn standard(&mut self, random: &mut Draws) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (2.0 * random.fraction() - 1.0, 2.0 * random.fraction() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 100_000;

    fn draws(deviation_milli: u32) -> Vec<u64> {
        let (mut normal, mut random) = (Normal::new(10_000, deviation_milli, None), Draws::new(5));
        (0..DRAWS).map(|_| normal.index(&mut random)).collect()
    }

    fn share_within(draws: &[u64], distance: u64) -> f64 {
        let within = 5000 - distance..5000 + distance;
        draws.iter().filter(|i| within.contains(i)).count() as f64 / DRAWS as f64
    }

    #[test]
    fn one_two_and_three_deviations_hold_their_shares() {
        let draws = draws(100);
        for (distance, share) in [(500, 0.382_92), (1000, 0.682_69), (2000, 0.954_50), (3000, 0.997_30)] {
            // Four deviations of 100000 draws are at most 0.0064.
            let found = share_within(&draws, distance);
            assert!((found - share).abs() < 4.0 * (share * (1.0 - share) / DRAWS as f64).sqrt(), "{distance}: {found}");
        }
    }

    #[test]
    fn mean_and_deviation() {
        let draws = draws(100);
        let mean = draws.iter().map(|i| *i as f64 + 0.5).sum::<f64>() / DRAWS as f64;
        let variance = draws.iter().map(|i| (*i as f64 + 0.5 - mean).powi(2)).sum::<f64>() / DRAWS as f64;
        // Four deviations: of the mean 1000 / sqrt(n), of the deviation 1000 / sqrt(2 n).
        assert!((mean - 5000.0).abs() < 12.7 && (variance.sqrt() - 1000.0).abs() < 9.0, "{mean} {}", variance.sqrt());
    }

    #[test]
    fn what_falls_outside_is_drawn_again() {
        // Cut off at half a deviation on either side: of the middle half there is (2 Phi(1/4) - 1) / (2 Phi(1/2) - 1) = 0.5155.
        let draws = draws(1000);
        assert!(draws.iter().all(|i| *i < 10_000));
        let share = share_within(&draws, 2500);
        assert!((share - 0.5155).abs() < 0.0064, "{share}");
        assert!(draws.iter().any(|i| *i < 100) && draws.iter().any(|i| *i >= 9900));
    }

    #[test]
    fn another_centre_has_its_draws_about_it() {
        let (mut normal, mut random) = (Normal::new(10_000, 100, Some(300_000)), Draws::new(5));
        let mean = (0..DRAWS).map(|_| normal.index(&mut random) as f64 + 0.5).sum::<f64>() / DRAWS as f64;
        // What is cut off below 0 moves the mean up by 4.4; four deviations of it are 12.7.
        assert!((mean - 3004.4).abs() < 12.7, "{mean}");
        let (mut start, mut end) = (Normal::new(10_000, 100, Some(0)), Normal::new(10_000, 100, Some(1_000_000)));
        assert!((0..1000).all(|_| start.index(&mut random) < 5000 && end.index(&mut random) >= 5000));
    }

    #[test]
    fn a_single_place_and_the_narrowest_deviation() {
        let mut random = Draws::new(1);
        assert!((0..1000).all(|_| Normal::new(1, 1000, None).index(&mut random) == 0));
        assert!((0..1000).all(|_| Normal::new(1 << 50, 1, None).index(&mut random).abs_diff(1 << 49) < 1 << 43));
    }
}
