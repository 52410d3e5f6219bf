//! fio's normal text, from the first job to the disks. The lines before it, one a job with its options, belong to whoever starts them.

mod amounts;
mod disk;
mod group;
mod job;
mod latency;
mod percentiles;
mod samples;
mod tail;

use ioproof_core::fio::results::Results;

/// The report as text.
#[must_use]
pub fn text(results: &Results) -> String {
    let jobs: String = results.jobs.iter().map(|job| job::job(job, &results.time)).collect();
    let groups: String = results.groups.iter().map(|group| group::group(group, &results.jobs)).collect();
    format!("\n{jobs}{groups}{}", disk::disks(&results.disks))
}

/// Text from outside with its control characters made visible, so that it stays on its line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}
