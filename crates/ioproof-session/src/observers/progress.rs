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
    /// True where a line can be drawn over.
    terminal: bool,
    drawn: bool,
    step: ProgressStep,
    /// When the first step began whose end was known.
    began: Option<Instant>,
    /// True where the step was printed, off a terminal.
    is_said: bool,
    /// True where the step goes over a span once, and its times are of that alone.
    is_pass: bool,
    printed: Option<Instant>,
    /// When a tick first came after the run was to end; it is said once if others come.
    ending: Option<Instant>,
    is_told: bool,
}

#[derive(Debug, Default)]
pub struct ProgressStep {
    pub text: String,
    /// When it began and when all will be done, where that is known.
    times: Option<(Instant, Instant)>,
}

/// Characters of the bar, and the narrowest terminal that has room for it.
const BAR: usize = 16;
const BAR_FROM: usize = 60;

impl ProgressStep {
    /// One that begins now, with so much time left until all is done.
    pub fn new(text: &str, left: Option<Duration>) -> Self {
        let now = Instant::now();
        Self { text: text.to_owned(), times: left.map(|left| (now, now + left)) }
    }

    /// Time that is left now, rounded up to seconds; none where it is not known, or over.
    fn seconds_left(&self) -> Option<Duration> {
        let left = self.times?.1.saturating_duration_since(Instant::now());
        (left >= Duration::from_millis(500)).then(|| Duration::from_secs(left.as_secs_f64().ceil() as u64))
    }

    /// The time that is left now, in words.
    pub fn left(&self) -> Option<String> {
        self.seconds_left().map(|left| format!("about {} left", units::duration(left)))
    }

    /// The time that is left first.
    fn line(&self) -> String {
        self.left().map_or_else(|| self.text.clone(), |left| format!("{left}: {}", self.text))
    }

    /// For a terminal: `[####............]  25 %  0:45 left  random read 4 KiB`.
    fn drawn(&self, width: usize) -> String {
        let (Some((began, _)), Some(left)) = (self.times, self.seconds_left()) else { return self.text.clone() };
        let elapsed = began.elapsed().as_secs_f64();
        let share = elapsed / (elapsed + left.as_secs_f64());
        let full = (share * BAR as f64) as usize;
        let bar = if width < BAR_FROM { String::new() } else { format!("[{}{}] ", "#".repeat(full), ".".repeat(BAR - full)) };
        format!("{bar}{:3.0} %  {} left  {}", share * 100.0, clock(left.as_secs()), self.text)
    }
}

/// `0:07`, `12:30`, `1:02:03`.
fn clock(seconds: u64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Columns of the terminal; one that does not know its width says 0.
fn width() -> usize {
    match rustix::termios::tcgetwinsize(stderr()).map_or(0, |size| usize::from(size.ws_col)) {
        0 => 80,
        width => width.max(20),
    }
}

/// Off a terminal, where nothing can be drawn over, a step is printed no more often than this.
const QUIET: Duration = Duration::from_secs(10);

/// Time after which it is said that I/O under way is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

impl ProgressLine {
    pub fn on_stderr() -> Self {
        Self {
            terminal: stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            drawn: false,
            step: ProgressStep::default(),
            began: None,
            is_said: false,
            is_pass: false,
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
        (self.step, self.is_said, self.is_pass) = (ProgressStep::new(text, left), false, false);
        if let Some((began, _)) = &mut self.step.times {
            *began = *self.began.get_or_insert(*began);
        }
        if self.terminal {
            self.draw(&self.step.drawn(width()));
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
            let now = Instant::now();
            let began = if self.is_pass { self.step.times.map(|(began, _)| began) } else { None };
            (self.step.times, self.is_pass) = (Some((began.unwrap_or(now), now + left)), true);
        }
        if self.terminal { self.now(&rate(tick)) } else { self.say_when_due() }
    }

    /// Adds the figures of the moment to the step; only on a terminal.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let line = format!("{}: {text}", self.step.drawn(width()));
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
        let line: String = line.chars().take(width() - 1).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_share_and_time_left_in_whole_seconds() {
        let now = Instant::now();
        let step = |text: &str, since: u64, left_ms: u64| {
            let times = Some((now - Duration::from_secs(since), now + Duration::from_millis(left_ms)));
            ProgressStep { text: text.into(), times }
        };
        let drawn = step("read", 3600, 3_600_000).drawn(80);
        assert!(drawn.starts_with("[########........]  50 %  1:00:00 left  read"), "{drawn}");
        assert_eq!(step("read", 75, 24_900).drawn(59), " 75 %  0:25 left  read", "no room for a bar");
        assert_eq!(step("read", 1, 9_300).line(), "about 10 s left: read");
        assert_eq!(step("read", 10, 100).drawn(80), "read", "what is over by its plan shows no time");
        assert_eq!(ProgressStep::new("read", None).drawn(80), "read");
    }
}
