//! Statistics of repeated runs. The run is the unit of replication; nothing is assumed of its distribution.
//!
//! Intervals are order statistics: the k-th smallest and the k-th largest of n runs enclose the median with a probability that depends
//! on n and k only (Hoefler & Belli 2015, doi 10.1145/2807591.2807644). Six runs are the fewest that reach 95 %.
//!
//! Whoever measures again gets another median, which is as unsure as this one, and the host and the drive are not as they were a minute ago. The variance of
//! the difference is that of both runs and of what changed between them (ISO 5725-1, reproducibility), which is taken to be as large as either: so the ends
//! are set apart by the root of three.

use serde::{Deserialize, Serialize};

/// Method by which the ends of an estimate were found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum IntervalMethod {
    /// Order statistics `rank` and `n + 1 - rank`, which cover the median with probability `coverage`, set apart by the root of three.
    Rank {
        /// 1 is minimum and maximum.
        rank: u32,
        /// Probability, 0 to 1.
        coverage: f64,
    },
    /// Too few runs for an interval: smallest and largest, which promise nothing.
    Spread,
    /// The worst of all runs, which a bound is held against.
    Worst,
}

/// The root of three: the variances of this run, of another one, and of what changes between them.
const APART: f64 = 1.732_050_807_568_877_2;

/// A figure from repeated runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// Median of the runs.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of runs.
    pub runs: u32,
    /// Method of the ends.
    #[serde(flatten)]
    pub method: IntervalMethod,
}

impl Estimate {
    /// Median and interval of one value per run; `None` without runs.
    pub fn of(values: &[f64], confidence: f64) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let (ends, method) = ranked(&sorted, confidence)?;
        let (low, high) = if method == IntervalMethod::Spread { ends } else { set_apart(ends) };
        Some(Self { median: median_of_sorted(&sorted), low, high, runs: n as u32, method })
    }

    /// The same with another figure in its middle, which its ends are widened to hold.
    #[must_use]
    pub fn about(self, middle: f64) -> Self {
        Self { median: middle, low: self.low.min(middle), high: self.high.max(middle), ..self }
    }

    /// True where it carries a verdict: its ends are an interval with a stated coverage, or it is the worst that was seen.
    pub fn is_interval(&self) -> bool {
        matches!(self.method, IntervalMethod::Rank { .. } | IntervalMethod::Worst)
    }

    /// Half of the width over the median; how precise the figure is.
    pub fn relative_half_width(&self) -> f64 {
        if self.median == 0.0 { f64::INFINITY } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }

    /// For people: `96.9 % interval of the median, 6 runs` or `spread of 3 runs`.
    pub fn describe(&self) -> String {
        match self.method {
            IntervalMethod::Rank { coverage, .. } => format!("{:.1} % interval of the median, {} runs", coverage * 100.0, self.runs),
            IntervalMethod::Worst => format!("the worst of {} runs", self.runs),
            IntervalMethod::Spread if self.runs == 1 => "one run".into(),
            IntervalMethod::Spread => format!("spread of {} runs", self.runs),
        }
    }
}

/// Order statistics of ascending values that cover the median with this confidence; smallest and largest of too few.
fn ranked(sorted: &[f64], confidence: f64) -> Option<((f64, f64), IntervalMethod)> {
    let n = sorted.len();
    let (rank, method) = match widest_rank(n as u32, confidence) {
        Some(rank) => (rank, IntervalMethod::Rank { rank, coverage: rank_coverage(n as u32, rank) }),
        None => (1, IntervalMethod::Spread),
    };
    Some(((*sorted.get(rank as usize - 1)?, sorted[n - rank as usize]), method))
}

/// The interval made wider by [`APART`], by the same ratio on both sides, so that rates and times stay above zero.
fn set_apart((low, high): (f64, f64)) -> (f64, f64) {
    if low <= 0.0 {
        return (low, high);
    }
    let by = (high / low).powf((APART - 1.0) / 2.0);
    (low / by, high * by)
}

/// Median of the values; `None` of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| median_of_sorted(&sorted))
}

/// Median of ascending values, of which there is at least one.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    if n % 2 == 1 { sorted[n / 2] } else { f64::midpoint(sorted[n / 2 - 1], sorted[n / 2]) }
}

