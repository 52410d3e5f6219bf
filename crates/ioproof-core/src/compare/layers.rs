//! Runs of `layers` held against one another: what stands beside the figures of their loads, and the figures of databases that at least two of them have. A database is
//! the same where its program, its transaction, its clients and every setting are; where one of these differs it is said, and nothing is compared. `words` says what
//! it means.

mod words;

pub(super) use words::says;

use super::durable::{self, Durable, DurableFigure};
use super::{ComparisonTest, Row, doubt};
use crate::base::distinct::distinct_by;
use crate::claim::{Metric, Statistic};
use crate::finding::Finding;
use crate::histogram::Histogram;
use crate::layers::{self, Account, FilesystemVerdict, LayerKind, LayerRow, Layers, VERB};
use crate::measured::{Context, Measured};
use crate::record::{DatabaseRecord, DatabaseRound};
use crate::stats::Estimate;
use crate::units::binary_size;
use crate::workload::{Pattern, Workload};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The layer that a figure is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedLayer {
    /// The place.
    pub kind: LayerKind,
    /// In words, with the conditions.
    pub title: String,
}

/// A sentence on a run and the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerRemark {
    /// Position of the run.
    pub run: usize,
    /// The sentence.
    pub text: String,
}

/// An account of the layers of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedAccount {
    /// Position of the run.
    pub run: usize,
    /// The account.
    pub account: Account,
    /// The answer of policy to it, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<FilesystemVerdict>,
}

pub(super) struct Compared<'c, 'a> {
    contexts: &'c [Context<'a>],
    rows: Vec<Vec<LayerRow>>,
}

/// All of them where all runs are of layers.
pub(super) fn compare_layers<'c, 'a>(contexts: &'c [Context<'a>]) -> Option<Compared<'c, 'a>> {
    let are_layers = contexts.iter().all(|context| context.record.verb == VERB);
    are_layers.then(|| Compared { contexts, rows: contexts.iter().map(layers::rows).collect() })
}

pub(super) struct ComparedDatabase<'c, 'a> {
    record: &'a DatabaseRecord,
    of: Vec<Option<Own<'c, 'a>>>,
    /// Conditions in which it differs from the nearest one of a run that does not have it, which the others lack.
    differing: Vec<String>,
}

/// The same in one of them.
struct Own<'c, 'a> {
    context: &'c Context<'a>,
    row: LayerRow,
    rounds: Vec<&'a DatabaseRound>,
    /// The durable writes of its filesystem.
    writes: Option<&'c Measured<'a>>,
}

impl<'c, 'a> Compared<'c, 'a> {
    /// Adds the layer to rows of a load, and to its rate what else is known of it.
    pub(super) fn tell(&self, rows: &mut [Row], of: &[Option<&Measured>]) {
        let own = |(measured, rows): (&Option<&Measured>, &'_ Vec<LayerRow>)| -> Option<LayerRow> {
            let job = (*measured)?.index;
            rows.iter().find(|row| row.job == Some(job)).cloned()
        };
        let own: Vec<Option<LayerRow>> = of.iter().zip(&self.rows).map(own).collect();
        let Some(one) = own.iter().flatten().next() else { return };
        for row in rows {
            row.layer = Some(ComparedLayer { kind: one.kind, title: title(one, &row.workload) });
            beside(row, &own.iter().map(Option::as_ref).collect::<Vec<_>>());
        }
    }

    pub(super) fn accounts(&self, findings: &[Vec<Finding>]) -> Vec<ComparedAccount> {
        let of_run = |(run, (context, findings)): (usize, (&Context, &Vec<Finding>))| {
            let layers = Layers::of(context, findings);
            let told = |layers: &Layers, account: &Account| ComparedAccount {
                run,
                account: account.clone(),
                verdict: layers.verdict_of(account).cloned(),
            };
            layers.iter().flat_map(|layers| layers.accounts.iter().map(|account| told(layers, account))).collect::<Vec<_>>()
        };
        self.contexts.iter().zip(findings).enumerate().flat_map(of_run).collect()
    }

