//! Latencies that a judgement has, and the parts that only some runs have: response beside service time where I/O came at a pace, submission and completion where they
//! were asked for, syncs and trims.

use super::latency_row;
use crate::claim::{Metric, Statistic};
use crate::histogram::Histogram;
use crate::judgement::{Judgement, LatencyRow};
use crate::measured::{Measured, with_rounds};
use crate::record::{Direction, Round, RunRecord};
use crate::stats::{Estimate, median};
use crate::workload::{Durability, Workload};
use std::borrow::Cow;

/// The percentiles where the judgement names none.
const SHOWN: [Statistic; 3] = [Statistic::P50, Statistic::P99, Statistic::P999];

/// Figures that stand beside a latency.
#[derive(Debug, Clone, Copy, Default)]
pub struct BesideLatency {
    /// Operations per second, all of them over all measured time, as the latencies are of all.
    pub per_s: Option<f64>,
    /// Median of the runs' mean latencies, to stand beside a median of their rates. Nanoseconds.
    pub run_mean_ns: Option<f64>,
}

/// The latencies of a run with their rates: the judgement's rows, and those of jobs that an older one has none of; each job followed by its parts.
pub fn latencies(record: &RunRecord, judgement: &Judgement) -> Vec<(LatencyRow, BesideLatency)> {
    let asked = judgement.latencies.first().map_or(SHOWN.to_vec(), |row| row.percentiles_ns.iter().map(|(s, _)| *s).collect());
    let all = with_rounds(record);
    let rate = |row: &LatencyRow| match all.iter().find(|measured| measured.index == row.job) {
        Some(of) => BesideLatency { per_s: overall(of, Round::ios), run_mean_ns: median(&of.values(Metric::Latency, None)) },
        None => BesideLatency::default(),
    };
    let is_judged = |measured: &&Measured| judgement.latencies.iter().any(|row| row.job == measured.index);
    let unjudged = all.iter().filter(|measured| !is_judged(measured)).map(latency_row);
    let judged: Vec<LatencyRow> = judgement.latencies.iter().cloned().chain(unjudged.filter(|row| row.samples > 0)).collect();
    let mut rows: Vec<(LatencyRow, BesideLatency)> = judged.iter().map(|row| (row.clone(), rate(row))).collect();
    for measured in &all {
        for part in parts(measured, &judged) {
            let known = |(row, _): &(LatencyRow, BesideLatency)| row.job == measured.index && row.operation == part.operation;
            if !rows.iter().any(known) {
                let rate = BesideLatency { per_s: overall(measured, part.ios), run_mean_ns: None };
                let row = part_row(measured, part, &asked, record);
                let at = rows.iter().rposition(|(row, _)| row.job == measured.index).map_or(rows.len(), |at| at + 1);
                rows.insert(at, (row, rate));
            }
        }
    }
    rows
}

/// Operations of all rounds over their time, per second.
fn overall(measured: &Measured, ios: impl Fn(&Round) -> u64) -> Option<f64> {
    let (done, elapsed_ns) = (measured.sum_of(|part| ios(part.round)), measured.sum_of(|part| part.round.elapsed_ns));
    (elapsed_ns > 0).then(|| done as f64 * 1e9 / elapsed_ns as f64)
}

/// A part of a job's latency.
struct Part {
    operation: String,
    of: Of,
    /// Operations of a round.
    ios: fn(&Round) -> u64,
}

type Of = Box<dyn Fn(&Round) -> Option<Cow<'_, Histogram>>>;

/// A direction of a round, named, and its I/Os.
type Picked = (&'static str, fn(&Round) -> &Direction, fn(&Round) -> u64);

const DIRECTIONS: [Picked; 3] =
    [("read", |r| &r.read, |r| r.read.ios), ("write", |r| &r.write, |r| r.write.ios), ("trim", |r| &r.trim, |r| r.trim.ios)];

/// The parts that some round of the job has.
fn parts(measured: &Measured, judged: &[LatencyRow]) -> Vec<Part> {
    let rounds: Vec<&Round> = measured.rounds.iter().map(|part| part.round).collect();
    let used: Vec<_> = DIRECTIONS.into_iter().filter(|(_, pick, _)| rounds.iter().any(|r| pick(r).ios > 0)).collect();
    let has_row = judged.iter().any(|row| row.job == measured.index && row.samples > 0);
    let mut parts: Vec<Part> = Vec::new();
    for (direction, pick, ios) in &used {
        let (pick, ios) = (*pick, *ios);
        let mut add = |operation: String, of: Of| parts.push(Part { operation, of, ios });
        let name = |part: &str| if used.len() > 1 { format!("{direction} {part}") } else { part.to_owned() };
        if rounds.iter().any(|r| pick(r).response.is_some()) {
            if used.len() > 1 || !has_row {
                add(name("service"), Box::new(move |r| Some(pick(r).timed())));
            }
            add(name("response"), Box::new(move |r| pick(r).response.as_ref().map(Cow::Borrowed)));
        } else if used.len() > 1 && (has_row || *direction == "trim") {
            add((*direction).to_owned(), Box::new(move |r| Some(pick(r).timed())));
        }
        add(name("submission"), Box::new(move |r| pick(r).submission.as_ref().map(Cow::Borrowed)));
        add(name("completion"), Box::new(move |r| pick(r).completion.as_ref().map(Cow::Borrowed)));
    }
    let operation = sync_name(measured.workload()).to_owned();
    parts.push(Part { operation, of: Box::new(|r| Some(r.sync.timed())), ios: |r| r.sync.ios });
    parts.retain(|part| rounds.iter().any(|r| (part.of)(r).is_some_and(|h| h.count() > 0)));
    parts
}

/// Without a sync of its own, a workload can have but the one at its end.
fn sync_name(workload: &Workload) -> &'static str {
    match workload.durability {
        Durability::FdatasyncEach | Durability::FdatasyncEvery(_) => "fdatasync",
        Durability::SyncFileRangeEvery(_) => "sync_file_range",
        Durability::FsyncEach | Durability::FsyncEvery(_) | Durability::FsyncAllEvery(_) => "fsync",
        Durability::None | Durability::Dsync | Durability::Sync | Durability::Fua => "fsync at the end",
    }
}

fn part_row(measured: &Measured, part: Part, asked: &[Statistic], record: &RunRecord) -> LatencyRow {
    let Part { operation, of, .. } = part;
    let all: Histogram = measured.rounds.iter().filter_map(|part| of(part.round)).collect();
    let means: Vec<f64> = measured.rounds.iter().map(|part| part.round).filter_map(|r| of(r)?.mean_ns()).collect();
    let enough = |q: &f64| all.samples_beyond(*q) >= record.policy.percentile_samples;
    let percentile = |s: &Statistic| (*s, s.quantile().filter(enough).and_then(|q| all.quantile_ns(q)));
    LatencyRow {
        job: measured.index,
        name: measured.job.name.clone(),
        workload: measured.workload().clone(),
        operation,
        samples: all.count(),
        mean_ns: Estimate::of(&means, record.policy.confidence).map(|of| all.mean_ns().map_or(of, |mean| of.about(mean))),
        percentiles_ns: asked.iter().map(percentile).collect(),
        max_ns: all.max_ns(),
    }
}
