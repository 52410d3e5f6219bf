//! Mistakes between jobs.

use super::job::Job;
use crate::complaint::Complaint;

pub(super) fn complaints(jobs: &[Job]) -> Vec<Complaint> {
    jobs.iter().enumerate().filter_map(|(at, job)| wait_for(job, &jobs[..at])).collect()
}

fn wait_for(job: &Job, before: &[Job]) -> Option<Complaint> {
    let awaited = job.settings.start.wait_for.as_ref()?;
    if *awaited == job.name {
        return Some(Complaint::at(&job.place, format!("the job {awaited} cannot wait for itself")));
    }
    match before.iter().filter(|other| other.name == *awaited).count() {
        0 => {
            let text = format!("the job {} waits for {awaited}, but no job of this name comes before it", job.name);
            Some(Complaint::at(&job.place, text))
        }
        1 => None,
        count => {
            Some(Complaint::at(&job.place, format!("the job {} waits for {awaited}, but {count} jobs before it have this name", job.name)))
        }
    }
}
