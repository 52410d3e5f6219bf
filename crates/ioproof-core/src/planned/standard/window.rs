//! The measurement window: five rounds of a tracked variable, and the two conditions of a steady state over them (3.1, "Steady State").

use crate::stats::{PRECONDITION_WINDOW, Steadiness};
use serde::{Deserialize, Serialize};

/// Rounds of the measurement window.
pub const MEASUREMENT_WINDOW: usize = PRECONDITION_WINDOW;

/// A window with its figures, in the unit of the tracked variable.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// Its first round, from 1.
    pub first_round: u32,
    /// Its last round.
    pub last_round: u32,
    /// Average over its rounds.
    pub average: f64,
    /// Greatest range in a steady state: 20 % of the average.
    pub allowed_range: f64,
    /// Largest less smallest value.
    pub measured_range: f64,
    /// Slope of the least-squares line. Per round.
    pub slope: f64,
    /// Value of that line at round 0.
    pub intercept: f64,
    /// Greatest excursion of that line in a steady state: 10 % of the average.
    pub allowed_excursion: f64,
    /// Its excursion: largest less smallest value on the line within the window.
    pub measured_excursion: f64,
    /// True where both conditions hold.
    pub is_steady: bool,
}

impl Window {
    /// The window over the last five of every so many rounds, told in rounds.
    pub fn of_every(every: usize, rounds: &[f64]) -> Option<Self> {
        let every = every.max(1);
        let first = (rounds.len() / every).checked_sub(MEASUREMENT_WINDOW)?;
        let looks: Vec<f64> = rounds.chunks_exact(every).skip(first).map(|chunk| chunk[every - 1]).collect();
        let window = Self::over(first, &looks)?;
        let round = |look: u32| look.saturating_mul(every as u32);
        let slope = window.slope / every as f64;
        Some(Self { first_round: round(window.first_round), last_round: round(window.last_round), slope, ..window })
    }

    /// Window over the last five of these rounds; `None` for fewer, or where nothing was done in them.
    pub fn last_of(rounds: &[f64]) -> Option<Self> {
        Self::of_every(1, rounds)
    }

    /// Window over these values, before which there were so many.
    fn over(first: usize, values: &[f64]) -> Option<Self> {
        let steadiness = Steadiness::of(values)?;
        let average = values.iter().sum::<f64>() / values.len() as f64;
        let excursion = steadiness.slope_excursion * average;
        let slope = excursion / (MEASUREMENT_WINDOW as f64 - 1.0);
        let (first_round, last_round) = (first as u32 + 1, (first + values.len()) as u32);
        Some(Self {
            first_round,
            last_round,
            average,
            allowed_range: Steadiness::MOST_RANGE * average,
            measured_range: steadiness.range * average,
            slope,
            intercept: average - slope * f64::from(first_round + last_round) / 2.0,
            allowed_excursion: Steadiness::MOST_SLOPE * average,
            measured_excursion: excursion.abs(),
            is_steady: steadiness.is_preconditioned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix::next;

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9 * expected.abs().max(1.0)
    }

    #[test]
    fn a_window_worked_by_hand() {
        // Sum 15150, average 3030; deviations -130, 20, 70, -30, 70; slope (-2*-130 - 20 - 30 + 2*70) / 10 = 35, over 4 rounds 140.
        let window = Window::last_of(&[9000.0, 2900.0, 3050.0, 3100.0, 3000.0, 3100.0]).unwrap();
        assert_eq!((window.first_round, window.last_round), (2, 6));
        assert!(close(window.average, 3030.0) && close(window.measured_range, 200.0) && close(window.allowed_range, 606.0));
        assert!(close(window.slope, 35.0) && close(window.measured_excursion, 140.0) && close(window.allowed_excursion, 303.0));
        assert!(close(window.intercept, 3030.0 - 35.0 * 4.0) && window.is_steady);
    }

    #[test]
    fn both_conditions_hold_up_to_their_bounds_and_not_beyond() {
        let is_steady = |values: [f64; 5]| Window::last_of(&values).unwrap().is_steady;
        // Range 20 of 100 and no slope; 20.2 of 100.
        assert!(is_steady([110.0, 95.0, 90.0, 95.0, 110.0]) && !is_steady([110.1, 94.95, 89.9, 94.95, 110.1]));
        // A line of 2.5 a round rises by 10 of 100; one of 2.6 by 10.4.
        assert!(is_steady([95.0, 97.5, 100.0, 102.5, 105.0]) && !is_steady([94.8, 97.4, 100.0, 102.6, 105.2]));
        assert!(is_steady([105.0, 102.5, 100.0, 97.5, 95.0]) && !is_steady([105.2, 102.6, 100.0, 97.4, 94.8]), "falling alike");
        // One round out of five: a range of 25 of 105.
        assert!(!is_steady([100.0, 100.0, 125.0, 100.0, 100.0]));
    }

    #[test]
    fn a_window_of_every_third_round_is_told_in_rounds() {
        let rounds: Vec<f64> = (1..=16).map(|round| if round % 3 == 0 { 1000.0 + f64::from(round) } else { 1.0 }).collect();
        let window = Window::of_every(3, &rounds).unwrap();
        assert_eq!((window.first_round, window.last_round, window.is_steady), (3, 15, true));
        assert!(close(window.slope, 1.0) && close(window.intercept, 1000.0) && close(window.measured_range, 12.0));
        assert_eq!(Window::of_every(3, &rounds[..14]), None);
    }

    #[test]
    fn fewer_rounds_and_rounds_without_work_are_no_window() {
        assert_eq!(Window::last_of(&[1.0; 4]), None);
        assert_eq!(Window::last_of(&[0.0; 5]), None);
    }

    /// Rounds until the first steady window, at most 25.
    fn steady_after(mut round: impl FnMut(u32) -> f64) -> Option<usize> {
        let mut rounds = Vec::new();
        (0..25).find_map(|number| {
            rounds.push(round(number));
            Window::last_of(&rounds).filter(|window| window.is_steady).map(|_| rounds.len())
        })
    }

    #[test]
    fn a_drive_that_falls_off_a_cliff_is_steady_five_rounds_after_it() {
        // Fresh until the cliff, then two rounds of garbage collection, then the steady rate, all with 2 % of noise: 20 of 20.
        for seed in 0..20u64 {
            let mut state = seed;
            let mut noise = || 1.0 + 0.02 * (2.0 * (next(&mut state) >> 11) as f64 / (1u64 << 53) as f64 - 1.0);
            let cliff = seed as u32 % 4;
            let rate = |round: u32| match round.checked_sub(cliff) {
                None => 400_000.0,
                Some(0) => 200_000.0,
                Some(1) => 130_000.0,
                Some(_) => 75_000.0,
            };
            assert_eq!(steady_after(|round| rate(round) * noise()), Some(cliff as usize + 7), "seed {seed}");
        }
    }

    #[test]
    fn a_drive_that_drifts_is_never_steady() {
        // 3 % to 12 % less in each round, so that the line moves by more than 10 % of the average: 10 of 10.
        for percent in 3..13 {
            let left = 1.0 - f64::from(percent) / 100.0;
            assert_eq!(steady_after(|round| 1e5 * left.powi(round as i32)), None, "{percent} %");
        }
    }
}
