//! Figures that charts are drawn of: those of a job, with its conditions, and the rates of databases.

use super::Conditions;
use ioproof_core::job_figures::{JobFigures, job_figures};
use ioproof_core::judgement::Judgement;
use ioproof_core::layers::{self, LayerRow};
use ioproof_core::record::RunRecord;
use ioproof_core::stats::Estimate;
use ioproof_core::text::visible;
use ioproof_core::verdict::Row;
use std::ops::Deref;

/// Figures of a job.
pub(crate) struct Chart {
    pub conditions: Conditions,
    figures: JobFigures,
}

impl Deref for Chart {
    type Target = JobFigures;

    fn deref(&self) -> &JobFigures {
        &self.figures
    }
}

/// The charts of all jobs that were measured.
pub(super) fn charts(record: &RunRecord, rows: &[Row]) -> Vec<Chart> {
    let conditions = |job: u32| Conditions::of_job(job, record).unwrap_or_else(|| Conditions::new(&record.jobs[job as usize].workload));
    job_figures(record, rows).into_iter().map(|figures| Chart { conditions: conditions(figures.job), figures }).collect()
}

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
    /// Error that ended the run of a database; `None` where none did.
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
        let rows = judgement.results.layers.iter().flat_map(|layers| &layers.rows);
        Self {
            measured: rows.filter_map(|row| Some((row, row.database?))).map(view).collect(),
            without_figure: layers::without_figure(record).into_iter().map(|(name, why)| (visible(&name), visible(&why))).collect(),
        }
    }
}
