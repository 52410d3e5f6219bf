//! The layers of a target held against one another: random reads and durable writes on its filesystem, and the commits of a database on it, each with what of it reached
//! the drive. Layers take turns, so that a share of one in the other is taken of rounds of the same turn.

mod account;
mod bars;
mod clients;
mod figures;
mod pool;
mod table;
mod turns;
mod unsynced;
mod verdict;
mod words;

pub use account::{Account, AccountBar, LeftOut, Whole};
pub use bars::{Placed, shares, without_bar};
pub use figures::{Figured, figures};
pub use pool::{PoolShare, PoolWay};
pub(crate) use turns::{DatabaseTurn, DatabaseTurns};
pub(crate) use unsynced::{Unsynced, least_flushes};
pub use verdict::{Below, FilesystemVerdict};

use account::KnownAccount;

use crate::finding::Finding;
use crate::histogram::Histogram;
use crate::measured::{Context, Measured};
use crate::record::{DatabaseRecord, DatabaseRound, Part, RunRecord, TargetRecord};
use crate::stats::Estimate;
use crate::syncs::{self, Times};
use crate::workload::Workload;
use serde::{Deserialize, Serialize};

pub use crate::record::verbs::LAYERS as VERB;

/// The layers of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layers {
    /// Those that were measured, target by target, the lowest first.
    pub rows: Vec<LayerRow>,
    /// Reads through a filesystem against those of the drives before it was made on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pool: Vec<PoolShare>,
    /// The answer of policy for each filesystem below which reads were measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<FilesystemVerdict>,
    /// The account of which bars are drawn; none in judgements of older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<Account>,
    /// The meaning of it, a sentence each.
    pub says: Vec<String>,
}

/// The place of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LayerKind {
    /// Random reads of the blocks that a file lies on, past its filesystem.
    BlockReads,
    /// Random reads of a file.
    FilesystemReads,
    /// Random writes of a file, each made durable.
    FilesystemWrites,
    /// Transactions of a database.
    Database,
}

/// One layer of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerRow {
    /// Position of its target in the run's list.
    pub target: u32,
    /// The place.
    pub kind: LayerKind,
    /// In words: `random reads of 4 KiB`.
    pub title: String,
    /// Position of its job in the run's list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<u32>,
    /// Position of its database in the run's list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<u32>,
    /// True of a database whose files are not known to lie on its target: it is held against no layer of it, and counted at no drive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_apart: bool,
    /// Readers, writers or clients at a time; none in judgements of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// Reads, durable writes or transactions per second.
    pub per_s: Estimate,
    /// Commits per second: durable writes, or transactions that write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_per_s: Option<Estimate>,
    /// Its rate over that of the layer below it in the same turn: reads of a file for reads of its blocks, commits of a database for durable writes of its filesystem. None
    /// where no such layer was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Estimate>,
    /// Times of a read, of a write with its sync, or of a transaction.
    pub latency: Times,
    /// Mean of these times. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ns_mean: Option<Estimate>,
    /// Times of the commit alone, where it is timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Times>,
    /// Mean of these times. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_ns_mean: Option<Estimate>,
    /// Flushes that the drive was sent for a commit; of several drives the one that was sent most. None where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes_per_commit: Option<Estimate>,
    /// Bytes that were written to the drives for a commit; none where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_bytes_per_commit: Option<Estimate>,
    /// Bytes that were written to the drives for a byte that the layer handed down; none where either was not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_bytes_per_byte: Option<Estimate>,
    /// CPU time of the layer and of what the kernel does in its name, for a commit, or for a read where there are none; none where it was not counted. Nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_each: Option<Estimate>,
}

impl Layers {
    /// The layers of a run with these findings; `None` where it is of another verb, or nothing was measured.
    pub fn of(context: &Context, findings: &[Finding]) -> Option<Self> {
        if context.record.verb != VERB {
            return None;
        }
        let rows = rows(context);
        let pool = pool::pool_shares(&rows, context, findings);
        let verdicts = verdict::verdicts(&rows, &pool, context.record, findings);
        let said = verdict::describe(&verdicts, &rows, context.record);
        let of_pool = pool::describe(&pool, &rows, context.record);
        let says = words::describe(&rows, context, findings).into_iter().chain(of_pool).chain(said).collect();
        let accounts = account::accounts(&KnownAccount { rows: &rows, pool: &pool, context, findings });
        (!rows.is_empty()).then_some(Self { rows, pool, verdicts, accounts, says })
    }

    /// The share that an answer of policy is about, where it was told.
    pub fn share_of(&self, told: &FilesystemVerdict) -> Option<Estimate> {
        let is_its = |row: &&LayerRow| row.target == told.target && row.kind == LayerKind::FilesystemReads;
        let at_once = |share: &&PoolShare| share.target == told.target && share.way == PoolWay::AtOnce;
        match told.below {
            Below::SameBlocks => self.rows.iter().find(is_its)?.share,
            Below::DrivesAtOnce => self.pool.iter().find(at_once).map(PoolShare::estimate),
        }
    }