/// Probability that the median lies between the `rank`-th smallest and the `rank`-th largest of `n` values.
pub fn rank_coverage(n: u32, rank: u32) -> f64 {
    let mut term = 0.5f64.powi(n.min(1000) as i32);
    let mut below = 0.0;
    for k in 0..rank {
        below += term;
        term *= f64::from(n - k) / f64::from(k + 1);
    }
    1.0 - 2.0 * below
}

/// The highest rank, hence the narrowest interval, that still reaches the confidence.
fn widest_rank(n: u32, confidence: f64) -> Option<u32> {
    (1..=n / 2).take_while(|rank| rank_coverage(n, *rank) >= confidence).last()
}

/// Steadiness of a series by the two conditions of SNIA SSS PTS 2.0.2: range and slope excursion against the mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steadiness {
    /// (Largest - smallest) / mean.
    pub range: f64,
    /// Signed rise of the least-squares line over the window / mean.
    pub slope_excursion: f64,
}

/// Rounds of preconditioning that are held against the conditions of a steady state (SNIA SSS PTS 2.0.2).
pub const PRECONDITION_WINDOW: usize = 5;

impl Steadiness {
    /// Greatest range over the mean in a steady state.
    pub const MOST_RANGE: f64 = 0.20;
    /// Greatest rise or fall over the mean in a steady state.
    pub const MOST_SLOPE: f64 = 0.10;

    /// True in a steady state by the conditions of SNIA SSS PTS 2.0.2.
    pub fn is_preconditioned(&self) -> bool {
        self.range <= Self::MOST_RANGE && self.slope_excursion.abs() <= Self::MOST_SLOPE
    }

    /// Of the values in the order in which they were measured; `None` for fewer than three.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        if values.len() < 3 || mean == 0.0 {
            return None;
        }
        let largest = values.iter().copied().fold(f64::MIN, f64::max);
        let smallest = values.iter().copied().fold(f64::MAX, f64::min);
        Some(Self { range: (largest - smallest) / mean, slope_excursion: slope(values) * (n - 1.0) / mean })
    }
}

/// Slope of the least-squares line through values at distances of 1; 0 for fewer than two.
pub fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mean, middle) = (values.iter().sum::<f64>() / n, (n - 1.0) / 2.0);
    let deviations = values.iter().enumerate().map(|(at, value)| (at as f64 - middle, value - mean));
    let (xy, xx) = deviations.fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + x * y, xx + x * x));
    if xx > 0.0 { xy / xx } else { 0.0 }
}

/// Probability that values without a trend, in any order, show one at least as clear as these; both directions together, ties count for none.
/// Mann 1945 (doi 10.2307/1907187), by the exact distribution of Kendall's S. `None` for fewer than three values.
pub fn trend_probability(values: &[f64]) -> Option<f64> {
    let n = values.len();
    if !(3..=MOST_RANKED).contains(&n) {
        return None;
    }
    let pairs = (0..n).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    let score: i64 =
        pairs.map(|(earlier, later)| i64::from(values[later] > values[earlier]) - i64::from(values[later] < values[earlier])).sum();
    let (all, inverted) = (n * (n - 1) / 2, orders_by_inversions(n));
    // S is the number of pairs less twice the inversions.
    let as_clear = |inversions: usize| all.abs_diff(2 * inversions) as i64 - score.abs();
    let clear: f64 = inverted.iter().enumerate().filter(|(at, _)| as_clear(*at) >= 0).map(|(_, share)| share).sum();
    Some(clear.min(1.0))
}

/// Most values of which a trend is told; more rounds than any run has.
const MOST_RANKED: usize = 512;

