//! Answers SIGUSR1 while a run goes on: what is under way and what was measured so far, a line a job. A job file's results so far, which fio gives then, are in
//! `job_files::so_far`.

use super::progress::{ProgressStep, rate};
use super::tally::RunTally;
use ioproof_process::interrupt;
use ioproof_runner::{Event, StageSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Knows how far the run is, and whether somebody asks.
#[derive(Debug)]
pub struct StatusOnSignal {
    asked: Arc<AtomicBool>,
    step: ProgressStep,
    tally: RunTally,
}

impl StatusOnSignal {
    /// From now on SIGUSR1 asks.
    pub fn begin() -> Self {
        Self { asked: interrupt::asked(), step: ProgressStep::new("nothing is measured yet", None), tally: RunTally::default() }
    }

    /// Takes an event; gives the lines of the answer where somebody asks.
    pub fn observe(&mut self, event: &Event<'_>) -> Vec<String> {
        match event {
            Event::Step { text, left } => self.step = ProgressStep::new(text, *left),
            Event::StageBegan(stage) => self.step = ProgressStep::new(&title(stage), stage.left),
            Event::StageEnded { stage, record, .. } => self.tally.add(stage, record),
            _ => {}
        }
        let moment = match event {
            Event::Tick(tick) if tick.live.iter().any(|live| live.counts().ios() > 0) => format!(", {} since it began", rate(tick)),
            Event::Progress { text } => format!(", {text}"),
            _ => String::new(),
        };
        if self.asked.swap(false, Relaxed) { self.answer(&moment) } else { Vec::new() }
    }

    fn answer(&self, moment: &str) -> Vec<String> {
        let left = self.step.left().map_or_else(String::new, |left| format!(", {left}"));
        let under_way = format!("{}{left}{moment}", self.step.text);
        std::iter::once(under_way).chain(self.tally.lines()).map(|line| format!("so far: {line}")).collect()
    }
}

fn title(stage: &StageSpec) -> String {
    match stage.tasks.len() {
        _ if !stage.title.is_empty() => stage.title.clone(),
        1 => "a job".to_owned(),
        jobs => format!("{jobs} jobs side by side"),
    }
}
