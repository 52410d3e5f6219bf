//! Warm-up at the start of a series: values that lie outside the spread of the rest.
//!
//! The number of values to leave out is that which makes the squared standard error of the mean of the rest smallest, among the first half of them (MSER: White 1997,
//! doi 10.1177/003754979706900601). The rule always names some; a warm-up is only told where it is clearer than the noise.

/// A shorter series has no warm-up that could be told.
pub const FEWEST: usize = 10;

/// Least distance between what is left out and the mean of the rest, in standard deviations of the rest and as a share of their mean.
const DEVIATIONS: f64 = 3.0;
const LEAST_SHARE: f64 = 0.05;

/// Length of the warm-up at the start of a series, in values.
pub fn warm_up(values: &[f64]) -> usize {
    let count = values.len();
    if count < FEWEST {
        return 0;
    }
    // From the end, so that each rest is the one before with one more value in it.
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0, 0.0, 0.0);
    for (from, value) in values.iter().enumerate().rev() {
        sum += value;
        squares += value * value;
        let n = (count - from) as f64;
        let (mean, around) = (sum / n, (squares - sum * sum / n).max(0.0));
        let error = around / (n * n);
        if from <= count / 2 && error <= best.0 {
            best = (error, from, mean, (around / n).sqrt());
        }
    }
    let (_, from, mean, deviation) = best;
    let is_outside = |value: &f64| (value - mean).abs() > (DEVIATIONS * deviation).max(LEAST_SHARE * mean.abs());
    // At its limit the rule has found no steady rest: the series drifts.
    let steady_from = if from < count / 2 { from } else { 0 };
    values.iter().take(steady_from).take_while(|value| is_outside(value)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix;

    /// A thousandth either way.
    fn noise(state: &mut u64) -> f64 {
        1.0 + (splitmix::next(state) % 2001) as f64 / 1e6 - 1e-3
    }

    #[test]
    fn the_start_that_lies_outside_is_found() {
        let mut state = 3;
        let series = |start: &[f64], state: &mut u64| -> Vec<f64> {
            start.iter().copied().chain(std::iter::repeat_n(100.0, 30)).map(|value| value * noise(state)).collect()
        };
        assert_eq!(warm_up(&series(&[300.0, 250.0, 180.0], &mut state)), 3);
        assert_eq!(warm_up(&series(&[20.0], &mut state)), 1, "a slow start is one too");
        assert_eq!(warm_up(&series(&[102.0, 101.0], &mut state)), 0, "too near to matter");
        assert_eq!(warm_up(&[1.0, 9.0, 9.0]), 0, "too few");
        assert_eq!(warm_up(&[0.0; 40]), 0);
    }

    #[test]
    fn noise_a_wave_and_a_drift_are_none() {
        let mut state = 5;
        let quiet =
            (0..200).filter(|_| warm_up(&(0..40).map(|_| 100.0 * (1.0 + 300.0 * (noise(&mut state) - 1.0))).collect::<Vec<f64>>()) == 0);
        assert_eq!(quiet.count(), 200);
        let wave: Vec<f64> = (0..60).map(|at| 100.0 + 30.0 * f64::from(at).sin()).collect();
        let drift: Vec<f64> = (0..60).map(|at| 100.0 + f64::from(at)).collect();
        assert_eq!((warm_up(&wave), warm_up(&drift)), (0, 0));
    }
}
