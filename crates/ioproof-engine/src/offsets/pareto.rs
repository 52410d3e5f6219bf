//! Self-similar ranks: a share `1 - h` of the draws falls to the first share `h` of the ranks, and the same within that share
//! (Gray, Sundaresan, Englert, Baclawski, Weinberger, "Quickly generating billion-record synthetic databases", SIGMOD 1994).

use crate::random::Draws;

/// The distribution over ranks from 0.
#[derive(Debug, Clone)]
pub(crate) struct Pareto {
    ranks: u64,
    exponent: f64,
}

impl Pareto {
    /// Over `ranks` ranks.
    pub(super) fn new(ranks: u64, h_milli: u32) -> Self {
        let h = f64::from(h_milli) / 1e3;
        Self { ranks, exponent: h.ln() / (-h).ln_1p() }
    }

    /// Draws a rank; 0 is the most frequent one where `h` is below a half.
    #[inline]
    pub(super) fn rank(&self, random: &mut Draws) -> u64 {
        let rank = self.ranks as f64 * random.fraction().powf(self.exponent);
        // Rounding may reach the bound itself.
        (rank as u64).min(self.ranks.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 100_000;
    /// Four deviations of a share of one half, the widest there is.
    const TOLERANCE: f64 = 0.0064;

    fn share_below(ranks: u64, h_milli: u32, bound: u64) -> f64 {
        let (pareto, mut random) = (Pareto::new(ranks, h_milli), Draws::new(11));
        (0..DRAWS).filter(|_| pareto.rank(&mut random) < bound).count() as f64 / DRAWS as f64
    }

    #[test]
    fn the_first_blocks_have_the_rest() {
        for (h_milli, bound) in [(100, 1000), (200, 2000), (500, 5000), (800, 8000)] {
            let share = share_below(10_000, h_milli, bound);
            assert!((share - (1.0 - f64::from(h_milli) / 1e3)).abs() < TOLERANCE, "h {h_milli}: {share}");
        }
    }

    #[test]
    fn it_is_so_within() {
        // 4 % of the blocks have 64 % of the draws.
        let share = share_below(10_000, 200, 400);
        assert!((share - 0.64).abs() < TOLERANCE, "{share}");
    }

    #[test]
    fn extremes_stay_in_range() {
        let mut random = Draws::new(1);
        for (ranks, h) in [(1, 200), (2, 1), (2, 999), (1 << 55, 1), (1 << 55, 999)] {
            let pareto = Pareto::new(ranks, h);
            assert!((0..10_000).all(|_| pareto.rank(&mut random) < ranks), "{ranks} {h}");
        }
    }
}
