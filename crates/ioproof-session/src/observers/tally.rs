//! Results of a run so far, a figure a job: for whoever asks by SIGUSR1, and for the live view.

use ioproof_core::claim::Metric;
use ioproof_core::record::{Purpose, RunRecord, Stage};
use ioproof_core::stats::median;
use ioproof_core::units::rate;

/// Jobs that are named; of the others there is the number.
const MOST: usize = 20;

/// Figures of all jobs and databases that have some.
#[derive(Debug, Default)]
pub struct RunTally {
    jobs: Vec<FigureSoFar>,
    databases: Vec<FigureSoFar>,
}

/// The values of a job's or a database's rounds that counted.
#[derive(Debug)]
struct FigureSoFar {
    position: u32,
    title: String,
    /// None for transactions of a database.
    metric: Option<Metric>,
    values: Vec<f64>,
}

impl RunTally {
    pub fn add(&mut self, stage: &Stage, record: &RunRecord) {
        let rounds = stage.rounds.iter().filter(|round| stage.purpose == Purpose::Measure && round.counts());
        for round in rounds {
            let Some(job) = record.jobs.get(round.job as usize) else { continue };
            let metric = job.workload.main_metric();
            add(&mut self.jobs, round.job, &job.title_with_depth(), Some(metric), round.value_of(metric));
        }
        for round in stage.databases.iter().filter(|round| round.counts()) {
            let Some(of) = record.databases.get(round.database as usize) else { continue };
            add(&mut self.databases, round.database, &of.title, None, round.per_s());
        }
    }

    pub fn lines(&self) -> Vec<String> {
        let more = self.jobs.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("and {more} more"));
        self.jobs.iter().take(MOST).map(FigureSoFar::line).chain(more).chain(self.databases.iter().map(FigureSoFar::line)).collect()
    }
}

fn add(to: &mut Vec<FigureSoFar>, position: u32, title: &str, metric: Option<Metric>, value: f64) {
    match to.iter_mut().find(|known| known.position == position) {
        Some(known) => known.values.push(value),
        None => to.push(FigureSoFar { position, title: title.to_owned(), metric, values: vec![value] }),
    }
}

impl FigureSoFar {
    /// The median, as the report will have it.
    fn line(&self) -> String {
        let middle = median(&self.values).unwrap_or(f64::NAN);
        let figure = match self.metric {
            None => format!("{} transactions/s", rate(middle)),
            Some(Metric::Latency) => format!("latency {}", Metric::Latency.show(middle)),
            Some(metric) => metric.show(middle),
        };
        let of = if self.values.len() == 1 { "1 run".to_owned() } else { format!("median of {} runs", self.values.len()) };
        format!("{}: {figure} ({of})", self.title)
    }
}
