//! One figure of two runs held against each other.
//!
//! It is better or worse only where all of these agree: the rank-sum test of the rounds, corrected for the number of figures; the interval of the shift between
//! rounds; the figures themselves; and the intervals of both runs, of which neither holds the figure of the other, since each of them allows for what
//! changes between two minutes ([`crate::stats`]). Of two targets in turns the test is that of pairs ([`super::signed_rank`]), which needs no such allowance and
//! is held to a stricter level, because it stands alone. All else is *cannot tell*, with the reason, and the number of runs by which a difference of that size
//! would most likely be told.

use super::rank_sum::{self, Shift};
use super::{Row, false_discovery, signed_rank};
use crate::claim::Metric;
use crate::stats::Estimate;
use serde::{Deserialize, Serialize};

/// A figure held against that of the first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Against {
    /// Difference of the figures as a share of the first; positive is more.
    pub change: f64,
    /// Interval of the ratio between rounds, less one, widened to hold the change; none where there are too few rounds for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Probability of such a difference by chance, corrected for the number of figures; none where nothing could be tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// True where both took turns, so that their rounds were tested pair by pair.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_paired: bool,
    /// The answer.
    pub answer: Answer,
    /// The reason for which it cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Rules that doubt one of both figures, so that the answer may be of the host, or of others, and not of the drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Runs of each workload by which a difference of this size would most likely be told, where it cannot be told yet; none: more than [`MOST_RUNS`], or
    /// there is no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_needed: Option<u32>,
}

/// The answer of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// More throughput, or less latency.
    Better,
    /// Less throughput, or more latency.
    Worse,
    /// The runs carry no answer.
    CannotTell,
}

impl Answer {
    /// In words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// The reason for which a difference cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// One of both has fewer runs of it than an interval needs.
    FewRuns,
    /// A run of it has too few I/Os beyond this percentile, so that there is one figure of all runs together and nothing to test.
    FewIos,
    /// It is not larger than what changes between two minutes, or than chance.
    Small,
    /// A finding says of one of both that it is not the drive's number.
    NotTheDrives,
}

impl Why {
    /// In words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::FewRuns => "fewer than six runs of each",
            Self::FewIos => "too few I/Os in each run for this percentile",
            Self::Small => "no larger than what may change between two runs",
            Self::NotTheDrives => "not the drive's number",
        }
    }
}

/// Probability of a difference by chance below which it is none.
const SIGNIFICANT: f64 = 0.05;
/// The same for pairs.
const SIGNIFICANT_OF_PAIRS: f64 = 0.01;
/// More runs than this are no advice: they take so long that more changes meanwhile than they tell.
pub const MOST_RUNS: u32 = 50;
/// The fewest runs that have an interval of 95 %.
const FEWEST_RUNS: u32 = 6;
/// Confidence of the interval of a shift.
const CONFIDENCE: f64 = 0.95;

impl Against {
    /// The second held against the first, each with the values of its rounds; not corrected for the number of figures yet.
    pub(super) fn of(metric: Metric, (first, of_first): (&Estimate, &[f64]), (second, of_second): (&Estimate, &[f64])) -> Self {
        let share = |value: f64| if first.median == 0.0 { 0.0 } else { value / first.median };
        let change = share(second.median - first.median);
        let shift = Shift::of(&logarithms(of_first), &logarithms(of_second), CONFIDENCE);
        let (why, answer) = match shift.map(|shift| told(metric, &shift, first, second)) {
            Some(Some(answer)) => (None, answer),
            Some(None) if first.is_interval() && second.is_interval() => (Some(Why::Small), Answer::CannotTell),
            None if of_first.is_empty() || of_second.is_empty() => (Some(Why::FewIos), Answer::CannotTell),
            _ => (Some(Why::FewRuns), Answer::CannotTell),
        };
        let interval = shift.map(|shift| (shift.low.exp_m1().min(change), shift.high.exp_m1().max(change)));
        let runs_needed = if why == Some(Why::FewIos) { None } else { runs_needed(first, second) };
        Self { change, interval, p: shift.map(|shift| shift.p), is_paired: false, answer, why, doubts: Vec::new(), runs_needed }
    }

