//! Databases: the rate of each, the figures of its rounds by its own count and second by second, and every setting that bears on them.

use super::facts::fact_of_bytes;
use super::rounds::describe_outcome;
use super::section::{Fact, Section, fact};
use super::stages::describe_purpose;
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{self, LayerRow};
use ioproof_core::record::{DatabaseRecord, DatabaseRound, DatabaseSlice, PgTestFsync, RunRecord, Stage, SyncRate};
use ioproof_core::stats::Estimate;
use ioproof_core::syncs::Times;
use ioproof_core::text::visible;
use ioproof_core::units::rate;

/// The databases of a run.
pub(crate) struct Databases {
    pub measured: Vec<DatabaseView>,
    /// Those without a figure, and why.
    pub without_figure: Vec<(String, String)>,
}

/// A database with its rate.
pub(crate) struct DatabaseView {
    /// The title, with its directory where there are several.
    pub name: String,
    /// Transactions a second, of all turns and in each.
    pub per_s: Estimate,
    pub turns: Vec<f64>,
    /// The error by which it ended.
    pub failed: Option<String>,
}

impl Databases {
    pub(super) fn new(record: &RunRecord, judgement: &Judgement) -> Self {
        let (failed, has_several) = (layers::failed(record), layers::directories(record) > 1);
        let view = |(row, database): (&LayerRow, u32)| {
            let place = if has_several { format!(" on {}", given(record, row.target)) } else { String::new() };
            DatabaseView {
                name: visible(&row.title) + &place,
                per_s: row.per_s,
                turns: layers::rates(record, database),
                failed: failed.iter().find(|(known, _)| *known == database).map(|(_, why)| visible(why)),
            }
        };
        let rows = judgement.layers.iter().flat_map(|layers| &layers.rows);
        Self {
            measured: rows.filter_map(|row| Some((row, row.database?))).map(view).collect(),
            without_figure: layers::without_figure(record).into_iter().map(|(name, why)| (visible(&name), visible(&why))).collect(),
        }
    }
}

/// A target as it was given.
pub(super) fn given(record: &RunRecord, target: u32) -> String {
    record.targets.get(target as usize).map_or_else(String::new, |target| visible(&target.facts.given))
}

/// Name of a figure, its statistic, unit and value.
pub(crate) type Figured = (&'static str, &'static str, &'static str, Option<f64>);

/// A round of a database.
pub(crate) struct DatabaseRoundView {
    pub stage: u32,
    pub purpose: &'static str,
    pub repetition: u32,
    pub started_at: String,
    pub outcome: &'static str,
    /// The database.
    pub title: String,
    /// Its target as it was given.
    pub target: String,
    pub clients: u32,
    /// Figures of the whole round; none is there that nobody counted.
    pub figures: Vec<Figured>,
    pub slices: Vec<DatabaseSlice>,
    pub error: String,
}

/// All of them in the order of time.
pub(super) fn rounds(record: &RunRecord) -> Vec<DatabaseRoundView> {
    let all = record.stages.iter().flat_map(|stage| stage.databases.iter().map(move |round| (round, stage)));
    all.filter_map(|(round, stage)| view(round, stage, record)).collect()
}

fn view(round: &DatabaseRound, stage: &Stage, record: &RunRecord) -> Option<DatabaseRoundView> {
    let database = record.databases.get(round.database as usize)?;
    Some(DatabaseRoundView {
        stage: stage.index,
        purpose: describe_purpose(stage.purpose),
        repetition: stage.repetition,
        started_at: visible(&stage.started_at),
        outcome: describe_outcome(round.outcome),
        title: visible(&database.title),
        target: given(record, database.target),
        clients: database.clients,
        figures: figures(round, record).into_iter().filter(|(.., value)| value.is_some()).collect(),
        slices: round.intervals.clone(),
        error: round.error.as_deref().map(visible).unwrap_or_default(),
    })
}

fn figures(round: &DatabaseRound, record: &RunRecord) -> Vec<Figured> {
    let counted = |n: u64| Some(n as f64);
    let of_times = |ns: Option<u64>| ns.and_then(counted);
    let latency = round.timed();
    let times = Times::of(&latency, record.policy.percentile_samples);
    let (wal, begun) = (round.wal.as_ref(), round.checkpoints_begun.as_ref());
    vec![
        ("transactions", "mean", "1/s", Some(round.per_s())),
        ("transaction_latency", "mean", "ns", latency.mean_ns()),
        ("transaction_latency", "p50", "ns", of_times(times.p50_ns)),
        ("transaction_latency", "p99", "ns", of_times(times.p99_ns)),
        ("transaction_latency", "p99.9", "ns", of_times(times.p999_ns)),
        ("transaction_latency", "max", "ns", of_times(times.max_ns)),
        ("commit_latency", "mean", "ns", round.commit.as_ref().and_then(|commit| commit.mean_ns())),
        ("transactions", "count", "", counted(round.transactions)),
        ("transactions_of_whole_round", "count", "", counted(round.total_transactions)),
        ("transactions_failed", "count", "", counted(round.failed)),
        ("transactions_retried", "count", "", counted(round.retried)),
        ("elapsed", "sum", "ns", counted(round.elapsed_ns)),
        ("written", "sum", "B", round.written_bytes.and_then(counted)),
        ("cpu_time", "sum", "ns", round.cpu_ns.and_then(counted)),
        ("log_written", "sum", "B", wal.and_then(|wal| counted(wal.bytes))),
        ("log_records", "count", "", wal.and_then(|wal| counted(wal.records))),
        ("log_page_images", "count", "", wal.and_then(|wal| counted(wal.full_page_images))),
        ("checkpoints", "count", "", round.checkpoints.and_then(counted)),
        ("checkpoints_timed", "count", "", begun.and_then(|begun| counted(begun.timed))),
        ("checkpoints_requested", "count", "", begun.and_then(|begun| counted(begun.requested))),
    ]
}

/// A section for each directory with rates of pg_test_fsync, and for each database, with every setting that bears on its figures.
pub(super) fn sections(record: &RunRecord) -> impl Iterator<Item = Section> + '_ {
    let of_rates = record.targets.iter().filter_map(|target| Some((target.facts.given.as_str(), target.pg_test_fsync.as_ref()?)));
    of_rates.map(|(given, rates)| sync_rates(given, rates)).chain(of_databases(record))
}

