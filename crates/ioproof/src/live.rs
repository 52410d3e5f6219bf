//! The live view (`--live`): a full screen of what is measured, drawn while it is measured.
//!
//! `state` takes the events, `frame` makes a picture of it, `ansi` bytes of that, `drawing` is the thread that puts them on the `terminal`. This observer hands
//! copies of the state over and never waits: a terminal that takes nothing, or is gone, changes neither the measurement nor the exit status.
//! While the picture is there `messages` holds what is said; progress and fio's status line come back by themselves when it is gone.

mod ansi;
mod drawing;
mod frame;
mod meter;
mod series;
mod state;
mod terminal;
mod track;

pub use terminal::check;

use anyhow::{Context as _, Result};
use drawing::Drawing;
use ioproof_core::findings::find;
use ioproof_core::measured::Context;
use ioproof_core::record::{RunRecord, Stage};
use ioproof_process::{colors, interrupt};
use ioproof_runner::{Event, Observer, StageSpec, StageTick, TaskEnd};
use rustix::time::{ClockId, clock_gettime};
use state::Story;
use std::time::{Duration, Instant};

/// Time between two states that are handed over.
const EVERY: Duration = Duration::from_millis(250);

/// Further time for each task whose latencies are asked for: every worker of it has some 5000 bins.
const EVERY_TASK: Duration = Duration::from_millis(4);

/// Looking for findings takes no more than this share of the time.
const SHARE_TO_FIND: u32 = 50;

#[derive(Debug)]
pub struct LiveView {
    story: Story,
    drawing: Drawing,
    began: Instant,
    left_until: Option<Instant>,
    /// When latencies were last asked for.
    asked: Instant,
    /// When the CPU time was last looked at, and its amount.
    used: (Instant, Duration),
    /// Nothing is looked for before.
    find_after: Instant,
}

pub fn beside<'a>(observer: &'a mut dyn Observer, view: &'a mut Option<LiveView>) -> Vec<&'a mut dyn Observer> {
    let mut observers = vec![observer];
    observers.extend(view.as_mut().map(|view| view as &mut dyn Observer));
    observers
}

impl LiveView {
    /// Begins to show a run; nothing where it is to end already.
    ///
    /// # Errors
    /// Where there is no terminal for it.
    pub fn begin(record: &RunRecord) -> Result<Option<Self>> {
        if interrupt::is_ending() {
            return Ok(None);
        }
        let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let story = Story::new(record, cpus);
        terminal::enter()?;
        let drawing = Drawing::begin(colors::has_colors()).inspect_err(|_| terminal::leave()).context("--live: no thread can be had")?;
        let now = Instant::now();
        let view = Self { story, drawing, began: now, left_until: None, asked: now, used: (now, cpu_time()), find_after: now };
        view.drawing.bring(&view.story.state);
        Ok(Some(view))
    }

    fn tick(&mut self, tick: &StageTick<'_>) {
        for (position, live) in tick.live.iter().enumerate() {
            if let Some(latencies) = live.take_latencies() {
                self.story.latencies(position, *latencies);
            }
        }
        if self.asked.elapsed() < EVERY.max(EVERY_TASK * tick.live.len() as u32) {
            return;
        }
        self.asked = Instant::now();
        tick.live.iter().filter(|live| live.runs()).for_each(ioproof_runner::LiveTask::ask_latencies);
        self.story.count();
        self.look_at_cpu();
        self.bring();
    }

    fn look_at_cpu(&mut self) {
        const LEAST: Duration = Duration::from_secs(1);
        let (at, before) = self.used;
        if at.elapsed() >= LEAST {
            let now = cpu_time();
            self.story.state.cpus.0 = Some(now.saturating_sub(before).as_secs_f64() / at.elapsed().as_secs_f64());
            self.used = (Instant::now(), now);
        }
    }

    fn stage_began(&mut self, spec: &StageSpec) {
        self.story.stage_began(spec);
        self.set_left(self.story.state.left);
        self.asked = Instant::now().checked_sub(EVERY).unwrap_or(self.asked);
    }

    fn stage_ended(&mut self, stage: &Stage, ends: &[TaskEnd], record: &RunRecord) {
        self.story.learn(record);
        self.story.stage_ended(stage, record);
        for failed in ends.iter().filter_map(|end| end.failed.as_ref()) {
            self.story.note(&failed.to_string());
        }
        let now = Instant::now();
        if now >= self.find_after {
            self.story.findings(record, &find(&Context::new(record)).into_iter().chain(record.warnings.clone()).collect::<Vec<_>>());
            self.find_after = Instant::now() + now.elapsed() * SHARE_TO_FIND;
        }
    }

    fn set_left(&mut self, left: Option<Duration>) {
        self.left_until = left.map(|left| Instant::now() + left);
    }

    fn bring(&mut self) {
        self.story.state.elapsed = self.began.elapsed();
        self.story.state.left = self.left_until.map(|until| until.saturating_duration_since(Instant::now()));
        self.drawing.bring(&self.story.state);
    }
}

impl Observer for LiveView {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Tick(tick) => return self.tick(tick),
            Event::Step { text, left } => {
                self.story.step(text, *left);
                self.set_left(*left);
            }
            Event::Progress { text } => self.story.progress(text),
            Event::Note(text) => self.story.note(text),
            Event::StageBegan(spec) => self.stage_began(spec),
            Event::StageEnded { stage, ends, record, .. } => self.stage_ended(stage, ends, record),
            Event::Changed(record) => self.story.learn(record),
            Event::Ended(_) => self.story.step("all is measured", None),
            Event::SelfTested(_) => {}
        }
        self.bring();
    }
}

/// CPU time of all threads of this process, that of the kernel for them too.
fn cpu_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0))
}
