//! The signed-rank test of pairs, exact: what two targets did right after each other is compared pair by pair, so that what changes from minute to minute
//! falls out.
//!
//! Wilcoxon 1945 (doi 10.2307/3001968) gives the test, Tukey's averages of pairs (Walsh 1949, doi 10.1214/aoms/1177730091) the interval. Values are compared by
//! their ratio.

use super::rank_sum::Shift;

const MOST: usize = 64;

/// The shift of the logarithm from the first values to the second, pair by pair; `None` for values that have no ratio, or fewer pairs than the confidence
/// takes.
pub(super) fn shift(first: &[f64], second: &[f64], confidence: f64) -> Option<Shift> {
    let n = first.len();
    if n == 0 || n != second.len() || n > MOST {
        return None;
    }
    let ratios: Vec<f64> = first.iter().zip(second).map(|(a, b)| (b / a).ln()).collect();
    if !ratios.iter().all(|ratio| ratio.is_finite()) {
        return None;
    }
    let mut averages: Vec<f64> =
        (0..n).flat_map(|i| ratios[i..].iter().map(|other| (ratios[i] + other) / 2.0).collect::<Vec<_>>()).collect();
    averages.sort_by(f64::total_cmp);
    Shift::by(&distribution(n), &averages, confidence)
}

/// Probability of each sum of the ranks of positive differences, from 0 to n (n + 1) / 2, where either sign is as likely.
fn distribution(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..counts.len()).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    let all = 2f64.powi(n as i32);
    counts.iter().map(|count| count / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_critical_values() {
        // Largest sums whose probability stays below the level, two-sided 5 % and 1 % (Wilcoxon's table, as in Siegel & Castellan, table H).
        for (n, five, one) in
            [(6, Some(0), None), (7, Some(2), None), (8, Some(3), Some(0)), (10, Some(8), Some(3)), (15, Some(25), Some(15))]
        {
            let probabilities = distribution(n);
            let critical = |level: f64| {
                let mut below = 0.0;
                let under = |p: &&f64| {
                    below += **p;
                    2.0 * below <= level
                };
                probabilities.iter().take_while(under).count().checked_sub(1)
            };
            assert_eq!((critical(0.05), critical(0.01)), (five, one), "{n}");
        }
    }

    #[test]
    fn a_drift_that_both_share_falls_out() {
        let first: Vec<f64> = (0..8).map(|minute| 100.0 + 20.0 * f64::from(minute)).collect();
        let slower: Vec<f64> = first.iter().enumerate().map(|(at, value)| value * (0.9 + 0.002 * at as f64)).collect();
        let found = shift(&first, &slower, 0.99).unwrap();
        assert!(found.high < 0.0 && found.p < 0.01 && (found.median.exp() - 0.907).abs() < 0.001, "{found:?}");
        assert_eq!(shift(&first[..7], &slower[..7], 0.99), None, "too few for 99 %");
        assert_eq!(shift(&[0.0; 8], &first, 0.99), None, "no ratio");
        let same = shift(&first, &first, 0.99).unwrap();
        assert!(same.p > 0.5 && same.low <= 0.0 && same.high >= 0.0);
    }
}