    /// The same of two that took turns, by their pairs; where there are too few of them, or they do not pair up, as of any two runs.
    pub(super) fn of_pairs(metric: Metric, first: (&Estimate, &[f64]), second: (&Estimate, &[f64])) -> Self {
        let unpaired = Self::of(metric, first, second);
        let Some(shift) = signed_rank::of(first.1, second.1, 1.0 - SIGNIFICANT_OF_PAIRS) else { return unpaired };
        let (low, high) = (shift.low.exp_m1(), shift.high.exp_m1());
        let is_told = low > 0.0 && unpaired.change > 0.0 || high < 0.0 && unpaired.change < 0.0;
        let answer = if is_told { in_words(metric, unpaired.change) } else { Answer::CannotTell };
        let runs = f64::from(first.0.runs.min(second.0.runs)) * ((high - low) / 2.0 / unpaired.change).powi(2);
        let runs_needed = (unpaired.change != 0.0 && runs <= f64::from(MOST_RUNS)).then(|| (runs.ceil() as u32).max(first.0.runs + 1));
        Self {
            interval: Some((low.min(unpaired.change), high.max(unpaired.change))),
            p: Some(shift.p),
            is_paired: true,
            answer,
            why: (!is_told).then_some(Why::Small),
            runs_needed,
            ..unpaired
        }
    }

    /// Takes the answer back where one of both is not the drive's number: a cache that is faster makes no drive better, and more runs would not tell either.
    pub(super) fn take_back(&mut self) {
        (self.answer, self.why, self.runs_needed) = (Answer::CannotTell, Some(Why::NotTheDrives), None);
    }

    fn level(&self) -> f64 {
        if self.is_paired { SIGNIFICANT_OF_PAIRS } else { SIGNIFICANT }
    }
}

/// Rounds are compared by their ratio, so that nothing that is measured becomes less than nothing, however much single rounds differ.
fn logarithms(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| value.max(f64::MIN_POSITIVE).ln()).collect()
}

/// Better or worse, where everything but the correction agrees.
fn told(metric: Metric, shift: &Shift, first: &Estimate, second: &Estimate) -> Option<Answer> {
    let change = second.median - first.median;
    let apart = !(first.low..=first.high).contains(&second.median) && !(second.low..=second.high).contains(&first.median);
    let is_one_way = shift.low > 0.0 && change > 0.0 || shift.high < 0.0 && change < 0.0;
    let is_told = apart && is_one_way && first.is_interval() && second.is_interval();
    is_told.then(|| in_words(metric, change))
}

fn in_words(metric: Metric, change: f64) -> Answer {
    let is_better = (change > 0.0) == (metric != Metric::Latency);
    if is_better { Answer::Better } else { Answer::Worse }
}

/// Widths of intervals shrink with the root of the number of runs; both have to shrink until they leave the other's median out.
fn runs_needed(first: &Estimate, second: &Estimate) -> Option<u32> {
    let apart = (second.median - first.median).abs();
    let half = ((first.high - first.low).max(second.high - second.low)) / 2.0;
    let runs = first.runs.min(second.runs);
    let needed = f64::from(runs) * (half / apart).powi(2);
    // Where that many are there already, it takes more than them.
    (apart > 0.0 && needed <= f64::from(MOST_RUNS)).then(|| (needed.ceil() as u32).max(FEWEST_RUNS).max(runs + 1))
}

/// Corrects the probabilities for the number of figures, and takes answers back that are chance then.
pub(super) fn correct(rows: &mut [Row]) {
    let mut all: Vec<&mut Against> = rows.iter_mut().flat_map(|row| &mut row.against).flatten().collect();
    let corrected = false_discovery::corrected(&all.iter().filter_map(|against| against.p).collect::<Vec<_>>());
    let tests = corrected.len();
    for (against, p) in all.iter_mut().filter(|against| against.p.is_some()).zip(corrected) {
        against.p = Some(p);
        if p >= against.level() && against.answer != Answer::CannotTell {
            (against.answer, against.why) = (Answer::CannotTell, Some(Why::Small));
        }
    }
    for against in all {
        let needed = against.runs_needed.filter(|_| against.answer == Answer::CannotTell);
        against.runs_needed = needed.map(|needed| needed.max(runs_for(tests))).filter(|needed| *needed <= MOST_RUNS);
    }
}