    /// Every database with rounds that count, each once, and the positions of the runs that have it.
    pub(super) fn databases(&self) -> Vec<(ComparedDatabase<'c, 'a>, Vec<usize>)> {
        let measured = self.contexts.iter().zip(&self.rows).flat_map(|(context, rows)| measured(context, rows));
        let all = distinct_by(measured.map(|(_, database)| database), |one, other| differing(one, other).is_empty());
        let of = |record: &'a DatabaseRecord| {
            let of: Vec<Option<Own>> = (0..self.contexts.len()).map(|at| self.own(at, record)).collect();
            let (runs, without): (Vec<usize>, Vec<usize>) = (0..of.len()).partition(|at| of[*at].is_some());
            let is_in = |runs: &[usize], other: &DatabaseRecord| runs.iter().any(|at| self.own(*at, other).is_some());
            let is_elsewhere = |other: &DatabaseRecord| is_in(&without, other) && !is_in(&runs, other);
            let others = all.iter().filter(|other| other.kind == record.kind && is_elsewhere(other));
            let differing = others.map(|other| differing(record, other)).min_by_key(Vec::len).unwrap_or_default();
            (ComparedDatabase { record, of, differing }, runs)
        };
        all.iter().map(|record| of(record)).collect()
    }

    /// The same database in a run.
    fn own(&self, at: usize, record: &DatabaseRecord) -> Option<Own<'c, 'a>> {
        let context = &self.contexts[at];
        let (row, database) = measured(context, &self.rows[at]).find(|(_, own)| differing(record, own).is_empty())?;
        let writes = layers::durable_writes(context, database);
        Some(Own { context, row: row.clone(), rounds: layers::rounds(context.record, row.database?), writes })
    }
}

/// The databases of a run that have a figure.
fn measured<'r, 'a>(context: &Context<'a>, rows: &'r [LayerRow]) -> impl Iterator<Item = (&'r LayerRow, &'a DatabaseRecord)> {
    let databases = &context.record.databases;
    rows.iter().filter_map(move |row| Some((row, databases.get(row.database? as usize)?)))
}

impl ComparedDatabase<'_, '_> {
    /// Its figures, with the doubts of the durable writes of its filesystem: what others do to these they do to its commits.
    pub(super) fn rows(&self, findings: &[Vec<Finding>], test: ComparisonTest) -> Vec<Row> {
        let mut rows: Vec<Row> = self.figures().into_iter().filter_map(|figure| self.row(figure, test)).collect();
        let writes: Vec<Option<&Measured>> = self.of.iter().map(|own| own.as_ref()?.writes).collect();
        rows.iter_mut().for_each(|row| doubt(row, &writes, findings));
        rows
    }

    /// Its name with all conditions that it is known by.
    fn title(&self) -> String {
        let DatabaseRecord { title, page_bytes, scale, .. } = self.record;
        let many = self.record.clients_in_words();
        format!("{title}: {}, {many}, pages of {}, scale {scale}", self.record.transaction(), binary_size((*page_bytes).into()))
    }

    /// The same where not all runs have it, with the reason for that.
    pub(super) fn title_alone(&self) -> String {
        let why = if self.differing.is_empty() {
            String::new()
        } else {
            format!("; the nearest elsewhere differs in {}", self.differing.join("; "))
        };
        self.title() + &why
    }

    fn figures(&self) -> Vec<DurableFigure> {
        let commits = self.record.commits().then_some(Durable::Commits);
        vec![
            durable::rate(Metric::Iops, commits),
            durable::latency(Statistic::P99, None),
            durable::latency(Statistic::P50, Some(Durable::Sync)),
        ]
    }

    fn row(&self, figure: DurableFigure, test: ComparisonTest) -> Option<Row> {
        let DurableFigure { metric, statistic, durable } = figure;
        let measured: Vec<Option<Estimate>> = self.of.iter().map(|own| own.as_ref()?.estimate(figure)).collect();
        if measured.iter().flatten().count() < 2 {
            return None;
        }
        let rounds: Vec<Vec<f64>> = self.of.iter().map(|own| own.as_ref().map(|own| own.values(figure)).unwrap_or_default()).collect();
        let against =
            (1..measured.len()).map(|at| Some(test(metric, (&measured[0]?, &rounds[0]), (&measured[at]?, &rounds[at])))).collect();
        let layer = Some(ComparedLayer { kind: LayerKind::Database, title: self.title() });
        let mut row = Row { layer, statistic, durable, measured, rounds, against, ..Row::plain(self.workload(), metric) };
        beside(&mut row, &self.of.iter().map(|own| own.as_ref().map(|own| &own.row)).collect::<Vec<_>>());
        Some(row)
    }

    fn workload(&self) -> Workload {
        let reads = if self.record.commits() { 0 } else { 100 };
        Workload::plain(Pattern::Random, reads, self.record.page_bytes, self.record.clients, 1)
    }
}

impl Own<'_, '_> {
    /// The figure of each round; empty where a round has none.
    fn values(&self, figure: DurableFigure) -> Vec<f64> {
        let value = |round: &&DatabaseRound| match histogram(figure) {
            Some(of) => self.statistic_ns(of(round)?.as_ref(), figure.statistic?),
            None => Some(round.per_s()),
        };
        self.rounds.iter().map(value).collect::<Option<Vec<f64>>>().unwrap_or_default()
    }

