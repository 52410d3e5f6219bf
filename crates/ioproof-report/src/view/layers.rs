//! Layers held against one another as two tables: how fast each is, and what each of its commits costs.

use super::bars::{self, BarChart, Placed};
use super::facts::fact_of_bytes;
use super::section::{Fact, Section, fact};
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{self, Account, FilesystemVerdict, LayerRow, Layers, PoolShare};
use ioproof_core::record::{DatabaseRecord, PgTestFsync, RunRecord, SyncRate, TargetRecord};
use ioproof_core::results::with_ends;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::units::{latency, rate, three_digits};
use ioproof_core::verdict::Verdict;

/// Everything about layers.
#[derive(Debug, Clone)]
pub(crate) struct LayersView {
    pub rows: Vec<LayerView>,
    /// True where a target must be named, since there are several.
    pub has_targets: bool,
    pub says: Vec<String>,
    /// Reads through a filesystem against those of the drives before it was made on them.
    pub pool: Vec<PoolShare>,
    /// The answers of policy to filesystems.
    pub answers: Vec<AnswerView>,
    /// Shares of each layer in the one below it, as bars.
    pub shares: Vec<BarChart>,
    /// A sentence on the layers that have none.
    pub left_out: Option<String>,
    /// Costs of each commit, as bars.
    pub costs: Vec<BarChart>,
    /// Databases without a figure, and why.
    pub without_figure: Vec<(String, String)>,
    /// Databases that failed, by position, and why.
    pub failed: Vec<(u32, String)>,
    /// The command that holds two directories of the run against each other.
    compared_by: Option<String>,
}

impl LayersView {
    /// All sentences of a report that has no comparison, with the command that makes one of the same format.
    pub fn sentences(&self, extension: &str) -> Vec<String> {
        let compared = |command: &String| format!("both directories are held against each other by {command} -o FILE.{extension}");
        self.says.iter().cloned().chain(self.compared_by.iter().map(compared)).collect()
    }
}

/// The answer of policy to a filesystem.
#[derive(Debug, Clone)]
pub(crate) struct AnswerView {
    pub verdict: Verdict,
    /// Its target as it was given.
    pub target: String,
    /// The reads that its own are held against, in words.
    pub below: &'static str,
    /// The least share of these. 0 to 1.
    pub threshold: f64,
    /// The share that was had, in words with its interval; empty where none was told.
    pub share: String,
    /// The rules that bear on it.
    pub why: String,
}

/// One layer, each figure with its unit.
#[derive(Debug, Clone)]
pub(crate) struct LayerView {
    /// The raw figures.
    pub row: LayerRow,
    /// Its target as it was given.
    pub target: String,
    pub title: String,
    /// Cells behind the title, in the order of [`SPEED_COLUMNS`].
    pub speed: [String; SPEED_COLUMNS.len()],
    /// Cells behind the title, in the order of [`COST_COLUMNS`].
    pub cost: [String; COST_COLUMNS.len()],
    /// Transactions a second in each turn of a database; empty for other layers.
    pub turns: Vec<f64>,
}

impl LayerView {
    /// The title, with its directory where there are several.
    pub fn name(&self, has_targets: bool) -> String {
        if has_targets { format!("{} on {}", self.title, self.target) } else { self.title.clone() }
    }
}

/// Columns of the first table behind the layer.
pub(crate) const SPEED_COLUMNS: [&str; 6] = ["each second", "of the layer below", "p50", "p99", "commit p50", "n"];
/// Columns of the second table behind the layer.
pub(crate) const COST_COLUMNS: [&str; 4] = ["flushes", "written (KiB)", "for each byte", "CPU (µs)"];

/// The meaning of the columns.
pub(crate) const LAYERS_LEGEND: &str = "Reads and writes of the filesystem go past the page cache, those of a database through it. A commit is a durable write of the \
                                        filesystem, or a transaction of the database that writes. Each second: reads, durable writes or transactions, median of n \
                                        turns with its interval. Of the layer below, in the same turn: reads of the file for reads of the same blocks past its \
                                        filesystem, commits of the database for durable writes of the filesystem: the median of these shares, which \
                                        need not be that of the medians. Flushes and KiB written at the drive are for each commit, by the drive's count, with those of others; for each byte: bytes at the drive for a byte that the layer \
                                        handed down. CPU time is for each commit, of reads for each read. In square brackets: the \
                                        smallest and the largest of too few turns for an interval.";

