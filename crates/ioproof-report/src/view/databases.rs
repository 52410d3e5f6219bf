//! Databases: the rate of each, and the figures of its rounds by its own count and second by second.

use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{self, Figured, LayerRow};
use ioproof_core::record::{DatabaseRound, DatabaseSlice, RunRecord, Stage};
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;

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
            let place = if has_several { format!(" on {}", record.given(row.target)) } else { String::new() };
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
        purpose: stage.purpose.title(),
        repetition: stage.repetition,
        started_at: visible(&stage.started_at),
        outcome: round.outcome.title(),
        title: visible(&database.title),
        target: record.given(database.target),
        clients: database.clients,
        figures: layers::figures(round, record).into_iter().filter(|(.., value)| value.is_some()).collect(),
        slices: round.intervals.clone(),
        error: round.error.as_deref().map(visible).unwrap_or_default(),
    })
}
