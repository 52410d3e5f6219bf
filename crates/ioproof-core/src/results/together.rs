//! Targets measured alone and all at once: how much of what they give alone, added up, is left when all of them are asked together, and what is left to each.
//!
//! A stage of [`Purpose::Together`] has a round of the same job that each target had alone, in the same turn; a share is taken of the rounds of one turn, so that
//! what changes between turns meets both. `shared` says what targets have in common on the way to the host; the rule `shared-path` says which of it explains a loss.

mod as_one;
pub(crate) mod shared;
mod table;
pub(crate) mod words;

pub use as_one::as_one;
pub use shared::{names, one_drive};

use crate::claim::Metric;
use crate::measured::Context;
use crate::record::verbs::LAYERS;
use crate::record::{Part, Purpose, RunRecord, Stage};
use crate::stats::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The targets of a run alone and all at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Together {
    /// Workload by workload.
    pub rows: Vec<TogetherRow>,
    /// The meaning of it, a sentence each.
    pub says: Vec<String>,
}

/// One workload on all targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TogetherRow {
    /// In words: `rand read 4 KiB, queue depth 32`.
    pub title: String,
    /// The rate that shares are taken of: I/Os per second, or bytes per second of sequential I/O.
    pub metric: Metric,
    /// The targets, in the order of the run's list.
    pub members: Vec<Member>,
    /// Rates of each alone in the same turn, added up.
    pub apart: Rates,
    /// Rates of all at once.
    pub together: Rates,
    /// All at once over the sum of each alone, turn by turn.
    pub share: Estimate,
    /// The answer.
    pub answer: AtOnce,
}

/// Rates, by I/Os and by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rates {
    /// I/Os per second.
    pub iops: Estimate,
    /// Bytes per second.
    pub bytes_per_s: Estimate,
}

impl Rates {
    pub fn by(&self, metric: Metric) -> Estimate {
        if metric == Metric::Throughput { self.bytes_per_s } else { self.iops }
    }
}

/// One target of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Member {
    /// Position in the run's list.
    pub target: u32,
    /// Position of its job in the run's list.
    pub job: u32,
    /// Its rates alone.
    pub alone: Rates,
    /// Its rates while all others were asked too.
    pub together: Rates,
    /// The second over the first, turn by turn.
    pub share: Estimate,
}

/// The answer of all at once against each alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AtOnce {
    /// All of the interval is below the sum.
    Less,
    /// No more than the policy's precision may be missing.
    AsMuch,
    /// Turns are too few, or the interval is too wide.
    CannotTell,
}

impl AtOnce {
    pub fn title(self) -> &'static str {
        match self {
            Self::Less => "less",
            Self::AsMuch => "as much",
            Self::CannotTell => "cannot tell",
        }
    }

    fn of(share: Estimate, precision: f64) -> Self {
        match () {
            () if !share.is_interval() => Self::CannotTell,
            () if share.low >= 1.0 - precision => Self::AsMuch,
            () if share.high < 1.0 => Self::Less,
            () => Self::CannotTell,
        }
    }
}

impl Together {
    /// Of a run; `None` where no targets were measured at once.
    pub fn of(context: &Context) -> Option<Self> {
        let rows = rows(context);
        let says = rows.iter().map(|row| words::describe(row, context.record)).collect();
        (!rows.is_empty()).then_some(Self { rows, says })
    }
}

/// True for a run of several targets that were measured at once, each with the same workloads; the drives below a filesystem of `layers` are none.
pub fn is_one(record: &RunRecord) -> bool {
    record.verb != LAYERS && stages(record).next().is_some()
}

fn stages(record: &RunRecord) -> impl Iterator<Item = &Stage> {
    record.stages.iter().filter(|stage| stage.purpose == Purpose::Together)
}

/// The stages in which exactly these jobs ran at once.
pub(crate) fn stages_of<'a>(record: &'a RunRecord, jobs: &[u32]) -> Vec<&'a Stage> {
    stages(record).filter(|stage| jobs_of(stage) == jobs).collect()
}

fn jobs_of(stage: &Stage) -> Vec<u32> {
    stage.rounds.iter().map(|round| round.job).collect()
}

/// Rows of all jobs that ran at once, in the order of the run's list.
pub(crate) fn rows(context: &Context) -> Vec<TogetherRow> {
    sets(context.record).iter().filter_map(|jobs| account(context, jobs)).collect()
}

