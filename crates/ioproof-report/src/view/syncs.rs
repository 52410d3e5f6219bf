//! The ways of making writes durable as a table, with the answers to limits and what it means in words.

use super::number::{counted, with_ends};
use ioproof_core::judgement::Judgement;
use ioproof_core::syncs::{GoalResult, Syncs, Times, Way};
use ioproof_core::text::visible;
use ioproof_core::units::{block_size, latency, percent, rate};
use ioproof_core::verdict::Verdict;
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
    /// The answer in a sentence that names the rules that bear on it, where their findings stand below.
    pub brief: String,
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
    /// A dash where each write is a commit: two medians of one thing would only differ by chance.
    pub writes: String,
    pub commits: String,
    /// Commits; of a way that commits nothing its writes: `36200 writes`.
    pub commits_or_writes: String,
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
                                      for each commit, by the drive's count, with those of others and of the filesystem's journal. A dash: does not apply, was not \
                                      counted, or has too few samples; where each write is a commit, commits/s are the writes/s too, and a write that is \
                                      durable by itself has no sync. In square brackets: the smallest and the largest of too few runs for an interval.";

/// The meaning of a dash alone.
pub(crate) const DASH_LEGEND: &str = "A dash: does not apply, was not counted, or has too few samples. Where each write is a commit, commits/s are the \
                                      writes/s too; a write that is durable by itself has no sync.";

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
        goals: goals.iter().map(|goal| (goal.verdict, visible(&answer(goal, &bearing(goal))))).collect(),
        judged: goals.iter().map(|goal| limit(goal, ways)).collect(),
        says: says.iter().map(|text| visible(text)).collect(),
    })
}

fn limit(result: &GoalResult, ways: &[Way]) -> GoalView {
    let job = ways.iter().find(|way| way.workload == result.goal.workload).map(|way| way.job);
    let brief = visible(&answer(result, &bearing_rules(result)));
    GoalView { result: result.clone(), job, reasons: visible(&reasons(result)), brief }
}

fn row(way: &Way) -> SyncRow {
    let dash = || "-".to_owned();
    let time = |ns: Option<u64>| ns.map_or_else(dash, |ns| latency(ns as f64));
    let of_sync = |pick: fn(&Times) -> Option<u64>| time(way.sync.as_ref().and_then(pick));
    let is_commit = way.commits_per_s.is_some() && way.workload.durability.is_of_each_write();
    let of_writes = |shown: String| if is_commit { dash() } else { shown };
    let bare = rate(way.writes_per_s.median);
    SyncRow {
        title: title(&way.workload),
        block: block_size(way.workload.block_bytes.into()),
        writers: writers(&way.workload),
        writes: of_writes(with_ends(way.writes_per_s, rate)),
        commits: way.commits_per_s.map_or_else(dash, |commits| with_ends(commits, rate)),
        commits_or_writes: way.commits_per_s.map_or_else(|| format!("{bare} writes"), |commits| with_ends(commits, rate)),
        writes_bare: of_writes(bare),
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

/// The way without block and depth, which have columns of their own: `fsync, random, 8 files`.
pub(crate) fn title(workload: &Workload) -> String {
    let how = Some(workload.durability.describe()).filter(|how| !how.is_empty()).unwrap_or_else(|| "no sync".into());
    let random = (workload.pattern == Pattern::Random).then(|| "random".to_owned());
    let mix = (workload.read_percent > 0).then(|| format!("{} % reads", workload.read_percent));
    let words: Vec<String> = [how].into_iter().chain(random).chain(mix).chain(workload.shape.describe()).collect();
    visible(&words.join(", "))
}

/// The answer to a limit, by the share of the syncs that took longer: that is held against the share that may, whether or not a percentile can be stated.
fn answer(result: &GoalResult, bears: &str) -> String {
    let goal = &result.goal;
    let (verdict, most, which) = (result.verdict.title(), latency(goal.most_ns as f64), goal.statistic.title());
    let may = percent(may_exceed(result));
    let percentile = result.measured_ns.map_or(String::new(), |ns| format!("; {which} of a sync is {}", latency(ns as f64)));
    let (longer, why) = (longer(result), why_open(result));
    let (name, source) = (&goal.name, &goal.source);
    format!(
        "{name} {verdict}: it asks for at most {most} at {which}: {may} of the syncs may take longer, and {longer}{percentile}{why}{bears}. Source: {source}"
    )
}

/// Share of the syncs that may take longer than the limit.
fn may_exceed(result: &GoalResult) -> f64 {
    1.0 - result.goal.statistic.quantile().unwrap_or(1.0)
}

/// `26.6 % did (9.0 % to 65.2 % in 8 runs)`.
fn longer(result: &GoalResult) -> String {
    let Some(share) = result.share_beyond else { return "none was timed".to_owned() };
    let (did, runs) = (percent(share.median), counted(share.runs.into(), "run"));
    match share.runs {
        1 => format!("{did} did in {runs}"),
        _ => format!("{did} did ({} to {} in {runs})", percent(share.low), percent(share.high)),
    }
}

/// The reason for which it cannot be told; empty where it can.
fn why_open(result: &GoalResult) -> &'static str {
    let may = may_exceed(result);
    match result.share_beyond.filter(|_| result.verdict == Verdict::CannotTell) {
        None => "",
        Some(share) if !share.is_interval() => "; these are too few runs for an interval, six are enough (--runs 6, or more --time)",
        Some(share) if share.low <= may && may < share.high => "; the interval has more and less than that, and more runs would narrow it",
        Some(_) => "; that would be an answer, but the figures are doubted",
    }
}

fn bearing(result: &GoalResult) -> String {
    if result.reasons.is_empty() { String::new() } else { format!(". What bears on it: {}", reasons(result)) }
}

/// The rules that bear on an answer.
fn bearing_rules(result: &GoalResult) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for reason in &result.reasons {
        if !rules.contains(&reason.about.as_str()) {
            rules.push(&reason.about);
        }
    }
    if rules.is_empty() { String::new() } else { format!(". What bears on it (`ioproof rules NAME`): {}", rules.join(", ")) }
}

/// The findings that bear on an answer.
fn reasons(result: &GoalResult) -> String {
    let texts: Vec<&str> = result.reasons.iter().map(|reason| reason.text.as_str()).collect();
    texts.join("; ")
}
