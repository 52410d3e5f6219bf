//! Results of a run so far, a figure a job: for whoever asks by SIGUSR1, and for the live view.

use ioproof_core::claim::Metric;
use ioproof_core::record::{Purpose, RunRecord, Stage};
use ioproof_core::units::rate;

/// Jobs that are named; of the others there is the number.
const MOST: usize = 20;

/// Figures of all jobs that have some.
#[derive(Debug, Default)]
pub struct RunTally {
    jobs: Vec<JobSoFar>,
    databases: Vec<OfDatabase>,
}

/// Transactions per second of a database over the rounds that counted.
#[derive(Debug)]
struct OfDatabase {
    database: u32,
    title: String,
    rounds: u32,
    sum: f64,
}

/// Figures of a job over the rounds that counted.
#[derive(Debug)]
struct JobSoFar {
    job: u32,
    title: String,
    metric: Metric,
    rounds: u32,
    sum: f64,
}

impl RunTally {
    pub fn add(&mut self, stage: &Stage, record: &RunRecord) {
        self.add_databases(stage, record);
        let rounds = stage.rounds.iter().filter(|round| stage.purpose == Purpose::Measure && round.counts());
        for round in rounds {
            let Some(job) = record.jobs.get(round.job as usize) else { continue };
            let position = self.jobs.iter().position(|known| known.job == round.job).unwrap_or_else(|| {
                let metric = job.workload.main_metric();
                self.jobs.push(JobSoFar { job: round.job, title: job.title_with_depth(), metric, rounds: 0, sum: 0.0 });
                self.jobs.len() - 1
            });
            let known = &mut self.jobs[position];
            known.rounds += 1;
            known.sum += round.value_of(known.metric);
        }
    }

    fn add_databases(&mut self, stage: &Stage, record: &RunRecord) {
        for round in stage.databases.iter().filter(|round| round.counts()) {
            let Some(of) = record.databases.get(round.database as usize) else { continue };
            let position = self.databases.iter().position(|known| known.database == round.database).unwrap_or_else(|| {
                self.databases.push(OfDatabase { database: round.database, title: of.title.clone(), rounds: 0, sum: 0.0 });
                self.databases.len() - 1
            });
            let known = &mut self.databases[position];
            (known.rounds, known.sum) = (known.rounds + 1, known.sum + round.per_s());
        }
    }

    pub fn lines(&self) -> Vec<String> {
        let more = self.jobs.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("and {more} more"));
        self.jobs.iter().take(MOST).map(JobSoFar::line).chain(more).chain(self.databases.iter().map(OfDatabase::line)).collect()
    }
}

impl OfDatabase {
    fn line(&self) -> String {
        let runs = if self.rounds == 1 { "run" } else { "runs" };
        format!("{}: {} transactions/s (mean of {} {runs})", self.title, rate(self.sum / f64::from(self.rounds)), self.rounds)
    }
}

impl JobSoFar {
    fn line(&self) -> String {
        let mean = self.sum / f64::from(self.rounds);
        let what = if self.metric == Metric::Latency { "latency " } else { "" };
        let runs = if self.rounds == 1 { "run" } else { "runs" };
        format!("{}: {what}{} (mean of {} {runs})", self.title, self.metric.show(mean), self.rounds)
    }
}
