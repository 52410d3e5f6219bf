//! The ways of making writes durable as a table.

use super::{Syncs, Times, Way};
use crate::results::table::{Column, Figure, Part, ResultTable, Unit, column};
use crate::text::visible;
use crate::workload::{Pattern, Workload};

const COLUMNS: [Column; 15] = [
    column("way", "way", Unit::Text),
    column("block", "block (KiB)", Unit::Block),
    column("writers", "", Unit::Text),
    column("", "writers", Unit::Count),
    column("", "queue depth per writer", Unit::Count),
    column("writes/s", "writes/s", Unit::PerSecond),
    column("commits/s", "commits/s", Unit::PerSecond).with_ends("commits/s, low", "commits/s, high"),
    column("write p50", "write p50 (µs)", Unit::Time),
    column("p99", "write p99 (µs)", Unit::Time),
    column("sync p50", "sync p50 (µs)", Unit::Time),
    column("p99", "sync p99 (µs)", Unit::Time),
    column("", "sync p99.9 (µs)", Unit::Time),
    column("", "longest sync (µs)", Unit::Time),
    column("flushes", "flushes per commit", Unit::PerOne),
    column("n", "runs", Unit::Count),
];

const LEGEND: &str = "A commit is a write, or a group of writes, that is durable. Write and sync are timed apart. Flushes: those that the drive was sent \
                      for each commit, by the drive's count, with those of others and of the filesystem's journal. A dash: does not apply, was not \
                      counted, or has too few samples; where each write is a commit, commits/s are the writes/s too, and a write that is \
                      durable by itself has no sync. In square brackets: the smallest and the largest of too few runs for an interval.";

impl Syncs {
    /// A row for each way, and the answers to limits.
    #[must_use]
    pub fn table(&self) -> ResultTable {
        ResultTable {
            id: "Durable writes",
            title: "Durable writes",
            columns: COLUMNS.to_vec(),
            rows: self.ways.iter().map(row).collect(),
            parts: vec![Part::whole("Ways of making writes durable", &COLUMNS, self.ways.len())],
            legend: LEGEND,
            answers: self.goals.iter().map(|goal| (goal.verdict, visible(&goal.answer()))).collect(),
            says: self.says.iter().map(|text| visible(text)).collect(),
            compared_by: None,
        }
    }
}

fn row(way: &Way) -> Vec<Figure> {
    let workload = &way.workload;
    let of_sync = |pick: fn(&Times) -> Option<u64>| way.sync.as_ref().and_then(pick).into();
    // Two medians of one thing would only differ by chance.
    let is_commit = way.commits_per_s.is_some() && workload.durability.is_of_each_write();
    vec![
        title(workload).into(),
        workload.block_bytes.into(),
        writers(workload).into(),
        workload.workers.into(),
        workload.depth.into(),
        Some(way.writes_per_s).filter(|_| !is_commit).into(),
        way.commits_per_s.into(),
        way.write.p50_ns.into(),
        way.write.p99_ns.into(),
        of_sync(|times| times.p50_ns),
        of_sync(|times| times.p99_ns),
        of_sync(|times| times.p999_ns),
        of_sync(|times| times.max_ns),
        way.flushes_per_commit.into(),
        way.writes_per_s.runs.into(),
    ]
}

/// `4`; with the depth of each where that is more than one, which is rare: `4 x 2 = 8`.
fn writers(workload: &Workload) -> String {
    if workload.depth == 1 { workload.workers.to_string() } else { workload.concurrency() }
}

/// The way without block and depth, which have columns of their own: `fsync, random, 8 files`.
#[must_use]
pub fn title(workload: &Workload) -> String {
    let how = Some(workload.durability.describe()).filter(|how| !how.is_empty()).unwrap_or_else(|| "no sync".into());
    let random = (workload.pattern == Pattern::Random).then(|| "random".to_owned());
    let mix = (workload.read_percent > 0).then(|| format!("{} % reads", workload.read_percent));
    let words: Vec<String> = [how].into_iter().chain(random).chain(mix).chain(workload.shape.describe()).collect();
    visible(&words.join(", "))
}