    /// The figure of the run: a rate is the median of rounds, a latency is of all transactions together.
    fn estimate(&self, figure: DurableFigure) -> Option<Estimate> {
        let confidence = self.context.record.policy.confidence;
        let estimate = Estimate::of(&self.values(figure), confidence);
        let estimate = match histogram(figure) {
            None => estimate?,
            Some(of) => {
                let all = self.rounds.iter().filter_map(|round| of(round)).collect();
                let merged = self.statistic_ns(&all, figure.statistic?)?;
                estimate.or_else(|| Estimate::of(&[merged], confidence))?.about(merged)
            }
        };
        Some(Estimate { runs: self.rounds.len() as u32, ..estimate })
    }

    fn statistic_ns(&self, histogram: &Histogram, statistic: Statistic) -> Option<f64> {
        let quantile = statistic.quantile()?;
        let has_enough = histogram.samples_beyond(quantile) >= self.context.record.policy.percentile_samples;
        histogram.quantile_ns(quantile).filter(|_| has_enough).map(|ns| ns as f64)
    }
}

type RoundLatencies = fn(&DatabaseRound) -> Option<Cow<'_, Histogram>>;

/// The latencies that a figure is of; none of a rate.
fn histogram(figure: DurableFigure) -> Option<RoundLatencies> {
    match (figure.metric, figure.durable) {
        (Metric::Latency, Some(Durable::Sync)) => Some(|round| round.commit.as_ref().map(Cow::Borrowed)),
        (Metric::Latency, _) => Some(|round| Some(round.timed())),
        _ => None,
    }
}

/// Flushes, bytes and shares beside a rate.
fn beside(row: &mut Row, own: &[Option<&LayerRow>]) {
    if row.metric == Metric::Latency {
        return;
    }
    let of = |value: fn(&LayerRow) -> Option<Estimate>| own.iter().map(|layer| value((*layer)?)).collect::<Vec<_>>();
    let medians = |all: Vec<Option<Estimate>>| all.iter().map(|one| one.map(|estimate| estimate.median)).collect();
    if row.durable.is_some() {
        row.flushes_per_commit = medians(of(|layer| layer.flushes_per_commit));
        row.drive_bytes_per_commit = medians(of(|layer| layer.drive_bytes_per_commit));
    }
    row.shares = of(|layer| layer.share);
}

/// A load without the name of its device, which each run may have another of.
fn title(layer: &LayerRow, workload: &Workload) -> String {
    let block = crate::units::block_size(workload.block_bytes.into());
    let what = match layer.kind {
        LayerKind::BlockReads => format!("random reads of {block} of the same blocks past the filesystem"),
        _ => layer.title.clone(),
    };
    format!("{what}, QD {}", workload.concurrency())
}

/// A condition of a database: its name and its value.
type DatabaseCondition = (&'static str, fn(&DatabaseRecord) -> String);

/// The setting that is as large as the clients of the whole run need it, which may have had more of them at other times.
const FOLLOWS_CLIENTS: &str = "max_connections";

const CONDITIONS: [DatabaseCondition; 7] = [
    ("program", |of| of.kind.title().to_owned()),
    ("database", |of| of.title.clone()),
    ("transaction", DatabaseRecord::transaction),
    ("clients", |of| of.clients.to_string()),
    ("scale", |of| of.scale.to_string()),
    ("page", |of| binary_size(of.page_bytes.into())),
    ("its own cache", |of| binary_size(of.cache_bytes)),
];

/// Conditions and settings in which two databases differ, with both values: `clients: 1, 4`. The size of the data is about the same for a scale, and the version is told
/// as a fact of the run.
fn differing(one: &DatabaseRecord, other: &DatabaseRecord) -> Vec<String> {
    let setting = |of: &DatabaseRecord, name: &str| {
        let found = of.settings.iter().find(|(known, _)| known == name);
        found.map_or_else(|| "not told".to_owned(), |(_, value)| value.clone())
    };
    let told = |name: &str, a: String, b: String| (a != b).then(|| format!("{name}: {a}, {b}"));
    let of_conditions = CONDITIONS.iter().filter_map(|(name, value)| told(name, value(one), value(other)));
    let names = one.settings.iter().chain(&other.settings).map(|(name, _)| name.as_str());
    let names: BTreeSet<&str> = names.filter(|name| *name != FOLLOWS_CLIENTS).collect();
    of_conditions.chain(names.into_iter().filter_map(|name| told(name, setting(one, name), setting(other, name)))).collect()
}

#[cfg(test)]
mod tests;
