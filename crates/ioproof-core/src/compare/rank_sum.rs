//! The rank-sum test of two samples, exact, and the shift between them with its interval: nothing is assumed of how values are distributed.
//!
//! Mann & Whitney 1947 (doi 10.1214/aoms/1177730491) give the distribution of U, the number of pairs in which the second value is the larger; the median of all
//! pairwise differences and its interval by the same distribution are of Hodges & Lehmann 1963 (doi 10.1214/aoms/1177704172).

use crate::stats::median_of_sorted;

/// Most values of a sample; more rounds than any run has.
const MOST: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// Median of all pairwise differences.
    pub median: f64,
    /// Ends of its interval.
    pub low: f64,
    pub high: f64,
    /// Probability that samples of one distribution differ at least as clearly, in either direction.
    pub p: f64,
}

impl Shift {
    /// From the first sample to the second, with an interval of this confidence; `None` where a sample is empty, or both are too small for such an interval.
    pub fn of(first: &[f64], second: &[f64], confidence: f64) -> Option<Self> {
        let (n, m) = (first.len(), second.len());
        if n == 0 || m == 0 || n > MOST || m > MOST {
            return None;
        }
        let mut differences: Vec<f64> = second.iter().flat_map(|b| first.iter().map(move |a| b - a)).collect();
        differences.sort_by(f64::total_cmp);
        Self::by(&distribution(n, m), &differences, confidence)
    }

    /// By the differences in their order, and the probability of each number of positive ones among them.
    pub(super) fn by(probabilities: &[f64], differences: &[f64], confidence: f64) -> Option<Self> {
        let cut = cut(probabilities, (1.0 - confidence) / 2.0)?;
        Some(Self {
            median: median_of_sorted(differences),
            low: differences[cut],
            high: differences[differences.len() - 1 - cut],
            p: p_value(probabilities, differences),
        })
    }
}

/// The smallest probability that two samples of so many values each can have.
pub(super) fn least_p(n: usize) -> f64 {
    // One order of all (2n choose n) at either end.
    (1..=n).fold(2.0, |p, k| p * k as f64 / (n + k) as f64)
}

/// Probability of each U from 0 to n m, where both samples are of one distribution without ties.
fn distribution(n: usize, m: usize) -> Vec<f64> {
    // counts[i][u]: ways in which i values of the first sample beside those of the second so far give u.
    let mut counts = vec![vec![0.0; n * m + 1]; n + 1];
    counts.iter_mut().for_each(|of| of[0] = 1.0);
    for _ in 0..m {
        for i in 1..=n {
            // The largest is of the second sample, and above all i of the first, or it is of the first.
            let (below, rest) = counts.split_at_mut(i);
            let of = &mut rest[0];
            for u in (0..=n * m).rev() {
                of[u] = u.checked_sub(i).map_or(0.0, |less| of[less]) + below[i - 1][u];
            }
        }
    }
    let all: f64 = counts[n].iter().sum();
    counts[n].iter().map(|count| count / all).collect()
}

/// The number of differences that lie beyond each end of the interval; none where even all of them do not reach the confidence.
fn cut(probabilities: &[f64], tail: f64) -> Option<usize> {
    let mut below = 0.0;
    let beyond = probabilities.iter().take_while(|probability| {
        below += **probability;
        below <= tail
    });
    beyond.count().checked_sub(1)
}

