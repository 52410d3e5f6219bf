//! The rounds of a database that count, each with its stage, and the figures that follow from both.

use crate::measured::{Context, Measured};
use crate::record::verbs::LAYERS;
use crate::record::{DatabaseRecord, DatabaseRound, DeviceCounters, Purpose, RunRecord, Stage};
use crate::stats::Estimate;

#[derive(Debug)]
pub(crate) struct DatabaseTurns<'a> {
    pub database: &'a DatabaseRecord,
    /// Its rounds that count, in the order of time.
    pub all: Vec<DatabaseTurn<'a>>,
    record: &'a RunRecord,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct DatabaseTurn<'a> {
    pub database: &'a DatabaseRecord,
    pub stage: &'a Stage,
    pub round: &'a DatabaseRound,
}

impl<'a> DatabaseTurns<'a> {
    /// Those of the database at this position; none where there is no such database.
    pub(crate) fn of(record: &'a RunRecord, database: u32) -> Option<Self> {
        let of = record.databases.get(database as usize)?;
        let measured = record.stages.iter().filter(|stage| stage.purpose == Purpose::Measure);
        let all = measured.flat_map(|stage| stage.databases.iter().map(move |round| DatabaseTurn { database: of, stage, round }));
        let all = all.filter(|turn| turn.round.database == database && turn.round.counts()).collect();
        Some(Self { database: of, all, record })
    }

    /// Every database of a run of `layers` with a round that counts; none of other verbs.
    pub(crate) fn each(record: &'a RunRecord) -> impl Iterator<Item = Self> {
        let databases = if record.verb == LAYERS { record.databases.len() as u32 } else { 0 };
        (0..databases).filter_map(move |database| Self::of(record, database)).filter(|turns| !turns.all.is_empty())
    }

    /// Its title, with its clients where it was measured with several numbers of them.
    pub(crate) fn title(&self) -> String {
        let all = self.record.databases.iter();
        let is_swept = all.filter(|other| super::clients::are_one(other, self.database)).count() > 1;
        let clients = if is_swept { format!(", {}", self.database.clients_in_words()) } else { String::new() };
        self.database.title.clone() + &clients
    }

    /// The same, with its directory where there are several.
    pub(crate) fn name(&self) -> String {
        let several = self.record.targets.iter().filter(|target| target.below.is_none()).count() > 1;
        let at = self.record.targets.get(self.database.target as usize).filter(|_| several);
        at.map_or_else(|| self.title(), |target| format!("{} on {}", self.title(), target.facts.given))
    }

    /// A remedy that names flags for settings: those of a server that was given are its keeper's to set.
    pub(crate) fn remedy(&self, text: &str) -> String {
        match self.database.server {
            Some(_) => format!("in the settings of the server: {}", text.replace("--db-set ", "")),
            None => text.to_owned(),
        }
    }

    /// Median and interval of a figure of each turn that has it.
    pub(crate) fn estimate(&self, value: &dyn Fn(&DatabaseTurn) -> Option<f64>) -> Option<Estimate> {
        let values: Vec<f64> = self.all.iter().filter_map(value).collect();
        Estimate::of(&values, self.record.policy.confidence)
    }

    /// Transactions of all turns, warm-up included.
    pub(crate) fn transactions(&self) -> u64 {
        self.all.iter().map(|turn| turn.round.total_transactions).fold(0, u64::saturating_add)
    }

    pub(crate) fn durable_writes<'b>(&self, context: &'b Context<'a>) -> Option<&'b Measured<'a>> {
        super::durable_writes(context, self.database)
    }
}

impl DatabaseTurn<'_> {
    /// The drives that its files lie on, as far as they are known and counted.
    fn drives(&self) -> Option<Vec<&DeviceCounters>> {
        if self.database.apart().is_some() { None } else { self.stage.counted_drives() }
    }

    /// Flushes for each transaction, of the drive that was sent most; none where they were not counted.
    pub(crate) fn flushes(&self) -> Option<f64> {
        let flushes = self.drives()?.iter().map(|drive| drive.flush_ios).max()?;
        self.round.per_transaction(flushes as f64)
    }

    /// Bytes that were written to the drives; none where they were not counted.
    pub(crate) fn drive_bytes(&self) -> Option<f64> {
        Some(self.drives()?.iter().map(|drive| drive.write_bytes).sum::<u64>() as f64)
    }

    /// The same for each byte that the database handed down; none where either was not counted.
    pub(crate) fn drive_bytes_per_byte(&self) -> Option<f64> {
        let written = self.round.written_bytes.filter(|bytes| *bytes > 0)?;
        Some(self.drive_bytes()? / written as f64)
    }
}
