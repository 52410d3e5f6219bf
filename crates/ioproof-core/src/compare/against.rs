//! One figure of two runs held against each other.
//!
//! A figure is better or worse where its interval of the change leaves zero out; all else is *cannot tell*, with the reason, and the number of runs by which a
//! difference of that size would most likely be told. So words and interval always agree. Of two runs the interval is the rank-sum test's ([`super::rank_sum`]),
//! widened by both runs' own intervals, since each of them allows for what changes between two minutes ([`crate::stats`]). Of two targets in turns it is that of
//! the pairs ([`super::signed_rank`]), which needs no such allowance.
//!
//! Several figures share 5 % of chance (the fallback procedure of Wiens 2003, doi 10.1002/pst.64): the first figure of each workload, its rate, is tested at 4 %, the rest at
//! what is left, or at all of it where every rate was told. Within each family probabilities are corrected by `false_discovery`.

use super::rank_sum::{self, Shift};
use super::{Row, false_discovery, signed_rank};
use crate::claim::Metric;
use crate::stats::Estimate;
use serde::Serialize;

/// A figure held against that of the first run.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    pub fn title(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// The reason for which a difference cannot be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    /// Commits of one of both were not made durable, so they have no rate.
    NotDurable,
}

impl Why {
    pub fn title(self) -> &'static str {
        match self {
            Self::FewRuns => "too few runs of one or both",
            Self::FewIos => "too few I/Os in each run for this percentile",
            Self::Small => "no larger than what may change between two runs",
            Self::NotTheDrives => "not the drive's number",
            Self::NotDurable => "commits were not made durable",
        }
    }

    /// True where a finding takes the answer away, whatever the figures are.
    fn is_of_findings(self) -> bool {
        matches!(self, Self::NotTheDrives | Self::NotDurable)
    }
}

/// Probability of a difference by chance below which it is none.
const SIGNIFICANT: f64 = 0.05;
/// Share of it for the first figure of each workload, and what is left for the others.
const OF_FIRST: f64 = 0.04;
const OF_OTHERS: f64 = SIGNIFICANT - OF_FIRST;
/// More runs than this are no advice: they take so long that more changes meanwhile than they tell.
pub const MOST_RUNS: u32 = 50;
/// The fewest runs that have an interval of 95 %.
const FEWEST_RUNS: u32 = 6;
/// The fewest pairs whose clearest order is rarer by chance than 1 %; fewer are tested as two runs.
const FEWEST_PAIRS: usize = 8;

/// A figure of a run, and its values in each round.
pub(super) type RateSample<'a> = (&'a Estimate, &'a [f64]);

impl Against {
    /// The second held against the first; not corrected for the number of figures yet.
    pub(super) fn of(metric: Metric, first: RateSample, second: RateSample) -> Self {
        Self::at(SIGNIFICANT, metric, false, first, second)
    }

    /// The same of two that took turns, by their pairs; where there are too few of them, or they do not pair up, as of any two runs.
    pub(super) fn of_pairs(metric: Metric, first: RateSample, second: RateSample) -> Self {
        Self::at(SIGNIFICANT, metric, true, first, second)
    }

    fn at(level: f64, metric: Metric, in_turns: bool, first: RateSample, second: RateSample) -> Self {
        let ((of_first, _), (of_second, _)) = (first, second);
        let change = if of_first.median == 0.0 { 0.0 } else { (of_second.median - of_first.median) / of_first.median };
        let enough = |sample: RateSample| sample.1.len() >= FEWEST_RUNS as usize;
        let is_tested = enough(first) && enough(second);
        let pairs = (in_turns && first.1.len() >= FEWEST_PAIRS).then(|| signed_rank::shift(first.1, second.1, 0.0)).flatten();
        let p = pairs.or_else(|| Shift::of(first.1, second.1, 0.0).filter(|_| is_tested)).map(|shift| shift.p);
        let ends = match pairs {
            Some(_) => signed_rank::shift(first.1, second.1, 1.0 - level).map(|shift| (shift.low, shift.high)),
            None => unpaired_ends(first, second, 1.0 - level),
        };
        let interval = ends.map(|(low, high)| (low.exp_m1().min(change), high.exp_m1().max(change)));
        let told = interval.filter(|(low, high)| *low > 0.0 || *high < 0.0).map(|_| in_words(metric, change));
        let why = match (told, interval) {
            (Some(_), _) => None,
            _ if first.1.is_empty() || second.1.is_empty() => Some(Why::FewIos),
            (None, Some(_)) => Some(Why::Small),
            (None, None) => Some(Why::FewRuns),
        };
        let runs_needed = match (why, interval) {
            (Some(Why::FewIos), _) => None,
            (_, Some(ends)) if pairs.is_some() => runs_for_width(of_first.runs.min(of_second.runs), (ends.1 - ends.0) / 2.0, change),
            _ => runs_needed(of_first, of_second),
        };
        let answer = told.unwrap_or(Answer::CannotTell);
        Self { change, interval, p, is_paired: pairs.is_some(), answer, why, doubts: Vec::new(), runs_needed }
    }

