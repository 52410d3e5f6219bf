//! The ways of making writes durable as a table, with the answers to limits and what it means in words.

use super::number::counted;
use ioproof_core::stats::Estimate;
use ioproof_core::syncs::{GoalResult, Syncs, Times, Way};
use ioproof_core::text::visible;
use ioproof_core::units::{block_size, latency, percent, rate};
use ioproof_core::verdict::{Judgement, Verdict};
use ioproof_core::workload::{Pattern, Workload};

/// Everything about durable writes.
#[derive(Debug, Clone)]
pub(crate) struct SyncView {
    pub rows: Vec<SyncRow>,
    /// Limits of programs, each with its answer in a sentence.
    pub goals: Vec<(Verdict, String)>,
    pub judged: Vec<GoalView>,
    pub says: Vec<String>,
}

/// A limit and its answer, as a table has them.
#[derive(Debug, Clone)]
pub(crate) struct GoalView {
    pub result: GoalResult,
    /// Position of the job that stands for it.
    pub job: Option<u32>,
    pub reasons: String,
}

/// One way, each figure with its unit.
#[derive(Debug, Clone)]
pub(crate) struct SyncRow {
    /// The raw figures.
    pub way: Way,
    /// `write + fdatasync`.
    pub title: String,
    pub block: String,
    pub writers: String,
    pub writes: String,
    pub commits: String,
    /// Writes without the interval.
    pub writes_bare: String,
    pub write_p50: String,
    pub write_p99: String,
    pub sync_p50: String,
    pub sync_p99: String,
    pub flushes: String,
    pub runs: String,
}

/// Names of the columns, in the order of [`SyncRow::cells`].
pub(crate) const SYNC_COLUMNS: [&str; 11] =
    ["way", "block", "writers", "writes/s", "commits/s", "write p50", "p99", "sync p50", "p99", "flushes", "n"];

/// The meaning of the columns.
pub(crate) const SYNC_LEGEND: &str = "A commit is a write, or a group of writes, that is durable. Write and sync are timed apart. Flushes: those that the drive was sent \
                                      for each commit, by the drive's count, with those of others and of the filesystem's journal.";

impl SyncRow {
    /// Everything in the order of the columns.
    pub(crate) fn cells(&self) -> [&str; 11] {
        [
            &self.title,
            &self.block,
            &self.writers,
            &self.writes,
            &self.commits,
            &self.write_p50,
            &self.write_p99,
            &self.sync_p50,
            &self.sync_p99,
            &self.flushes,
            &self.runs,
        ]
    }
}

/// The ways of a run; none of other verbs.
pub(super) fn syncs(judgement: &Judgement) -> Option<SyncView> {
    let Syncs { ways, goals, says } = judgement.syncs.as_ref()?;
    Some(SyncView {
        rows: ways.iter().map(row).collect(),
        goals: goals.iter().map(|goal| (goal.verdict, visible(&answer(goal)))).collect(),
        judged: goals.iter().map(|goal| limit(goal, ways)).collect(),
        says: says.iter().map(|text| visible(text)).collect(),
    })
}

fn limit(result: &GoalResult, ways: &[Way]) -> GoalView {
    let job = ways.iter().find(|way| way.workload == result.goal.workload).map(|way| way.job);
    GoalView { result: result.clone(), job, reasons: visible(&reasons(result)) }
}

fn row(way: &Way) -> SyncRow {
    let dash = || "-".to_owned();
    let time = |ns: Option<u64>| ns.map_or_else(dash, |ns| latency(ns as f64));
    let of_sync = |pick: fn(&Times) -> Option<u64>| time(way.sync.as_ref().and_then(pick));
    SyncRow {
        title: title(&way.workload),
        block: block_size(way.workload.block_bytes.into()),
        writers: writers(&way.workload),
        writes: with_interval(way.writes_per_s),
        commits: way.commits_per_s.map_or_else(dash, with_interval),
        writes_bare: rate(way.writes_per_s.median),
        write_p50: time(way.write.p50_ns),
        write_p99: time(way.write.p99_ns),
        sync_p50: of_sync(|times| times.p50_ns),
        sync_p99: of_sync(|times| times.p99_ns),
        flushes: way.flushes_per_commit.map_or_else(dash, |n| format!("{n:.2}")),
        runs: way.writes_per_s.runs.to_string(),
        way: way.clone(),
    }
}

/// `4`; with the depth of each where that is more than one, which is rare: `4 x 2 = 8`.
fn writers(workload: &Workload) -> String {
    if workload.depth == 1 { workload.workers.to_string() } else { workload.concurrency() }
}

/// A rate with its interval: `4887 (4120 to 5300)`.
fn with_interval(estimate: Estimate) -> String {
    format!("{} ({} to {})", rate(estimate.median), rate(estimate.low), rate(estimate.high))
}

/// The way without block and depth, which have columns of their own: `fsync, random, 8 files`.
pub(crate) fn title(workload: &Workload) -> String {
    let how = Some(workload.durability.describe()).filter(|how| !how.is_empty()).unwrap_or_else(|| "no sync".into());
    let random = (workload.pattern == Pattern::Random).then(|| "random".to_owned());
    let mix = (workload.read_percent > 0).then(|| format!("{} % reads", workload.read_percent));
    let words: Vec<String> = [how].into_iter().chain(random).chain(mix).chain(workload.shape.describe()).collect();
    visible(&words.join(", "))
}

fn answer(result: &GoalResult) -> String {
    let goal = &result.goal;
    let figure = match result.measured_ns {
        Some(ns) => format!("{} of a sync is {}", goal.statistic.title(), latency(ns as f64)),
        None => "too few syncs for the percentile".to_owned(),
    };
    let beyond = result.share_beyond.map_or(String::new(), |share| {
        format!(
            ", {} of the syncs took longer ({} to {} in {})",
            percent(share.median),
            percent(share.low),
            percent(share.high),
            counted(share.runs.into(), "run")
        )
    });
    let (verdict, most) = (result.verdict.title(), latency(goal.most_ns as f64));
    let bears = reasons(result);
    let bears = if bears.is_empty() { bears } else { format!(". What bears on it: {bears}") };
    format!("{} {verdict}: it asks for at most {most}; {figure}{beyond}{bears}. Source: {}", goal.name, goal.source)
}

/// The findings that bear on an answer.
fn reasons(result: &GoalResult) -> String {
    let texts: Vec<&str> = result.reasons.iter().map(|reason| reason.text.as_str()).collect();
    texts.join("; ")
}
