//! A database of a run, and what came of each of its rounds.
//!
//! A database is no job: it makes its own I/O, of which only the kernel's counters around its stage tell. So a stage with a round of a database has no rounds of
//! jobs, and rules that look at the bytes of jobs have nothing to look at.

use super::RoundOutcome;
use crate::base::serde_skip::is_zero;
use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Program that keeps the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DatabaseKind {
    /// SQLite, within this process.
    #[default]
    Sqlite,
    /// PostgreSQL, a server of its own.
    Postgres,
}

impl DatabaseKind {
    /// Its name as its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The transaction that clients repeat: the three standard scripts of pgbench (PostgreSQL's manual, pgbench, `--builtin`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// Three updates, a read and an insert.
    #[default]
    TpcbLike,
    /// The same without the updates of the small tables, which all clients would wait for.
    SimpleUpdate,
    /// One read.
    SelectOnly,
}

impl Mix {
    pub const ALL: [Self; 3] = [Self::TpcbLike, Self::SimpleUpdate, Self::SelectOnly];

    pub fn name(self) -> &'static str {
        match self {
            Self::TpcbLike => "tpcb-like",
            Self::SimpleUpdate => "simple-update",
            Self::SelectOnly => "select-only",
        }
    }

    /// True where each transaction is a commit that must last.
    pub fn writes(self) -> bool {
        self != Self::SelectOnly
    }
}

/// A script of the user's own that clients repeat in place of a standard transaction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScriptRecord {
    /// Name of its file, without the folder.
    pub name: String,
    /// Share of all transactions that it has, over the sum of all weights.
    pub weight: u32,
    /// SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

impl ScriptRecord {
    /// `bank.sql@3 (9f86d081884c)`: by its digest other content is told under the same name.
    pub fn in_words(&self) -> String {
        let Self { name, weight, sha256 } = self;
        format!("{name}@{weight} ({})", sha256.get(..12).unwrap_or(sha256))
    }
}

/// A server that was given, where the database is none of our own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerRecord {
    /// Its address: `/run/postgresql:5432`, `db.example.org:5433`.
    pub address: String,
    /// The database of it that was named.
    pub database: String,
    /// The reason for which its files are not known to lie on the target; none where they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
}

/// One database.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseRecord {
    /// Its name in reports: `SQLite, WAL, synchronous FULL`.
    pub title: String,
    /// The program.
    pub kind: DatabaseKind,
    /// Version of the program.
    pub version: String,
    /// The server that was given, in place of one of our own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerRecord>,
    /// Position of the target that its files lie on, in the run's list; of a server that was given, of the one that it is held against.
    pub target: u32,
    /// The transaction, unless there are scripts.
    pub mix: Mix,
    /// Scripts of the user's own in place of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<ScriptRecord>,
    /// Branches; each has 10 tellers and 100,000 accounts.
    pub scale: u32,
    /// Connections, each with one transaction under way.
    pub clients: u32,
    /// Size of its pages. Bytes.
    pub page_bytes: u32,
    /// Its own cache, of all clients together. Bytes.
    pub cache_bytes: u64,
    /// Size of its data once it was made. Bytes.
    pub size_bytes: u64,
    /// Share of its data that its filesystem kept compressed once it was made, 0 to 1; none where that is not told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed_share: Option<f64>,
    /// Every setting that bears on a figure, by the program's own name for it.
    pub settings: Vec<(String, String)>,
}

impl DatabaseRecord {
    /// A setting by the program's own name for it; none where the record does not have it.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The reason for which its files are not known to lie on its target, so that neither the counters of its drives nor its durable writes are the database's; none where they do.
    pub fn apart(&self) -> Option<&str> {
        self.server.as_ref()?.apart.as_deref()
    }

    /// True where each transaction is known to be a commit that must last; of scripts of the user's own that is not known.
    pub fn commits(&self) -> bool {
        self.scripts.is_empty() && self.mix.writes()
    }

    /// The transaction by its name, or the scripts in place of it.
    pub fn transaction(&self) -> String {
        let scripts: Vec<String> = self.scripts.iter().map(ScriptRecord::in_words).collect();
        if scripts.is_empty() { self.mix.name().to_owned() } else { scripts.join(" + ") }
    }

    /// `1 client`, `8 clients`.
    pub fn clients_in_words(&self) -> String {
        if self.clients == 1 { "1 client".to_owned() } else { format!("{} clients", self.clients) }
    }

    /// The same with other clients. Each of SQLite's has a cache of its own.
    #[must_use]
    pub fn with_clients(&self, clients: u32) -> Self {
        let of_one = self.cache_bytes / u64::from(self.clients.max(1));
        let cache_bytes = if self.kind == DatabaseKind::Sqlite { of_one * u64::from(clients) } else { self.cache_bytes };
        Self { clients, cache_bytes, ..self.clone() }
    }
}

/// One slice of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DatabaseSlice {
    /// End of the slice since the measurement began. Nanoseconds.
    pub end_ns: u64,
    /// Length of the slice. Nanoseconds.
    pub length_ns: u64,
    /// Transactions that ended in it.
    pub transactions: u64,
    /// Their mean latency. Nanoseconds.
    pub latency_ns_mean: u64,
    /// The longest of them. Nanoseconds.
    pub latency_ns_max: u64,
}

/// The log that a database wrote over a round, by its own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WalCounts {
    /// Records.
    pub records: u64,
    /// Images of whole pages among them.
    pub full_page_images: u64,
    /// All of it. Bytes.
    pub bytes: u64,
}

