//! Sentences on what a database makes of what its filesystem can do.

use super::{DatabaseTurns, LayerKind, LayerRow, Layers, Unsynced, clients};
use crate::finding::Finding;
use crate::measured::Context;
use crate::record::{Purpose, RoundOutcome, RunRecord};
use crate::stats::Estimate;
use crate::text::too_few_turns;
use crate::units::{binary_size, latency, percent, rate};

/// The rule that finds others on the drive.
const FOREIGN: &str = "foreign-io";
/// The rule that finds I/O that never reached the drive.
pub(super) const CACHED: &str = "page-cache";
/// Share of a transaction's time from which on the commit is most of it.
const MOST: f64 = 0.5;

pub(super) fn describe(rows: &[LayerRow], context: &Context, findings: &[Finding]) -> Vec<String> {
    let record = context.record;
    let databases = rows.iter().filter(|row| row.kind == LayerKind::Database);
    let of_databases = databases.flat_map(|row| of_database(row, Layers::writes_of(rows, row), context));
    let of_reads = rows.iter().filter(|row| row.kind == LayerKind::FilesystemReads).filter_map(|row| {
        let blocks = rows.iter().find(|other| other.target == row.target && other.kind == LayerKind::BlockReads);
        of_reads(row, record, [Some(row), blocks].into_iter().flatten().any(|row| row.job.is_some_and(|job| is_cached(job, findings))))
    });
    of_reads.chain(of_databases).chain(turns_without_figure(record)).chain(clients::curves(context)).chain(others(rows, findings)).collect()
}

pub(super) fn is_cached(job: u32, findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.rule == CACHED && finding.subject.job() == Some(job))
}

/// A doubt about everything that was counted at the drive, where others used it too.
fn others(rows: &[LayerRow], findings: &[Finding]) -> Option<String> {
    let is_foreign = |job: u32| findings.iter().any(|finding| finding.rule == FOREIGN && finding.subject.concerns(job));
    let found = rows.iter().filter_map(|row| row.job).any(is_foreign) && rows.iter().any(|row| row.flushes_per_commit.is_some());
    found.then(|| {
        "others used the drive meanwhile: the flushes and bytes of each commit may have some of theirs, and are at most so many".to_owned()
    })
}

/// Reads through the filesystem against reads of the same blocks past it; of neither is anything told where a cache answered one of them.
fn of_reads(row: &LayerRow, record: &RunRecord, is_cached: bool) -> Option<String> {
    let (share, target) = (row.share?, record.targets.get(row.target as usize)?);
    let name = format!("reads through the filesystem of {}", target.facts.given);
    Some(match () {
        () if is_cached => format!("{name} cannot be held against reads of the same blocks past it: a cache answered"),
        () if !share.is_interval() => {
            format!("{name}: {} is too little to hold them against reads of the same blocks past it", share.describe())
        }
        () if share.low <= 1.0 && share.high >= 1.0 => {
            format!("{name} cannot be told apart from reads of the same blocks past it in this run")
        }
        () => {
            let figures = format!("{} ({} to {})", percent(share.median), percent(share.low), percent(share.high));
            format!("{name} are {figures} of those of the same blocks past it")
        }
    })
}

fn of_database(row: &LayerRow, writes: Option<&LayerRow>, context: &Context) -> Vec<String> {
    let Some(turns) = row.database.and_then(|database| DatabaseTurns::of(context.record, database)) else { return Vec::new() };
    if let Some(why) = turns.database.apart() {
        return vec![apart(&turns, row, why)];
    }
    if !turns.database.scripts.is_empty() {
        let name = turns.name();
        return vec![format!(
            "{name}: transactions of {}, of which not each is known to be a commit, so they are held against nothing",
            turns.database.transaction()
        )];
    }
    let Some(writes) = writes.filter(|_| row.commits_per_s.is_some()) else { return Vec::new() };
    let (name, is_durable) = (turns.name(), Unsynced::of(context, &turns).is_none());
    // Of a curve the figures of each point are in the tables; a sentence for each would hide what it means.
    let further = || [sent(row, writes), times(row, writes)].into_iter().flatten();
    let further = if turns.title() == turns.database.title { further().collect() } else { Vec::new() };
    rates(row, writes, is_durable)
        .into_iter()
        .chain(further)
        .chain(waiting(row, context.record))
        .map(|text| format!("{name}: {text}"))
        .collect()
}

/// A database whose files may lie anywhere.
fn apart(turns: &DatabaseTurns, row: &LayerRow, why: &str) -> String {
    let what = if row.commits_per_s.is_some() { "commits" } else { "transactions" };
    let rate = rate(row.per_s.median);
    format!("{}: {rate} {what} a second; what it makes of this filesystem and its drives cannot be told: {why}", turns.name())
}

