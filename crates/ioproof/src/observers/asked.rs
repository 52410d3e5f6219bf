//! Answers SIGUSR1 while a run goes on: what is under way and what was measured so far, a line a job. A job file's results so far, which fio gives then, are in
//! `job_files::so_far`.

use super::progress::rate;
use super::tally::Tally;
use crate::interrupt;
use ioproof_core::units::duration;
use ioproof_runner::{Event, StageSpec};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Knows how far the run is, and whether somebody asks.
#[derive(Debug)]
pub struct Asked {
    asked: Arc<AtomicBool>,
    step: String,
    tally: Tally,
}

impl Asked {
    /// From now on SIGUSR1 asks.
    pub fn new() -> Self {
        Self { asked: interrupt::asked(), step: "nothing is measured yet".to_owned(), tally: Tally::default() }
    }

    /// Takes an event; gives the lines of the answer where somebody asks.
    pub fn observe(&mut self, event: &Event<'_>) -> Vec<String> {
        match event {
            Event::Step { text, left } => self.step = step(text, *left),
            Event::StageBegan(stage) => self.step = step(&title(stage), stage.left),
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
        let under_way = format!("{}{moment}", self.step);
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

fn step(text: &str, left: Option<Duration>) -> String {
    left.map_or_else(|| text.to_owned(), |left| format!("{text}, about {} left", duration(left)))
}