/// Checkpoints that a database began within a round, by its own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointCounts {
    /// Since their time had come.
    pub timed: u64,
    /// Since they were asked for, as a log does that has grown to its limit.
    pub requested: u64,
}

/// A round of a database.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DatabaseRound {
    /// Position of the database in the run's list.
    pub database: u32,
    /// Its end.
    pub outcome: RoundOutcome,
    /// Length of the measurement without the warm-up. Nanoseconds.
    pub elapsed_ns: u64,
    /// Transactions that ended well within it.
    pub transactions: u64,
    /// Transactions that failed within it and were given up.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: u64,
    /// Times that a transaction met a lock for longer than its patience and was begun again.
    #[serde(skip_serializing_if = "is_zero")]
    pub retried: u64,
    /// Transactions of the whole round, warm-up included; to hold against the stage's counters.
    pub total_transactions: u64,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Times of whole transactions, with all of their retries.
    pub latency: Histogram,
    /// The same of those that were under way when the measurement ended, and count otherwise for nothing. One that was given up then has the time that it had taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Histogram>,
    /// Times of the commit alone, where it is timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<Histogram>,
    /// Checkpoints that ended within the whole round; none where they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<u64>,
    /// Checkpoints that were begun within the whole round, by their causes; none where the database does not tell them apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints_begun: Option<CheckpointCounts>,
    /// Its log over the whole round; none where the database does not count it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wal: Option<WalCounts>,
    /// Bytes that the database handed to its filesystem over the whole round; none where they are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// CPU time of the database and its clients over the whole round; none where it is not counted. Nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Transactions per second over time.
    pub intervals: Vec<DatabaseSlice>,
    /// Transactions per second as the database's own benchmark printed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_per_s: Option<f64>,
}

impl DatabaseRound {
    /// Times of all transactions, also of those that outlived the measurement.
    pub fn timed(&self) -> Cow<'_, Histogram> {
        self.latency.and(self.late.as_ref())
    }

    pub fn failed(database: u32, error: impl Into<String>) -> Self {
        Self { database, outcome: RoundOutcome::Failed, error: Some(error.into()), ..Self::default() }
    }

    pub fn per_s(&self) -> f64 {
        if self.elapsed_ns == 0 { 0.0 } else { self.transactions as f64 * 1e9 / self.elapsed_ns as f64 }
    }

    pub fn counts(&self) -> bool {
        self.outcome == RoundOutcome::Complete && self.transactions > 0
    }

    /// So much of the whole round for each of its transactions; none without any.
    pub fn per_transaction(&self, of_all: f64) -> Option<f64> {
        (self.total_transactions > 0).then(|| of_all / self.total_transactions as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings;
    use crate::judge::judge;
    use crate::measured::Context;
    use crate::record::{DeviceCounters, Stage};
    use crate::testing::record;

    #[test]
    fn rates_are_of_the_measurement_and_counters_of_the_whole_round() {
        let round = DatabaseRound { elapsed_ns: 2_000_000_000, transactions: 500, total_transactions: 800, ..DatabaseRound::default() };
        assert_eq!((round.per_s(), round.per_transaction(1600.0)), (250.0, Some(2.0)));
        assert_eq!((DatabaseRound::default().per_s(), DatabaseRound::default().per_transaction(1.0)), (0.0, None));
        assert!(round.counts() && !DatabaseRound::failed(0, "no").counts());
    }

    #[test]
    fn a_stage_of_a_database_changes_nothing_that_is_said_of_jobs() {
        let plain = record();
        let mut with = plain.clone();
        // Far more at the drive than any job moved.
        let drive =
            DeviceCounters { name: "nvme0n1".into(), is_drive: true, write_bytes: 1 << 45, flush_ios: 9, ..DeviceCounters::default() };
        let round = DatabaseRound { elapsed_ns: 1, transactions: 1, ..DatabaseRound::default() };
        for at in [0, 3, with.stages.len()] {
            with.stages.insert(at, Stage { devices: Some(vec![drive.clone()]), databases: vec![round.clone()], ..Stage::default() });
        }
        let (before, after) = (Context::new(&plain), Context::new(&with));
        for (one, other) in before.measured.iter().zip(&after.measured) {
            assert_eq!(before.accounts(one), after.accounts(other));
        }
        assert_eq!(findings::find(&before), findings::find(&after));
        assert_eq!(judge(&plain).exit_status, judge(&with).exit_status);
    }

    #[test]
    fn scripts_stand_in_place_of_the_transaction_and_none_is_known_as_a_commit() {
        let standard = DatabaseRecord::default();
        assert_eq!((standard.transaction().as_str(), standard.commits()), ("tpcb-like", true));
        let script = |name: &str, weight| ScriptRecord { name: name.into(), weight, sha256: "9f86d081884c7d65".into() };
        let own = DatabaseRecord { scripts: vec![script("a.sql", 3), script("b.sql", 1)], ..standard };
        assert_eq!(own.transaction(), "a.sql@3 (9f86d081884c) + b.sql@1 (9f86d081884c)");
        assert!(!own.commits());
    }

    #[test]
    fn older_records_have_none_and_write_none() {
        let text = serde_json::to_string(&record()).unwrap();
        assert!(!text.contains("databases"));
        let round = DatabaseRound::failed(1, "gone");
        let text = serde_json::to_string(&round).unwrap();
        assert!(!text.contains("wal") && !text.contains("checkpoints"), "{text}");
        assert_eq!(serde_json::from_str::<DatabaseRound>(&serde_json::to_string(&round).unwrap()).unwrap(), round);
    }
}
