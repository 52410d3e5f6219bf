//! The ratio of two contestants in alternation: that of each pair of runs, so that a slow minute of the machine weighs on both sides of it.

use super::table::median;
use anyhow::Result;

const CONFIDENCE: f64 = 0.95;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    pub median: f64,
    /// Both ends; none of fewer than six pairs.
    pub ends: Option<(f64, f64)>,
}

impl Ratio {
    /// Ours over theirs, pair by pair.
    pub fn of(ours: &[f64], theirs: &[f64]) -> Self {
        let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        ratios.sort_by(f64::total_cmp);
        let ends = cut(ratios.len()).map(|cut| (ratios[cut], ratios[ratios.len() - 1 - cut]));
        Self { median: median(&ratios), ends }
    }

    /// `1.02 (0.97 to 1.06)`.
    pub fn words(&self) -> String {
        match self.ends {
            Some((low, high)) => format!("{:.2} ({low:.2} to {high:.2})", self.median),
            None => format!("{:.2} (few pairs)", self.median),
        }
    }

    /// True where both may be the same; none where nothing can be told.
    pub fn holds_one(&self) -> Option<bool> {
        self.ends.map(|(low, high)| (low..=high).contains(&1.0))
    }
}

/// Runs two in turn; each goes first as often as the other.
pub fn in_turn<T>(rounds: usize, ours: impl Fn() -> Result<T>, theirs: impl Fn() -> Result<T>) -> Result<(Vec<T>, Vec<T>)> {
    let mut pairs = Vec::new();
    for round in 0..rounds {
        let early = (round % 2 == 0).then(&ours).transpose()?;
        let their = theirs()?;
        pairs.push((early.map_or_else(&ours, Ok)?, their));
    }
    Ok(pairs.into_iter().unzip())
}

/// Number of values to leave out at each end, as many as the confidence allows: the median of all lies between two order statistics with the
/// probability that a fair coin falls so (sign test).
fn cut(values: usize) -> Option<usize> {
    let n = values as f64;
    let mut at_most_this_many = 0.5_f64.powf(n);
    let mut term = at_most_this_many;
    let mut cut = None;
    for next in 0..values / 2 {
        if 1.0 - 2.0 * at_most_this_many < CONFIDENCE {
            break;
        }
        cut = Some(next);
        term *= (n - next as f64) / (next as f64 + 1.0);
        at_most_this_many += term;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_those_of_the_sign_test() {
        let known = [(5, None), (6, Some(0)), (8, Some(0)), (9, Some(1)), (12, Some(2)), (20, Some(5))];
        assert_eq!(known.map(|(n, _)| (n, cut(n))), known);
    }
}