    /// Takes the answer back: a cache that is faster makes no drive better, and more runs would not tell either.
    pub(super) fn take_back(&mut self, why: Why) {
        (self.answer, self.why, self.runs_needed) = (Answer::CannotTell, Some(why), None);
    }
}

/// Rounds are compared by their ratio, so that nothing that is measured becomes less than nothing, however much single rounds differ.
fn logarithm(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).ln()
}

/// Ends of the logarithm of the ratio of two runs: those of the rank-sum test, and those beyond which neither run's interval holds the other's figure. `None` with
/// too few rounds for the confidence.
fn unpaired_ends((first, of_first): RateSample, (second, of_second): RateSample, confidence: f64) -> Option<(f64, f64)> {
    let logarithms = |values: &[f64]| values.iter().copied().map(logarithm).collect::<Vec<f64>>();
    let shift = Shift::of(&logarithms(of_first), &logarithms(of_second), confidence)?;
    if !first.is_interval() || !second.is_interval() {
        return None;
    }
    let [first, second] = [first, second].map(|of| [of.low, of.median, of.high].map(logarithm));
    let middle = second[1] - first[1];
    let down = (first[2] - first[1]).max(second[1] - second[0]);
    let up = (first[1] - first[0]).max(second[2] - second[1]);
    Some((shift.low.min(middle - down), shift.high.max(middle + up)))
}

fn in_words(metric: Metric, change: f64) -> Answer {
    let is_better = (change > 0.0) == (metric != Metric::Latency);
    if is_better { Answer::Better } else { Answer::Worse }
}

/// Both intervals have to shrink until they leave the other's median out.
fn runs_needed(first: &Estimate, second: &Estimate) -> Option<u32> {
    let half = ((first.high - first.low).max(second.high - second.low)) / 2.0;
    runs_for_width(first.runs.min(second.runs), half, second.median - first.median)
}

/// The width of an interval shrinks with the root of the number of runs. Where that many are there already, it takes more than them.
fn runs_for_width(runs: u32, half: f64, apart: f64) -> Option<u32> {
    let needed = f64::from(runs) * (half / apart).powi(2);
    (apart != 0.0 && needed <= f64::from(MOST_RUNS)).then(|| (needed.ceil() as u32).max(FEWEST_RUNS).max(runs + 1))
}

/// Corrects all figures for their number: the first ones of their workloads, then the others.
pub(super) fn correct(rows: &mut [Row]) {
    let is_first: Vec<bool> = (0..rows.len()).map(|at| at == 0 || !rows[at].is_of_same_work(&rows[at - 1])).collect();
    let firsts = (0..rows.len()).filter(|at| is_first[*at]).collect::<Vec<_>>();
    let others = (0..rows.len()).filter(|at| !is_first[*at]).collect::<Vec<_>>();
    let all_told = correct_family(rows, &firsts, OF_FIRST);
    correct_family(rows, &others, if all_told { SIGNIFICANT } else { OF_OTHERS });
}

/// Corrects one family of figures at a level; gives whether all of them are told.
fn correct_family(rows: &mut [Row], family: &[usize], level: f64) -> bool {
    let tested: Vec<(usize, usize, f64)> = family
        .iter()
        .flat_map(|row| rows[*row].against.iter().enumerate().map(move |(run, against)| (*row, run, against)))
        .filter_map(|(row, run, against)| Some((row, run, against.as_ref()?.p?)))
        .collect();
    let corrected = false_discovery::corrected(&tested.iter().map(|(.., p)| *p).collect::<Vec<_>>());
    let mut all_told = !tested.is_empty();
    for ((row, run, p), corrected) in tested.iter().copied().zip(corrected) {
        let of = &mut rows[row];
        // The level of this test alone: below it the corrected probability is below that of the family.
        let own_level = if corrected > 0.0 { level * p / corrected } else { level };
        let (Some(first), Some(second)) = (&of.measured[0], &of.measured[run + 1]) else { continue };
        let Some(before) = &of.against[run] else { continue };
        let new = Against::at(own_level, of.metric, before.is_paired, (first, &of.rounds[0]), (second, &of.rounds[run + 1]));
        let is_taken_back = before.why.is_some_and(Why::is_of_findings);
        let needed = new.runs_needed.map(|needed| needed.max(runs_for(tested.len(), level, new.is_paired)));
        let mut new = Against {
            p: Some(corrected),
            doubts: before.doubts.clone(),
            runs_needed: needed.filter(|needed| new.answer == Answer::CannotTell && *needed <= MOST_RUNS),
            ..new
        };
        if let (true, Some(why)) = (is_taken_back, before.why) {
            new.take_back(why);
        }
        all_told &= new.answer != Answer::CannotTell;
        of.against[run] = Some(new);
    }
    all_told
}

