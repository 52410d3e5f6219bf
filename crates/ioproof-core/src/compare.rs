//! Runs held against one another: which figures differ by more than chance and than what changes between two minutes, and what else differs between the runs.
//!
//! The first run is what the others are held against. `against` holds one figure of two runs against each other, by the rounds (`rank_sum`), corrected for the
//! number of figures (`false_discovery`); `same` finds the workloads that runs have in common, `durable` has the figures, `conditions` tells everything else in which they differ, `nearest`
//! what keeps two runs from having a figure in common, `curves` draws sweeps over each other, `layers` has the databases of runs and what they tell of the drive, and `sides` makes two runs of
//! one in which two targets took turns. `words` has all of it as it is printed, `beside` durable writes and layers side by side.

mod against;
mod beside;
mod conditions;
mod curves;
mod durable;
mod false_discovery;
mod layers;
mod nearest;
mod rank_sum;
mod same;
mod sides;
mod signed_rank;
pub mod words;

pub use against::{Against, Answer, MOST_RUNS, Why};
pub use conditions::{Differing, changed_conditions};
pub use curves::{Curve, CurvePoint};
pub use durable::Durable;
pub use layers::{ComparedAccount, ComparedLayer, LayerRemark};
pub use nearest::{Nearest, has_common, nearest};
pub use sides::{is_interleaved, sides};

use crate::claim::{Metric, Statistic};
use crate::facts::TargetFacts;
use crate::finding::{Effect, Finding, Subject};
use crate::findings;
use crate::layers::LayerKind;
use crate::measured::{Context, Measured};
use crate::record::{RunRecord, RunStatus};
use crate::stats::Estimate;
use crate::syncs;
use crate::workload::Workload;
use durable::DurableFigure;
use same::ComparedConditions;
use serde::Serialize;

/// Several runs, held against the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// The meaning of it where all runs are of layers, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub says: Vec<LayerRemark>,
    /// The accounts of the layers of each run, where all runs are of layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<ComparedAccount>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// Its state, where it did not come to its end: `interrupted`, `hung`. A comparison that was made before does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A workload that not all runs have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alone {
    /// Its job and conditions in words.
    pub title: String,
    /// Positions of the runs that have it.
    pub runs: Vec<usize>,
}

/// One figure in all runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Name of the job in a job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The layer, in runs of `layers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<ComparedLayer>,
    /// The conditions; of a database its pages and clients, and nothing else of it holds there.
    pub workload: Workload,
    /// The metric; transactions count as I/Os.
    pub metric: Metric,
    /// Statistic, for latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// The part of a durable write that the figure is of, in runs that ask what those cost; none: of I/Os as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durable: Option<Durable>,
    /// Flushes that the drive of each run was sent for a commit, beside the commits; none where they were not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flushes_per_commit: Vec<Option<f64>>,
    /// Bytes written to the drives of each run for a commit, in runs of `layers`; none where they were not counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drive_bytes_per_commit: Vec<Option<f64>>,
    /// The rate over that of the layer below it in the same run, in runs of `layers`; none where no such layer was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Option<Estimate>>,
    /// The backend that served it in each run; none where a run has none, or its rounds had several. A comparison that was made before tells none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backends: Vec<Option<String>>,
    /// The figure in each run; none where it has none. A rate is the median of rounds; a latency is of all I/Os together, by the merged histograms.
    pub measured: Vec<Option<Estimate>>,
    /// The figure of each round of each run, by which it is tested; empty where a round has too few I/Os for it.
    pub rounds: Vec<Vec<f64>>,
    /// Each run but the first against it; none where one of both has no figure.
    pub against: Vec<Option<Against>>,
}