/// The layers of a run; none of other verbs.
pub(super) fn layers(record: &RunRecord, judgement: &Judgement) -> Option<LayersView> {
    let told = judgement.layers.as_ref()?;
    let (rows, has_targets) = (told.rows.iter().map(|row| view(row, record)).collect::<Vec<_>>(), directories(record) > 1);
    let place = |account: &Account| if has_targets { given(record, account.target) } else { String::new() };
    let accounts: Vec<Placed> = told.accounts.iter().map(|account| (place(account), account, told.verdict_of(account))).collect();
    Some(LayersView {
        has_targets,
        shares: bars::shares(&accounts),
        left_out: bars::left_out(&accounts),
        without_figure: layers::without_figure(record).into_iter().map(|(name, why)| (visible(&name), visible(&why))).collect(),
        failed: layers::failed(record).into_iter().map(|(database, why)| (database, visible(&why))).collect(),
        compared_by: (directories(record) == 2).then(|| format!("ioproof compare {}", visible(&record.id))),
        costs: bars::costs(&rows, has_targets),
        rows,
        says: told.says.iter().cloned().chain(pg_test_fsync(record)).map(|text| visible(&text)).collect(),
        pool: told.pool.clone(),
        answers: told.verdicts.iter().map(|verdict| answer(verdict, told, record)).collect(),
    })
}

/// The rates of pg_test_fsync for one write, in a sentence for each directory.
fn pg_test_fsync(record: &RunRecord) -> impl Iterator<Item = String> + '_ {
    let of_one = |rates: &PgTestFsync| {
        let one = rates.rates.iter().filter(|of| of.test == "one write");
        one.filter_map(|of| Some(format!("{} {}", of.method, rate(of.per_s?)))).collect::<Vec<_>>().join(", ")
    };
    let told = move |target: &TargetRecord| {
        let rates = target.pg_test_fsync.as_ref()?;
        Some(format!(
            "pg_test_fsync on {}, one write each time, a second: {}; all its rates are in a report",
            target.facts.given,
            of_one(rates)
        ))
    };
    record.targets.iter().filter_map(told)
}

fn answer(told: &FilesystemVerdict, layers: &Layers, record: &RunRecord) -> AnswerView {
    AnswerView {
        verdict: told.verdict,
        target: given(record, told.target),
        below: told.below.title(),
        threshold: told.threshold,
        share: layers.share_of(told).map_or_else(String::new, in_percent),
        why: told.why(),
    }
}

/// A target as it was given.
pub(super) fn given(record: &RunRecord, target: u32) -> String {
    record.targets.get(target as usize).map_or_else(String::new, |target| visible(&target.facts.given))
}

fn in_percent(share: Estimate) -> String {
    format!("{} %", with_ends(share, |share| three_digits(share * 100.0)))
}

fn view(row: &LayerRow, record: &RunRecord) -> LayerView {
    let dash = || "-".to_owned();
    let time = |ns: Option<u64>| ns.map_or_else(dash, |ns| latency(ns as f64));
    let shown = |estimate: Option<Estimate>, show: fn(f64) -> String| estimate.map_or_else(dash, |estimate| with_ends(estimate, show));
    LayerView {
        target: given(record, row.target),
        title: visible(&row.title),
        speed: [
            with_ends(row.per_s, rate),
            row.share.map_or_else(dash, in_percent),
            time(row.latency.p50_ns),
            time(row.latency.p99_ns),
            time(row.commit.and_then(|commit| commit.p50_ns)),
            row.per_s.runs.to_string(),
        ],
        cost: [
            shown(row.flushes_per_commit, |n| format!("{n:.2}")),
            shown(row.drive_bytes_per_commit, |bytes| three_digits(bytes / 1024.0)),
            shown(row.drive_bytes_per_byte, three_digits),
            shown(row.cpu_ns_each, |ns| three_digits(ns / 1000.0)),
        ],
        turns: row.database.map(|database| layers::rates(record, database)).unwrap_or_default(),
        row: row.clone(),
    }
}

/// Targets but the devices below them.
fn directories(record: &RunRecord) -> usize {
    record.targets.iter().filter(|target| target.below.is_none()).count()
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
        let several = record.targets.get(database.target as usize).filter(|_| directories(record) > 1);
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
