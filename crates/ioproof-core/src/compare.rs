//! Runs held against one another: which figures differ by more than chance and than what changes between two minutes, and what else differs between the runs.
//!
//! The first run is what the others are held against. `against` holds one figure of two runs against each other, by the rounds (`rank_sum`), corrected for the
//! number of figures (`false_discovery`); `conditions` tells everything else in which the runs differ, `nearest` what keeps two runs from having a figure in
//! common, `curves` draws sweeps over each other, and `sides` makes two runs of one in which two targets took turns.

mod against;
mod conditions;
mod curves;
mod false_discovery;
mod nearest;
mod rank_sum;
mod sides;
mod signed_rank;

pub use against::{Against, Answer, MOST_RUNS, Why};
pub use conditions::Differing;
pub use curves::{Curve, CurvePoint};
pub use nearest::{Nearest, has_common, nearest};
pub use sides::{is_interleaved, sides};

use crate::claim::{Metric, Statistic};
use crate::facts::TargetFacts;
use crate::finding::{Effect, Finding, Subject};
use crate::findings::{self, Context, Measured};
use crate::record::{RunRecord, RunStatus};
use crate::stats::Estimate;
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

/// Several runs, held against the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// The runs.
    pub runs: Vec<ComparedRun>,
    /// Facts in which they differ beside the figures.
    pub differing: Vec<Differing>,
    /// Figures that at least two of them have.
    pub rows: Vec<Row>,
    /// Workloads that not all of them have.
    pub alone: Vec<Alone>,
    /// The curves of sweeps over each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRun {
    /// Its id.
    pub id: String,
    /// The command that made it.
    pub verb: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Its targets as they were named.
    pub targets: Vec<String>,
    /// Model of its drive, where one is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// True where it did not come to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended_early: bool,
}

/// A workload that not all runs have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alone {
    /// Its job and conditions in words.
    pub title: String,
    /// Positions of the runs that have it.
    pub runs: Vec<usize>,
}

/// One figure in all runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The figure in each run; none where it has none. A rate is the median of rounds; a latency is of all I/Os together, by the merged histograms.
    pub measured: Vec<Option<Estimate>>,
    /// The figure of each round of each run, by which it is tested; empty where a round has too few I/Os for it.
    pub rounds: Vec<Vec<f64>>,
    /// Each run but the first against it; none where one of both has no figure.
    pub against: Vec<Option<Against>>,
}

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
    let test = if sides::took_turns(records) { Against::of_pairs } else { Against::of };
    let (mut rows, mut alone) = (Vec::new(), Vec::new());
    for (name, workload) in conditions_of(&contexts) {
        let of: Vec<Option<&Measured>> = contexts.iter().map(|context| find(context, name.as_deref(), &workload)).collect();
        let runs: Vec<usize> = (0..of.len()).filter(|at| of[*at].is_some()).collect();
        if runs.len() < of.len() {
            alone.push(Alone { title: titled(name.as_deref(), &workload), runs });
        }
        rows.extend(FIGURES.into_iter().filter_map(|figure| row(name.as_ref(), &workload, figure, &of, test)));
    }
    against::correct(&mut rows);
    doubt(&mut rows, &contexts);
    let (runs, differing) = (records.iter().map(|record| ComparedRun::of(record)).collect(), conditions::differing(records));
    Comparison { runs, differing, rows, alone, curves: curves::curves(&contexts) }
}

impl Comparison {
    /// True where a figure of any run is worse than the first run's, and neither is doubted.
    #[must_use]
    pub fn has_worse(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.against).flatten().any(|against| against.answer == Answer::Worse && against.doubts.is_empty())
    }

    /// Facts in which a run differs from the first and which make its figures those of other conditions.
    pub fn other_conditions(&self, run: usize) -> impl Iterator<Item = &Differing> {
        self.differing.iter().filter(move |one| one.bears && one.values.first() != one.values.get(run))
    }
}

impl ComparedRun {
    fn of(record: &RunRecord) -> Self {
        Self {
            id: record.id.clone(),
            verb: record.verb.clone(),
            started_at: record.started_at.clone(),
            targets: record.targets.iter().map(|target| named(&target.facts)).collect(),
            model: record.drive().and_then(|drive| Some(drive.model.as_ref()?.value.clone())),
            ended_early: record.status != RunStatus::Complete,
        }
    }
}

/// As it was given, unless that says nothing elsewhere.
fn named(facts: &TargetFacts) -> String {
    if facts.given == "." { facts.resolved.clone() } else { facts.given.clone() }
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

/// Holds a figure of a run, with the values of its rounds, against that of another.
type Test = fn(Metric, (&Estimate, &[f64]), (&Estimate, &[f64])) -> Against;

fn row(
    name: Option<&String>,
    workload: &Workload,
    figure: (Metric, Option<Statistic>),
    of: &[Option<&Measured>],
    test: Test,
) -> Option<Row> {
    let (metric, statistic) = figure;
    // Throughput says the same as the rate of I/Os; it is told where it is what the workload is about.
    let is_other_rate = metric != Metric::Latency && metric != rate_of(workload);
    let measured: Vec<Option<Estimate>> = of.iter().map(|measured| estimate((*measured)?, metric, statistic)).collect();
    if is_other_rate || measured.iter().flatten().count() < 2 {
        return None;
    }
    let rounds: Vec<Vec<f64>> =
        of.iter().map(|measured| measured.map(|measured| measured.values(metric, statistic)).unwrap_or_default()).collect();
    let against = (1..of.len()).map(|at| Some(test(metric, (&measured[0]?, &rounds[0]), (&measured[at]?, &rounds[at])))).collect();
    Some(Row { name: name.cloned(), workload: workload.clone(), metric, statistic, measured, rounds, against })
}

/// The figure of a run. Of latencies it is that of all I/Os together, as a sweep shows it, which its interval is widened to hold.
fn estimate(measured: &Measured, metric: Metric, statistic: Option<Statistic>) -> Option<Estimate> {
    let estimate = measured.estimate(metric, statistic)?;
    let merged = statistic.and_then(|statistic| measured.statistic_ns(&measured.merged_latency(), statistic));
    Some(merged.map_or(estimate, |merged| estimate.about(merged)))
}

/// IOPS, but for workloads that are about bytes.
fn rate_of(workload: &Workload) -> Metric {
    if workload.main_metric() == Metric::Throughput { Metric::Throughput } else { Metric::Iops }
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

#[cfg(test)]
mod tests;
