//! The claims that a job is judged by, and those that the run did not measure.

use ioproof_core::claim::{Claim, words};
use ioproof_core::plan::SkipReason;
use ioproof_core::record::RunRecord;
use ioproof_core::verdict::Row;

/// The claims that a job is judged by; without a job those of the first datasheet.
pub(super) fn claims_of(job: Option<u32>, record: &RunRecord) -> &[Claim] {
    let of_job = job.and_then(|job| record.datasheet_of(record.jobs.get(job as usize)?));
    let used = of_job.or_else(|| record.targets.iter().find_map(|target| target.datasheet.as_ref()));
    used.map(|used| used.datasheet.claims.as_slice()).unwrap_or_default()
}

/// A claim that the run did not measure.
pub(crate) struct SkippedView {
    pub claim: String,
    pub reason: &'static str,
}

/// The skipped claims that have no row of their own. A figure for another capacity is not about this drive and is left out.
pub(crate) fn skipped(record: &RunRecord, rows: &[Row]) -> Vec<SkippedView> {
    let claims = claims_of(None, record);
    let of_this_drive = record.plan.iter().flat_map(|plan| &plan.skipped).filter(|s| s.reason != SkipReason::OtherCapacity);
    let without_row = of_this_drive.filter(|s| !rows.iter().any(|row| row.claim == Some(s.claim)));
    without_row
        .map(|s| SkippedView {
            claim: claims.get(s.claim).map_or_else(|| format!("claim {}", s.claim), words::describe_figure),
            reason: s.reason.title(),
        })
        .collect()
}