    /// The answer of policy to an account, where it has one.
    pub fn verdict_of(&self, account: &Account) -> Option<&FilesystemVerdict> {
        let below = account.whole.below()?;
        self.verdicts.iter().find(|told| (told.target, told.below) == (account.target, below))
    }

    /// The durable writes of a database's filesystem, by as many writers as it has clients; none of one whose files are not known to lie there.
    pub fn writes_of<'r>(rows: &'r [LayerRow], database: &LayerRow) -> Option<&'r LayerRow> {
        if database.is_apart {
            return None;
        }
        let is_below = |row: &&LayerRow| row.target == database.target && row.clients == database.clients;
        rows.iter().find(|row| row.kind == LayerKind::FilesystemWrites && is_below(row))
    }
}

/// The rows of all layers, target by target.
pub(crate) fn rows(context: &Context) -> Vec<LayerRow> {
    let targets = (0..).zip(&context.record.targets).filter(|(_, of)| of.below.is_none());
    targets.flat_map(|(target, _)| of_target(context, target)).collect()
}

fn of_target(context: &Context, target: u32) -> Vec<LayerRow> {
    let of = |target: u32| context.counted().filter(move |measured| measured.job.targets == [target]);
    let below = (0..).zip(&context.record.targets).find(|(_, of)| of.below == Some(target) && !of.is_raw);
    let blocks = below.and_then(|(device, _)| of(device).next());
    let jobs: Vec<&Measured> = of(target).collect();
    let of_blocks = blocks.and_then(|measured| Some(LayerRow { kind: LayerKind::BlockReads, ..of_job(context, measured, target, None)? }));
    let of_jobs = jobs.iter().filter_map(|measured| of_job(context, measured, target, blocks));
    let databases = (0..).zip(&context.record.databases).filter(|(_, database)| database.target == target);
    let of_databases = databases.filter_map(|(database, _)| of_database(context, database, target));
    of_blocks.into_iter().chain(of_jobs).chain(of_databases).collect()
}

/// The row of a load; `below` are the same reads of the layer below.
fn of_job(context: &Context, measured: &Measured, target: u32, below: Option<&Measured>) -> Option<LayerRow> {
    let (workload, policy) = (measured.workload(), &context.record.policy);
    let estimate = |value: &dyn Fn(&Part) -> Option<f64>| {
        let values: Vec<f64> = measured.rounds.iter().filter_map(value).collect();
        Estimate::of(&values, policy.confidence)
    };
    // Of durable writes the commits: what databases are held against is what the table shows.
    let commits_per_s = estimate(&syncs::commits_per_s);
    let latency = measured.merged_latency();
    let per_s = commits_per_s.filter(|_| workload.writes()).or_else(|| estimate(&|part| Some(part.iops())))?;
    Some(LayerRow {
        target,
        kind: if workload.writes() { LayerKind::FilesystemWrites } else { LayerKind::FilesystemReads },
        title: title(workload, context.record.targets.get(*measured.job.targets.first()? as usize)?)
            + &clients::of_several(context, measured),
        job: Some(measured.index),
        database: None,
        is_apart: false,
        clients: Some(workload.workers),
        per_s,
        commits_per_s,
        share: below.filter(|_| !workload.writes()).and_then(|below| estimate(&|part| share_of_reads(part, below))),
        latency: Times::of(&latency, policy.percentile_samples),
        latency_ns_mean: of_all(estimate(&|part| part.latency().mean_ns()), &latency),
        commit: None,
        commit_ns_mean: None,
        flushes_per_commit: estimate(&syncs::flushes_per_commit),
        drive_bytes_per_commit: estimate(&syncs::drive_bytes_per_commit),
        drive_bytes_per_byte: estimate(&syncs::bytes_per_byte),
        cpu_ns_each: estimate(&cpu_ns_each),
    })
}

/// The mean of all times, with the interval of those of turns.
fn of_all(of_turns: Option<Estimate>, all: &Histogram) -> Option<Estimate> {
    of_turns.map(|means| all.mean_ns().map_or(means, |mean| means.about(mean)))
}

/// CPU time of the workers of a round for each of their I/Os.
fn cpu_ns_each(part: &Part) -> Option<f64> {
    let (ios, cpu_ns) =
        part.workers.iter().fold((0u64, 0u64), |(ios, ns), worker| (ios.saturating_add(worker.ios), ns.saturating_add(worker.cpu_ns())));
    (ios > 0).then(|| cpu_ns as f64 / ios as f64)
}

/// The rounds of a database that count, in their order.
pub(crate) fn rounds(record: &RunRecord, database: u32) -> Vec<&DatabaseRound> {
    DatabaseTurns::of(record, database).map(|turns| turns.all.into_iter().map(|turn| turn.round).collect()).unwrap_or_default()
}

