//! Rates in samples of half a second, or as long as the job asks for, as fio's `bw` and `iops` lines show them.

use super::results::Samples;
use ioproof_core::record::Interval;

/// Length of a sample where the job sets none (`bwavgtime`, `iopsavgtime`). Nanoseconds.
pub const SAMPLE_NS: u64 = 500_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleTimes {
    pub bandwidth_ns: u64,
    pub ios_ns: u64,
}

impl Default for SampleTimes {
    fn default() -> Self {
        Self { bandwidth_ns: SAMPLE_NS, ios_ns: SAMPLE_NS }
    }
}

impl SampleTimes {
    /// The shorter of the two; slices must not be longer. Nanoseconds.
    pub fn shortest_ns(&self) -> u64 {
        self.bandwidth_ns.min(self.ios_ns)
    }
}

/// Contribution of one slice of a run: I/Os or bytes of one direction.
pub type SliceAmount = fn(&Interval) -> u64;

/// The rates per second of a run in samples of `sample_ns`. What does not fill a sample at the end counts for nothing, so that a run that is shorter than one
/// has none, as in fio's reports; a tenth may be missing, because slices end when they are looked at.
pub fn rates(intervals: &[Interval], sample_ns: u64, amount: SliceAmount) -> Vec<f64> {
    let mut rates = Vec::new();
    let (mut sum, mut length_ns) = (0u64, 0u64);
    let rate = |sum: u64, length_ns: u64| sum as f64 * 1e9 / length_ns as f64;
    for interval in intervals {
        sum = sum.saturating_add(amount(interval));
        length_ns = length_ns.saturating_add(interval.length_ns);
        if length_ns >= sample_ns.max(1) {
            rates.push(rate(sum, length_ns));
            (sum, length_ns) = (0, 0);
        }
    }
    if length_ns > 0 && length_ns >= sample_ns / 10 * 9 {
        rates.push(rate(sum, length_ns));
    }
    rates
}

impl Samples {
    /// Of some rates; all zero where there is none.
    pub fn from_rates(rates: &[f64]) -> Self {
        let count = rates.len();
        if count == 0 {
            return Self::default();
        }
        let mean = rates.iter().sum::<f64>() / count as f64;
        let square = |rate: &f64| (rate - mean).powi(2);
        let deviation = if count < 2 { 0.0 } else { (rates.iter().map(square).sum::<f64>() / (count - 1) as f64).sqrt() };
        let (min, max) = rates.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), r| (low.min(*r), high.max(*r)));
        Self { count: count as u64, min, max, mean, deviation }
    }

    /// Of two jobs that ran side by side: their rates add up, and their deviations as if the two knew nothing of one another.
    pub fn beside(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            min: self.min + other.min,
            max: self.max + other.max,
            mean: self.mean + other.mean,
            deviation: self.deviation.hypot(other.deviation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(slices: &[(u64, u64)]) -> Vec<Interval> {
        let slice =
            |(length_ms, read_ios): &(u64, u64)| Interval { length_ns: length_ms * 1_000_000, read_ios: *read_ios, ..Interval::default() };
        slices.iter().map(slice).collect()
    }

    #[test]
    fn slices_become_samples() {
        let of = |slices: &[(u64, u64)]| rates(&run(slices), SAMPLE_NS, |i| i.read_ios);
        assert_eq!(of(&[(100, 10); 10]), [100.0, 100.0]);
        assert_eq!(of(&[(100, 10); 6]), [100.0], "100 ms are left over");
        assert_eq!(of(&[(100, 10); 9]), [100.0], "400 ms are left over");
        assert_eq!(of(&[(98, 10); 5]), [10_000.0 / 98.0], "as good as whole");
        assert_eq!(of(&[(40, 1)]), [0.0; 0], "shorter than a sample");
        assert_eq!(of(&[]), [0.0; 0]);
    }

    #[test]
    fn figures_of_samples() {
        let samples = Samples::from_rates(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((samples.count, samples.min, samples.max, samples.mean), (4, 1.0, 4.0, 2.5));
        assert!((samples.deviation - 1.290_994).abs() < 1e-6);
        assert_eq!(Samples::from_rates(&[]), Samples::default());
        let both = samples.beside(Samples::from_rates(&[10.0]));
        assert_eq!((both.count, both.min, both.max, both.mean), (5, 11.0, 14.0, 12.5));
    }
}
