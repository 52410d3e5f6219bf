//! Steady-state detection (`steadystate=`): a sample a second, and whether those of the last `ss_dur` lie flat.
//!
//! The arithmetic is that of fio 3.33 as its reports show it: samples are whole numbers, the slope is that of the least-squares line over them, the
//! deviation is the largest distance from the mean, and a share is one of the mean without its fraction. Nothing is judged before the window is full.

use super::results;
use super::settings::{Criterion, SteadyStateSettings};
use ioproof_core::stats::slope;
use std::collections::VecDeque;

pub const SAMPLE_NS: u64 = 1_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SteadySample {
    pub ios_per_s: f64,
    pub bytes_per_s: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Detector {
    wanted: SteadyStateSettings,
    window: usize,
    samples: VecDeque<SteadySample>,
    judged: Option<JudgedWindow>,
    attained: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct JudgedWindow {
    value: f64,
    slope: f64,
    deviation: f64,
}

impl Detector {
    pub fn new(wanted: &SteadyStateSettings) -> Option<Self> {
        let window = usize::try_from(wanted.duration_ns / SAMPLE_NS).unwrap_or(usize::MAX).clamp(1, 1 << 20);
        let fresh = Self { wanted: wanted.clone(), window, samples: VecDeque::new(), judged: None, attained: false };
        (wanted.duration_ns > 0).then_some(fresh)
    }

    pub fn add(&mut self, sample: SteadySample) -> bool {
        if self.samples.len() >= self.window {
            self.samples.pop_front();
        }
        let whole = |rate: f64| rate.max(0.0).floor();
        self.samples.push_back(SteadySample { ios_per_s: whole(sample.ios_per_s), bytes_per_s: whole(sample.bytes_per_s) });
        if self.samples.len() == self.window {
            let judged = self.judge();
            self.judged = Some(judged);
            self.attained = judged.value.abs() < self.wanted.limit;
        }
        self.attained
    }

    fn judge(&self) -> JudgedWindow {
        let of_bytes = matches!(self.wanted.criterion, Criterion::Bandwidth | Criterion::BandwidthSlope);
        let samples: Vec<f64> = self.samples.iter().map(|s| if of_bytes { s.bytes_per_s } else { s.ios_per_s }).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let share = |value: f64| if self.wanted.percent && mean >= 1.0 { value * 100.0 / mean.floor() } else { value };
        if matches!(self.wanted.criterion, Criterion::IopsSlope | Criterion::BandwidthSlope) {
            let slope = slope(&samples);
            return JudgedWindow { value: share(slope), slope, deviation: 0.0 };
        }
        let deviation = samples.iter().map(|sample| (sample - mean).abs()).fold(0.0, f64::max);
        JudgedWindow { value: share(deviation), slope: 0.0, deviation }
    }

    /// The result so far. A window that never filled holds zeros where samples are missing, as fio's does.
    pub fn found(&self) -> results::SteadyStateResult {
        let wanted = &self.wanted;
        let JudgedWindow { value, slope, deviation } = self.judged.unwrap_or_default();
        let window = |of: fn(&SteadySample) -> f64| {
            let missing = self.window.saturating_sub(self.samples.len());
            self.samples.iter().map(of).chain(std::iter::repeat_n(0.0, missing)).collect()
        };
        results::SteadyStateResult {
            criterion: format!("{}:{}{}", word(wanted.criterion), wanted.limit, if wanted.percent { "%" } else { "" }),
            duration_s: wanted.duration_ns / SAMPLE_NS,
            attained: self.attained,
            is_judged: self.judged.is_some(),
            value,
            limit: wanted.limit,
            percent: wanted.percent,
            slope,
            deviation,
            iops: window(|s| s.ios_per_s),
            bytes_per_s: window(|s| s.bytes_per_s),
        }
    }
}

fn word(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Iops => "iops",
        Criterion::IopsSlope => "iops_slope",
        Criterion::Bandwidth => "bw",
        Criterion::BandwidthSlope => "bw_slope",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(criterion: Criterion, limit: f64, percent: bool, seconds: u64, iops: &[f64]) -> Detector {
        let wanted = SteadyStateSettings { criterion, limit, percent, duration_ns: seconds * SAMPLE_NS, ramp_ns: 0 };
        let mut detector = Detector::new(&wanted).unwrap();
        for ios_per_s in iops.iter().copied() {
            let _ = detector.add(SteadySample { ios_per_s, bytes_per_s: ios_per_s * 4096.0 });
        }
        detector
    }

    #[test]
    fn the_figures_are_those_that_fio_reported() {
        let found = fed(Criterion::Iops, 20.0, true, 3, &[1997.0, 1702.0, 2295.0]).found();
        assert_eq!((found.attained, found.deviation, found.slope), (true, 297.0, 0.0));
        assert!((found.value - 14.864_865).abs() < 1e-6, "{}", found.value);
        let found = fed(Criterion::IopsSlope, 20.0, true, 3, &[1000.0, 1001.0, 1001.0]).found();
        assert_eq!((found.attained, found.value, found.slope, found.deviation), (true, 0.05, 0.5, 0.0));
        let found = fed(Criterion::IopsSlope, 1e-6, true, 5, &[430_821.0, 387_751.0, 1_349_493.0, 1_426_908.0, 2_146_502.0]).found();
        assert!(!found.attained && (found.slope - 447_051.9).abs() < 1e-6 && (found.value - 38.9318).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn a_fall_is_as_unsteady_as_a_rise_and_keeps_its_sign() {
        let found = fed(Criterion::IopsSlope, 100.0, false, 2, &[2759.0, 2601.0]).found();
        assert_eq!((found.attained, found.value, found.slope), (false, -158.0, -158.0));
    }

    #[test]
    fn only_the_last_samples_count_and_bytes_are_bytes() {
        let detector = fed(Criterion::Bandwidth, 4096.5, false, 2, &[5000.0, 9.0, 11.0]);
        let found = detector.found();
        assert_eq!((found.attained, found.deviation, found.bytes_per_s), (true, 4096.0, vec![9.0 * 4096.0, 11.0 * 4096.0]));
        assert_eq!(found.criterion, "bw:4096.5");
    }

    #[test]
    fn nothing_is_judged_before_the_window_is_full() {
        let found = fed(Criterion::IopsSlope, 20.0, false, 5, &[1000.0, 1001.0]).found();
        assert_eq!((found.attained, found.value, found.iops), (false, 0.0, vec![1000.0, 1001.0, 0.0, 0.0, 0.0]));
        assert!(Detector::new(&SteadyStateSettings::default()).is_none());
    }

    #[test]
    fn a_limit_of_nothing_is_never_kept() {
        assert!(!fed(Criterion::Iops, 0.0, false, 2, &[10.0, 10.0]).found().attained);
    }
}
