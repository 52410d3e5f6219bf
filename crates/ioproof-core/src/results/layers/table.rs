//! The layers of a run as a table: how fast each is, and what each of its commits costs.

use super::bars::{Placed, costs, shares, without_bar};
use super::{FilesystemVerdict, LayerRow, Layers, directories};
use crate::record::{PgTestFsync, RunRecord, TargetRecord};
use crate::results::table::{Answer, Column, Figure, Part, ResultRow, ResultTable, Unit, column, share_with_ends};
use crate::text::visible;
use crate::units::{percent, rate};

fn columns() -> Vec<Column> {
    vec![
        column("layer", "layer", Unit::Text),
        column("", "target", Unit::Text),
        column("each second", "each second", Unit::PerSecond).with_ends("low", "high"),
        column("", "", Unit::PerSecond).tidy("transactions", "1/s"),
        column("", "", Unit::PerSecond).tidy("commits", "1/s"),
        column("of the layer below", "of the layer below", Unit::Share).with_ends("low", "high").tidy("share_of_layer_below", ""),
        column("p50", "p50 (µs)", Unit::Time),
        column("p99", "p99 (µs)", Unit::Time),
        column("commit p50", "commit p50 (µs)", Unit::Time),
        column("", "commit p99 (µs)", Unit::Time),
        column("flushes", "flushes per commit", Unit::PerOne).tidy("flushes_per_commit", ""),
        column("written (KiB)", "bytes at the drive per commit", Unit::Kib).with_ends("low", "high").tidy("drive_bytes_per_commit", "B"),
        column("for each byte", "bytes at the drive per byte", Unit::Factor).tidy("drive_bytes_per_byte", ""),
        column("CPU (µs)", "CPU time of each (µs)", Unit::Micros).tidy("cpu_time_of_each", "ns"),
        column("n", "runs", Unit::Count),
    ]
}

const SPEED: [usize; 7] = [0, 2, 5, 6, 7, 8, 14];
const COST: [usize; 5] = [0, 10, 11, 12, 13];

const LEGEND: &str = "Reads and writes of the filesystem go past the page cache, those of a database through it. A commit is a durable write of the \
                      filesystem, or a transaction of the database that writes. Each second: reads, durable writes or transactions, median of n \
                      turns with its interval. Of the layer below, in the same turn: reads of the file for reads of the same blocks past its \
                      filesystem, commits of the database for durable writes of the filesystem: the median of these shares, which \
                      need not be that of the medians. Flushes and KiB written at the drive are for each commit, by the drive's count, with those of others; for each byte: bytes at the drive for a byte that the layer \
                      handed down. CPU time is for each commit, of reads for each read. In square brackets: the \
                      smallest and the largest of too few turns for an interval.";

impl Layers {
    /// A row for each layer, with the answers of policy.
    pub fn table(&self, record: &RunRecord) -> ResultTable {
        let directories = directories(record);
        let place = |target: u32| if directories > 1 { record.given(target) } else { String::new() };
        let accounts: Vec<Placed> =
            self.accounts.iter().map(|account| (place(account.target), account, self.verdict_of(account))).collect();
        let part = |caption: &str, columns: &[usize], first_to_go: &[usize]| Part {
            caption: caption.into(),
            columns: columns.to_vec(),
            first_to_go: first_to_go.to_vec(),
            rows: 0..self.rows.len(),
            ..Part::default()
        };
        let speed = Part {
            charts: shares(&accounts),
            without_bar: without_bar(&accounts),
            ..part("How fast each layer is", &SPEED, &[8, 7, 6, 5, 14])
        };
        let cost = Part {
            heading: "What a commit costs".into(),
            charts: costs(&self.rows, place),
            ..part("What each commit costs", &COST, &[13, 12, 11])
        };
        ResultTable {
            id: "Layers",
            title: "Layers".into(),
            row_name: "layer",
            columns: columns(),
            rows: self.rows.iter().map(|of| row(of, record)).collect(),
            has_targets: directories > 1,
            replaces_rows: true,
            parts: vec![speed, cost],
            legend: LEGEND,
            dash: "A dash: does not apply, was not counted, or has too few samples.",
            answers: self.verdicts.iter().map(|told| self.answer(told, record)).collect(),
            says: self.says.iter().cloned().chain(pg_test_fsync(record)).map(|text| visible(&text)).collect(),
            compared_by: (directories == 2).then(|| format!("ioproof compare {}", visible(&record.id))),
            ..ResultTable::default()
        }
    }

    fn answer(&self, told: &FilesystemVerdict, record: &RunRecord) -> Answer {
        let (asked, below) = (percent(told.threshold), told.below.title());
        let share = self.share_of(told).map_or_else(|| "no share".to_owned(), share_with_ends);
        let text = format!("{}: {share}{}", told.verdict.title(), told.why());
        Answer {
            verdict: told.verdict,
            expected: format!("reads through the filesystem of {} are at least {asked} of {below}", record.given(told.target)),
            brief: text.clone(),
            text,
            is_in_sentences: true,
        }
    }
}

fn row(row: &LayerRow, record: &RunRecord) -> ResultRow {
    let (title, target) = (visible(&row.title), record.given(row.target));
    ResultRow { job: row.job, figures: figures(row, &title, &target), title, target, ..ResultRow::default() }
}

fn figures(row: &LayerRow, title: &str, target: &str) -> Vec<Figure> {
    vec![
        title.into(),
        target.into(),
        row.per_s.into(),
        row.database.map(|_| row.per_s).into(),
        row.commits_per_s.into(),
        row.share.into(),
        row.latency.p50_ns.into(),
        row.latency.p99_ns.into(),
        row.commit.and_then(|commit| commit.p50_ns).into(),
        row.commit.and_then(|commit| commit.p99_ns).into(),
        row.flushes_per_commit.into(),
        row.drive_bytes_per_commit.into(),
        row.drive_bytes_per_byte.into(),
        row.cpu_ns_each.into(),
        row.per_s.runs.into(),
    ]
}

/// The rates of pg_test_fsync for one write, in a sentence for each directory.
fn pg_test_fsync(record: &RunRecord) -> impl Iterator<Item = String> + '_ {
    let of_one = |rates: &PgTestFsync| {
        let one = rates.rates.iter().filter(|of| of.test == "one write");
        one.filter_map(|of| Some(format!("{} {}", of.method, rate(of.per_s?)))).collect::<Vec<_>>().join(", ")
    };
    let told = move |target: &TargetRecord| {
        let (given, rates) = (&target.facts.given, of_one(target.pg_test_fsync.as_ref()?));
        Some(format!("pg_test_fsync on {given}, one write each time, a second: {rates}; all its rates are in a report"))
    };
    record.targets.iter().filter_map(told)
}
