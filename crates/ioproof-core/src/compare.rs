//! Runs held against one another: which figures differ by more than chance and than what changes between two minutes, and what else differs between the runs.
//!
//! The first run is what the others are held against. A figure is better or worse only where three things agree: the rank-sum test of the rounds, corrected for
//! the number of figures (`false_discovery`); the interval of the shift; and the intervals of both runs, of which neither
//! holds the median of the other, since each of them allows for what changes between two minutes ([`crate::stats`]). All else is *cannot tell*, with the number
//! of runs by which a difference of that size would be told.

mod conditions;
mod false_discovery;
mod rank_sum;

pub use conditions::Differing;

use crate::claim::{Metric, Statistic};
use crate::finding::{Effect, Finding, Subject};
use crate::findings::{self, Context, Measured};
use crate::record::RunRecord;
use crate::stats::Estimate;
use crate::workload::Workload;
use rank_sum::Shift;
use serde::{Deserialize, Serialize};

/// Several runs, held against the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Ids of the runs.
    pub runs: Vec<String>,
    /// Facts in which they differ beside the figures.
    pub differing: Vec<Differing>,
    /// Figures that at least two of them have.
    pub rows: Vec<Row>,
    /// Workloads that only one of them has, each with its run.
    pub alone: Vec<(String, String)>,
}

/// One figure in all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the job in a job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The conditions.
    pub workload: Workload,
    /// The metric.
    pub metric: Metric,
    /// Statistic, for latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// The figure in each run; none where it has none.
    pub measured: Vec<Option<Estimate>>,
    /// Each run but the first against it; none where one of both has no figure.
    pub against: Vec<Option<Against>>,
}

/// A figure held against that of the first run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Against {
    /// Difference of the medians as a share of the first; positive is more.
    pub change: f64,
    /// Ends of the interval of the shift, as shares of the first.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Probability of such a difference by chance, corrected for the number of figures.
    pub p: f64,
    /// The answer.
    pub answer: Answer,
    /// Rules that doubt one of both figures, so that the answer may be of the host, or of others, and not of the drive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Runs of each workload by which a difference of this size would most likely be told, where that cannot be told yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_needed: Option<u32>,
}

/// The answer of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// Probability of a difference by chance below which it is none.
const SIGNIFICANT: f64 = 0.05;
/// More runs than this are no advice.
const MOST_RUNS: f64 = 1000.0;

/// The figures that are compared: what the workload is about, and its latencies.
const FIGURES: [(Metric, Option<Statistic>); 5] = [
    (Metric::Iops, None),
    (Metric::Throughput, None),
    (Metric::Latency, Some(Statistic::Mean)),
    (Metric::Latency, Some(Statistic::P99)),
    (Metric::Latency, Some(Statistic::P999)),
];

/// Holds runs against the first of them.
#[must_use]
pub fn compare(records: &[&RunRecord]) -> Comparison {
    let contexts: Vec<Context> = records.iter().map(|record| Context::new(record)).collect();
    let (mut rows, mut alone) = (Vec::new(), Vec::new());
    for (name, workload) in conditions_of(&contexts) {
        let of: Vec<Option<&Measured>> = contexts.iter().map(|context| find(context, name.as_deref(), &workload)).collect();
        match of.iter().flatten().count() {
            1 => {
                let at = of.iter().position(Option::is_some).unwrap_or(0);
                alone.push((titled(name.as_deref(), &workload), records[at].id.clone()));
            }
            _ => rows.extend(FIGURES.into_iter().filter_map(|figure| row(name.as_ref(), &workload, figure, &of))),
        }
    }
    correct(&mut rows);
    doubt(&mut rows, &contexts);
    Comparison { runs: records.iter().map(|record| record.id.clone()).collect(), differing: conditions::differing(records), rows, alone }
}

impl Comparison {
    /// True where a figure of any run is worse than the first run's, and neither is doubted.
    #[must_use]
    pub fn has_worse(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.against).flatten().any(|against| against.answer == Answer::Worse && against.doubts.is_empty())
    }
}