/// Commits against durable writes. Without an interval nothing is said of which is more, and nothing where commits do not last.
fn rates(row: &LayerRow, writes: &LayerRow, is_durable: bool) -> Option<String> {
    let (share, commits, writes) = (row.share?, row.commits_per_s?, writes.commits_per_s?);
    let figures = format!("{} commits a second where the filesystem makes {} writes durable", rate(commits.median), rate(writes.median));
    Some(match () {
        () if !is_durable => format!("{figures}: commits that do not wait for the drive are not to be held against these"),
        () if !share.is_interval() => format!("{figures}; {} to hold them against each other", too_few_turns(share.runs)),
        () if share.low <= 1.0 && share.high >= 1.0 => format!("{figures}: the two cannot be told apart in this run"),
        () => format!("{figures}: {} ({} to {})", percent(share.median), percent(share.low), percent(share.high)),
    })
}

/// Flushes and bytes of a commit against those of a durable write.
fn sent(row: &LayerRow, writes: &LayerRow) -> Option<String> {
    let (flushes, bytes) = (row.flushes_per_commit?, row.drive_bytes_per_commit?);
    let (of_write, bytes_of_write) = (writes.flushes_per_commit?, writes.drive_bytes_per_commit?);
    let size = |bytes: Estimate| binary_size(bytes.median as u64);
    Some(format!(
        "for each commit the drive is sent {:.2} flushes and {}, for each durable write of the filesystem {:.2} and {}",
        flushes.median,
        size(bytes),
        of_write.median,
        size(bytes_of_write)
    ))
}

/// The time of a transaction by its parts.
fn times(row: &LayerRow, writes: &LayerRow) -> Option<String> {
    let (all, of_write) = (row.latency_ns_mean?.median, writes.latency_ns_mean?.median);
    let cpu = row.cpu_ns_each.map_or(String::new(), |cpu| format!("; its CPU time is {}", latency(cpu.median)));
    let of_commit = row.commit_ns_mean.map(|commit| commit.median).filter(|_| all > 0.0);
    let parts = of_commit.map_or(String::new(), |commit| {
        let part = if commit / all >= MOST { "most of it" } else { "the smaller part" };
        format!(", its commit {} ({part})", latency(commit))
    });
    Some(format!("a transaction takes {} on average{parts}, a durable write of the filesystem {}{cpu}", latency(all), latency(of_write)))
}

/// A database of which rounds came to their end without a figure.
pub(super) struct Without {
    /// Its position in the run's list.
    pub database: u32,
    pub name: String,
    /// Rounds without a figure, and all of them.
    pub rounds: usize,
    pub all: usize,
    pub why: String,
    /// True where one failed, so that none came after it.
    pub is_over: bool,
}

/// Those of a run. What was interrupted is told as such.
pub(super) fn rounds_without(record: &RunRecord) -> impl Iterator<Item = Without> + '_ {
    let measured = || record.stages.iter().filter(|stage| stage.purpose == Purpose::Measure).flat_map(|stage| &stage.databases);
    (0..).zip(&record.databases).filter_map(move |(at, _)| {
        let all: Vec<_> = measured().filter(|round| round.database == at && round.outcome != RoundOutcome::Interrupted).collect();
        let without: Vec<_> = all.iter().filter(|round| !round.counts()).collect();
        let why = without.first()?.error.as_deref().unwrap_or("no transaction came to its end").to_owned();
        let is_over = without.iter().any(|round| round.outcome == RoundOutcome::Failed);
        Some(Without { database: at, name: DatabaseTurns::of(record, at)?.name(), rounds: without.len(), all: all.len(), why, is_over })
    })
}

fn turns_without_figure(record: &RunRecord) -> impl Iterator<Item = String> + '_ {
    rounds_without(record).map(|of| {
        let how_many = if of.rounds == of.all { String::new() } else { format!(" of {} of its {} turns", of.rounds, of.all) };
        let after = if of.is_over { " (what failed is not tried again)" } else { "" };
        format!("{}: no figure{how_many}: {}{after}", of.name, of.why)
    })
}

/// Transactions that met a lock for longer than SQLite waits.
fn waiting(row: &LayerRow, record: &RunRecord) -> Option<String> {
    let rounds = record.stages.iter().flat_map(|stage| &stage.databases).filter(|round| Some(round.database) == row.database);
    let (retried, failed) = rounds.fold((0, 0), |(retried, failed), round| (retried + round.retried, failed + round.failed));
    (retried + failed > 0).then(|| format!("{retried} transactions met a lock for too long and were begun again, {failed} failed"))
}
