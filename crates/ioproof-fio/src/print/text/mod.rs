//! fio's normal text, from the first job to the disks. The lines before it, one a job with its options, belong to whoever starts them.

mod job;
mod latency;
mod samples;
mod tail;
mod totals;

use crate::results::Results;
use ioproof_core::text::visible;
use std::collections::BTreeSet;

pub fn text(results: &Results) -> String {
    let jobs: String = results.jobs.iter().map(|job| job::job(job, &results.time)).collect();
    let groups: String = results.groups.iter().map(|group| totals::group(group, &results.jobs)).collect();
    format!("{}\n{jobs}{groups}{}", failures(results), totals::disks(&results.disks))
}

fn failures(results: &Results) -> String {
    let mut seen = BTreeSet::new();
    let interrupted = results.interrupted.then(|| "ioproof: interrupted: the figures are of what ran until then\n".to_owned());
    let lines = results.failures.iter().map(|one| format!("ioproof: {}\n", visible(&one.to_string())));
    interrupted.into_iter().chain(lines.filter(|line| seen.insert(line.clone()))).collect()
}