/// The number of targets but the devices below them.
pub fn directories(record: &RunRecord) -> usize {
    record.targets.iter().filter(|target| target.below.is_none()).count()
}

/// Transactions a second of a database in each of its rounds that count.
pub fn rates(record: &RunRecord, database: u32) -> Vec<f64> {
    rounds(record, database).into_iter().map(DatabaseRound::per_s).collect()
}

/// A database of which no round counts: its name, and why.
pub fn without_figure(record: &RunRecord) -> Vec<(String, String)> {
    words::rounds_without(record).filter(|of| of.rounds == of.all).map(|of| (of.name, of.why)).collect()
}

/// The databases that failed, by position, and why.
pub fn failed(record: &RunRecord) -> Vec<(u32, String)> {
    words::rounds_without(record).filter(|of| of.is_over).map(|of| (of.database, of.why)).collect()
}

fn of_database(context: &Context, database: u32, target: u32) -> Option<LayerRow> {
    let policy = &context.record.policy;
    let turns = DatabaseTurns::of(context.record, database)?;
    let writes = durable_writes(context, turns.database);
    let (of, estimate) = (turns.database, |value: &dyn Fn(&DatabaseTurn) -> Option<f64>| turns.estimate(value));
    let latency: Histogram = turns.all.iter().map(|turn| turn.round.timed()).collect();
    let commit: Histogram = turns.all.iter().filter_map(|turn| turn.round.commit.as_ref()).collect();
    let of_commits = |value: Option<Estimate>| value.filter(|_| of.commits());
    let per_s = estimate(&|turn| Some(turn.round.per_s()))?;
    Some(LayerRow {
        target,
        kind: LayerKind::Database,
        title: turns.title(),
        job: None,
        database: Some(database),
        is_apart: of.apart().is_some(),
        clients: Some(of.clients),
        per_s,
        commits_per_s: of_commits(Some(per_s)),
        share: of_commits(estimate(&|turn| share(turn, writes?))),
        latency: Times::of(&latency, policy.percentile_samples),
        latency_ns_mean: of_all(estimate(&|turn| turn.round.timed().mean_ns()), &latency),
        commit: (commit.count() > 0).then(|| Times::of(&commit, policy.percentile_samples)),
        commit_ns_mean: of_all(estimate(&|turn| turn.round.commit.as_ref()?.mean_ns()), &commit),
        flushes_per_commit: of_commits(estimate(&|turn| turn.flushes())),
        drive_bytes_per_commit: of_commits(estimate(&|turn| turn.round.per_transaction(turn.drive_bytes()?))),
        drive_bytes_per_byte: of_commits(estimate(&|turn| turn.drive_bytes_per_byte())),
        cpu_ns_each: estimate(&|turn| turn.round.per_transaction(turn.round.cpu_ns? as f64)),
    })
}

/// The durable writes of a database's filesystem, by as many writers as it has clients; none where that filesystem is not known to be the one that was measured.
pub(crate) fn durable_writes<'b, 'a>(context: &'b Context<'a>, database: &DatabaseRecord) -> Option<&'b Measured<'a>> {
    if database.apart().is_some() {
        return None;
    }
    let is_below = |measured: &&Measured| measured.job.targets == [database.target] && measured.workload().workers == database.clients;
    context.counted().find(|measured| measured.workload().writes() && is_below(measured))
}

/// Reads for each read of the same blocks in the same turn.
fn share_of_reads(part: &Part, below: &Measured) -> Option<f64> {
    let same = below.rounds.iter().find(|other| other.stage.repetition == part.stage.repetition)?;
    (same.iops() > 0.0).then(|| part.iops() / same.iops())
}

/// Commits for each durable write of the filesystem in the same turn.
fn share(turn: &DatabaseTurn, writes: &Measured) -> Option<f64> {
    let same = writes.rounds.iter().find(|part| part.stage.repetition == turn.stage.repetition)?;
    let writes_per_s = syncs::commits_per_s(same)?;
    (writes_per_s > 0.0).then(|| turn.round.per_s() / writes_per_s)
}

/// `random reads of 4 KiB`, `random reads of 4 KiB of its blocks on /dev/sda1`, `random writes of 4 KiB + fdatasync`.
fn title(workload: &Workload, target: &TargetRecord) -> String {
    let block = crate::units::block_size(workload.block_bytes.into());
    match workload.durability.describe() {
        _ if target.below.is_some() => format!("random reads of {block} of its blocks on {}", target.facts.given),
        _ if !workload.writes() => format!("random reads of {block}"),
        how if how.is_empty() => format!("random writes of {block}"),
        how => format!("random writes of {block} + {how}"),
    }
}

#[cfg(test)]
pub(crate) mod tests;
