//! The ways of making writes durable as a table.

use super::{GoalResult, Syncs, Times, Way};
use crate::results::table::{Answer, Column, Figure, Part, ResultRow, ResultTable, Unit, column};
use crate::text::visible;
use crate::units::rate;
use crate::workload::{Pattern, Workload};

fn columns() -> Vec<Column> {
    vec![
        column("way", "way", Unit::Text),
        column("block", "block (KiB)", Unit::Block),
        column("writers", "", Unit::Text),
        column("", "writers", Unit::Count),
        column("", "queue depth per writer", Unit::Count),
        column("writes/s", "writes/s", Unit::PerSecond),
        column("commits/s", "commits/s", Unit::PerSecond).with_ends("commits/s, low", "commits/s, high").tidy("commits", "1/s"),
        column("write p50", "write p50 (µs)", Unit::Time),
        column("p99", "write p99 (µs)", Unit::Time),
        column("sync p50", "sync p50 (µs)", Unit::Time),
        column("p99", "sync p99 (µs)", Unit::Time),
        column("", "sync p99.9 (µs)", Unit::Time),
        column("", "longest sync (µs)", Unit::Time),
        column("flushes", "flushes per commit", Unit::PerOne).tidy("flushes_per_commit", ""),
        column("n", "runs", Unit::Count),
        // For narrow screens: writes without their interval, and commits, of a way that commits nothing its writes.
        column("writes/s", "", Unit::PerSecond),
        column("commits/s", "", Unit::PerSecond),
        column("read", "read (MB/s)", Unit::Throughput),
        column("written", "written (MB/s)", Unit::Throughput),
    ]
}

const FLUSHES: usize = 13;
const READ: usize = 17;
const WRITTEN: usize = 18;

const ALL: [usize; 11] = [0, 1, 2, 5, 6, 7, 8, 9, 10, 13, 14];
/// From the widest on: rates of writes without their interval; without the p99 of write and sync; one rate alone, with the medians of write and sync, since a write that is
/// durable by itself has no sync; with the median of syncs alone.
const NARROWER: [&[usize]; 4] =
    [&[0, 1, 2, 15, 6, 7, 8, 9, 10, 13, 14], &[0, 1, 2, 15, 6, 7, 9, 13, 14], &[0, 1, 2, 16, 7, 9, 13, 14], &[0, 1, 2, 16, 9, 13, 14]];

const LEGEND: &str = "A commit is a write, or a group of writes, that is durable. Write and sync are timed apart. Flushes: those that the drive was sent \
                      for each commit, by the drive's count, with those of others and of the filesystem's journal. A dash: does not apply, was not \
                      counted, or has too few samples; where each write is a commit, commits/s are the writes/s too, and a write that is \
                      durable by itself has no sync. In square brackets: the smallest and the largest of too few runs for an interval.";

const DASH: &str = "A dash: does not apply, was not counted, or has too few samples. Where each write is a commit, commits/s are the writes/s too; a write that is durable by \
                    itself has no sync.";

impl Syncs {
    /// A row for each way, and the answers to limits.
    pub fn table(&self) -> ResultTable {
        ResultTable {
            id: "Durable writes",
            title: "Durable writes".into(),
            row_name: "way",
            columns: columns(),
            rows: self.ways.iter().map(row).collect(),
            replaces_rows: true,
            parts: vec![Part {
                caption: "Ways of making writes durable".into(),
                columns: self.with_bytes(&ALL),
                narrower: NARROWER.map(|columns| self.with_bytes(columns)).to_vec(),
                first_to_go: vec![2, 1, 14, 13, 9],
                rows: 0..self.ways.len(),
                ..Part::default()
            }],
            legend: LEGEND,
            dash: DASH,
            answers: self.goals.iter().map(answer).collect(),
            says: self.says.iter().map(|text| visible(text)).collect(),
            ..ResultTable::default()
        }
    }
}

impl Syncs {
    /// The same columns, with the bytes read and written before the number of flushes where a way reads too.
    fn with_bytes(&self, columns: &[usize]) -> Vec<usize> {
        let reads = self.ways.iter().any(|way| way.mixed_bytes_per_s.is_some());
        columns.iter().flat_map(|column| if reads && *column == FLUSHES { vec![READ, WRITTEN, FLUSHES] } else { vec![*column] }).collect()
    }
}

fn answer(goal: &GoalResult) -> Answer {
    let expected = format!("syncs are as fast as {} asks", visible(&goal.goal.name));
    Answer { verdict: goal.verdict, expected, text: visible(&goal.answer()), brief: visible(&goal.brief()), is_in_sentences: false }
}

fn row(way: &Way) -> ResultRow {
    ResultRow {
        job: Some(way.job),
        title: title(&way.workload),
        workload: Some(way.workload.clone()),
        figures: figures(way),
        ..ResultRow::default()
    }
}

fn figures(way: &Way) -> Vec<Figure> {
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
        Some(way.writes_per_s.median).filter(|_| !is_commit).into(),
        way.commits_per_s.map_or_else(|| Figure::Text(format!("{} writes", rate(way.writes_per_s.median))), Figure::from),
        way.mixed_bytes_per_s.map(|bytes| bytes.0).into(),
        way.mixed_bytes_per_s.map(|bytes| bytes.1).into(),
    ]
}

/// `4`; with the depth of each where that is more than one, which is rare: `4 x 2 = 8`.
fn writers(workload: &Workload) -> String {
    if workload.depth == 1 { workload.workers.to_string() } else { workload.concurrency() }
}

/// The way without block and depth, which have columns of their own: `fsync, random, 8 files`.
pub fn title(workload: &Workload) -> String {
    let how = Some(workload.durability.describe()).filter(|how| !how.is_empty()).unwrap_or_else(|| "no sync".into());
    let random = (workload.pattern == Pattern::Random).then(|| "random".to_owned());
    let mix = (workload.read_percent > 0).then(|| format!("{} % reads", workload.read_percent));
    let words: Vec<String> = [how].into_iter().chain(random).chain(mix).chain(workload.shape.describe()).collect();
    visible(&words.join(", "))
}