/// Both tails beyond what was seen; a pair that ties counts half for either side, rounded to the less clear one.
fn p_value(probabilities: &[f64], differences: &[f64]) -> f64 {
    let greater = differences.iter().filter(|difference| **difference > 0.0).count();
    let ties = differences.iter().filter(|difference| **difference == 0.0).count();
    let (u, all) = (greater + ties.div_ceil(2), differences.len());
    let smaller = u.min(all - (greater + ties / 2));
    let tail: f64 = probabilities[..=smaller].iter().sum();
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_distribution() {
        // Mann & Whitney 1947, table I: probabilities of U at most u, for n = 4, m = 4 and n = 3, m = 5.
        let at_most = |n: usize, m: usize, u: usize| distribution(n, m)[..=u].iter().sum::<f64>();
        for (n, m, u, published) in
            [(4, 4, 0, 0.014), (4, 4, 1, 0.029), (4, 4, 2, 0.057), (4, 4, 8, 0.557), (3, 5, 0, 0.018), (3, 5, 2, 0.071)]
        {
            assert!((at_most(n, m, u) - published).abs() < 6e-4, "{n} {m} {u}: {}", at_most(n, m, u));
        }
    }

    #[test]
    fn samples_apart_are_told_and_equal_ones_are_not() {
        let first: Vec<f64> = (0..6).map(f64::from).collect();
        let apart: Vec<f64> = first.iter().map(|value| value + 10.0).collect();
        let shift = Shift::of(&first, &apart, 0.95).unwrap();
        assert!((shift.p - 2.0 / 924.0).abs() < 1e-9 && shift.median == 10.0 && shift.low > 5.0 && shift.high < 15.0, "{shift:?}");
        let same = Shift::of(&first, &first, 0.95).unwrap();
        assert!(same.p > 0.9 && same.low < 0.0 && same.high > 0.0, "{same:?}");
        assert_eq!(Shift::of(&first[..3], &apart[..3], 0.95), None, "three of each are too few for 95 %");
        assert_eq!(Shift::of(&[], &apart, 0.95), None);
    }

    #[test]
    fn the_published_critical_values() {
        // Critical values of U, two-sided (Mann-Whitney tables as in Siegel & Castellan, Nonparametric Statistics for the Behavioral Sciences).
        let (at_5, at_1) = (0.05, 0.01);
        let table = [
            (4, 4, at_5, 0),
            (5, 5, at_5, 2),
            (6, 6, at_5, 5),
            (7, 7, at_5, 8),
            (8, 8, at_5, 13),
            (10, 10, at_5, 23),
            (6, 8, at_5, 8),
            (8, 10, at_5, 17),
            (15, 15, at_5, 64),
            (20, 20, at_5, 127),
            (5, 5, at_1, 0),
            (6, 6, at_1, 2),
            (8, 8, at_1, 7),
            (10, 10, at_1, 16),
            (20, 20, at_1, 105),
        ];
        for (n, m, level, critical) in table {
            let at_most = |u: usize| 2.0 * distribution(n, m)[..=u].iter().sum::<f64>();
            assert!(at_most(critical) <= level && at_most(critical + 1) > level, "{n} {m} {level}: {}", at_most(critical));
        }
    }

    #[test]
    fn the_published_example_of_a_shift() {
        // Permeability of membranes (Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, example 4.1): W = 30 for the five of the second sample, P = 0.127 on one
        // side; the shift is -0.305, between -0.76 and 0.15 with a confidence of 96 %.
        let first = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let second = [1.15, 0.88, 0.90, 0.74, 1.21];
        let shift = Shift::of(&first, &second, 0.95).unwrap();
        assert!((shift.p - 2.0 * 0.127).abs() < 1e-3, "{shift:?}");
        for (found, published) in [(shift.median, -0.305), (shift.low, -0.76), (shift.high, 0.15)] {
            assert!((found - published).abs() < 1e-9, "{shift:?}");
        }
    }

    #[test]
    fn the_least_probability_is_that_of_samples_apart() {
        for n in [4, 6, 9] {
            let first: Vec<f64> = (0..n).map(f64::from).collect();
            let apart: Vec<f64> = first.iter().map(|value| value + 100.0).collect();
            assert!((Shift::of(&first, &apart, 0.9).unwrap().p - least_p(n as usize)).abs() < 1e-12, "{n}");
        }
    }

    proptest! {
        #[test]
        fn another_implementation_gives_the_same_probability(
            values in prop::collection::btree_set(0u32..100_000, 8..17), share in 0.2f64..0.8
        ) {
            use statrs::stats_tests::{Alternative, mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu}};
            // Set apart by a random order, which the share gives.
            let mut values: Vec<f64> = values.into_iter().map(f64::from).collect();
            values.sort_by(|a, b| (a * share * 977.0).fract().total_cmp(&(b * share * 977.0).fract()));
            // Version 0.19 gives the complement unless the first sample is the larger one.
            let (first, second) = values.split_at(values.len() / 2 + 1);
            let (_, theirs) = mannwhitneyu(first, second, MannWhitneyUMethod::Exact, Alternative::TwoSided).unwrap();
            prop_assert!((Shift::of(first, second, 0.9).unwrap().p - theirs).abs() < 1e-9, "{theirs}");
        }

        #[test]
        fn probabilities_sum_to_one_and_are_the_same_from_both_ends(n in 1usize..12, m in 1usize..12) {
            let all = distribution(n, m);
            prop_assert_eq!(all.len(), n * m + 1);
            prop_assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(all.iter().zip(all.iter().rev()).all(|(low, high)| (low - high).abs() < 1e-9));
        }

        #[test]
        fn the_other_way_round_it_is_the_same_with_the_other_sign(
            first in prop::collection::vec(0.0f64..1e6, 4..12), second in prop::collection::vec(0.0f64..1e6, 4..12)
        ) {
            let (there, back) = (Shift::of(&first, &second, 0.95).unwrap(), Shift::of(&second, &first, 0.95).unwrap());
            prop_assert!((there.p - back.p).abs() < 1e-9 && (there.median + back.median).abs() < 1e-6);
            prop_assert!(there.low <= there.median && there.median <= there.high);
        }
    }
}
