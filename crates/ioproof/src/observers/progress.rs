//! Progress on standard error: one line that is drawn over on a terminal, a line now and then elsewhere.

use crate::messages;
use ioproof_core::claim::Metric;
use ioproof_core::units::{self, iops, throughput};
use ioproof_runner::{Event, Observer, Tick};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Shows progress.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    drawn: bool,
    step: String,
    printed: Option<Instant>,
}

/// Off a terminal, where nothing can be drawn over, a step is printed no more often than this.
const QUIET: Duration = Duration::from_secs(10);

impl Progress {
    /// For this standard error.
    pub fn new() -> Self {
        Self { terminal: stderr().is_terminal(), drawn: false, step: String::new(), printed: None }
    }

    /// Says something that stays.
    pub fn say(&mut self, text: &str) {
        self.clear();
        messages::say(text);
    }

    /// Names the step that begins; `left` is the time until all is done, where it is known. Off a terminal it is printed now and then.
    pub fn step(&mut self, text: &str, left: Option<Duration>) {
        // It comes first, where no terminal is too narrow for it.
        let text = left.map_or_else(|| text.to_owned(), |left| format!("about {} left: {text}", units::duration(left)));
        if self.terminal {
            self.draw(&text);
        } else if self.printed.is_none_or(|at| at.elapsed() >= QUIET) {
            messages::say(&text);
            self.printed = Some(Instant::now());
        }
        self.step = text;
    }

    /// Adds the figures of the moment to the step; only on a terminal.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let line = format!("{} · {text}", self.step);
            self.draw(&line);
        }
    }

    /// Removes the line.
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

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Observer for Progress {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Step { text, left } => self.step(text, *left),
            Event::Progress { text } => self.now(text),
            Event::Note(text) => self.say(text),
            Event::StageBegan(stage) => self.step(&stage.title, stage.left),
            Event::Tick(tick) if self.terminal => self.now(&rate(tick)),
            _ => {}
        }
    }
}

/// The rate of all tasks since they began, in the unit that the first of them is about.
pub fn rate(tick: &Tick<'_>) -> String {
    let counts = tick.live.iter().map(ioproof_runner::Live::counts);
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