/// Holds runs against the first of them.
pub fn compare(records: &[&RunRecord]) -> Comparison {
    let contexts: Vec<Context> = records.iter().map(|record| Context::new(record)).collect();
    let test = if sides::took_turns(records) { Against::of_pairs } else { Against::of };
    let findings: Vec<Vec<Finding>> =
        contexts.iter().map(|context| [findings::find(context), context.record.warnings.clone()].concat()).collect();
    let of_layers = layers::compare_layers(&contexts);
    let (mut rows, mut alone) = (Vec::new(), Vec::new());
    for conditions in same::all(&contexts) {
        let of: Vec<Option<&Measured>> = contexts.iter().map(|context| same::find(context, &conditions)).collect();
        let runs: Vec<usize> = (0..of.len()).filter(|at| of[*at].is_some()).collect();
        if runs.len() < of.len() {
            alone.push(Alone { title: conditions.title(), runs });
        }
        let mut own: Vec<Row> =
            durable::figures(records, &of).into_iter().filter_map(|figure| row(&conditions, figure, &of, test)).collect();
        own.iter_mut().for_each(|row| doubt(row, &of, &findings));
        of_layers.iter().for_each(|layers| layers.tell(&mut own, &of));
        rows.extend(own);
    }
    for (database, runs) in of_layers.iter().flat_map(layers::Compared::databases) {
        rows.extend(database.rows(&findings, test));
        alone.extend((runs.len() < contexts.len()).then(|| Alone { title: database.title_alone(), runs }));
    }
    against::correct(&mut rows);
    let (runs, mut differing) = (records.iter().map(|record| ComparedRun::of(record)).collect(), conditions::differing(records));
    // Of runs over several backends each figure has its own, and it is the same in both.
    let mut of_jobs = rows.iter().filter(|row| !row.is_of_database()).peekable();
    let is_of_figures = of_jobs.peek().is_some() && of_jobs.all(has_one_backend);
    differing.iter_mut().filter(|one| one.name == conditions::BACKEND).for_each(|one| one.bears &= !is_of_figures);
    let says = of_layers.as_ref().map(|_| layers::says(&rows, records)).unwrap_or_default();
    let accounts = of_layers.map(|layers| layers.accounts(&findings)).unwrap_or_default();
    Comparison { runs, differing, rows, alone, curves: curves::curves(&contexts), says, accounts }
}

impl Comparison {
    /// True where a figure of any run is worse than the first run's, and neither is doubted.
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
            targets: record.targets.iter().filter(|target| target.below.is_none()).map(|target| named(&target.facts)).collect(),
            model: record.drive().and_then(|drive| Some(drive.model.as_ref()?.value.clone())),
            ended_early: record.status != RunStatus::Complete,
            end: (record.status != RunStatus::Complete).then(|| record.status.title().to_owned()),
        }
    }
}

/// As it was given, unless that says nothing elsewhere.
fn named(facts: &TargetFacts) -> String {
    if facts.given == "." { facts.resolved.clone() } else { facts.given.clone() }
}

impl Row {
    /// A figure without values.
    pub(crate) fn plain(workload: Workload, metric: Metric) -> Self {
        Self {
            name: None,
            layer: None,
            workload,
            metric,
            statistic: None,
            durable: None,
            flushes_per_commit: Vec::new(),
            drive_bytes_per_commit: Vec::new(),
            shares: Vec::new(),
            backends: Vec::new(),
            measured: Vec::new(),
            rounds: Vec::new(),
            against: Vec::new(),
        }
    }

    /// Its job and conditions in words.
    pub fn title(&self) -> String {
        self.layer.as_ref().map_or_else(|| titled(self.name.as_deref(), &self.workload), |layer| layer.title.clone())
    }

    /// True where both are figures of one workload or layer.
    fn is_of_same_work(&self, other: &Row) -> bool {
        self.name == other.name && self.workload == other.workload && self.title() == other.title()
    }

    pub fn is_of_database(&self) -> bool {
        self.layer.as_ref().is_some_and(|layer| layer.kind == LayerKind::Database)
    }

    /// The ends of the figure of a run; none where each round has too few I/Os for it, so that there is one figure of all rounds together.
    pub fn interval(&self, run: usize) -> Option<(f64, f64)> {
        self.measured[run].filter(|_| !self.rounds[run].is_empty()).map(|estimate| (estimate.low, estimate.high))
    }
}

fn titled(name: Option<&str>, workload: &Workload) -> String {
    let title = format!("{}, QD {}", workload.title(), workload.concurrency());
    name.map_or_else(|| title.clone(), |name| format!("{name}: {title}"))
}

fn has_one_backend(row: &Row) -> bool {
    let mut served = (0..row.measured.len()).filter(|at| row.measured[*at].is_some()).map(|at| &row.backends[at]);
    let first = served.next().and_then(Option::as_ref);
    first.is_some() && served.all(|other| other.as_ref() == first)
}