impl Row {
    /// Its job and conditions in words.
    #[must_use]
    pub fn title(&self) -> String {
        titled(self.name.as_deref(), &self.workload)
    }
}

fn titled(name: Option<&str>, workload: &Workload) -> String {
    let title = format!("{}, QD {}", workload.title(), workload.concurrency());
    name.map_or_else(|| title.clone(), |name| format!("{name}: {title}"))
}

/// Every job with a round that counts, each once, in the order in which the runs have them.
fn conditions_of(contexts: &[Context]) -> Vec<(Option<String>, Workload)> {
    let mut all: Vec<(Option<String>, Workload)> = Vec::new();
    for measured in contexts.iter().flat_map(Context::counted) {
        let of = (measured.job.name.clone(), measured.workload().clone());
        if !all.contains(&of) {
            all.push(of);
        }
    }
    all
}

fn find<'c, 'a>(context: &'c Context<'a>, name: Option<&str>, workload: &Workload) -> Option<&'c Measured<'a>> {
    context.counted().find(|measured| measured.job.name.as_deref() == name && measured.workload() == workload)
}

fn row(name: Option<&String>, workload: &Workload, figure: (Metric, Option<Statistic>), of: &[Option<&Measured>]) -> Option<Row> {
    let (metric, statistic) = figure;
    // Throughput says the same as the rate of I/Os; it is told where it is what the workload is about.
    let is_other_rate = metric != Metric::Latency && metric != rate_of(workload);
    let measured: Vec<Option<Estimate>> = of.iter().map(|measured| measured.as_ref()?.estimate(metric, statistic)).collect();
    if is_other_rate || measured.iter().flatten().count() < 2 {
        return None;
    }
    let values = |at: usize| of[at].map(|measured| measured.values(metric, statistic)).unwrap_or_default();
    let against =
        (1..of.len()).map(|at| against(metric, (measured[0]?, values(0).as_slice()), (measured[at]?, values(at).as_slice()))).collect();
    Some(Row { name: name.cloned(), workload: workload.clone(), metric, statistic, measured, against })
}

/// IOPS, but for workloads that are about bytes.
fn rate_of(workload: &Workload) -> Metric {
    if workload.main_metric() == Metric::Throughput { Metric::Throughput } else { Metric::Iops }
}

/// The second held against the first, not corrected yet.
fn against(metric: Metric, (first, of_first): (Estimate, &[f64]), (second, of_second): (Estimate, &[f64])) -> Option<Against> {
    let share = |value: f64| if first.median == 0.0 { 0.0 } else { value / first.median };
    let change = share(second.median - first.median);
    let Some(shift) = Shift::of(of_first, of_second, CONFIDENCE) else {
        return Some(Against {
            change,
            low: change,
            high: change,
            p: 1.0,
            answer: Answer::CannotTell,
            doubts: Vec::new(),
            runs_needed: None,
        });
    };
    let apart = !(first.low..=first.high).contains(&second.median) && !(second.low..=second.high).contains(&first.median);
    let is_told = apart && first.is_interval() && second.is_interval() && (shift.low > 0.0 || shift.high < 0.0);
    let is_more = shift.median > 0.0;
    let answer = match (is_told, is_more == (metric != Metric::Latency)) {
        (false, _) => Answer::CannotTell,
        (true, true) => Answer::Better,
        (true, false) => Answer::Worse,
    };
    let runs_needed = runs_needed(&first, &second);
    Some(Against { change, low: share(shift.low), high: share(shift.high), p: shift.p, answer, doubts: Vec::new(), runs_needed })
}

/// Confidence of the interval of a shift.
const CONFIDENCE: f64 = 0.95;

/// Widths of intervals shrink with the root of the number of runs; both have to shrink until they leave the other's median out.
fn runs_needed(first: &Estimate, second: &Estimate) -> Option<u32> {
    let apart = (second.median - first.median).abs();
    let half = ((first.high - first.low).max(second.high - second.low)) / 2.0;
    let runs = f64::from(first.runs.min(second.runs)) * (half / apart).powi(2);
    (apart > 0.0 && runs.is_finite() && runs <= MOST_RUNS).then(|| (runs.ceil() as u32).max(6))
}