/// Share of all orders of `n` values that have 0, 1, 2, ... inversions.
fn orders_by_inversions(n: usize) -> Vec<f64> {
    (2..=n).fold(vec![1.0], |shares, k| {
        let mut next = vec![0.0; shares.len() + k - 1];
        let mut window = 0.0;
        for (at, share) in next.iter_mut().enumerate() {
            window += shares.get(at).unwrap_or(&0.0);
            window -= at.checked_sub(k).and_then(|gone| shares.get(gone)).unwrap_or(&0.0);
            *share = window / k as f64;
        }
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix;
    use proptest::prelude::*;

    #[test]
    fn coverage_of_published_table() {
        // Order-statistic intervals of the median (Conover, Practical Nonparametric Statistics, table of the binomial).
        assert_eq!(rank_coverage(6, 1), 1.0 - 2.0 / 64.0);
        assert!((rank_coverage(9, 2) - 0.9609).abs() < 1e-4);
        assert!((rank_coverage(10, 2) - 0.9785).abs() < 1e-4);
        assert!((rank_coverage(20, 6) - 0.9586).abs() < 1e-4);
        assert_eq!(widest_rank(5, 0.95), None);
        assert_eq!(widest_rank(6, 0.95), Some(1));
        assert_eq!(widest_rank(9, 0.95), Some(2));
        assert_eq!(widest_rank(20, 0.95), Some(6));
    }

    #[test]
    fn six_runs_give_minimum_to_maximum_set_apart_by_the_root_of_three() {
        let e = Estimate::of(&[15.0, 11.0, 13.0, 12.0, 16.0, 14.0], 0.95).unwrap();
        assert_eq!(e.median, 13.5);
        let (apart, of_data) = ((e.high / e.low).ln(), (16.0f64 / 11.0).ln());
        assert!((apart - of_data * 3f64.sqrt()).abs() < 1e-9 && (e.high * e.low - 16.0 * 11.0).abs() < 1e-9, "{e:?}");
        assert_eq!(e.describe(), "96.9 % interval of the median, 6 runs");
        let wide = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 90.0], 0.95).unwrap();
        assert!(wide.low > 0.0 && wide.low < 1.0, "nothing measured is zero: {wide:?}");
    }

    #[test]
    fn the_interval_holds_the_median_of_another_run() {
        // 400 runs of eight rounds of a sum of four dice each: nothing changes between them, so hardly any misses.
        let mut state = 1u64;
        let mut dice = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 % 1000.0
        };
        let mut run = || Estimate::of(&(0..8).map(|_| (0..4).map(|_| dice()).sum()).collect::<Vec<f64>>(), 0.95).unwrap();
        let runs: Vec<Estimate> = (0..400).map(|_| run()).collect();
        let held = runs.iter().map(|one| runs.iter().filter(|other| (one.low..=one.high).contains(&other.median)).count()).sum::<usize>();
        let share = held as f64 / (400.0 * 400.0);
        assert!((0.98..0.999).contains(&share), "{share}");
    }

    /// Values of runs, each the mean of so many slices of a series whose true mean is 100; runs are independent of one another.
    fn run_means(kind: &str, runs: usize, slices: usize, random: &mut u64) -> Vec<f64> {
        let mut share = || (splitmix::next(random) >> 11) as f64 / (1u64 << 53) as f64;
        // Nearly normal: a sum of four, of variance 1.
        let mut normal = || ((0..4).map(|_| share()).sum::<f64>() - 2.0) * 3f64.sqrt();
        let mut run = || {
            let phase = std::f64::consts::TAU * (normal() / 4.0);
            let rho: f64 = match kind {
                "AR(1) 0.5" => 0.5,
                "AR(1) 0.9" => 0.9,
                _ => 0.0,
            };
            let mut state = normal();
            let mut slice = |at: usize| {
                state = rho * state + (1.0 - rho * rho).sqrt() * normal();
                // The period does not fit a whole number of times into a run.
                let wave = if kind == "periodic" { 10.0 * (phase + at as f64 * 0.17).sin() } else { 0.0 };
                100.0 + wave + 5.0 * state
            };
            (0..slices).map(&mut slice).sum::<f64>() / slices as f64
        };
        (0..runs).map(|_| run()).collect()
    }

    #[test]
    fn the_stated_coverage_is_kept_whatever_goes_on_inside_the_runs() {
        for kind in ["white", "AR(1) 0.5", "AR(1) 0.9", "periodic"] {
            let mut random = 7u64;
            let (mut stated, mut told, trials) = (0, 0, 1000);
            for _ in 0..trials {
                let mut values = run_means(kind, 20, 40, &mut random);
                let estimate = Estimate::of(&values, 0.95).unwrap();
                values.sort_by(f64::total_cmp);
                let (ends, method) = ranked(&values, 0.95).unwrap();
                assert!(matches!(method, IntervalMethod::Rank { coverage, .. } if (0.95..0.97).contains(&coverage)));
                stated += u32::from(ends.0 <= 100.0 && 100.0 <= ends.1);
                told += u32::from(estimate.low <= 100.0 && 100.0 <= estimate.high);
            }
            let (stated, told) = (f64::from(stated) / f64::from(trials), f64::from(told) / f64::from(trials));
            println!("{kind}: stated {stated}, as told {told}");
            assert!((0.93..=0.97).contains(&stated), "{kind}: {stated}");
            // What is told is set apart for another run of the same, so it covers the truth more often than is stated.
            assert!(told >= stated, "{kind}: {told}");
        }
    }

    #[test]
    fn where_things_change_between_runs_as_much_as_within_the_interval_holds_the_median_of_another_run_as_often_as_it_says() {
        for kind in ["white", "AR(1) 0.5", "AR(1) 0.9", "periodic"] {
            let mut random = 11u64;
            let run = |random: &mut u64| Estimate::of(&run_means(kind, 20, 40, random), 0.95).unwrap();
            let medians: Vec<f64> = (0..1000).map(|_| run(&mut random).median).collect();
            let mean = medians.iter().sum::<f64>() / 1000.0;
            let deviation = (medians.iter().map(|median| (median - mean).powi(2)).sum::<f64>() / 1000.0).sqrt();
            let mut held = 0;
            for median in medians {
                let one = run(&mut random);
                // Of the same variance as a median, nearly normal.
                let sum: f64 = (0..4).map(|_| (splitmix::next(&mut random) >> 11) as f64 / (1u64 << 53) as f64).sum();
                let change = deviation * (sum - 2.0) * 3f64.sqrt();
                held += u32::from((one.low..=one.high).contains(&(median + change)));
            }
            let share = f64::from(held) / 1000.0;
            println!("{kind}: {share}");
            assert!((0.93..=0.97).contains(&share), "{kind}: {share}");
        }
    }

    #[test]
    fn few_runs_are_a_spread() {
        let e = Estimate::of(&[5.0, 1.0, 3.0], 0.95).unwrap();
        assert!(!e.is_interval());
        assert_eq!(e.describe(), "spread of 3 runs");
        assert_eq!(Estimate::of(&[], 0.95), None);
    }

    #[test]
    fn steadiness() {
        let flat = Steadiness::of(&[100.0, 101.0, 99.0, 100.0, 100.0]).unwrap();
        assert!((flat.range - 0.02).abs() < 1e-9 && flat.slope_excursion.abs() < 0.01);
        let falling = Steadiness::of(&[120.0, 110.0, 100.0, 90.0, 80.0]).unwrap();
        assert!((falling.slope_excursion + 0.4).abs() < 1e-9);
        assert_eq!(Steadiness::of(&[1.0, 2.0]), None);
    }

    #[test]
    fn trends_by_the_published_table() {
        // Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, table of Kendall's K: n = 4, K = 6 and n = 5, K = 8, one side.
        assert!((trend_probability(&[1.0, 2.0, 3.0, 4.0]).unwrap() - 2.0 * 0.0417).abs() < 1e-3);
        assert!((trend_probability(&[2.0, 1.0, 3.0, 4.0, 5.0]).unwrap() - 2.0 * 0.0417).abs() < 1e-3);
        assert!((trend_probability(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0]).unwrap() - 2.0 / 720.0).abs() < 1e-9);
        assert_eq!(trend_probability(&[1.0, 2.0]), None);
        assert_eq!(trend_probability(&[7.0; 9]), Some(1.0));
        let long: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(trend_probability(&long).unwrap() < 1e-12);
    }

    proptest! {
        #[test]
        fn another_implementation_gives_the_same_coverage(n in 1u32..200, rank in 1u32..50) {
            use statrs::distribution::{Binomial, DiscreteCDF};
            prop_assume!(2 * rank <= n);
            let below = Binomial::new(0.5, n.into()).unwrap().cdf(u64::from(rank) - 1);
            prop_assert!((rank_coverage(n, rank) - (1.0 - 2.0 * below)).abs() < 1e-9);
        }

        #[test]
        fn a_trend_is_a_probability_and_the_same_backwards(mut values in prop::collection::vec(0.0f64..1e9, 3..40)) {
            let p = trend_probability(&values).unwrap();
            prop_assert!((0.0..=1.0).contains(&p));
            values.reverse();
            prop_assert!((trend_probability(&values).unwrap() - p).abs() < 1e-12);
        }

        #[test]
        fn the_median_lies_in_its_interval(values in prop::collection::vec(0.0f64..1e9, 1..60)) {
            let e = Estimate::of(&values, 0.95).unwrap();
            prop_assert!(e.low <= e.median && e.median <= e.high);
            if let IntervalMethod::Rank { coverage, .. } = e.method {
                prop_assert!(coverage >= 0.95);
            }
        }
    }
}