/// Holds a figure of a run, with the values of its rounds, against that of another.
type ComparisonTest = fn(Metric, (&Estimate, &[f64]), (&Estimate, &[f64])) -> Against;

fn row(conditions: &ComparedConditions, figure: DurableFigure, of: &[Option<&Measured>], test: ComparisonTest) -> Option<Row> {
    let ComparedConditions { name, workload, .. } = conditions;
    let DurableFigure { metric, statistic, durable } = figure;
    // Throughput says the same as the rate of I/Os; it is told where it is what the workload is about.
    let is_other_rate = durable.is_none() && metric != Metric::Latency && metric != workload.rate_metric();
    let measured: Vec<Option<Estimate>> = of.iter().map(|measured| estimate((*measured)?, figure)).collect();
    if is_other_rate || measured.iter().flatten().count() < 2 {
        return None;
    }
    let rounds: Vec<Vec<f64>> = of.iter().map(|measured| measured.map(|measured| values(measured, figure)).unwrap_or_default()).collect();
    let against = (1..of.len()).map(|at| Some(test(metric, (&measured[0]?, &rounds[0]), (&measured[at]?, &rounds[at])))).collect();
    let backends = of.iter().map(|measured| measured.and_then(same::served)).collect();
    let flushes = |measured: &Option<&Measured>| (*measured)?.median_counted(syncs::flushes_per_commit);
    let flushes_per_commit = if durable == Some(Durable::Commits) { of.iter().map(flushes).collect() } else { Vec::new() };
    let (name, workload) = (name.clone(), workload.clone());
    Some(Row { name, statistic, durable, flushes_per_commit, backends, measured, rounds, against, ..Row::plain(workload, metric) })
}

fn values(measured: &Measured, figure: DurableFigure) -> Vec<f64> {
    let DurableFigure { metric, statistic, durable } = figure;
    durable.map_or_else(|| measured.values(metric, statistic), |durable| durable.values(measured, statistic))
}

/// The figure of a run. Of latencies it is that of all I/Os together, as a sweep shows it, which its interval is widened to hold.
fn estimate(measured: &Measured, figure: DurableFigure) -> Option<Estimate> {
    let DurableFigure { metric, statistic, durable } = figure;
    let of_ios = || {
        let estimate = measured.estimate(metric, statistic)?;
        let merged = statistic.and_then(|statistic| measured.statistic_ns(&measured.merged_latency(), statistic));
        Some(merged.map_or(estimate, |merged| estimate.about(merged)))
    };
    let estimate = durable.map_or_else(of_ios, |durable| durable.estimate(measured, statistic))?;
    // One figure of all rounds together is none of a single round.
    Some(Estimate { runs: measured.rounds.len() as u32, ..estimate })
}

/// Adds the rules that doubt one of two figures, and takes the answer back where one says that it is not the drive's. That faults were injected is among the
/// conditions already.
fn doubt(row: &mut Row, of: &[Option<&Measured>], findings: &[Vec<Finding>]) {
    let doubting = |at: usize| -> Vec<&Finding> {
        let job = of[at].map(|measured| Subject::Job(measured.index));
        let of_job = findings[at].iter().filter(|finding| finding.effect != Effect::None && Some(&finding.subject) == job.as_ref());
        of_job.filter(|finding| finding.rule != "faults-injected").collect()
    };
    for (at, against) in (1..).zip(&mut row.against) {
        let Some(against) = against else { continue };
        let doubts = [doubting(0), doubting(at)].concat();
        let calls = |at: usize| of[at].and_then(Measured::calls);
        let without_io = |at: usize| of[at].is_some_and(Measured::is_without_io);
        let invalid =
            |rule: &str| doubts.iter().any(|finding| finding.effect == Effect::Invalid && (rule.is_empty() || finding.rule == rule));
        if invalid("unflushed") {
            against.take_back(Why::NotDurable);
        } else if without_io(0) != without_io(at) || calls(0) != calls(at) || invalid("") {
            against.take_back(Why::NotTheDrives);
        }
        against.doubts = doubts.iter().map(|finding| finding.rule.clone()).collect();
        against.doubts.sort();
        against.doubts.dedup();
    }
}

#[cfg(test)]
mod tests;