/// The fewest runs of each by which one clear difference among so many figures is told from chance.
fn runs_for(tests: usize) -> u32 {
    let is_enough = |runs: &u32| rank_sum::least_p(*runs as usize) * (tests as f64) < SIGNIFICANT;
    (FEWEST_RUNS..=MOST_RUNS).find(is_enough).unwrap_or(MOST_RUNS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(values: &[f64]) -> Estimate {
        Estimate::of(values, 0.95).unwrap()
    }

    fn against(metric: Metric, first: &[f64], second: &[f64]) -> Against {
        Against::of(metric, (&estimate(first), first), (&estimate(second), second))
    }

    const SIX: [f64; 6] = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2];

    #[test]
    fn fewer_latency_is_better_and_fewer_iops_are_worse() {
        let less = SIX.map(|value| value * 0.8);
        assert_eq!(against(Metric::Iops, &SIX, &less).answer, Answer::Worse);
        assert_eq!(against(Metric::Latency, &SIX, &less).answer, Answer::Better);
    }

    #[test]
    fn targets_in_turns_are_told_apart_though_both_drift() {
        let first: Vec<f64> = (0..8).map(|minute| 100.0 + 20.0 * f64::from(minute)).collect();
        let second: Vec<f64> = first.iter().map(|value| value * 0.9).collect();
        let of = |test: super::super::Test, second: &[f64]| test(Metric::Iops, (&estimate(&first), &first), (&estimate(second), second));
        assert_eq!(of(Against::of, &second).answer, Answer::CannotTell);
        let told = of(Against::of_pairs, &second);
        assert!(told.is_paired && told.answer == Answer::Worse && told.interval.unwrap().1 < -0.09, "{told:?}");
        assert_eq!(of(Against::of_pairs, &first).answer, Answer::CannotTell);
        assert!(!of(Against::of_pairs, &second[..7]).is_paired, "they do not pair up");
    }

    #[test]
    fn what_cannot_be_told_has_its_reason() {
        let small = against(Metric::Iops, &SIX, &SIX.map(|value| value + 0.3));
        assert_eq!((small.answer, small.why), (Answer::CannotTell, Some(Why::Small)));
        let few = against(Metric::Iops, &SIX[..2], &SIX.map(|value| value * 0.5));
        assert_eq!((few.answer, few.why, few.interval, few.p), (Answer::CannotTell, Some(Why::FewRuns), None, None));
        let ios = Against::of(Metric::Latency, (&estimate(&[5.0]), &[]), (&estimate(&[9.0]), &[]));
        assert_eq!((ios.answer, ios.why, ios.runs_needed), (Answer::CannotTell, Some(Why::FewIos), None));
    }

    #[test]
    fn rounds_and_figures_that_disagree_tell_nothing() {
        // The rounds of the second are all slower, and all of its I/Os together are not.
        let slower = SIX.map(|value| value * 1.2);
        let all = Estimate { median: 99.0, ..estimate(&slower) };
        let told = Against::of(Metric::Latency, (&estimate(&SIX), &SIX), (&all, &slower));
        assert_eq!(told.answer, Answer::CannotTell);
        let (low, high) = told.interval.unwrap();
        assert!(low <= told.change && told.change <= high);
    }

    #[test]
    fn the_runs_that_would_tell_are_more_than_there_are_and_no_more_than_advice() {
        let (near, far) = (against(Metric::Iops, &SIX, &SIX.map(|v| v + 0.01)), against(Metric::Iops, &SIX, &SIX.map(|v| v + 0.9)));
        assert_eq!(near.runs_needed, None, "a difference of a hundredth of a percent");
        assert!(far.runs_needed.is_some_and(|runs| (7..=MOST_RUNS).contains(&runs)), "{far:?}");
        assert_eq!(against(Metric::Iops, &SIX, &SIX).runs_needed, None, "there is no difference");
        assert_eq!((runs_for(1), runs_for(20), runs_for(24)), (6, 6, 7));
    }
}
