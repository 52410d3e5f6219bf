//! The figures of a job that charts are drawn of, with its conditions.

use super::Conditions;
use ioproof_core::job_figures::{JobFigures, job_figures};
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Row;
use std::ops::Deref;

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
