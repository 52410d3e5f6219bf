//! Progress on standard error: one line that is drawn over on a terminal, a line now and then elsewhere.

use ioproof_core::claim::Metric;
use ioproof_core::job::Until;
use ioproof_core::units::{self, iops, throughput};
use ioproof_process::{interrupt, messages};
use ioproof_runner::{Event, LiveTask, Observer, StageTick, Task};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub struct ProgressLine {
    terminal: bool,
    drawn: bool,
    step: ProgressStep,
    /// True where the step was printed, off a terminal.
    is_said: bool,
    printed: Option<Instant>,
    /// When a tick first came after the run was to end; it is said once if others come.
    ending: Option<Instant>,
    is_told: bool,
}

#[derive(Debug, Default)]
pub struct ProgressStep {
    pub text: String,
    /// When all will be done, where it is known.
    ends: Option<Instant>,
}

impl ProgressStep {
    /// One that begins now, with so much time left until all is done.
    pub fn new(text: &str, left: Option<Duration>) -> Self {
        Self { text: text.to_owned(), ends: left.map(|left| Instant::now() + left) }
    }

    /// The time that is left now, in words; none where it is not known, or over.
    pub fn left(&self) -> Option<String> {
        let left = self.ends?.saturating_duration_since(Instant::now());
        (left >= Duration::from_millis(500)).then(|| format!("about {} left", units::duration(left)))
    }

    /// The time that is left first, where no terminal is too narrow for it.
    fn line(&self) -> String {
        self.left().map_or_else(|| self.text.clone(), |left| format!("{left}: {}", self.text))
    }
}

/// Off a terminal, where nothing can be drawn over, a step is printed no more often than this.
const QUIET: Duration = Duration::from_secs(10);

/// Time after which it is said that I/O under way is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

impl ProgressLine {
    pub fn on_stderr() -> Self {
        Self {
            terminal: stderr().is_terminal(),
            drawn: false,
            step: ProgressStep::default(),
            is_said: false,
            printed: None,
            ending: None,
            is_told: false,
        }
    }

    pub fn say(&mut self, text: &str) {
        self.clear();
        messages::say(text);
    }

    /// Names the step that begins; `left` is the time until all is done, where it is known. Off a terminal it is printed now and then.
    pub fn step(&mut self, text: &str, left: Option<Duration>) {
        (self.step, self.is_said) = (ProgressStep::new(text, left), false);
        if self.terminal {
            self.draw(&self.step.line());
        } else {
            self.say_when_due();
        }
    }

    /// Prints the step off a terminal, once, and as soon as it is quiet enough.
    fn say_when_due(&mut self) {
        if !self.is_said && self.printed.is_none_or(|at| at.elapsed() >= QUIET) {
            messages::say(&self.step.line());
            (self.is_said, self.printed) = (true, Some(Instant::now()));
        }
    }

    /// Takes a look at the tasks of the step.
    fn tick(&mut self, tick: &StageTick<'_>) {
        if let Some(left) = left_of_pass(tick) {
            self.step.ends = Some(Instant::now() + left);
        }
        if self.terminal { self.now(&rate(tick)) } else { self.say_when_due() }
    }

    /// Adds the figures of the moment to the step; only on a terminal.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let line = format!("{} · {text}", self.step.line());
            self.draw(&line);
        }
    }

    /// Says what is waited for, where the run is to end and does not.
    fn wait(&mut self) {
        let since = *self.ending.get_or_insert_with(Instant::now);
        if !self.is_told && since.elapsed() >= PATIENCE {
            self.is_told = true;
            self.say("ending: waiting for I/O that is under way; a second Ctrl-C ends at once, without a report");
        }
    }

    pub fn clear(&mut self) {
        if self.drawn {
            messages::draw("\r\x1b[K");
            self.drawn = false;
        }
    }

    fn draw(&mut self, line: &str) {
        // A terminal that does not know its width says 0.
        let width = rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| usize::from(size.ws_col));
        let width = if width == 0 { 80 } else { width.max(20) };
        let line: String = line.chars().take(width - 1).collect();
        messages::draw(&format!("\r\x1b[K{line}"));
        self.drawn = true;
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Observer for ProgressLine {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Step { text, left } => self.step(text, *left),
            Event::Progress { text } => self.now(text),
            Event::Note(text) => self.say(text),
            Event::StageBegan(stage) => self.step(&stage.title, stage.left),
            Event::Tick(_) if interrupt::is_ending() => self.wait(),
            Event::Tick(tick) => self.tick(tick),
            _ => {}
        }
    }
}

/// Time that is left of a stage whose tasks go over their span once, by how far they are.
fn left_of_pass(tick: &StageTick<'_>) -> Option<Duration> {
    let of_task = |(task, live): (&Task, &LiveTask)| {
        let counts = live.counts();
        let once = task.spec.until == Until::SpanCovered && counts.bytes() > 0;
        once.then(|| counts.elapsed_ns as f64 * task.spec.span.length_bytes.saturating_sub(counts.bytes()) as f64 / counts.bytes() as f64)
    };
    let all: Option<Vec<f64>> = tick.spec.tasks.iter().zip(tick.live).map(of_task).collect();
    all?.into_iter().reduce(f64::max).map(|ns| Duration::from_nanos(ns as u64))
}

/// The rate of all tasks since they began, in the unit that the first of them is about.
pub fn rate(tick: &StageTick<'_>) -> String {
    let counts = tick.live.iter().map(LiveTask::counts);
    let (ios, bytes) = counts.fold((0.0, 0.0), |(ios, bytes), one| {
        let seconds = one.elapsed_ns.max(1) as f64 / 1e9;
        (ios + one.ios() as f64 / seconds, bytes + one.bytes() as f64 / seconds)
    });
    if tick.spec.tasks.iter().any(|task| task.database.is_some()) {
        return format!("{} transactions/s", units::rate(ios));
    }
    match tick.spec.tasks.first().map(|task| task.spec.workload.main_metric()) {
        Some(Metric::Throughput) | None => throughput(bytes),
        Some(Metric::Iops | Metric::Latency) => iops(ios),
    }
}