/// Rates of pg_test_fsync: one run, of which no interval can be told.
fn sync_rates(given: &str, rates: &PgTestFsync) -> Section {
    let title =
        format!("pg_test_fsync of PostgreSQL {} on {given}: one run of {} s each, without an interval", rates.version, rates.seconds);
    let shown = |of: &SyncRate| of.per_s.map_or_else(|| "not on this system".to_owned(), |per_s| format!("{} a second", rate(per_s)));
    let facts = rates.rates.iter().map(|of| fact(&visible(&format!("{}: {}", of.test, of.method)), shown(of), ""));
    Section { title: visible(&title), facts: facts.collect() }
}

fn of_databases(record: &RunRecord) -> impl Iterator<Item = Section> + '_ {
    record.databases.iter().map(|database| {
        let several = record.targets.get(database.target as usize).filter(|_| layers::directories(record) > 1);
        let place = several.map_or_else(String::new, |target| format!(" on {}", target.facts.given));
        Section { title: visible(&format!("{}{place}", database.title)), facts: facts(database) }
    })
}

fn facts(database: &DatabaseRecord) -> Vec<Fact> {
    let source = if database.scripts.is_empty() { "pgbench's standard script" } else { "own scripts" };
    let own = [
        fact("version", format!("{} {}", database.kind.title(), database.version), ""),
        fact("transaction", database.transaction(), source),
        fact("clients", database.clients.to_string(), ""),
        fact("scale", format!("{}, each of 100,000 accounts", database.scale), ""),
        fact_of_bytes("size", database.size_bytes),
        fact_of_bytes("page", database.page_bytes.into()),
        fact_of_bytes("its own cache", database.cache_bytes),
    ];
    let server = database.server.iter().flat_map(|server| {
        let apart = server.apart.as_ref().map(|why| fact("not held against the filesystem", why.as_str(), ""));
        [fact("server", server.address.as_str(), ""), fact("database", server.database.as_str(), "")].into_iter().chain(apart)
    });
    let digests = database.scripts.iter().map(|script| fact(&format!("SHA-256 of {}", script.name), script.sha256.as_str(), ""));
    own.into_iter()
        .chain(server)
        .chain(digests)
        .chain(database.settings.iter().map(|(name, value)| fact(name, value.as_str(), "")))
        .collect()
}
