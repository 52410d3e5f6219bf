//! Answers SIGUSR1 while a run goes on: what is under way and what was measured so far, a line a job. A job file's results so far, which fio gives then, are in
//! `job_files::so_far`.

use super::progress::rate;
use crate::interrupt;
use ioproof_core::claim::Metric;
use ioproof_core::record::{Purpose, RunRecord, Stage};
use ioproof_core::units::{duration, iops, latency, throughput};
use ioproof_runner::{Event, StageSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Jobs that are named; of the others there is the number.
const MOST: usize = 20;

/// Figures of a job over the rounds that counted.
#[derive(Debug)]
struct SoFar {
    job: u32,
    title: String,
    metric: Metric,
    rounds: u32,
    sum: f64,
}

/// Knows how far the run is, and whether somebody asks.
#[derive(Debug)]
pub struct Asked {
    asked: Arc<AtomicBool>,
    step: String,
    jobs: Vec<SoFar>,
}

impl Asked {
    /// From now on SIGUSR1 asks.
    pub fn new() -> Self {
        Self { asked: interrupt::asked(), step: "nothing is measured yet".to_owned(), jobs: Vec::new() }
    }

    /// Takes an event; gives the lines of the answer where somebody asks.
    pub fn observe(&mut self, event: &Event<'_>) -> Vec<String> {
        match event {
            Event::Step { text, left } => self.step = step(text, *left),
            Event::StageBegan(stage) => self.step = step(&title(stage), stage.left),
            Event::StageEnded { stage, record, .. } => self.add(stage, record),
            _ => {}
        }
        let moment = match event {
            Event::Tick(tick) if tick.live.iter().any(|live| live.counts().ios() > 0) => format!(", {} since it began", rate(tick)),
            Event::Progress { text } => format!(", {text}"),
            _ => String::new(),
        };
        if self.asked.swap(false, Relaxed) { self.answer(&moment) } else { Vec::new() }
    }

    fn add(&mut self, stage: &Stage, record: &RunRecord) {
        let rounds = stage.rounds.iter().filter(|round| stage.purpose == Purpose::Measure && round.counts());
        for round in rounds {
            let Some(job) = record.jobs.get(round.job as usize) else { continue };
            let position = self.jobs.iter().position(|known| known.job == round.job).unwrap_or_else(|| {
                let metric = job.workload.main_metric();
                self.jobs.push(SoFar { job: round.job, title: job.title(), metric, rounds: 0, sum: 0.0 });
                self.jobs.len() - 1
            });
            let known = &mut self.jobs[position];
            known.rounds += 1;
            known.sum += round.value_of(known.metric);
        }
    }

    fn answer(&self, moment: &str) -> Vec<String> {
        let under_way = format!("so far: {}{moment}", self.step);
        let more = self.jobs.len().saturating_sub(MOST);
        let more = (more > 0).then(|| format!("so far: and {more} more"));
        std::iter::once(under_way).chain(self.jobs.iter().take(MOST).map(SoFar::line)).chain(more).collect()
    }
}

impl SoFar {
    fn line(&self) -> String {
        let mean = self.sum / f64::from(self.rounds);
        let figure = match self.metric {
            Metric::Throughput => throughput(mean),
            Metric::Iops => iops(mean),
            Metric::Latency => format!("latency {}", latency(mean)),
        };
        let runs = if self.rounds == 1 { "run" } else { "runs" };
        format!("so far: {}: {figure} (mean of {} {runs})", self.title, self.rounds)
    }
}

fn title(stage: &StageSpec) -> String {
    match stage.tasks.len() {
        _ if !stage.title.is_empty() => stage.title.clone(),
        1 => "a job".to_owned(),
        jobs => format!("{jobs} jobs side by side"),
    }
}

fn step(text: &str, left: Option<Duration>) -> String {
    left.map_or_else(|| text.to_owned(), |left| format!("{text}, about {} left", duration(left)))
}
