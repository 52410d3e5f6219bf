//! The distance from the median at which a value of a small group is no chance any more, in robust standard deviations.
//!
//! The spread is the median of absolute deviations, which a few outliers do not widen. From few values it is unsure itself: the distance follows Student's
//! distribution with about half a degree of freedom a value. That was found by simulation of normal values: where 2.5 % are asked, 1.9 to 2.4 % of groups of 5 to
//! 40 values have one beyond the limit. `tests.rs` holds whole fleets to it.

use crate::stats::median;
use std::f64::consts::FRAC_PI_2;

/// In a smaller group no value is called an outlier.
pub(super) const FEWEST: usize = 5;
/// Standard deviations of the normal distribution in its median of absolute deviations.
const PER_MAD: f64 = 1.482_6;
/// Degrees of freedom that a value gives.
const FREEDOM: f64 = 0.5;
/// Beyond so many degrees of freedom the distribution is the normal one.
const MOST_FREEDOM: f64 = 1000.0;

/// The standard deviation of values around 0 by their median of absolute deviations, without the bias of few values (Croux & Rousseeuw 1992).
pub(super) fn spread(values: &[f64]) -> f64 {
    const FEW: [f64; 5] = [1.206, 1.200, 1.140, 1.129, 1.107];
    let n = values.len();
    let bias = match n {
        0..FEWEST => return f64::INFINITY,
        FEWEST..10 => FEW[n - FEWEST],
        _ => n as f64 / (n as f64 - 0.8),
    };
    let absolute: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    median(&absolute).unwrap_or(f64::INFINITY) * PER_MAD * bias
}

/// Standard deviations below the median that one of `n` values exceeds with this probability.
pub(super) fn limit(n: usize, probability: f64) -> f64 {
    let freedom = (n as f64 * FREEDOM).clamp(1.0, MOST_FREEDOM);
    let (mut low, mut high) = (0.0, FRAC_PI_2);
    // The angle is halved until it is as exact as a number can be.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tail(middle, freedom) > probability { low = middle } else { high = middle }
    }
    low.tan() * freedom.sqrt()
}

/// The probability of Student's distribution beyond `tan(angle)` roots of its degrees of freedom: there its density is a power of the cosine.
fn tail(angle: f64, freedom: f64) -> f64 {
    let density = |at: f64| at.cos().max(0.0).powf(freedom - 1.0);
    integral(angle, &density) / integral(0.0, &density) / 2.0
}

/// From an angle to the right one, by Simpson's rule. The density beyond the angle fades within about one part in `freedom`, so steps widen away from it.
fn integral(from: f64, density: &dyn Fn(f64) -> f64) -> f64 {
    const STEPS: u32 = 200;
    let width = FRAC_PI_2 - from;
    // Places are cubed, which puts most of them where the density is largest.
    let at = |step: u32| f64::from(step) / f64::from(STEPS);
    let term = |step: u32| density(from + width * at(step).powi(3)) * 3.0 * at(step).powi(2);
    let inner: f64 = (1..STEPS).map(|step| term(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (term(0) + inner + term(STEPS)) * width / (3.0 * f64::from(STEPS))
}

/// Share below the median of a logarithmic deviation: `ln 0.8` is 0.2.
pub(super) fn share_below(deviation: f64) -> f64 {
    1.0 - deviation.exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::SQRT_2;

    #[test]
    fn limits_are_those_of_published_tables() {
        // Quantiles of Student's t: 0.975 of 2 degrees of freedom is 4.303, 0.999 of 10 is 4.144, of very many those of the normal distribution.
        let close = |freedom: f64, probability: f64, quantile: f64| {
            let found = limit((freedom / FREEDOM).round() as usize, probability);
            assert!((found / quantile - 1.0).abs() < 0.02, "{freedom}: {found} {quantile}");
        };
        close(10.0, 0.001, 4.144);
        close(100.0, 0.000_1, 3.862);
        close(5000.0, 0.000_01, 4.265);
        assert!((tail((4.303 / SQRT_2).atan(), 2.0) - 0.025).abs() < 1e-4);
    }

    #[test]
    fn a_few_outliers_do_not_widen_the_spread() {
        let even = [-2.0, -1.0, 0.0, 1.0, 2.0, -3.0, 3.0, 0.5, -0.5, 1.5];
        let mut odd = even;
        odd[6] = 1000.0;
        assert_eq!(spread(&even), spread(&odd));
        assert_eq!(spread(&[1.0; 4]), f64::INFINITY);
    }
}