/// Jobs that ran at once, each set of them once, in the order of the run's list.
fn sets(record: &RunRecord) -> BTreeSet<Vec<u32>> {
    stages(record).map(jobs_of).filter(|jobs| jobs.len() > 1).collect()
}

/// I/Os and bytes per second.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    iops: f64,
    bytes_per_s: f64,
}

impl Rate {
    fn of(part: &Part) -> Self {
        Self { iops: part.round.value_of(Metric::Iops), bytes_per_s: part.round.value_of(Metric::Throughput) }
    }

    fn by(self, metric: Metric) -> f64 {
        if metric == Metric::Throughput { self.bytes_per_s } else { self.iops }
    }

    fn sum(all: &[Self]) -> Self {
        all.iter().fold(Self::default(), |sum, one| Self { iops: sum.iops + one.iops, bytes_per_s: sum.bytes_per_s + one.bytes_per_s })
    }
}

struct TogetherTurn {
    alone: Vec<Rate>,
    together: Vec<Rate>,
}

impl TogetherTurn {
    /// Of these jobs in this stage and each alone in the same turn; none where a round of them does not count.
    fn of(context: &Context, jobs: &[u32], stage: &Stage) -> Option<Self> {
        let counted = |part: Part<'_>| part.counts().then(|| Rate::of(&part)).filter(|rate| rate.iops > 0.0 && rate.bytes_per_s > 0.0);
        let alone = |job: &u32| {
            let mut rounds = context.of(*job)?.rounds.iter();
            rounds.find(|part| part.stage.repetition == stage.repetition && part.stage.rounds.len() == 1).copied().and_then(counted)
        };
        let together: Vec<Rate> = stage.parts(&context.record.jobs).map(counted).collect::<Option<_>>()?;
        let alone: Vec<Rate> = jobs.iter().map(alone).collect::<Option<_>>()?;
        (alone.len() == together.len()).then_some(Self { alone, together })
    }
}

/// The account of jobs with the same workload, each on a target of its own: of drives alone and at once, whoever made them so.
///
/// `None` where there is no turn in which all of them count.
pub(crate) fn account(context: &Context, jobs: &[u32]) -> Option<TogetherRow> {
    let (record, policy) = (context.record, &context.record.policy);
    let stages = stages_of(record, jobs);
    let turns: Vec<TogetherTurn> = stages.iter().filter_map(|stage| TogetherTurn::of(context, jobs, stage)).collect();
    let first = stages.first()?.parts(&record.jobs).next()?;
    // What a workload of one I/O at a time gives per second says more of several targets than how long one takes.
    let metric = first.job.workload.rate_metric();
    let estimate = |value: &dyn Fn(&TogetherTurn) -> f64| Estimate::of(&turns.iter().map(value).collect::<Vec<_>>(), policy.confidence);
    let rates = |of: &dyn Fn(&TogetherTurn) -> Rate| {
        Some(Rates { iops: estimate(&|turn| of(turn).iops)?, bytes_per_s: estimate(&|turn| of(turn).bytes_per_s)? })
    };
    let share = |alone: &dyn Fn(&TogetherTurn) -> Rate, together: &dyn Fn(&TogetherTurn) -> Rate| {
        estimate(&|turn| together(turn).by(metric) / alone(turn).by(metric))
    };
    let member = |(at, job): (usize, &u32)| {
        let [target] = record.jobs.get(*job as usize)?.targets[..] else { return None };
        Some(Member {
            target,
            job: *job,
            alone: rates(&|turn| turn.alone[at])?,
            together: rates(&|turn| turn.together[at])?,
            share: share(&|turn| turn.alone[at], &|turn| turn.together[at])?,
        })
    };
    let (apart, together) = (|turn: &TogetherTurn| Rate::sum(&turn.alone), |turn: &TogetherTurn| Rate::sum(&turn.together));
    let share = share(&apart, &together)?;
    Some(TogetherRow {
        title: first.job.title_with_depth(),
        metric,
        members: jobs.iter().enumerate().map(member).collect::<Option<_>>()?,
        apart: rates(&apart)?,
        together: rates(&together)?,
        share,
        answer: AtOnce::of(share, policy.precision),
    })
}

#[cfg(test)]
pub(crate) mod tests;