/// The fewest runs of each by which one clear difference among so many figures is told from chance.
fn runs_for(tests: usize, level: f64, is_paired: bool) -> u32 {
    let least = |runs: u32| if is_paired { 2f64.powi(1 - runs.cast_signed()) } else { rank_sum::least_p(runs as usize) };
    (FEWEST_RUNS..=MOST_RUNS).find(|runs| least(*runs) * (tests as f64) < level).unwrap_or(MOST_RUNS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splitmix;
    use crate::workload::{Pattern, Workload};

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
        let of = |test: super::super::ComparisonTest, second: &[f64]| {
            test(Metric::Iops, (&estimate(&first), &first), (&estimate(second), second))
        };
        assert_eq!(of(Against::of, &second).answer, Answer::CannotTell);
        let told = of(Against::of_pairs, &second);
        assert!(told.is_paired && told.answer == Answer::Worse && told.interval.unwrap().1 < -0.09, "{told:?}");
        assert_eq!(of(Against::of_pairs, &first).answer, Answer::CannotTell);
        assert!(!of(Against::of_pairs, &second[..7]).is_paired, "they do not pair up");
        assert_eq!(of(Against::of_pairs, &second).why, None);
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
        let unpaired = |tests| runs_for(tests, SIGNIFICANT, false);
        assert_eq!((unpaired(1), unpaired(20), unpaired(24)), (6, 6, 7));
        assert_eq!([1, 2, 10].map(|tests| runs_for(tests, OF_FIRST, true)), [6, 7, 9]);
    }

    /// A workload with its rate and nine latencies in so many turns of two targets; each has this much noise, and the second is slower by a share.
    fn in_turns(seed: u64, turns: usize, noise: f64, slower: f64) -> Vec<Row> {
        let mut state = seed;
        // The sum of twelve uniform draws less six is close to a normal deviate.
        let mut normal = || (0..12).map(|_| splitmix::next(&mut state) as f64 / u64::MAX as f64).sum::<f64>() - 6.0;
        let figure = |at: usize, normal: &mut dyn FnMut() -> f64| {
            let metric = if at == 0 { Metric::Iops } else { Metric::Latency };
            let factor = if at == 0 { 1.0 - slower } else { 1.0 / (1.0 - slower) };
            let rounds = [1.0, factor].map(|factor| (0..turns).map(|_| 1000.0 * factor * (1.0 + noise * normal())).collect::<Vec<f64>>());
            let measured = rounds.iter().map(|values| Estimate::of(values, 0.95)).collect::<Vec<_>>();
            let against =
                Against::of_pairs(metric, (measured[0].as_ref().unwrap(), &rounds[0]), (measured[1].as_ref().unwrap(), &rounds[1]));
            let mut row = Row::plain(Workload::plain(Pattern::Random, 100, 4096, 1, 1), metric);
            (row.measured, row.rounds, row.against) = (measured, rounds.to_vec(), vec![Some(against)]);
            row
        };
        let mut rows: Vec<Row> = (0..10).map(|at| figure(at, &mut normal)).collect();
        correct(&mut rows);
        rows
    }

    #[test]
    fn a_tenth_is_told_in_ten_turns_and_equal_targets_are_not() {
        let is_told = |row: &Row| row.against[0].as_ref().unwrap().answer != Answer::CannotTell;
        let share = |slower: f64, told: &dyn Fn(&[Row]) -> bool| {
            let runs = 500;
            (0..runs).filter(|seed| told(&in_turns(seed * 7919 + 1, 10, 0.03, slower))).count() as f64 / runs as f64
        };
        let power = share(0.1, &|rows| is_told(&rows[0]));
        assert!(power >= 0.8, "{power}");
        let alarms = share(0.0, &|rows| rows.iter().any(is_told));
        assert!(alarms <= 0.05, "{alarms}");
    }

    #[test]
    fn words_and_interval_agree() {
        for (seed, slower) in (0..200).map(|seed| (seed, f64::from(seed as u32 % 5) * 0.02)) {
            for against in in_turns(seed, 6 + seed as usize % 5, 0.04, slower).iter().flat_map(|row| row.against.clone()).flatten() {
                let leaves_zero_out = against.interval.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
                assert_eq!(leaves_zero_out, against.answer != Answer::CannotTell, "{against:?}");
            }
        }
    }
}