/// Adds the rules that doubt one of two figures. That faults were injected is among the conditions already.
fn doubt(rows: &mut [Row], contexts: &[Context]) {
    let findings: Vec<Vec<Finding>> = contexts.iter().map(findings::find).collect();
    let of = |at: usize, row: &Row| -> Vec<String> {
        let job = find(&contexts[at], row.name.as_deref(), &row.workload).map(|measured| Subject::Job(measured.index));
        let doubts = findings[at].iter().filter(|finding| finding.effect != Effect::None && Some(&finding.subject) == job.as_ref());
        doubts.map(|finding| finding.rule.clone()).filter(|rule| rule != "faults-injected").collect()
    };
    for row in rows {
        let mut all: Vec<Vec<String>> = (0..contexts.len()).map(|at| of(at, row)).collect();
        let first = all.remove(0);
        for (against, own) in row.against.iter_mut().zip(all) {
            let Some(against) = against else { continue };
            against.doubts = first.iter().chain(&own).cloned().collect();
            against.doubts.sort();
            against.doubts.dedup();
        }
    }
}

/// Corrects the probabilities for the number of figures, and takes answers back that are chance then.
fn correct(rows: &mut [Row]) {
    let mut all: Vec<&mut Against> = rows.iter_mut().flat_map(|row| &mut row.against).flatten().collect();
    let corrected = false_discovery::corrected(&all.iter().map(|against| against.p).collect::<Vec<_>>());
    for (against, p) in all.iter_mut().zip(corrected) {
        against.p = p;
        if p >= SIGNIFICANT {
            against.answer = Answer::CannotTell;
        }
        if against.answer != Answer::CannotTell {
            against.runs_needed = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record_with;

    /// A run about this rate, with so much noise at the most.
    fn run(iops: f64, noise: f64) -> RunRecord {
        record_with(|_, run| iops * (1.0 + noise * f64::from((run * 7) % 5) / 5.0))
    }

    fn answers(first: &RunRecord, second: &RunRecord) -> Vec<Answer> {
        compare(&[first, second])
            .rows
            .iter()
            .filter(|row| row.metric != Metric::Latency)
            .map(|row| row.against[0].as_ref().unwrap().answer)
            .collect()
    }

    #[test]
    fn a_clear_difference_is_told_in_its_direction() {
        let (slow, fast) = (run(10_000.0, 0.01), run(12_000.0, 0.01));
        let (better, worse) = (answers(&slow, &fast), answers(&fast, &slow));
        assert!(!better.is_empty() && better.iter().all(|answer| *answer == Answer::Better), "{better:?}");
        assert!(worse.iter().all(|answer| *answer == Answer::Worse), "{worse:?}");
    }

    #[test]
    fn equal_runs_and_small_differences_are_not_told() {
        let first = run(10_000.0, 0.02);
        assert!(answers(&first, &first).iter().all(|answer| *answer == Answer::CannotTell));
        assert!(answers(&first, &run(10_050.0, 0.02)).iter().all(|answer| *answer == Answer::CannotTell));
    }

    #[test]
    fn what_cannot_be_told_says_how_many_runs_would() {
        let told = compare(&[&run(10_000.0, 0.02), &run(10_050.0, 0.02)]);
        let row = told.rows.iter().find(|row| row.metric == Metric::Iops).unwrap();
        let needed = row.against[0].as_ref().unwrap().runs_needed.unwrap();
        assert!(needed > 20, "{needed}");
        assert!(!told.has_worse());
    }

    #[test]
    fn a_workload_of_one_run_alone_is_named() {
        let (first, mut second) = (run(10_000.0, 0.01), run(10_000.0, 0.01));
        second.jobs[0].workload.depth = 77;
        let told = compare(&[&first, &second]);
        assert_eq!(told.alone.len(), 2);
        assert!(told.alone[1].0.contains("77"), "{:?}", told.alone);
    }
}
